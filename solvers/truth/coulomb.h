/* SPDX-License-Identifier: MIT */
/* One integration of bodies in contact with Coulomb friction, by modes (modes.h): what sticks is a constraint, what
 * slides has a force against its slip, and between events GSL's rk8pd integrates
 *
 *     x' = v,   q' = 1/2 [0, w] q,   (v', w') = M^-1 (f + sum J^T r),   P' = r  (the contacts' impulses).
 *
 * Events are located: a gap closes, a load ends, a slip stops, a cone is full. There all modes are found anew. Impacts
 * have Newton's restitution and Coulomb's law on the whole impulse, the points of one pair of bodies at once, pair
 * after pair; of one point others can be asked for (impact_law.h). */
#ifndef RIGOR_SOLVERS_TRUTH_COULOMB_H
#define RIGOR_SOLVERS_TRUTH_COULOMB_H

#include "model/random.h"
#include "solvers/motion.h"
#include "solvers/truth/checkpoint.h"
#include "solvers/truth/impact_law.h"
#include "solvers/truth/meet.h"
#include "solvers/truth/modes.h"
#include "solvers/truth/trajectory.h"

/* Event by this name: the motion is known up to the first of them. */
#define COULOMB_NOT_UNIQUE "several motions obey Coulomb's law from here on"

/* Points that touch at one instant, in groups of at most MODES_MAX that share bodies which move. */
enum { COULOMB_TOUCHING = 64 };

typedef enum MeetState { MEET_FREE, MEET_IDLE, MEET_STICKS, MEET_SLIDES } MeetState; /* idle: touches without load */

typedef struct Coulomb {
    Meets meets;
    Motion motion;
    ImpactLaw impact_law;
    double *friction, *restitution;               /* of each law */
    int *state;                                   /* of each law: MeetState */
    Vec3 *slip;                                   /* of each law that slides: unit, world, as the step began */
    double *gap;                                  /* m, of each law, as the step began */
    Vec3 *impulse;                                /* N s on body 0, of each law in this substep */
    int closed[COULOMB_TOUCHING], closed_count;   /* laws, group by group */
    int group_end[COULOMB_TOUCHING], group_count; /* in `closed` */
    struct Contacting *contacting;                /* of each group at the last evaluation, and its answer */
    ModesAnswer *answer;
    BodyState *bodies; /* as the last substep ended */
    Velocity *rate, *before;
    Step *step;
    size_t size, moving; /* of y; of the bodies' part; then impulses of the closed contacts, the torques' work */
    double *y, *y_before, *y_trial, *error, *slope;
    double looseness, longest; /* as a trajectory's */
    Random shaking;
    double h; /* s, the next step to try */
    int evaluations;
    bool started, has_torques;
    gsl_odeiv2_system system;
    gsl_odeiv2_step *stepper;
    gsl_odeiv2_control *control;
    gsl_odeiv2_evolve *evolve;
} Coulomb;

/* Has the world contacts that only this integration knows: with friction, or of other shapes than spheres and planes?
 */
bool coulomb_is_needed(const World *world);

/* False with a message. Free copes with half-built and zeroed ones. */
bool coulomb_init(Coulomb *coulomb, const World *world, double tolerance, double looseness, Status *status);
void coulomb_free(Coulomb *coulomb);

/* The world's state becomes this one's. */
void coulomb_take(Coulomb *coulomb, const World *world);

/* Moves on by step->h; leaves the world in the state reached, and its contacts' blocks with their impulses. */
void coulomb_advance(Coulomb *coulomb, Step *step);

void coulomb_checkpoint(Coulomb *coulomb, const World *world, Checkpoint *checkpoint);

#endif
