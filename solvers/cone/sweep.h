/* SPDX-License-Identifier: MIT */
/* Projected Gauss-Seidel on a cone system, the point solve of `pgs`: a contact's normal first, then its tangents with
 * one common step, back to the disc mu r_n; a joint's rows and bounded rows one by one. Each block sees what the blocks
 * before it have become. */
#ifndef RIGOR_SOLVERS_CONE_SWEEP_H
#define RIGOR_SOLVERS_CONE_SWEEP_H

#include "solvers/cone/method.h"

/* One sweep in the order of the blocks. `relaxation` scales each change of a normal or of a row. Returns the rows
 * solved. */
long cone_sweep(const ConeSystem *system, double relaxation, double *r);

/* r of one block whose velocity is u and whose own matrix is A, row by row; u follows the changes but the tangents'. */
void cone_block_solve(const ConeBlock *block, const double *A, double relaxation, double u[CONE_MAX_SIZE],
                      double r[CONE_MAX_SIZE]);

#endif
