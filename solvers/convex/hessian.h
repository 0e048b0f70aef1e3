/* SPDX-License-Identifier: MIT */
/* H = M + J^T s'' J of the convex problem and its factors: dense by LAPACK for few unknowns, else sparse (block_ldl.h),
 * with the unknowns in groups of six (a body's) and a 6 x 6 block for every pair of groups that a constraint joins. */
#ifndef RIGOR_SOLVERS_CONVEX_HESSIAN_H
#define RIGOR_SOLVERS_CONVEX_HESSIAN_H

#include "solvers/convex/convex.h"

enum { HESSIAN_GROUP = 6, HESSIAN_DENSE_UNKNOWNS = 120 };

typedef struct Hessian Hessian;

Hessian *hessian_create(void); /* NULL when out of memory */
void hessian_destroy(Hessian *hessian);

/* Room for a problem of that size, whose rows each join two groups at most, or volumes' four. */
bool hessian_reserve(Hessian *hessian, int unknowns, bool grouped);

/* Finds which groups are joined; once, before the steps of a problem. */
bool hessian_begin(Hessian *hessian, const ConvexProblem *problem);

/* H = M; H += J^T s J of a block, s its s'' row by row; p <- H^-1 p, false if H is not definite or out of memory. */
void hessian_clear(Hessian *hessian, const ConvexProblem *problem);
void hessian_add(Hessian *hessian, const ConvexProblem *problem, const ConvexBlock *block, const double *s);
bool hessian_solve(Hessian *hessian, const ConvexProblem *problem, double *p);

#endif
