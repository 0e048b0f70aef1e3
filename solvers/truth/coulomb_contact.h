/* SPDX-License-Identifier: MIT */
/* The contacts of coulomb.h at one instant: their problem over rows, what its answer does to the bodies, and what
 * happens at an event. */
#ifndef RIGOR_SOLVERS_TRUTH_COULOMB_CONTACT_H
#define RIGOR_SOLVERS_TRUTH_COULOMB_CONTACT_H

#include "solvers/truth/coulomb.h"

/* The contacts of a problem, as they are now. */
typedef struct Contacting {
    int count, law[MODES_MAX];
    Meeting meeting[MODES_MAX];
    Vec3 axis[MODES_MAX][3]; /* n, t1, t2 */
    ModesProblem problem;
} Contacting;

/* m, and m/s: gaps and speeds that are none. */
double coulomb_touch_slack(const Coulomb *coulomb, const World *world);
double coulomb_rest_speed(const Coulomb *coulomb, const World *world);
double coulomb_slow_slip(const World *world);

Meeting coulomb_meeting(const Coulomb *coulomb, const World *world, int law);
bool coulomb_is_off(const Coulomb *coulomb, const World *world, int law);

/* Normal and slip of a meeting, m/s. */
static inline double meeting_opening(const Meeting *meeting)
{
    return vec3_dot(meeting->normal, meeting->slip);
}

static inline Vec3 meeting_slip(const Meeting *meeting)
{
    return vec3_add_scaled(meeting->slip, -meeting_opening(meeting), meeting->normal);
}

/* The force, or impulse, on body 0 of contact i. */
Vec3 contacting_force(const Contacting *contacting, const ModesAnswer *answer, int i);

/* Accelerations into coulomb->rate, and each group's problem and answer. False: the loads do not determine them. */
bool coulomb_accelerate(Coulomb *coulomb, const World *world);

/* Takes the closed contacts back to gap 0, and their speeds to 0. */
void coulomb_project(Coulomb *coulomb, World *world);

/* Impacts, then the modes of all that touches. Changes the world's velocities. False: no motion; the step has failed.
 */
bool coulomb_switch(Coulomb *coulomb, double t);

#endif
