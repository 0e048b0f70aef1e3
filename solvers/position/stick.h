/* Static friction of a manifold at position level: the slip of all its points since the substep began is taken back at
 * once, (J M^-1 J^T) dlambda = -C over all their tangents, and each point then keeps what its load allows. Point by
 * point the corrections of one would be the slips of the others, and a block on a slope would creep. */
#ifndef RIGOR_SOLVERS_POSITION_STICK_H
#define RIGOR_SOLVERS_POSITION_STICK_H

#include "solvers/position/position.h"

/* Of the manifold that begins with contact block b; load[i] is the normal multiplier of its i-th point. Returns the
 * rows solved. */
int position_stick_manifold(World *world, int b, int points, const PositionSolve *how, const double load[],
                            Multiplier *multipliers);

#endif
