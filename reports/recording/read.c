/* SPDX-License-Identifier: MIT */
#include "reports/recording/read.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Deflate makes a byte of at most 1032; with some room for chunks that are not full. */
static const unsigned long long UNPACKED_MOST = 2048;

bool recording_fail(const RecordingFile *recording, const char *name, const char *what)
{
    return status_set(recording->status, STATUS_BAD_FILE, "%s: %s: %s", recording->path, name, what);
}

bool recording_open(RecordingFile *recording, int fd, const char *path, Status *status)
{
    *recording = (RecordingFile){.path = path, .status = status};
    return hdf5_open(&recording->file, fd) ||
           status_set(status, STATUS_BAD_FILE, "%s: is no recording: it is not an HDF5 file", path);
}

void recording_close(RecordingFile *recording)
{
    hdf5_close(&recording->file);
}

/* So many elements of so many bytes come from what is stored of the dataset, and that from the file. */
static bool file_holds(const RecordingFile *recording, hid_t dataset, size_t count, size_t size)
{
    unsigned long long stored = H5Dget_storage_size(dataset), bytes, most;
    return stored <= recording->file.bytes && !__builtin_mul_overflow((unsigned long long)count, size, &bytes) &&
           (__builtin_mul_overflow(stored, UNPACKED_MOST, &most) || bytes <= most);
}

static bool is_number(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset);
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    bool number = (class == H5T_FLOAT || class == H5T_INTEGER) && H5Tget_size(type) <= sizeof(double);
    if (type >= 0)
        H5Tclose(type);
    return number;
}

/* Rank, shape and count of a dataset; false: they are not as wanted, or too large to count. */
static bool array_measure(hid_t dataset, int rank, const hsize_t *wanted, Array *array)
{
    hid_t space = H5Dget_space(dataset);
    bool ok = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
              H5Sget_simple_extent_ndims(space) == rank && rank <= ARRAY_RANK &&
              H5Sget_simple_extent_dims(space, array->shape, NULL) == rank;
    array->rank = rank;
    array->count = 1;
    for (int i = 0; ok && i < rank; i++)
        ok = (!wanted || wanted[i] == 0 || wanted[i] == array->shape[i]) &&
             !__builtin_mul_overflow(array->count, (size_t)array->shape[i], &array->count);
    if (space >= 0)
        H5Sclose(space);
    return ok && array->count < SIZE_MAX / sizeof *array->values;
}

static const char *name_missing(const RecordingFile *recording, const char *name)
{
    return hdf5_has(&recording->file, name) ? HDF5_NOT_HERE : "is missing: this is no recording";
}

bool recording_array(const RecordingFile *recording, const char *name, int rank, const hsize_t *shape, Array *array)
{
    *array = (Array){0};
    hid_t dataset = hdf5_dataset(&recording->file, name);
    if (dataset < 0)
        return recording_fail(recording, name, name_missing(recording, name));
    const char *what = NULL;
    if (!is_number(dataset))
        what = "does not hold numbers";
    else if (!array_measure(dataset, rank, shape, array))
        what = "has not the shape of a recording";
    else if (!file_holds(recording, dataset, array->count, H5Tget_size(H5T_NATIVE_DOUBLE)))
        what = "says that it is larger than the file";
    else if (!(array->values = malloc(sizeof *array->values * (array->count + 1))))
        what = "is larger than the memory";
    else if (array->count > 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->values) < 0)
        what = "cannot be read";
    H5Dclose(dataset);
    if (!what)
        return true;
    free(array->values);
    array->values = NULL;
    return recording_fail(recording, name, what);
}

/* One string of variable length, read into memory of the library's. */
static char *read_variable(hid_t attribute, hid_t type)
{
    char *shared = NULL, *text = NULL;
    hid_t own = H5Tcopy(H5T_C_S1);
    if (own >= 0 && H5Tset_size(own, H5T_VARIABLE) >= 0 && H5Tset_cset(own, H5Tget_cset(type)) >= 0 &&
        H5Aread(attribute, own, &shared) >= 0 && shared)
        text = strdup(shared);
    H5free_memory(shared);
    if (own >= 0)
        H5Tclose(own);
    return text;
}

static char *read_fixed(hid_t attribute, hid_t type, unsigned long long most)
{
    size_t size = H5Tget_size(type);
    char *text = size <= most ? calloc(size + 1, 1) : NULL;
    if (text && H5Aread(attribute, type, text) >= 0)
        return text;
    free(text);
    return NULL;
}

/* The text of an attribute that is one string, of fixed or variable length; freed by the caller. */
static char *read_text(const RecordingFile *recording, const char *name)
{
    hid_t attribute = H5Aopen(recording->file.file, name, H5P_DEFAULT);
    if (attribute < 0)
        return NULL;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool one = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
    char *text = NULL;
    if (one)
        text = H5Tis_variable_str(type) > 0 ? read_variable(attribute, type)
                                            : read_fixed(attribute, type, recording->file.bytes);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

json_t *recording_document(const RecordingFile *recording, const char *name)
{
    char *text = read_text(recording, name);
    json_error_t error;
    json_t *document = text ? json_loads(text, 0, &error) : NULL;
    if (!text)
        recording_fail(recording, name, "this attribute is missing, or no text: this is no recording");
    else if (!document)
        recording_fail(recording, name, error.text);
    free(text);
    return document;
}

static bool is_variable_text(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset);
    bool text = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0;
    if (type >= 0)
        H5Tclose(type);
    return text;
}

static json_t *read_names(hid_t dataset, size_t count)
{
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    json_t *names = json_array();
    char **texts = calloc(count + 1, sizeof *texts);
    bool ok = names && texts && (count == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    for (size_t i = 0; ok && i < count; i++)
        ok = texts[i] && json_array_append_new(names, json_string(texts[i])) == 0;
    if (texts && count > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    free(texts);
    H5Tclose(type);
    H5Sclose(space);
    if (ok)
        return names;
    json_decref(names);
    return NULL;
}

json_t *recording_body_names(const RecordingFile *recording)
{
    static const char NAME[] = "body_names";
    Array shape = {0};
    json_t *names = NULL;
    hid_t dataset = hdf5_dataset(&recording->file, NAME);
    if (dataset < 0) {
        recording_fail(recording, NAME, name_missing(recording, NAME));
        return NULL;
    }
    if (is_variable_text(dataset) && array_measure(dataset, 1, NULL, &shape) &&
        file_holds(recording, dataset, shape.count, sizeof(char *)))
        names = read_names(dataset, shape.count);
    H5Dclose(dataset);
    if (!names)
        recording_fail(recording, NAME, "cannot be read");
    return names;
}

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *names)
{
    (void)group, (void)info;
    return json_array_append_new(names, json_string(name));
}

json_t *recording_metric_names(const RecordingFile *recording)
{
    json_t *names = json_array();
    hid_t group = hdf5_has(&recording->file, "metrics") ? H5Gopen2(recording->file.file, "metrics", H5P_DEFAULT) : -1;
    bool ok = names && (group < 0 || H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, names) >= 0);
    if (group >= 0)
        H5Gclose(group);
    if (ok)
        return names;
    json_decref(names);
    recording_fail(recording, "metrics", "cannot be read");
    return NULL;
}
