/* Projected Gauss-Seidel on a cone system, the point solve of `pgs`: a contact's normal first, then its tangents with
 * one common step, back to the disc mu r_n; a joint's rows and bounded rows one by one. Each block sees what the blocks
 * before it have become. */
#ifndef RIGOR_SOLVERS_CONE_SWEEP_H
#define RIGOR_SOLVERS_CONE_SWEEP_H

#include "solvers/cone/method.h"

/* One sweep in the order of the blocks. `relaxation` scales each change of a normal or of a row. Returns the rows
 * solved. */
long cone_sweep(const ConeSystem *system, double relaxation, double *r);

/* r of block i, where u = W_i r + q_i is its velocity and the local matrix is `share` W_ii. */
void cone_block_solve(const ConeSystem *system, int i, double relaxation, double share, double u[CONE_MAX_SIZE],
                      double r[CONE_MAX_SIZE]);

/* The method of `pgs` on problems; its options begin with `relaxation`. */
typedef struct ConeSweepOptions {
    double relaxation;
} ConeSweepOptions;

extern const ConeMethod cone_sweep_method;

#endif
