/* SPDX-License-Identifier: MIT */
/* The convex problem of constrained motion (Todorov 2014; MuJoCo), in accelerations a:
 *
 *     min over a   1/2 (a - a0)^T M (a - a0) + s(J a - aref),     force f = -grad s at z = J a - aref
 *
 *     a row     f = clamp(-D z, lower, upper), D = 1/R: an equality without bounds, a limit or facet with lower = 0
 *     a cone    with n = mu z_0, t_j = friction_j z_j, T = |t|:   n >= mu T: nothing;   mu n + T <= 0: f = -D z;
 *               between: s = D_0/(2 mu^2 (1 + mu^2)) (n - mu T)^2
 *
 * by Newton's method with H = M + J^T s'' J (hessian.h) and an exact search along the step. s is convex and M
 * definite, so there is one solution. */
#ifndef RIGOR_SOLVERS_CONVEX_CONVEX_H
#define RIGOR_SOLVERS_CONVEX_CONVEX_H

#include "model/array.h"

/* A normal, two tangents, a spin. */
enum { CONVEX_MAX_SIZE = 4 };

typedef struct ConvexBlock {
    int first, count; /* rows */
    bool cone;
    double lower, upper;                  /* of a row alone, N */
    double mu;                            /* of the cone as regularised: friction_1 sqrt(R_1/R_0) */
    double friction[CONVEX_MAX_SIZE - 1]; /* of the rows after the normal */
} ConvexBlock;

typedef struct ConvexProblem {
    Arrays arrays;
    int unknowns, unknown_capacity;
    bool grouped; /* M has a block of six by six for each body, one after the other; else it is whole, row by row */
    double *M;
    double *a0; /* accelerations without constraints */
    int rows, row_capacity, entries, entry_capacity;
    int *start, *column; /* the entries of a row of J: start[i] .. start[i + 1] */
    double *value;
    double *D, *aref;
    int block_count;
    ConvexBlock *blocks; /* as many as rows at most */

    /* The state of the method. */
    double *a;         /* filled with a first guess by the caller */
    double *z, *force; /* by row */
    double *moved;     /* M (a - a0) */
    double *gradient;  /* moved - J^T f */
    double *p, *Mp, *Jp;
    struct Hessian *hessian;
} ConvexProblem;

/* Room for so many; false when out of memory. What was filled in before is lost. `grouped` is for good. */
bool convex_reserve(ConvexProblem *problem, int unknowns, int rows, int entries, bool grouped);
void convex_free(ConvexProblem *problem);

/* Begins a problem of that many unknowns, without rows, M = 0. */
void convex_clear(ConvexProblem *problem, int unknowns);

/* Adds a row's entries one after the other, then ends it with its D and aref. Blocks follow the rows they are made of.
 */
void convex_add_entry(ConvexProblem *problem, int column, double value);
void convex_end_row(ConvexProblem *problem, double D, double aref);

/* M_ij */
static inline double convex_mass(const ConvexProblem *problem, int i, int j)
{
    if (!problem->grouped)
        return problem->M[(long)i * problem->unknowns + j];
    return i / 6 == j / 6 ? problem->M[6L * i + j % 6] : 0.0;
}

/* All rows are there: forces and gradient at the first guess. False when out of memory. */
bool convex_begin(ConvexProblem *problem);

/* Forces and gradient at a. */
void convex_evaluate(ConvexProblem *problem);

/* One step, and forces and gradient where it leads. False if H could not be factored. */
bool convex_step(ConvexProblem *problem);

/* |gradient| over the mean of M's diagonal and the unknowns, what MuJoCo's tolerance is held against. */
double convex_residual(const ConvexProblem *problem);

#endif
