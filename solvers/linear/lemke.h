/* SPDX-License-Identifier: MIT */
/* The linear complementarity problem  w = M z + q,  w >= 0,  z >= 0,  w.z = 0  by Lemke's complementary pivoting.
 *
 * An artificial z0 >= 0 makes w = M z + q + z0 feasible; then the complement of whatever left the basis enters, until
 * z0 leaves (solved), or nothing limits the step (a ray). For a copositive M that solvable contacts give, the path ends
 * in a solution (Cottle, Pang, Stone 1992, 4.4). Ties are broken lexicographically, so that no basis comes twice. */
#ifndef RIGOR_SOLVERS_LINEAR_LEMKE_H
#define RIGOR_SOLVERS_LINEAR_LEMKE_H

#include "model/array.h"

typedef enum LemkeEnd {
    LEMKE_SOLVED,
    LEMKE_RAY,       /* no solution was found along the path */
    LEMKE_CAPPED,    /* too many pivots */
    LEMKE_INACCURATE /* the path ended, but round-off had led it astray */
} LemkeEnd;

/* Directions at equal angles around a circle, variables first .. first + count - 1, and the next bounds their sum:
 * friction. lambda = sum_j z_j d_j. */
typedef struct LemkeFan {
    int first, count;
} LemkeFan;

typedef struct Lemke {
    Arrays arrays;
    int capacity, count;
    double *M;   /* count x count, row by row; entries of order 1, as the pivots' tolerances are absolute */
    double *q;   /* of any size */
    double *z;   /* the answer */
    bool *guess; /* of each z_i: it is basic in the basis to begin with, if `guessed` */
    bool guessed;
    int fan_count;
    LemkeFan *fans; /* as many as variables at most */
    bool *in_fan;
    long pivots;  /* of the last solve; a factorisation of m columns counts as m */
    double error; /* its largest |min(z_i, w_i)| */

    double *T;       /* dictionary: basic_i = value_i + sum_j T_ij nonbasic_j; later the factor of the last basis */
    double *value;   /* of the basic variables, in units of the largest |q_i|; later z as it is refined */
    double *column;  /* the entering one */
    double *w, *fix; /* scratch of the last refinement */
    int *basic, *nonbasic, *place, *chosen, *swaps;
    int *row_start, *row_column; /* where M is not zero, row by row */
} Lemke;

/* False when out of memory; what stood in M and q is lost. free copes with half-built and zeroed ones. */
bool lemke_reserve(Lemke *lemke, int capacity);
void lemke_free(Lemke *lemke);

/* Solves for what stands in M and q; z is valid only when solved. The path follows M with `guide` added to its positive
 * diagonal entries, which keeps dependent rows apart; the answer is refined to that of M itself. */
LemkeEnd lemke_solve(Lemke *lemke, double guide);

#endif
