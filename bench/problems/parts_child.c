/* SPDX-License-Identifier: MIT */
/* FCLIB's files are read in a child (bench/process/child.h): the parts come back as plain bytes. */
#include "bench/problems/fclib_kinds.h"
#include "bench/problems/parts.h"
#include "bench/process/child.h"

#include <stdlib.h>

/* The lists of parts, each with its length. */
enum { MATRICES = 6, VECTORS = 7 };

static void parts_list(ProblemParts *parts, Triplets *matrices[MATRICES], double **vectors[VECTORS],
                       size_t lengths[VECTORS])
{
    Triplets *const all[MATRICES] = {&parts->W, &parts->V, &parts->R, &parts->M, &parts->H, &parts->G};
    double **const lists[VECTORS] = {&parts->q, &parts->s, &parts->f, &parts->w, &parts->b, &parts->mu, &parts->kinds};
    size_t contacts = (size_t)parts->contacts, rows = contacts * (size_t)parts->dimension, ties = (size_t)parts->ties;
    const size_t sizes[VECTORS] = {rows, ties, (size_t)parts->M.rows, rows, ties, contacts, contacts};
    for (int i = 0; i < MATRICES; i++)
        matrices[i] = all[i];
    for (int i = 0; i < VECTORS; i++) {
        vectors[i] = lists[i];
        lengths[i] = sizes[i];
    }
}

static bool put(FILE *out, const void *data, size_t size, size_t count)
{
    return count == 0 || fwrite(data, size, count, out) == count;
}

static bool parts_send(FILE *out, int in, void *path, Status *status)
{
    ProblemParts parts = {0};
    Triplets *matrices[MATRICES];
    double **vectors[VECTORS];
    size_t lengths[VECTORS];
    bool ok = problem_read_fclib(&parts, in, path, status) && put(out, &parts, sizeof parts, 1);
    parts_list(&parts, matrices, vectors, lengths);
    for (int i = 0; ok && i < MATRICES; i++)
        ok = put(out, matrices[i]->list, sizeof(ConeEntry), (size_t)matrices[i]->count);
    for (int i = 0; ok && i < VECTORS; i++)
        ok = !*vectors[i] || put(out, *vectors[i], sizeof(double), lengths[i]);
    problem_parts_free(&parts);
    return ok;
}

/* `count` elements, with room for one more; NULL: out of memory, or not all there. */
static void *take(FILE *in, size_t size, size_t count)
{
    void *list = calloc(count + 1, size);
    if (list && fread(list, size, count, in) == count)
        return list;
    free(list);
    return NULL;
}

static bool matrix_fits(const Triplets *matrix, int rows, int columns)
{
    for (long e = 0; e < matrix->count; e++) {
        ConeEntry entry = matrix->list[e];
        if (entry.row < 0 || entry.row >= matrix->rows || entry.column < 0 || entry.column >= matrix->columns)
            return false;
    }
    return matrix->rows == rows && matrix->columns == columns;
}

static bool sizes_fit(const ProblemParts *parts)
{
    return (parts->dimension == 2 || parts->dimension == 3) && parts->contacts >= 0 &&
           parts->contacts <= PROBLEM_MAX_CONTACTS && parts->ties >= 0 && parts->ties <= 6 * PROBLEM_MAX_CONTACTS &&
           parts->M.rows >= 0;
}

/* The reader has looked at all of it; but it may have been another's by then. */
static bool parts_fit(const ProblemParts *parts)
{
    int rows = parts->dimension * parts->contacts, ties = parts->ties, size = parts->M.rows;
    bool ok = parts->mu != NULL;
    if (parts->global)
        ok = ok && parts->w && parts->f && matrix_fits(&parts->M, size, size) && matrix_fits(&parts->H, size, rows) &&
             (ties == 0 ? parts->G.count == 0 : parts->b && matrix_fits(&parts->G, size, ties));
    else
        ok = ok && parts->q && matrix_fits(&parts->W, rows, rows) &&
             (ties == 0 ? parts->V.count == 0 && parts->R.count == 0
                        : parts->s && matrix_fits(&parts->V, rows, ties) && matrix_fits(&parts->R, ties, ties));
    for (int i = 0; ok && parts->kinds && i < parts->contacts; i++)
        ok = parts->kinds[i] == FCLIB_CONTACT || parts->kinds[i] == FCLIB_LIMIT || parts->kinds[i] == FCLIB_IDLE;
    return ok;
}

/* Pointers of the child's say which lists follow. */
static bool parts_receive(FILE *in, ProblemParts *parts)
{
    Triplets *matrices[MATRICES];
    double **vectors[VECTORS];
    size_t lengths[VECTORS];
    bool there[VECTORS], ok = fread(parts, sizeof *parts, 1, in) == 1 && sizes_fit(parts);
    if (!ok)
        *parts = (ProblemParts){0};
    parts_list(parts, matrices, vectors, lengths);
    for (int i = 0; i < MATRICES; i++)
        matrices[i]->list = NULL;
    for (int i = 0; i < VECTORS; i++) {
        there[i] = *vectors[i] != NULL;
        *vectors[i] = NULL;
    }
    for (int i = 0; i < MATRICES; i++) {
        size_t count = ok ? (size_t)matrices[i]->count : 0;
        ok = ok && (count == 0 || (matrices[i]->list = take(in, sizeof(ConeEntry), count)) != NULL);
        matrices[i]->capacity = matrices[i]->count = ok ? (long)count : 0;
    }
    for (int i = 0; ok && i < VECTORS; i++)
        ok = !there[i] || (*vectors[i] = take(in, sizeof(double), lengths[i])) != NULL;
    return ok && parts_fit(parts);
}

bool problem_read_fclib_safely(ProblemParts *parts, const char *path, Status *status)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (!out)
        return status_set(status, STATUS_FAILED, "%s: out of memory", path);
    bool ok = read_in_child(out, parts_send, (void *)path, path, status);
    bool kept = fclose(out) == 0;
    FILE *in = ok && kept && size > 0 ? fmemopen(bytes, size, "rb") : NULL;
    if (ok && !(in && parts_receive(in, parts)))
        ok = status_set(status, STATUS_FAILED, "%s: out of memory", path);
    if (in)
        fclose(in);
    free(bytes);
    return ok;
}
