/* SPDX-License-Identifier: MIT */
#include "bench/problems/fclib_kinds.h"
#include "bench/problems/parts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* 1: HDF5; 0: not, as any pipe, which is left unread; -1 with a message. */
static int file_is_hdf5(const char *path, Status *status)
{
    struct stat kind;
    if (stat(path, &kind) == 0 && !S_ISREG(kind.st_mode))
        return 0;
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

static FclibKind parts_kind(const ProblemParts *parts, int contact)
{
    return parts->kinds ? (FclibKind)parts->kinds[contact] : FCLIB_CONTACT;
}

/* How many rows of a contact are the problem's own: of a limit its normal, of an idle contact none. */
static int parts_rows(const ProblemParts *parts, int contact)
{
    FclibKind kind = parts_kind(parts, contact);
    return kind == FCLIB_CONTACT ? parts->dimension : kind == FCLIB_LIMIT;
}

/* The blocks in the file's order; returns how many. */
static int parts_blocks(const ProblemParts *parts, ConeBlock *blocks)
{
    int count = 0;
    for (int i = 0; i < parts->contacts; i++)
        if (parts_kind(parts, i) == FCLIB_CONTACT)
            blocks[count++] = (ConeBlock){CONE_CONTACT, .size = parts->dimension, .mu = parts->mu[i]};
        else if (parts_kind(parts, i) == FCLIB_LIMIT)
            blocks[count++] = (ConeBlock){CONE_BOUNDS, .size = 1, .upper = {INFINITY}};
    for (int i = 0; i < parts->ties; i++)
        blocks[count++] = (ConeBlock){CONE_JOINT, .size = 1};
    return count;
}

/* Takes out of W and q the rows that are there for FCLIB alone. False: out of memory. */
static bool parts_drop_fillers(ProblemParts *parts, double *q)
{
    int rows = parts->dimension * parts->contacts, kept = 0;
    int *now = malloc(sizeof *now * ((size_t)rows + (size_t)parts->ties + 1));
    for (int i = 0; now && i < rows + parts->ties; i++) {
        bool own = i >= rows || i % parts->dimension < parts_rows(parts, i / parts->dimension);
        if (own)
            q[kept] = q[i];
        now[i] = own ? kept++ : -1;
    }
    long count = 0;
    for (long e = 0; now && e < parts->W.count; e++) {
        ConeEntry entry = parts->W.list[e];
        entry.row = now[entry.row];
        entry.column = now[entry.column];
        if (entry.row >= 0 && entry.column >= 0)
            parts->W.list[count++] = entry;
    }
    bool ok = now != NULL;
    if (ok)
        parts->W.count = count;
    free(now);
    return ok;
}

static bool parts_build(ProblemParts *parts, ContactProblem *problem, const char *path, Status *status)
{
    int rows = parts->dimension * parts->contacts;
    for (int i = 0; i < parts->contacts; i++)
        if (!(parts->mu[i] >= 0.0 && parts->mu[i] < INFINITY))
            return status_set(status, STATUS_BAD_FILE, "%s: mu[%d] is %g", path, i, parts->mu[i]);
    double *q = calloc((size_t)rows + (size_t)parts->ties + 1, sizeof *q);
    ConeBlock *blocks = calloc((size_t)parts->contacts + (size_t)parts->ties + 1, sizeof *blocks);
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
        ok = (parts_join(parts) && parts_drop_fillers(parts, q)) ||
             status_set(status, STATUS_FAILED, "%s: out of memory", path);
    } else {
        status_set(status, STATUS_FAILED, "%s: out of memory", path);
    }
    ok = ok && cone_system_init(&problem->system, blocks, parts_blocks(parts, blocks), parts->W.list, parts->W.count, q,
                                status);
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
        for (int i = 0; i < parts.contacts; i++) {
            problem->contacts += parts_kind(&parts, i) == FCLIB_CONTACT;
            problem->limits += parts_kind(&parts, i) == FCLIB_LIMIT;
        }
        problem->equalities = parts.ties;
        problem->global = parts.global;
        problem->asymmetry = cone_system_asymmetry(&problem->system);
    }
    problem_parts_free(&parts);
    return ok;
}
