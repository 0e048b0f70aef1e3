/* SPDX-License-Identifier: MIT */
/* Makes a recording that is meant to do harm out of a good one, in place. usage:
 *   bad_recording kind file.h5 [other.h5]
 *   bad_recording text file.h5 attribute text
 *   bad_recording metric file.h5 old_name new_name */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An attribute with so many strings where a recording has one. */
static int put_texts(hid_t file, const char *name, hsize_t count, size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    H5Tset_size(type, size);
    H5Adelete(file, name);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    static char bytes[65536];
    static const char *texts[4096];
    memset(bytes, 'A', sizeof bytes);
    for (int i = 0; i < 4096; i++)
        texts[i] = "{\"a\": 1}";
    return H5Awrite(attribute, type, size == H5T_VARIABLE ? (void *)texts : bytes) < 0 || H5Aclose(attribute) < 0;
}

/* A dataset of this shape that holds nothing. */
static int put_empty(hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape)
{
    hsize_t chunk[3] = {1, 1, 1}, most[3] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, shape, most);
    H5Pset_chunk(plan, rank, chunk);
    H5Ldelete(file, name, H5P_DEFAULT);
    return H5Dcreate2(file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT) < 0;
}

static int put_outside(hid_t file)
{
    hsize_t shape[3] = {1, 1, 3};
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, shape, NULL);
    H5Pset_external(plan, "/etc/passwd", 0, 24);
    H5Ldelete(file, "position", H5P_DEFAULT);
    return H5Dcreate2(file, "position", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan, H5P_DEFAULT) < 0;
}

static int put_link(hid_t file, const char *other)
{
    H5Ldelete(file, "position", H5P_DEFAULT);
    return H5Lcreate_external(other, "/position", file, "position", H5P_DEFAULT, H5P_DEFAULT) < 0;
}

/* Other numbers in place of all that a dataset has: 0, step, 2 step, ... */
static int put_numbers(hid_t file, const char *name, double step)
{
    static double numbers[1 << 16];
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        numbers[i] = (double)i * step;
    return H5Sget_simple_extent_npoints(space) > (hssize_t)(sizeof numbers / sizeof numbers[0]) ||
           H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0;
}

static int spoil(const char *kind, hid_t file, const char *path)
{
    hid_t integers = H5Tcopy(H5T_NATIVE_INT64);
    if (strcmp(kind, "fixed-texts") == 0)
        return put_texts(file, "run", 4000, 16);
    if (strcmp(kind, "variable-texts") == 0)
        return put_texts(file, "scene", 4000, H5T_VARIABLE);
    if (strcmp(kind, "overflow") == 0)
        return put_empty(file, "position", H5T_NATIVE_DOUBLE, 3, (hsize_t[]){(1ull << 61) + 1, 1, 8});
    if (strcmp(kind, "huge") == 0)
        return put_empty(file, "velocity", H5T_NATIVE_DOUBLE, 3, (hsize_t[]){1ull << 30, 2, 3});
    if (strcmp(kind, "rank") == 0)
        return put_empty(file, "position", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){61, 3});
    if (strcmp(kind, "names") == 0)
        return put_empty(file, "body_names", integers, 1, (hsize_t[]){1ull << 40});
    if (strcmp(kind, "endless-time") == 0)
        return put_numbers(file, "time", 1e306);
    if (strcmp(kind, "falling-time") == 0)
        return put_numbers(file, "time", -1.0);
    if (strcmp(kind, "no-time") == 0)
        return put_numbers(file, "time", NAN);
    if (strcmp(kind, "far-away") == 0)
        return put_numbers(file, "position", 1e306) || put_numbers(file, "orientation", 1e306);
    if (strcmp(kind, "nowhere") == 0)
        return put_numbers(file, "position", NAN) || put_numbers(file, "orientation", NAN);
    if (strcmp(kind, "outside") == 0)
        return put_outside(file);
    return strcmp(kind, "link") != 0 || put_link(file, path);
}

/* An attribute of this text in place of the one that is there. */
static int put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Adelete(file, name);
    hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    return H5Awrite(attribute, type, &text) < 0 || H5Aclose(attribute) < 0;
}

static int rename_metric(hid_t file, const char *from, const char *to)
{
    hid_t metrics = H5Gopen2(file, "metrics", H5P_DEFAULT);
    return H5Lmove(metrics, from, metrics, to, H5P_DEFAULT, H5P_DEFAULT) < 0 || H5Gclose(metrics) < 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    hid_t file = H5Fopen(argv[2], H5F_ACC_RDWR, H5P_DEFAULT);
    int failed = file < 0;
    if (!failed && argc == 5)
        failed = (strcmp(argv[1], "text") == 0 ? put_text : rename_metric)(file, argv[3], argv[4]);
    else if (!failed)
        failed = spoil(argv[1], file, argv[argc - 1]);
    return failed || H5Fclose(file) < 0;
}
