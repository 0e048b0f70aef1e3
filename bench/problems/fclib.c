/* SPDX-License-Identifier: MIT */
/* FCLIB's HDF5: every scalar is a dataset of one int; a matrix is a group {m, n, nz, p, i, x} with nz = -1 for
 * compressed columns, -2 for compressed rows, else the number of triplets (i rows, p columns).
 *
 *     /fclib_local    spacedim, W, [V, R], vectors/{q, mu, [s]}         u = W r + V l + q,   0 = V^T r + R l + s
 *     /fclib_global   spacedim, M, H, [G], vectors/{f, w, mu, [b]}      see problem.h */
#include "bench/files/hdf5_file.h"
#include "bench/problems/fclib_kinds.h"
#include "bench/problems/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers of one dataset. */
static const hsize_t DATASET_MAX = 1 << 26;

typedef struct Source {
    const char *path;
    Hdf5File file;
    Status *status;
} Source;

static bool source_fail(const Source *source, const char *where, const char *why)
{
    return status_set(source->status, STATUS_BAD_FILE, "%s: %s: %s", source->path, where, why);
}

static bool source_has(const Source *source, const char *where)
{
    return hdf5_has(&source->file, where);
}

/* How many numbers the dataset has, which must be plain ints or floats; -1 with a message. */
static long dataset_size(const Source *source, const char *where, hid_t dataset, bool whole)
{
    hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    hsize_t size[2] = {1, 1};
    bool ok = rank >= 0 && rank <= 2 && (class == H5T_INTEGER || (class == H5T_FLOAT && !whole)) &&
              H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (!ok)
        return source_fail(source, where, "a list of numbers belongs here") - 1;
    if (size[0] > DATASET_MAX || size[1] > DATASET_MAX || size[0] * size[1] > DATASET_MAX)
        return source_fail(source, where, "has more numbers than a problem may have") - 1;
    return (long)(size[0] * size[1]);
}

/* `count` numbers, -1: as many as there are; NULL with a message. */
static void *read_list(const Source *source, const char *where, bool whole, long *count)
{
    hid_t dataset = hdf5_dataset(&source->file, where);
    if (dataset < 0) {
        source_fail(source, where, source_has(source, where) ? HDF5_NOT_HERE : "is missing");
        return NULL;
    }
    long size = dataset_size(source, where, dataset, whole);
    void *list = NULL;
    if (size >= 0 && *count >= 0 && size != *count)
        source_fail(source, where, "has the wrong length");
    else if (size >= 0 && !(list = malloc((whole ? sizeof(int) : sizeof(double)) * ((size_t)size + 1))))
        status_set(source->status, STATUS_FAILED, "%s: out of memory", source->path);
    if (list && H5Dread(dataset, whole ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, list) < 0) {
        source_fail(source, where, "cannot be read");
        free(list);
        list = NULL;
    }
    H5Dclose(dataset);
    *count = size;
    return list;
}

static bool read_int(const Source *source, const char *where, long least, long most, int *value)
{
    long one = 1;
    int *list = read_list(source, where, true, &one);
    if (!list)
        return false;
    *value = list[0];
    free(list);
    return (*value >= least && *value <= most) || source_fail(source, where, "is out of range");
}

static double *read_vector(const Source *source, const char *where, long count)
{
    double *list = read_list(source, where, false, &count);
    for (long i = 0; list && i < count; i++)
        if (!isfinite(list[i])) {
            source_fail(source, where, "is not finite");
            free(list);
            return NULL;
        }
    return list;
}

/* The parts of a matrix group, as they stand in the file. */
typedef struct Compressed {
    int nz;
    int *p, *i;
    double *x;
    long p_count, i_count;
} Compressed;

static bool compressed_add(const Source *source, const char *group, Triplets *matrix, long row, long column, double x)
{
    if (row < 0 || row >= matrix->rows || column < 0 || column >= matrix->columns)
        return source_fail(source, group, "an index is outside the matrix");
    return triplets_add(matrix, (int)row, (int)column, x) ||
           status_set(source->status, STATUS_FAILED, "%s: out of memory", source->path);
}

static bool compressed_expand(const Source *source, const char *group, const Compressed *c, Triplets *matrix)
{
    if (c->nz >= 0) {
        if (c->nz > c->i_count || c->nz > c->p_count)
            return source_fail(source, group, "has fewer triplets than it says");
        for (int k = 0; k < c->nz; k++)
            if (!compressed_add(source, group, matrix, c->i[k], c->p[k], c->x[k]))
                return false;
        return true;
    }
    int outer = c->nz == -1 ? matrix->columns : matrix->rows;
    if (c->p_count < outer + 1L)
        return source_fail(source, group, "p is too short");
    for (int k = 0; k < outer; k++) {
        if (c->p[k] < 0 || c->p[k + 1] < c->p[k] || c->p[k + 1] > c->i_count)
            return source_fail(source, group, "p must rise, up to the number of entries");
        for (int e = c->p[k]; e < c->p[k + 1]; e++)
            if (!compressed_add(source, group, matrix, c->nz == -1 ? c->i[e] : k, c->nz == -1 ? k : c->i[e], c->x[e]))
                return false;
    }
    return true;
}

/* rows, columns: -1 for any. */
static bool read_matrix(const Source *source, const char *group, long rows, long columns, Triplets *matrix)
{
    char where[6][96];
    const char *const names[] = {"m", "n", "nz", "p", "i", "x"};
    const long most = 6L * PROBLEM_MAX_CONTACTS;
    Compressed c = {.p_count = -1, .i_count = -1};
    for (int k = 0; k < 6; k++)
        snprintf(where[k], sizeof where[k], "%.80s/%s", group, names[k]);
    if (!source_has(source, group))
        return source_fail(source, group, "is missing");
    bool ok = read_int(source, where[0], rows < 0 ? 0 : rows, rows < 0 ? most : rows, &matrix->rows) &&
              read_int(source, where[1], columns < 0 ? 0 : columns, columns < 0 ? most : columns, &matrix->columns) &&
              read_int(source, where[2], -2, (long)DATASET_MAX, &c.nz);
    ok = ok && (c.p = read_list(source, where[3], true, &c.p_count)) &&
         (c.i = read_list(source, where[4], true, &c.i_count)) && (c.x = read_vector(source, where[5], c.i_count)) &&
         compressed_expand(source, group, &c, matrix);
    free(c.p);
    free(c.i);
    free(c.x);
    return ok;
}

static bool read_contacts(const Source *source, const char *spacedim, const char *mu, ProblemParts *parts)
{
    long contacts = -1;
    if (!read_int(source, spacedim, 2, 3, &parts->dimension))
        return false;
    parts->mu = read_list(source, mu, false, &contacts);
    if (!parts->mu)
        return false;
    parts->contacts = (int)contacts;
    return contacts <= PROBLEM_MAX_CONTACTS || source_fail(source, mu, "has more contacts than a problem may have");
}

static bool read_kinds(const Source *source, ProblemParts *parts)
{
    long contacts = parts->contacts;
    if (!source_has(source, FCLIB_KINDS))
        return true;
    parts->kinds = read_list(source, FCLIB_KINDS, false, &contacts);
    for (long i = 0; parts->kinds && i < contacts; i++)
        if (parts->kinds[i] != FCLIB_CONTACT && parts->kinds[i] != FCLIB_LIMIT && parts->kinds[i] != FCLIB_IDLE)
            return source_fail(source, FCLIB_KINDS, "is neither contact, limit nor idle");
    return parts->kinds != NULL;
}

static bool read_local(const Source *source, ProblemParts *parts)
{
    if (!read_contacts(source, "/fclib_local/spacedim", "/fclib_local/vectors/mu", parts))
        return false;
    long rows = (long)parts->dimension * parts->contacts;
    parts->q = read_vector(source, "/fclib_local/vectors/q", rows);
    if (!parts->q || !read_kinds(source, parts) || !read_matrix(source, "/fclib_local/W", rows, rows, &parts->W))
        return false;
    if (!source_has(source, "/fclib_local/R"))
        return true;
    if (!read_matrix(source, "/fclib_local/V", rows, -1, &parts->V) ||
        !read_matrix(source, "/fclib_local/R", parts->V.columns, parts->V.columns, &parts->R))
        return false;
    parts->ties = parts->V.columns;
    parts->s = read_vector(source, "/fclib_local/vectors/s", parts->ties);
    return parts->s != NULL;
}

static bool read_global(const Source *source, ProblemParts *parts)
{
    parts->global = true;
    if (!read_contacts(source, "/fclib_global/spacedim", "/fclib_global/vectors/mu", parts))
        return false;
    long rows = (long)parts->dimension * parts->contacts;
    parts->w = read_vector(source, "/fclib_global/vectors/w", rows);
    if (!parts->w || !read_matrix(source, "/fclib_global/M", -1, -1, &parts->M) ||
        !read_matrix(source, "/fclib_global/H", parts->M.rows, rows, &parts->H))
        return false;
    if (parts->M.rows != parts->M.columns)
        return source_fail(source, "/fclib_global/M", "is not square");
    parts->f = read_vector(source, "/fclib_global/vectors/f", parts->M.rows);
    if (!parts->f || !source_has(source, "/fclib_global/G"))
        return parts->f != NULL;
    if (!read_matrix(source, "/fclib_global/G", parts->M.rows, -1, &parts->G))
        return false;
    parts->ties = parts->G.columns;
    parts->b = read_vector(source, "/fclib_global/vectors/b", parts->ties);
    return parts->b != NULL;
}

bool problem_read_fclib(ProblemParts *parts, int file, const char *path, Status *status)
{
    Source source = {path, {0}, status};
    bool ok = hdf5_open(&source.file, file) || source_fail(&source, "/", "cannot be opened as HDF5");
    if (ok && source_has(&source, "/fclib_local"))
        ok = read_local(&source, parts);
    else if (ok && source_has(&source, "/fclib_global"))
        ok = read_global(&source, parts);
    else if (ok)
        ok = source_fail(&source, "/", "has neither fclib_local nor fclib_global");
    hdf5_close(&source.file);
    return ok;
}
