/* SPDX-License-Identifier: MIT */
/* A lambda = b for A = J M^-1 J^T: symmetric, positive semi-definite, dense or banded.
 *
 * Rows are scaled to a unit diagonal, so that lengths and angles are judged alike. Cholesky (dpotrf; banded: band.h);
 * if a pivot is lost the rows are dependent. Then Cholesky with complete pivoting (dpstrf) finds their rank; in a band,
 * which pivoting would fill, a row whose pivot is lost is left out. Either gives a basic solution, and with it the
 * accelerations, which are unique; the multipliers are not, and are taken of least norm. */
#ifndef RIGOR_SOLVERS_SYSTEMS_SCHUR_H
#define RIGOR_SOLVERS_SYSTEMS_SCHUR_H

#include "solvers/linear/band.h"

typedef struct Schur {
    Arrays arrays;
    int capacity;    /* most rows */
    int band;        /* A_ij = 0 for |i - j| > band; capacity - 1: dense */
    int rows, pitch; /* A_ij, i >= j, stands at i + j pitch, in dense and in banded storage */
    int rank;        /* after schur_factor */
    bool lost;       /* a pivot of the last system was lost, and it was solved the second way */
    bool deficient;  /* its rows were dependent */
    bool failed;     /* A was not finite */
    double *A, *scale, *work;
    double *factor; /* dense */
    Band banded;    /* the factor of a band */
    double *basis;  /* banded: of the null space, a column for each row left out */
    double *gram;   /* dense: L^T L; banded: basis^T basis; factored */
    int *pivot;     /* dense: the order of rows, from 1; banded: the rows left out */
} Schur;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool schur_init(Schur *schur, int capacity, int band);
void schur_free(Schur *schur);

/* A = 0 with so many rows. */
void schur_clear(Schur *schur, int rows);

static inline double *schur_at(Schur *schur, int i, int j)
{
    return &schur->A[i >= j ? i + j * (long)schur->pitch : j + i * (long)schur->pitch];
}

/* Scales and factors what stands in A. */
void schur_factor(Schur *schur);

/* b becomes lambda; least: where it is not unique, that of least norm. They are the same unless the rows are
 * dependent. */
void schur_solve(Schur *schur, double *b, double *least);

#endif
