/* Newton's method with smoothing on the velocity-level system (Fukushima, Luo, Tseng 2002):
 *
 *     x + z - sqrt((x - z)^2 + 4 mu^2 e) = 0,   mu -> 0,   in the Jordan algebra of the cone |x_t| <= x_0
 *
 * x = (mu_c lambda_n, lambda_t), z = (r_n / mu_c + |r_t|, r_t): Coulomb's law after De Saxce. A path of smooth systems
 * leads to the solution also where points neither stick nor slide for sure, where sweeps and Newton's method on the
 * natural map get stuck. Dense: for systems of some hundred rows with friction cones, limits and joints. */
#ifndef RIGOR_SOLVERS_ROWS_NEWTON_SMOOTH_H
#define RIGOR_SOLVERS_ROWS_NEWTON_SMOOTH_H

#include "solvers/rows/rows.h"

/* Whether it can take this system: no patch, no row with two bounds, Coulomb's cone. */
bool newton_smooth_applies(const RowSystem *system);

/* Where the path begins: with little smoothing, near the lambda that is there; or with much of it, and where that path
 * turns back, along paths with the slip |r_t| held, again and again. */
typedef enum SmoothStart { SMOOTH_NEAR_BY, SMOOTH_AFAR } SmoothStart;

/* From the system's lambda, down to a residual (row_system_residual) of `goal` if it can. Leaves the best lambda, V
 * with it, and returns the residual that is left. NaN: out of memory. */
double newton_smooth_solve(RowSystem *system, const World *world, Velocity *velocity, SmoothStart start, double goal,
                           int *steps);

#endif
