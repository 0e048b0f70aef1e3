/* The position-level solve of a manifold's normals together: 0 <= lambda, J M^-1 J^T dlambda + C >= 0, one of them
 * equal at every point. Open points take part, since what pushes one end of a body out may push the other one in. */
#ifndef RIGOR_SOLVERS_POSITION_MANIFOLD_H
#define RIGOR_SOLVERS_POSITION_MANIFOLD_H

#include "solvers/position/position.h"

/* Of the manifold that begins with contact block b; multipliers are those of all blocks. Returns the rows solved. */
int position_solve_manifold(World *world, int b, const PositionSolve *how, Multiplier *multipliers);

#endif
