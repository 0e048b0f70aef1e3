/* SPDX-License-Identifier: MIT */
/* Puts in place of a dataset of numbers one that leads out of its file, by every way that HDF5 has. usage:
 *   bad_hdf5 external|external-link|soft-link|virtual|filter FILE DATASET other
 *   bad_hdf5 add FILE DATASET number
 * other: what `external` takes bytes from, and the HDF5 file whose dataset of the same name the links and `virtual`
 * name. `add` changes every number, so that another file's numbers can be told. */
#include "tests/safety/hdf5_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Old {
    hid_t space, type;
    int rank;
    hsize_t shape[8];
    double *numbers;
} Old;

static int take(hid_t file, const char *name, Old *old)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    old->type = H5Tget_class(H5Dget_type(dataset)) == H5T_FLOAT ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT;
    old->rank = H5Sget_simple_extent_dims(space, old->shape, NULL);
    old->space = old->rank > 0 ? H5Screate_simple(old->rank, old->shape, NULL) : H5Screate(H5S_SCALAR);
    old->numbers = calloc((size_t)H5Sget_simple_extent_npoints(space) + 1, 8);
    int failed = H5Dread(dataset, old->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, old->numbers) < 0;
    return H5Dclose(dataset) < 0 || H5Sclose(space) < 0 || failed;
}

static hsize_t bytes_of(const Old *old)
{
    return (hsize_t)H5Sget_simple_extent_npoints(old->space) * H5Tget_size(old->type);
}

static int put(hid_t file, const char *name, const Old *old, hid_t plan, int written)
{
    hid_t dataset = H5Dcreate2(file, name, old->type, old->space, H5P_DEFAULT, plan, H5P_DEFAULT);
    return dataset < 0 || (written && H5Dwrite(dataset, old->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, old->numbers) < 0) ||
           H5Dclose(dataset) < 0;
}

static int add(hid_t file, const char *name, const Old *old, double number)
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    for (hsize_t i = 0; i < bytes_of(old) / H5Tget_size(old->type); i++)
        if (old->type == H5T_NATIVE_DOUBLE)
            old->numbers[i] += number;
        else
            ((int *)old->numbers)[i] += (int)number;
    return H5Dwrite(dataset, old->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, old->numbers) < 0 || H5Dclose(dataset) < 0;
}

static int spoil(const char *kind, hid_t file, const char *name, const char *other, const Old *old)
{
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Ldelete(file, name, H5P_DEFAULT);
    if (strcmp(kind, "external") == 0)
        return H5Pset_external(plan, other, 0, bytes_of(old)) < 0 || put(file, name, old, plan, 0);
    if (strcmp(kind, "external-link") == 0)
        return H5Lcreate_external(other, name, file, name, H5P_DEFAULT, H5P_DEFAULT) < 0;
    if (strcmp(kind, "soft-link") == 0) { /* through a link out of the file */
        char target[512];
        snprintf(target, sizeof target, "/elsewhere/%s", name);
        return H5Lcreate_external(other, "/", file, "/elsewhere", H5P_DEFAULT, H5P_DEFAULT) < 0 ||
               H5Lcreate_soft(target, file, name, H5P_DEFAULT, H5P_DEFAULT) < 0;
    }
    if (strcmp(kind, "virtual") == 0)
        return H5Pset_virtual(plan, old->space, other, name, old->space) < 0 || put(file, name, old, plan, 0);
    H5Zregister(&foreign_filter);
    hsize_t chunk[8] = {0};
    for (int i = 0; i < old->rank; i++)
        chunk[i] = old->shape[i] ? old->shape[i] : 1;
    return strcmp(kind, "filter") != 0 || H5Pset_chunk(plan, old->rank, chunk) < 0 ||
           H5Pset_filter(plan, FOREIGN_FILTER, 0, 0, NULL) < 0 || put(file, name, old, plan, 1);
}

int main(int argc, char **argv)
{
    Old old;
    hid_t file = argc == 5 ? H5Fopen(argv[2], H5F_ACC_RDWR, H5P_DEFAULT) : -1;
    if (file < 0 || take(file, argv[3], &old))
        return 2;
    int failed = strcmp(argv[1], "add") == 0 ? add(file, argv[3], &old, atof(argv[4]))
                                             : spoil(argv[1], file, argv[3], argv[4], &old);
    free(old.numbers);
    return H5Fclose(file) < 0 || failed;
}
