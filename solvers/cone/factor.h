/* SPDX-License-Identifier: MIT */
/* LU of a matrix that has W's pattern: dense by LAPACK up to a thousand rows or where W has few zeros, else sparse by
 * KLU. The room for a dense one is made beforehand; KLU makes its own. */
#ifndef RIGOR_SOLVERS_CONE_FACTOR_H
#define RIGOR_SOLVERS_CONE_FACTOR_H

#include "solvers/cone/cone_system.h"

typedef struct ConeFactor {
    int rows;      /* of the matrix factored last */
    int dense_for; /* rows that there is dense room for */
    bool sparse;
    double *dense; /* row by row */
    int *pivot;
    double *value; /* of the matrix to factor, laid out as system->value */
    long value_capacity;
    struct ConeSparse *own; /* KLU's */
} ConeFactor;

/* Room for dense matrices of that many rows, if they are to be dense. False when out of memory. */
bool cone_factor_reserve(ConeFactor *factor, int rows);
void cone_factor_free(ConeFactor *factor);

/* Room for the numbers of a matrix with the system's pattern, to be filled; NULL when out of memory. */
double *cone_factor_values(ConeFactor *factor, const ConeSystem *system);

/* Factors the matrix that was filled in. False if it is singular, or out of memory. */
bool cone_factor(ConeFactor *factor, const ConeSystem *system);

/* x <- A^-1 x */
bool cone_factor_solve(ConeFactor *factor, double *x);

/* x <- the shortest y, in velocities w y, with A y = x, for a matrix that may be singular: dense, by LAPACK. Nothing is
 * factored. False if it cannot, or has no dense room. */
bool cone_factor_shortest(ConeFactor *factor, const ConeSystem *system, double *x);

#endif
