/* The position-level solve of a manifold's normals together: dlambda = -(J M^-1 J^T)^-1 C of the points that overlap or
 * already push, if none of them would pull; else point by point. */
#ifndef RIGOR_SOLVERS_POSITION_MANIFOLD_H
#define RIGOR_SOLVERS_POSITION_MANIFOLD_H

#include "solvers/position.h"

/* Of the manifold that begins with contact block b; multipliers are those of all blocks. Returns the rows solved. */
int position_solve_manifold(World *world, int b, const PositionSolve *how, Multiplier *multipliers);

#endif
