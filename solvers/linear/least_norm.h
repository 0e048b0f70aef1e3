/* SPDX-License-Identifier: MIT */
/* W x = b for a symmetric matrix that is not negative and may be singular, as J M^-1 J^T of rows that depend on each
 * other is: Cholesky's factor of S W S with the largest pivot first, as far as there is one, and of all x that solve
 * the rows of its pivots the shortest, measured in units of the rows' own. */
#ifndef RIGOR_SOLVERS_LINEAR_LEAST_NORM_H
#define RIGOR_SOLVERS_LINEAR_LEAST_NORM_H

#include "model/array.h"

typedef struct LeastNorm {
    int count, rank;
    double *W;         /* count x count: filled by the caller, then S W S with a unit diagonal */
    double *scale;     /* S; 0: a row that moves nothing */
    int *pivot;        /* rows, in the order in which they were taken */
    double *G, *Q, *R; /* S W S = G G^T and G = Q R */
    double *y;         /* of a solve */
} LeastNorm;

/* Room for `most` rows, the owner's; false when out of memory. */
bool least_norm_init(LeastNorm *system, Arrays *owner, size_t most);

/* The scale of row i: it moves `moved`, and of bodies that hang on nothing would move `free`. */
void least_norm_scale(LeastNorm *system, int i, double moved, double free);

/* After count, W and scale are set. */
void least_norm_factor(LeastNorm *system);
void least_norm_solve(LeastNorm *system, const double *b, double *x);

#endif
