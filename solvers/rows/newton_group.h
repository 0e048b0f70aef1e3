/* The natural map of a group of rows whose bounds depend on each other, linearised; for newton.c. */
#ifndef RIGOR_SOLVERS_ROWS_NEWTON_GROUP_H
#define RIGOR_SOLVERS_ROWS_NEWTON_GROUP_H

#include "solvers/rows/rows.h"

/* A patch: its points' three rows each, and its spin. */
enum { GROUP_MAX = 3 * MANIFOLD_MAX + 1 };

/* Of Levenberg and Marquardt: epsilon A_ii (lambda - centre) is added to r. */
typedef struct Proximal {
    double epsilon;
    const double *centre; /* three for each block */
} Proximal;

/* dF = P dlambda + Q J dV. */
typedef struct NewtonGroup {
    int count;
    int block[GROUP_MAX], row[GROUP_MAX]; /* which row of which block */
    double diagonal[GROUP_MAX];           /* A_ii */
    double r[GROUP_MAX];                  /* J V + s lambda + bias, and the proximal term */
    double F[GROUP_MAX], P[GROUP_MAX][GROUP_MAX], Q[GROUP_MAX][GROUP_MAX];
} NewtonGroup;

/* Of the group that ends with block b; no rows if b is solved with a later block. */
void newton_group_linearise(NewtonGroup *group, const RowSystem *system, const Velocity *velocity,
                            const Proximal *proximal, int b);

/* F <- P^-1 F, Q <- P^-1 Q. */
void newton_group_eliminate(NewtonGroup *group);

#endif
