/* FCLIB's files are read in a child (bench/child.h): the parts come back as plain bytes. */
#include "bench/child.h"
#include "bench/problems/parts.h"

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

static bool parts_send(FILE *out, void *path, Status *status)
{
    ProblemParts parts = {0};
    Triplets *matrices[MATRICES];
    double **vectors[VECTORS];
    size_t lengths[VECTORS];
    bool ok = problem_read_fclib(&parts, path, status) && put(out, &parts, sizeof parts, 1);
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

/* Pointers of the child's say which lists follow. */
static bool parts_receive(FILE *in, ProblemParts *parts)
{
    Triplets *matrices[MATRICES];
    double **vectors[VECTORS];
    size_t lengths[VECTORS];
    bool there[VECTORS], ok = fread(parts, sizeof *parts, 1, in) == 1;
    if (!ok)
        *parts = (ProblemParts){0};
    parts_list(parts, matrices, vectors, lengths);
    for (int i = 0; i < MATRICES; i++)
        matrices[i]->list = NULL;
    for (int i = 0; i < VECTORS; i++) {
        there[i] = *vectors[i] != NULL;
        *vectors[i] = NULL;
    }
    for (int i = 0; ok && i < MATRICES; i++) {
        matrices[i]->capacity = matrices[i]->count;
        ok = matrices[i]->count == 0 ||
             (matrices[i]->list = take(in, sizeof(ConeEntry), (size_t)matrices[i]->count)) != NULL;
    }
    for (int i = 0; ok && i < VECTORS; i++)
        ok = !there[i] || (*vectors[i] = take(in, sizeof(double), lengths[i])) != NULL;
    return ok;
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
