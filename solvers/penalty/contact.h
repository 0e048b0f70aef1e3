/* SPDX-License-Identifier: MIT */
/* Springs at contacts, for the force-based backend: a spring and a damper where bodies overlap, and viscous friction
 * up to Coulomb's bound.
 *
 *     N = max(0, -k C - c n.v)               never pulls
 *     f = -min(mu N / max(|v_t|, slip_speed), b) v_t,   b what stops the slip in a step, shared by a body's points
 *
 * Restitution is no input of a spring: c = 2 zeta sqrt(k m), m = 1/(n J M^-1 J^T n), is chosen so that an undisturbed
 * impact leaves with e. A patch's torque acts as force at 2/3 of its radius, bounded together with it. */
#ifndef RIGOR_SOLVERS_PENALTY_CONTACT_H
#define RIGOR_SOLVERS_PENALTY_CONTACT_H

#include "model/rows/springs.h"
#include "solvers/rows/rows.h"

/* Of a block's rows. */
typedef struct PenaltyRows {
    Spring spring[BLOCK_MAX_ROWS]; /* as they act now; zero where a row is open */
    double mode[BLOCK_MAX_ROWS];   /* J u of the mode that becomes unstable first */
} PenaltyRows;

typedef struct ContactSprings {
    double frequency;                  /* 1/s: k = m (2 pi frequency)^2 at each point; 0: k is `stiffness` */
    double stiffness;                  /* N/m */
    double slip_speed;                 /* m/s */
    double restitution, damping_ratio; /* the last e asked for (NaN: none yet), and its zeta */
} ContactSprings;

/* The impulses (N s) of all contacts in a step of length h from their state at its beginning, in the blocks' lambda,
 * and the springs and dampers behind them. */
void penalty_contacts(ContactSprings *springs, RowSystem *system, const World *world, double h, PenaltyRows *rows);

#endif
