/* SPDX-License-Identifier: MIT */
/* The events of a trajectory, in the state that its world is in: which limits and drives must change their state, and
 * what then happens, by the multipliers of lagrange.h. */
#ifndef RIGOR_SOLVERS_TRUTH_TRAJECTORY_EVENT_H
#define RIGOR_SOLVERS_TRUTH_TRAJECTORY_EVENT_H

#include "solvers/truth/trajectory.h"

/* Accelerations and multipliers, a time t into the substep. At its beginning they also choose what limits and drives
 * do. */
void trajectory_evaluate(Trajectory *trajectory, double t, bool begin);

/* Says what the last solve met. */
void trajectory_report(const Trajectory *trajectory);

/* Has something happened by the time t that the states of limits and drives do not allow? */
bool trajectory_must_switch(Trajectory *trajectory, double t);

/* How far block b is beyond where its state holds, at the last evaluation: a limit past its end, a spent drive past its
 * target (length scales or radians, or either a second). Minus infinity: not an event of this kind. */
double trajectory_beyond(Trajectory *trajectory, int b);

/* At the start and at an event: contacts bounce, impulses stop what runs into a limit, then forces decide what stays
 * held. Changes the world's velocities. */
void trajectory_switch(Trajectory *trajectory, double t);

#endif
