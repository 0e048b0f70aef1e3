/* SPDX-License-Identifier: MIT */
/* Nonlinear Gauss-Seidel on positions, after the velocities have moved the bodies: one sweep over the rigid blocks,
 * errors and directions taken anew at each. Joints take back their whole error, contacts a share of their overlap
 * beyond the slop. With only_push (Box2D 2, solver2d) each correction of a contact pushes, and only those that were
 * closed when they were found are corrected; together, all of a pair of bodies at once: K x + C >= 0, x >= 0, x (K x +
 * C) = 0, by trying every set of points that push. With limits_give (likewise) limits of angles keep an overlap of
 * 2 degrees, a correction of theirs is at most 8, and drives have no part. */
#ifndef RIGOR_SOLVERS_PGS_NGS_H
#define RIGOR_SOLVERS_PGS_NGS_H

#include "solvers/position/position.h"

/* `order` of the blocks, NULL: as created; with `together` the manifolds come after the joints, in their own order.
 * The multipliers are summed over the sweeps of a substep. Returns the rows solved. */
int ngs_sweep(World *world, const PositionSolve *how, bool together, const int *order, Multiplier *multipliers);

#endif
