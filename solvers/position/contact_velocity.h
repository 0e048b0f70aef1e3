/* The velocity pass of the position-based backends (Mueller et al. 2020): what contacts leave when nothing
 * bounces, once for every contact that pushed during the substep. N = lambda_n / h is the impulse it gave.
 *
 *     sliding      p_t = -v_t/|v_t| min(mu N - |p_static|, |v_t| / w)
 *     normal       v_n -> 0; never by more than it takes back N
 *     patch        the ellipsoid's maximal dissipation: (f, m) = -mu N (v, a^2 w) / sqrt(v^2 + a^2 w^2), a = 2/3 R
 *
 * Restitution comes after it: bounce.h. */
#ifndef RIGOR_SOLVERS_POSITION_CONTACT_VELOCITY_H
#define RIGOR_SOLVERS_POSITION_CONTACT_VELOCITY_H

#include "solvers/position/position.h"

/* Adds what it does to world->block_impulse, which holds lambda / h already. Returns the rows solved. */
int contact_velocity_pass(World *world, const Multiplier *multipliers, double h);

#endif
