/* SPDX-License-Identifier: MIT */
/* What a problem file holds, before it is a cone system. */
#ifndef RIGOR_BENCH_PROBLEMS_PARTS_H
#define RIGOR_BENCH_PROBLEMS_PARTS_H

#include "bench/problems/problem.h"

/* A file that asks for more than this is damaged. */
enum { PROBLEM_MAX_CONTACTS = 1000000 };

/* A matrix as a list of its numbers. */
typedef struct Triplets {
    int rows, columns;
    long count, capacity;
    ConeEntry *list;
} Triplets;

bool triplets_add(Triplets *matrix, int row, int column, double x); /* false: out of memory */
void triplets_free(Triplets *matrix);

/* A local problem has W, q, and V, R, s where there are joints; a global one M, H, f, w, and G, b. `ties` rows of
 * joints. All vectors are owned. */
typedef struct ProblemParts {
    int dimension, contacts, ties;
    bool global;
    Triplets W, V, R, M, H, G;
    double *q, *s, *f, *w, *b, *mu;
    double *kinds; /* FclibKind of each contact of a file of our own; NULL: all are contacts */
} ProblemParts;

void problem_parts_free(ProblemParts *parts);

/* Both leave what they have read in the parts, which the caller frees, also on failure. */
bool problem_read_text(ProblemParts *parts, const char *path, bool named_global, Status *status);
bool problem_read_fclib(ProblemParts *parts, int file, const char *path, Status *status); /* a descriptor's */

/* The same in a child, whose crash or endless loop in HDF5 is a message. */
bool problem_read_fclib_safely(ProblemParts *parts, const char *path, Status *status);

/* W and q of a global problem, with the rows of joints after those of contacts. M is factored by KLU. */
bool problem_condense(const ProblemParts *parts, Triplets *W, double *q, Status *status);

#endif
