/* SPDX-License-Identifier: MIT */
/* The playground: a world and a solver behind plain functions that a page can call through WebAssembly.
 * The page parses scene files; it writes numbers into `body` and `joint` (all doubles, in the order of the structs) and
 * names into `text` (playground_build.c). Loop, blow-up, drift and overlap are the program's own (solvers/stepper.c,
 * bench/metrics); playground.c runs, playground_look.c shows, playground_grip.c is the hand. */
#ifndef RIGOR_REPORTS_PAGE_WASM_PLAYGROUND_H
#define RIGOR_REPORTS_PAGE_WASM_PLAYGROUND_H

#include "reports/page/wasm/solvers.h"
#include "solvers/stepper.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { TEXT_BYTES = 256, STATE_WIDTH = 13, CONTACT_WIDTH = 6 };

typedef struct BodyInput {
    Vec3 position;
    Quat orientation;
    Vec3 velocity, angular_velocity, force, torque;
    double radius, length;
    Vec3 size, normal;
    double offset, density, mass;
    Vec3 inertia;
} BodyInput;

/* NaN: not given. */
typedef struct JointInput {
    Vec3 anchor[2], axis, normal;
    double compliance, angular_compliance, stiffness, damping, angular_damping;
    double rest, swing_max, twist_min, twist_max, angle_min, angle_max, position_min, position_max;
    double target, speed, torque, force, max_torque, angle;
    Vec3 centre;
    double radius;
} JointInput;

typedef struct Playground {
    World *world;
    const Solver *solver; /* NULL: none chosen */
    Solver *variant;      /* the solver, where it is a variant; else NULL */
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES];
    Stepper stepper;
    Removal *removals;    /* the scene's, in all */
    double energy_kept;   /* J, the change of energy as a body leaves */
    double energy_start;  /* J, E - W of the beginning; moved along while the grip feeds energy in */
    int grip;             /* its joint; -1: this solver cannot have one */
    double *state;        /* STATE_WIDTH numbers a body */
    double *contacts;     /* CONTACT_WIDTH numbers a contact */
    double *joint_forces; /* CONTACT_WIDTH numbers a joint */
    Status status;
    char text[TEXT_BYTES];
    BodyInput body;
    JointInput joint;
} Playground;

/* J, E - W - E(0); what a pointer fed in is left out. */
double playground_energy_change(const Playground *p);

/* From now on the energy has changed by that much and no more: what came in between was the pointer's. */
void playground_rebase(Playground *p, double change);

/* A reserved last joint, off until used, is the lecture's drag (004): a compliant ball joint between the pointer and a
 * body. False with a message, if nothing can be held. */
bool grip_reserve(Playground *p);
bool grip_holds(const Playground *p);

/* As another run's hand has it. */
void grip_take(Playground *p, const Playground *from);

#endif
