#include "bench/problems/parts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void contact_problem_free(ContactProblem *problem)
{
    cone_system_free(&problem->system);
    *problem = (ContactProblem){0};
}

/* Whether the name has the word, whatever its case. */
static bool name_has(const char *name, const char *word)
{
    for (; *name; name++) {
        size_t i = 0;
        while (word[i] && tolower((unsigned char)name[i]) == word[i])
            i++;
        if (!word[i])
            return true;
    }
    return false;
}

/* 1: HDF5; 0: not; -1 with a message. */
static int file_is_hdf5(const char *path, Status *status)
{
    static const char SIGNATURE[] = "\211HDF\r\n\032\n";
    char begin[sizeof SIGNATURE - 1];
    FILE *file = fopen(path, "rb");
    if (!file)
        return status_set(status, STATUS_BAD_FILE, "%s: %s", path, strerror(errno)) - 1;
    size_t read = fread(begin, 1, sizeof begin, file);
    fclose(file);
    return read == sizeof begin && memcmp(begin, SIGNATURE, sizeof begin) == 0;
}

/* [W V; V^T R] */
static bool parts_join(ProblemParts *parts)
{
    int rows = parts->dimension * parts->contacts;
    bool ok = true;
    for (long e = 0; ok && e < parts->V.count; e++) {
        ConeEntry v = parts->V.list[e];
        ok = triplets_add(&parts->W, v.row, rows + v.column, v.x) &&
             triplets_add(&parts->W, rows + v.column, v.row, v.x);
    }
    for (long e = 0; ok && e < parts->R.count; e++)
        ok = triplets_add(&parts->W, rows + parts->R.list[e].row, rows + parts->R.list[e].column, parts->R.list[e].x);
    return ok;
}

static ConeBlock *parts_blocks(const ProblemParts *parts)
{
    ConeBlock *blocks = calloc((size_t)parts->contacts + (size_t)parts->ties + 1, sizeof *blocks);
    for (int i = 0; blocks && i < parts->contacts + parts->ties; i++)
        blocks[i] = i < parts->contacts ? (ConeBlock){CONE_CONTACT, .size = parts->dimension, .mu = parts->mu[i]}
                                        : (ConeBlock){CONE_JOINT, .size = 1};
    return blocks;
}

static bool parts_build(ProblemParts *parts, ContactProblem *problem, const char *path, Status *status)
{
    int rows = parts->dimension * parts->contacts;
    for (int i = 0; i < parts->contacts; i++)
        if (!(parts->mu[i] >= 0.0 && parts->mu[i] < INFINITY))
            return status_set(status, STATUS_BAD_FILE, "%s: mu[%d] is %g", path, i, parts->mu[i]);
    double *q = calloc((size_t)rows + (size_t)parts->ties + 1, sizeof *q);
    ConeBlock *blocks = parts_blocks(parts);
    bool ok = q && blocks;
    if (ok && parts->global) {
        Status inner = {0};
        ok = problem_condense(parts, &parts->W, q, &inner);
        if (!ok)
            status_set(status, inner.code, "%s: %s", path, inner.message);
    } else if (ok) {
        memcpy(q, parts->q, sizeof *q * (size_t)rows);
        if (parts->ties > 0)
            memcpy(q + rows, parts->s, sizeof *q * (size_t)parts->ties);
        ok = parts_join(parts) || status_set(status, STATUS_FAILED, "%s: out of memory", path);
    } else {
        status_set(status, STATUS_FAILED, "%s: out of memory", path);
    }
    ok = ok && cone_system_init(&problem->system, blocks, parts->contacts + parts->ties, parts->W.list, parts->W.count,
                                q, status);
    free(q);
    free(blocks);
    return ok;
}

bool contact_problem_read(ContactProblem *problem, const char *path, Status *status)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool named_global = name_has(name, "gfc") && !name_has(name, "condensed");
    ProblemParts parts = {0};
    *problem = (ContactProblem){0};
    snprintf(problem->name, sizeof problem->name, "%s", name);
    int hdf5 = file_is_hdf5(path, status);
    bool ok = hdf5 == 1 ? problem_read_fclib_safely(&parts, path, status)
                        : hdf5 == 0 && problem_read_text(&parts, path, named_global, status);
    ok = ok && parts_build(&parts, problem, path, status);
    if (ok) {
        problem->dimension = parts.dimension;
        problem->contacts = parts.contacts;
        problem->equalities = parts.ties;
        problem->global = parts.global;
        problem->asymmetry = cone_system_asymmetry(&problem->system);
    }
    problem_parts_free(&parts);
    return ok;
}
