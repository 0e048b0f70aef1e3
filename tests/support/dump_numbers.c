/* SPDX-License-Identifier: MIT */
/* Prints what a file of `rigor solve --dump` holds in FCLIB's groups, as JSON with full matrices: for a test in a
 * language without HDF5. Reads with HDF5 alone, not with the program's own reader. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

static void *read_data(hid_t file, const char *path, hid_t type, size_t item, size_t *count)
{
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(dataset);
    *count = (size_t)H5Sget_simple_extent_npoints(space);
    void *data = calloc(*count + 1, item);
    if (!data || (*count > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
        exit(1);
    H5Sclose(space);
    H5Dclose(dataset);
    return data;
}

static void print_vector(hid_t file, const char *name, const char *path)
{
    size_t count = 0;
    double *x =
        H5Lexists(file, path, H5P_DEFAULT) > 0 ? read_data(file, path, H5T_NATIVE_DOUBLE, sizeof *x, &count) : NULL;
    printf("\"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%.17g", i ? ", " : "", x[i]);
    printf("],\n");
    free(x);
}

static int *read_ints(hid_t file, const char *group, const char *name)
{
    char path[128];
    size_t count;
    snprintf(path, sizeof path, "%s/%s", group, name);
    return read_data(file, path, H5T_NATIVE_INT, sizeof(int), &count);
}

static void print_matrix(hid_t file, const char *name, const char *group)
{
    char path[128];
    size_t count;
    printf("\"%s\": [", name);
    if (H5Lexists(file, group, H5P_DEFAULT) > 0) {
        int *m = read_ints(file, group, "m"), *n = read_ints(file, group, "n"), *p = read_ints(file, group, "p");
        int *i = read_ints(file, group, "i");
        snprintf(path, sizeof path, "%s/x", group);
        double *x = read_data(file, path, H5T_NATIVE_DOUBLE, sizeof *x, &count);
        double *full = calloc((size_t)m[0] * (size_t)n[0] + 1, sizeof *full);
        for (int c = 0; c < n[0]; c++)
            for (int k = p[c]; k < p[c + 1]; k++)
                full[i[k] * n[0] + c] = x[k];
        for (int r = 0; r < m[0]; r++) {
            printf("%s[", r ? ",\n" : "");
            for (int c = 0; c < n[0]; c++)
                printf("%s%.17g", c ? ", " : "", full[r * n[0] + c]);
            printf("]");
        }
        free(m), free(n), free(p), free(i), free(x), free(full);
    }
    printf("],\n");
}

int main(int argc, char **argv)
{
    hid_t file = argc > 1 ? H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    if (file < 0)
        return 1;
    printf("{");
    print_matrix(file, "W", "/fclib_local/W");
    print_matrix(file, "V", "/fclib_local/V");
    print_matrix(file, "R", "/fclib_local/R");
    print_vector(file, "q", "/fclib_local/vectors/q");
    print_vector(file, "s", "/fclib_local/vectors/s");
    print_vector(file, "mu", "/fclib_local/vectors/mu");
    print_vector(file, "u", "/solution/u");
    print_vector(file, "l", "/solution/l");
    print_vector(file, "r", "/solution/r");
    printf("\"end\": 0}\n");
    H5Fclose(file);
    return 0;
}
