/* SPDX-License-Identifier: MIT */
/* What warm starting with Baumgarte's position feedback does to an error from substep to substep. With A = J M^-1 J^T
 * at frozen poses, u = J V and c = C/h, a substep of n sweeps makes
 *
 *     lambda' = n sweeps on (A + s) lambda = -(u + beta c), begun at share lambda;  u' = u + A lambda';  c' = c + u',
 *
 * a linear map of (c, u, lambda). Its spectral radius is the amplification of a substep: above 1 errors grow, and the
 * faster the more substeps a second has. It does not depend on h where rows are rigid. The sweeps always end on the
 * same solution; what grows is what too few of them leave, remembered by lambda and answered by the feedback. */
#ifndef RIGOR_BENCH_FROZEN_AMPLIFICATION_H
#define RIGOR_BENCH_FROZEN_AMPLIFICATION_H

#include "bench/run/run.h"

typedef struct WarmStart {
    int sweeps;   /* in a substep */
    int relax;    /* more of them after the move, without position errors */
    double share; /* of the multipliers that is kept; 0: a cold start */
    double beta;
} WarmStart;

/* What the run's solver does; false if it has no such options or corrects positions in another way. */
bool warm_start_of(const Run *run, WarmStart *warm);

/* Rows scaled to a unit diagonal. */
typedef struct ScaledRows {
    int count, rank;
    const double *S;     /* A + s, count x count */
    const double *soft;  /* s; 0: rigid */
    const double *basis; /* count x count; its last `rank` columns are orthonormal and span the range of S */
} ScaledRows;

/* False when out of memory or if the eigenvalues did not converge. */
bool amplification_compute(const ScaledRows *rows, const WarmStart *warm, double *radius);

/* Of the run's first substep; NaN: nothing to amplify, or more rows than AMPLIFICATION_ROWS. */
enum { AMPLIFICATION_ROWS = 200 }; /* eigenvalues of three times as many take half a second */
double amplification_of_run(const Run *run);

#endif
