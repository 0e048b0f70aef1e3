/* Friction of a patch in the velocity pass of the position-based backends: force and torque together, within the
 * ellipsoid (f/f_max)^2 + (m/m_max)^2 <= 1, by maximal dissipation:
 *
 *     (f, m) = -mu N (v, a^2 w) / sqrt(v^2 + a^2 w^2),   a = 2/3 R;   neither may turn its own velocity round. */
#ifndef RIGOR_SOLVERS_POSITION_PATCH_H
#define RIGOR_SOLVERS_POSITION_PATCH_H

#include "solvers/position/position.h"

/* Adds what it does to world->block_impulse. Returns the rows solved. */
int patch_rub(World *world, const ManifoldBlocks *manifold, const Multiplier *multipliers, double h);

#endif
