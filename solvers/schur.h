/* A lambda = b for A = J M^-1 J^T: symmetric, positive semi-definite, dense or banded.
 *
 * Rows are scaled to a unit diagonal, so that lengths and angles are judged alike. Cholesky (dpotrf; banded dpbtrf); if
 * a pivot is lost the rows are dependent, and Cholesky with complete pivoting (dpstrf) finds their rank: a basic
 * solution gives the accelerations, which are unique, and the one of least norm the multipliers, which are not. */
#ifndef RIGOR_SOLVERS_SCHUR_H
#define RIGOR_SOLVERS_SCHUR_H

#include <stdbool.h>

typedef struct Schur {
    int capacity;    /* most rows */
    int band;        /* A_ij = 0 for |i - j| > band; capacity - 1: dense */
    int rows, pitch; /* A_ij, i >= j, stands at i + j pitch, in dense and in banded storage */
    int rank;        /* after schur_factor */
    bool pivoted;    /* the last system was factored with pivoting, since a pivot was lost without */
    bool deficient;  /* its rows were dependent */
    bool failed;     /* A was not finite */
    double *A, *factor, *scale, *work;
    double *gram; /* L^T L, rank x rank */
    int *pivot;
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
