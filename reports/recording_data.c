#include "reports/recording_data.h"

#include "reports/base64.h"
#include "scenes/scene.h"

#include <hdf5.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Positions beyond this many numbers are written in single precision, to keep the page below 100 MB: a joint's error is
 * then seen to 1e-7 of the scene's size, which is enough to look at. */
static const size_t DOUBLES_MAX = 2000000;

/* Of so many frames a brief recording has one: 30 pictures a second at the usual step of 1/60 s. */
enum { BRIEF_EVERY = 2 };

typedef struct Recording {
    hid_t file;
    const char *path;
    FILE *out;
    size_t every; /* how many frames one is written of */
    bool fine;    /* poses in double precision */
    bool empty;   /* the object at hand has no key yet */
    Status *status;
} Recording;

typedef struct Array {
    int rank;
    hsize_t shape[3];
    size_t count;
    double *values;
} Array;

static bool recording_fail(const Recording *recording, const char *name, const char *what)
{
    return status_set(recording->status, STATUS_BAD_FILE, "%s: %s: %s", recording->path, name, what);
}

/* A dataset of numbers, converted to double; the caller frees the values. */
static bool array_read(const Recording *recording, const char *name, int rank, Array *array)
{
    *array = (Array){.count = 1};
    hid_t dataset = H5Dopen2(recording->file, name, H5P_DEFAULT);
    if (dataset < 0)
        return recording_fail(recording, name, "is missing: this is no recording");
    hid_t space = H5Dget_space(dataset);
    array->rank = H5Sget_simple_extent_ndims(space);
    bool ok = array->rank == rank && H5Sget_simple_extent_dims(space, array->shape, NULL) >= 0;
    for (int i = 0; ok && i < rank; i++)
        array->count *= array->shape[i];
    array->values = ok ? malloc(sizeof *array->values * (array->count + 1)) : NULL;
    ok = array->values &&
         (array->count == 0 || H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->values) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    if (!ok)
        free(array->values);
    return ok || recording_fail(recording, name, "cannot be read");
}

/* JSON without any '<', which could end the script element; releases the value. */
static bool put_json(FILE *out, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) : NULL;
    for (const char *c = text; c && *c; c++)
        if (*c == '<')
            fputs("\\u003c", out);
        else
            fputc(*c, out);
    free(text);
    json_decref(value);
    return text != NULL;
}

static void object_begin(Recording *recording)
{
    fputc('{', recording->out);
    recording->empty = true;
}

static void object_end(Recording *recording)
{
    fputc('}', recording->out);
    recording->empty = false;
}

static void put_key(Recording *recording, const char *key)
{
    fputs(recording->empty ? "" : ",\n", recording->out);
    put_json(recording->out, json_string(key));
    fputc(':', recording->out);
    recording->empty = false;
}

typedef void WriteArray(FILE *out, const double *values, size_t count);

/* Leaves the rows 0, every, 2 every, ... */
static void array_thin(Array *array, size_t every)
{
    size_t rows = array->shape[0], width = rows ? array->count / rows : 0, kept = 0;
    for (size_t row = 0; row < rows; row += every, kept++)
        memmove(array->values + kept * width, array->values + row * width, sizeof *array->values * width);
    array->shape[0] = kept;
    array->count = kept * width;
}

/* A key and an array. frames > 0: the array must have that many rows, one for each frame. */
static bool put_array(Recording *recording, const char *key, const char *name, int rank, hsize_t frames,
                      WriteArray *write)
{
    Array array;
    if (!array_read(recording, name, rank, &array))
        return false;
    bool ok = frames == 0 || array.shape[0] == frames || recording_fail(recording, name, "is not as long as time");
    if (ok && frames > 0)
        array_thin(&array, recording->every);
    if (ok) {
        put_key(recording, key);
        write(recording->out, array.values, array.count);
    }
    free(array.values);
    return ok;
}

/* The text of an attribute, of fixed or variable length; freed by the caller. */
static char *read_text(hid_t file, const char *name)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    if (attribute < 0)
        return NULL;
    hid_t type = H5Aget_type(attribute), own = H5Tcopy(H5T_C_S1);
    char *text = NULL;
    if (H5Tis_variable_str(type) > 0) {
        char *shared = NULL;
        H5Tset_size(own, H5T_VARIABLE);
        H5Tset_cset(own, H5Tget_cset(type));
        if (H5Aread(attribute, own, &shared) >= 0 && shared && (text = malloc(strlen(shared) + 1)))
            strcpy(text, shared);
        H5free_memory(shared);
    } else if ((text = calloc(H5Tget_size(type) + 1, 1)) && H5Aread(attribute, type, text) < 0) {
        free(text);
        text = NULL;
    }
    H5Tclose(own);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

/* An attribute that holds JSON, or NULL with a message. */
static json_t *read_document(const Recording *recording, const char *name)
{
    char *text = read_text(recording->file, name);
    json_error_t error;
    json_t *document = text ? json_loads(text, 0, &error) : NULL;
    if (!text)
        recording_fail(recording, name, "this attribute is missing: this is no recording");
    else if (!document)
        recording_fail(recording, name, error.text);
    free(text);
    return document;
}

static bool put_body_names(Recording *recording)
{
    hid_t dataset = H5Dopen2(recording->file, "body_names", H5P_DEFAULT);
    if (dataset < 0)
        return recording_fail(recording, "body_names", "is missing: this is no recording");
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    json_t *names = json_array();
    bool ok = H5Tis_variable_str(type) > 0 && count >= 0;
    char **texts = ok ? calloc((size_t)count + 1, sizeof *texts) : NULL;
    ok = texts && (count == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    for (hssize_t i = 0; ok && i < count; i++)
        ok = json_array_append_new(names, json_string(texts[i])) == 0;
    if (texts && count > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    free(texts);
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(dataset);
    put_key(recording, "bodies");
    return (put_json(recording->out, names) && ok) || recording_fail(recording, "body_names", "cannot be read");
}

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *names)
{
    (void)group, (void)info;
    return json_array_append_new(names, json_string(name));
}

static bool put_metrics(Recording *recording, hsize_t frames)
{
    json_t *names = json_array();
    hid_t group = H5Gopen2(recording->file, "metrics", H5P_DEFAULT);
    bool ok = group < 0 || H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, names) >= 0;
    if (group >= 0)
        H5Gclose(group);
    put_key(recording, "metrics");
    object_begin(recording);
    for (size_t i = 0; ok && i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        char path[256];
        snprintf(path, sizeof path, "metrics/%s", name);
        ok = put_array(recording, name, path, 1, frames, recording->fine ? base64_write_doubles : base64_write_floats);
    }
    object_end(recording);
    json_decref(names);
    return ok;
}

/* The contacts of the frames that are written: rows offset[f] .. offset[f + 1] of the file's. */
static void contacts_thin(const Array *offset, size_t every, Array *rows)
{
    size_t frames = offset->count, all = rows->shape[0], width = all ? rows->count / all : 0, kept = 0;
    for (size_t f = 0; f < frames; f += every) {
        size_t from = (size_t)offset->values[f], to = f + 1 < frames ? (size_t)offset->values[f + 1] : all;
        memmove(rows->values + kept * width, rows->values + from * width, sizeof *rows->values * width * (to - from));
        kept += to - from;
    }
    rows->count = kept * width;
}

static void offsets_thin(Array *offset, size_t every, size_t all)
{
    size_t kept = 0, next = 0;
    for (size_t f = 0; f < offset->count; f += every) {
        double from = offset->values[f], to = f + 1 < offset->count ? offset->values[f + 1] : (double)all;
        offset->values[kept++] = (double)next;
        next += (size_t)(to - from);
    }
    offset->count = kept;
}

/* Offsets that do not rise, or that reach beyond the contacts, would be read outside them. */
static bool offsets_check(const Recording *recording, const Array *offset, size_t all)
{
    double before = 0.0;
    for (size_t f = 0; f < offset->count; f++) {
        if (!(offset->values[f] >= before && offset->values[f] <= (double)all))
            return recording_fail(recording, "contacts/offset", "does not fit the contacts");
        before = offset->values[f];
    }
    return true;
}

static bool put_contacts(Recording *recording)
{
    static const char *const KEYS[] = {"point", "impulse"}, *const PATHS[] = {"contacts/point", "contacts/impulse"};
    if (H5Lexists(recording->file, "contacts", H5P_DEFAULT) <= 0)
        return true;
    Array offset, rows = {0};
    size_t all = 0;
    if (!array_read(recording, "contacts/offset", 1, &offset))
        return false;
    put_key(recording, "contacts");
    object_begin(recording);
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        ok = array_read(recording, PATHS[i], 2, &rows);
        all = ok ? rows.shape[0] : 0;
        ok = ok && offsets_check(recording, &offset, all);
        if (ok) {
            contacts_thin(&offset, recording->every, &rows);
            put_key(recording, KEYS[i]);
            base64_write_floats(recording->out, rows.values, rows.count);
        }
        free(rows.values);
        rows.values = NULL;
    }
    if (ok) {
        offsets_thin(&offset, recording->every, all);
        put_key(recording, "offset");
        base64_write_ints(recording->out, offset.values, offset.count);
    }
    object_end(recording);
    free(offset.values);
    return ok;
}

/* A mesh file as the scene names it, or beside the recording. */
static Mesh *read_mesh(const char *recording, const char *file, Status *status)
{
    Mesh *mesh = obj_read(file, status);
    const char *slash = strrchr(recording, '/');
    char beside[4096];
    if (mesh || !slash || *file == '/' ||
        snprintf(beside, sizeof beside, "%.*s/%s", (int)(slash - recording), recording, file) >= (int)sizeof beside)
        return mesh;
    Status other = {0};
    mesh = obj_read(beside, &other);
    if (mesh)
        *status = other;
    return mesh;
}

/* The surface of a body's hull or mesh about its centre of mass; NULL: it has none, or its file is not there. */
static Mesh *surface_of(const char *recording, const json_t *shape, Status *status)
{
    const json_t *points = json_object_get(json_object_get(shape, "hull"), "points");
    const char *file = json_string_value(json_object_get(json_object_get(shape, "mesh"), "file"));
    size_t count = json_array_size(points);
    Mesh *mesh = file ? read_mesh(recording, file, status) : NULL;
    Vec3 *corners = count > 0 ? malloc(sizeof *corners * count) : NULL;
    if (corners) {
        for (size_t i = 0; i < count; i++) {
            const json_t *point = json_array_get(points, i);
            corners[i] = vec3(json_number_value(json_array_get(point, 0)), json_number_value(json_array_get(point, 1)),
                              json_number_value(json_array_get(point, 2)));
        }
        mesh = mesh_create_hull((int)count, corners, status);
        free(corners);
    }
    if (mesh)
        mesh_recentre(mesh, mesh_mass_properties(mesh, 1.0).centre);
    return mesh;
}

static bool put_surface(Recording *recording, const char *body, const Mesh *mesh)
{
    size_t count = 3 * (size_t)mesh->triangle_count;
    double *corners = malloc(sizeof *corners * count);
    if (!corners)
        return false;
    for (size_t i = 0; i < count; i++)
        corners[i] = mesh->triangles[i / 3][i % 3];
    put_key(recording, body);
    object_begin(recording);
    put_key(recording, "vertices");
    base64_write_floats(recording->out, &mesh->vertices[0].x, 3 * (size_t)mesh->vertex_count);
    put_key(recording, "triangles");
    base64_write_ints(recording->out, corners, count);
    object_end(recording);
    free(corners);
    return true;
}

/* A mesh whose file has gone is drawn as a marker: that is said, and is no failure. */
static bool put_surfaces(Recording *recording, const json_t *scene)
{
    size_t index;
    json_t *body;
    bool ok = true;
    put_key(recording, "meshes");
    object_begin(recording);
    json_array_foreach (json_object_get(scene, "bodies"), index, body) {
        const char *name = json_string_value(json_object_get(body, "name"));
        Status why = {0};
        Mesh *mesh = surface_of(recording->path, json_object_get(body, "shape"), &why);
        if (why.code != STATUS_OK)
            fprintf(stderr, "%s: body %s is drawn as a marker: %s\n", recording->path, name, why.message);
        if (mesh && name)
            ok = ok && put_surface(recording, name, mesh);
        mesh_destroy(mesh);
    }
    object_end(recording);
    return ok || recording_fail(recording, "scene", "out of memory");
}

static bool put_motion(Recording *recording)
{
    Array position;
    if (!array_read(recording, "position", 3, &position))
        return false;
    free(position.values);
    hsize_t frames = position.shape[0];
    recording->fine = recording->fine && position.count <= DOUBLES_MAX;
    WriteArray *fine = recording->fine ? base64_write_doubles : base64_write_floats;
    return put_array(recording, "time", "time", 1, frames, base64_write_doubles) &&
           put_array(recording, "position", "position", 3, frames, fine) &&
           put_array(recording, "orientation", "orientation", 3, frames, fine) &&
           put_array(recording, "velocity", "velocity", 3, frames, base64_write_floats) &&
           put_array(recording, "angular_velocity", "angular_velocity", 3, frames, base64_write_floats) &&
           put_metrics(recording, frames) && put_contacts(recording);
}

static bool put_recording(Recording *recording)
{
    json_t *scene = read_document(recording, "scene"), *run = scene ? read_document(recording, "run") : NULL;
    if (!run) {
        json_decref(scene);
        return false;
    }
    object_begin(recording);
    put_key(recording, "file");
    bool ok = put_json(recording->out, json_string(recording->path));
    put_key(recording, "run");
    ok = put_json(recording->out, run) && ok;
    put_key(recording, "scene");
    ok = put_json(recording->out, json_incref(scene)) && ok;
    ok = ok && put_body_names(recording) && put_surfaces(recording, scene) && put_motion(recording);
    object_end(recording);
    json_decref(scene);
    return ok;
}

bool recordings_write(FILE *out, char *const *paths, int count, RecordingDetail detail, Status *status)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* messages are made here, not printed by the library */
    bool ok = true;
    fprintf(out, "{\"recordings\":[");
    for (int i = 0; ok && i < count; i++) {
        bool brief = detail == RECORDING_BRIEF;
        Recording recording = {
            .path = paths[i], .out = out, .every = brief ? BRIEF_EVERY : 1, .fine = !brief, .status = status};
        recording.file = H5Fopen(paths[i], H5F_ACC_RDONLY, H5P_DEFAULT);
        if (recording.file < 0)
            return status_set(status, STATUS_BAD_FILE, "%s: is not there, or is no HDF5 file", paths[i]);
        fputs(i ? ",\n" : "", out);
        ok = put_recording(&recording);
        H5Fclose(recording.file);
    }
    fprintf(out, "]}\n");
    return ok;
}
