/* Contacts as published for XPBD (Mueller, Macklin, Chentanez, Jeschke, Kim 2020, sections 3.5 and 3.6), point by point
 * in the order of the list; nothing is solved a manifold, nothing is kept between substeps:
 *
 *     normal       where they overlap by d: corrected by d, lambda_n summed
 *     static       then the slip since the substep began, all of it or, if lambda_t > mu lambda_n with it, nothing
 *     dynamic      dv = -v_t/|v_t| min(h mu f_n (w1 + w2), |v_t|),   f_n = lambda_n / h^2,   after the velocity update
 *     restitution  dv = n (-v_n + max(-e v~_n, 0)),   e = 0 where |v_n| <= the threshold, 2 |g| h */
#ifndef RIGOR_SOLVERS_POSITION_CONTACT_H
#define RIGOR_SOLVERS_POSITION_CONTACT_H

#include "solvers/position/position.h"

/* Of PBD and XPBD: which contacts. */
typedef enum ContactForm { CONTACT_PUBLISHED, CONTACT_STICK } ContactForm;

extern const char *const contact_form_names[];

/* One sweep over the contacts of manifolds; multipliers are those of all blocks. Returns the rows solved. */
int contact_solve_positions(World *world, const PositionSolve *how, Multiplier *multipliers, SweepUnits manifolds);

typedef struct ContactVelocitySolve {
    double h;                  /* s */
    double threshold;          /* m/s: slower contacts do not bounce */
    const Velocity *predicted; /* v~ of each body: before the position solve, forces included */
} ContactVelocitySolve;

/* Contacts that pushed in this substep, once each. Adds what it does to world->block_impulse, which holds lambda / h
 * already. Returns the rows solved. */
int contact_solve_velocities(World *world, const ContactVelocitySolve *how, const Multiplier *multipliers,
                             SweepUnits manifolds);

#endif
