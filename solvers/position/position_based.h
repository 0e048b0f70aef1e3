/* SPDX-License-Identifier: MIT */
/* What PBD and XPBD have in common around their steps: options, memory, and for the stick form the phase of impacts.
 * solvers/lecture/pbd.c and solvers/lecture/xpbd.c have the steps as the lectures do. */
#ifndef RIGOR_SOLVERS_POSITION_POSITION_BASED_H
#define RIGOR_SOLVERS_POSITION_POSITION_BASED_H

#include "solvers/position/bounce.h"
#include "solvers/position/multipliers.h"
#include "solvers/position/position_quads.h"

/* Of the units in a sweep: as created, or colour by colour (solvers/order/schedule.h), which a team may share. */
typedef enum PositionOrder { POSITION_LIST, POSITION_COLOUR } PositionOrder;

extern const char *const position_order_names[];

/* The beginning of their option structs. */
typedef struct PositionBasedOptions {
    CommonOptions common;
    int contact; /* ContactForm */
    int order;   /* PositionOrder */
    double slop, push_speed, restitution_threshold;
    int velocity_iterations;
    int contact_point; /* ContactPointAt */
    double look_ahead; /* m */
} PositionBasedOptions;

#define POSITION_CONTACT_SETTINGS                                                                                      \
    PARAM_CHOICE(PositionBasedOptions, contact,                                                                        \
                 "as published; static friction before the normals and a system a manifold (stick); or as published, " \
                 "but bounces by the speed before the solve (approach)",                                               \
                 CONTACT_PUBLISHED, 2, contact_form_names),                                                            \
        PARAM_CHOICE(PositionBasedOptions, order,                                                                      \
                     "of blocks, and of pairs that touch, in a sweep: as created, or colour by colour", POSITION_LIST, \
                     1, position_order_names),                                                                         \
        SLOP_FROM(PositionBasedOptions, 0), PUSH_SPEED_FROM(PositionBasedOptions, INFINITY),                           \
        RESTITUTION_THRESHOLD_FROM(PositionBasedOptions, NAN), VELOCITY_ITERATIONS_SETTING(PositionBasedOptions),      \
        CONTACT_POINT_SETTING(PositionBasedOptions, POINT_ON_SURFACE), LOOK_AHEAD_SETTING(PositionBasedOptions)

enum { POSITION_CONVENTIONS = 12 };
extern const Convention position_conventions[POSITION_CONVENTIONS];
extern const PhaseStep position_steps[];

/* The state of a backend. */
typedef struct PositionBased {
    PositionBasedOptions options;
    PositionSolve how;
    Motion motion;
    ContactPins pins;
    Multipliers lambda;
    Velocity *predicted;            /* before the position solve, forces included */
    Bounce bounce;                  /* stick */
    PositionQuads quads;            /* of either order */
    bool begun;                     /* joints are lined up: they keep their places */
    bool joints_lined_up, lined_up; /* they, and manifolds, go by quads, not through the list */
} PositionBased;

/* NULL with a message when out of memory; destroy copes with NULL and half-built ones. `how` becomes theirs, with the
 * options' slop and push_speed. */
PositionBased *position_based_create(const World *world, const PositionBasedOptions *options, PositionSolve how,
                                     Status *status);
void position_based_destroy(void *self);
bool position_based_reserve(void *self, const World *world, Status *status);

/* The substep begins: velocities get gravity's and the forces' part, and are kept as predicted. */
void position_based_begin(PositionBased *based, Step *step);

/* Parts of a sweep over positions (position_sweep.c), list or colour: the stick form's static friction, the joints,
 * contacts in their form. */
void position_based_tangents(PositionBased *based, Step *step);
void position_based_joints(PositionBased *based, Step *step);
void position_based_contacts(PositionBased *based, Step *step);

/* Friction where contacts slide, and restitution, at the velocities that the positions left. */
void position_based_velocities(void *self, Step *step);

/* m/s: slower impacts do not bounce. */
double position_based_threshold(const PositionBased *based, const Step *step);

/* A substep, from top to bottom; the stick form has a phase for impacts. */
int position_based_plan(void *self, Phase phases[SOLVER_MAX_PHASES]);

#endif
