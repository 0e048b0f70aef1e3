/* SPDX-License-Identifier: MIT */
/* The loop that every solver runs in, as solvers/solver.h states it: frame -> substep -> phases -> iterations, with
 * detection before a substep and the stopping test after an iteration. The runner, the page's playground, `rigor
 * solve`, tests and benchmarks all use it. It has no clock: a caller that measures gives it a hook, and the loop tells
 * the hook where it is. */
#ifndef RIGOR_SOLVERS_STEPPER_H
#define RIGOR_SOLVERS_STEPPER_H

#include "solvers/solver.h"

/* When contacts are detected: before every substep; once a frame, looking a frame ahead; or before every substep, but
 * pairs that hardly moved against each other keep their points (CONTACT_KEEP). It is the same for every solver. */
typedef enum Detection { DETECT_SUBSTEP, DETECT_FRAME, DETECT_LAZY, DETECTION_COUNT } Detection;

extern const char *const detection_names[DETECTION_COUNT];

/* Where the loop is. */
typedef enum StepPart {
    STEP_BETWEEN, /* bookkeeping, the same for every solver */
    STEP_BROAD,   /* detection: impulses are kept, and pairs of bodies whose bounds overlap are found */
    STEP_NARROW,  /* detection: where those pairs touch */
    STEP_BLOCKS,  /* detection: blocks are made, and the backend makes room for them */
    STEP_ENTER,   /* a phase's enter */
    STEP_SWEEP,   /* its iterations, with the residual where a stopping test asks for it */
    STEP_JUDGE,   /* a residual that decides nothing */
    STEP_PARTS
} StepPart;

/* Called when the loop goes on to another part; `phase` is the index of the current phase, -1 outside of phases. */
typedef struct StepHook {
    void (*part)(void *context, StepPart part, int phase); /* NULL: nobody listens */
    void *context;
} StepHook;

/* A body that leaves the world at a given time (s): between the two substeps that are nearest to it, so for every
 * solver but one with TRAIT_ANY_STEP, whose substep is cut there. */
typedef struct Removal {
    double time;
    int body;
} Removal;

/* All of them, not the stepper's own. `watch` is called before each, and again when it is done; NULL: nobody watches.
 */
typedef struct Removals {
    int count;
    const Removal *list;
    void (*watch)(void *context, bool done);
    void *context;
} Removals;

/* When a body asked to leave at `time` leaves, with substeps of h. */
double removal_time(double time, double h, unsigned traits);

/* A solver at work on a world. */
typedef struct Stepper {
    const Solver *solver;
    void *self;
    Phase phases[SOLVER_MAX_PHASES];
    int phase_count;
    int judged; /* the first phase that has a residual; -1: none */
    int substeps;
    double stop_residual;
    int detect_every, undetected; /* substeps from one detection to the next; since the last */
    double dt;                    /* s, of a frame */
    int frame;                    /* the next one, from 0 */
    double tuned_at;              /* s, when dt last changed, and in which frame: 0 and 0 */
    int tuned_frame;
    Step step;
    StepHook hook;
    Removals removals;
    unsigned traits; /* of Trait */
} Stepper;

/* Refuses what the solver cannot do. On failure nothing is left to end. */
bool stepper_begin(Stepper *stepper, const Solver *solver, const void *options, World *world, double dt,
                   Detection detect, Status *status);
void stepper_end(Stepper *stepper);

/* Starts the solver afresh after bodies or joints of the world have changed; time and counts go on, and a backend that
 * begins with the last multipliers finds them in world->block_impulse (SolverTask). False with a message: nothing moves
 * any more. */
bool stepper_renew(Stepper *stepper, const void *options, Status *status);

/* The same with other options and another frame time: poses, velocities and the impulses of contacts and joints stay,
 * in the measure of the new substep, and so does what else a backend remembers (avbd's penalties). False, with a
 * message: nothing moves any more. */
bool stepper_retune(Stepper *stepper, const void *options, double dt, Status *status);

/* Goes on where a run of the same solver on the same bodies and joints is, whose numbers may differ; the caller has
 * brought poses, velocities and impulses into the new world. That other run is at its end. False, with a message:
 * nothing moves any more. */
bool stepper_take_over(Stepper *stepper, const void *options, Stepper *from, Status *status);

/* Makes one substep from step.time. `residuals` (NULL: not wanted) has an element for each iteration of the judged
 * phase; the residual after each is stored, and no iteration is left out. With `judge` the function returns the
 * residual after the last iteration; without it, or if there is none, NaN. */
double stepper_substep(Stepper *stepper, double *residuals, bool judge);

/* Makes the next frame. With `judge` it returns the residual of the last substep, which costs about a sweep. */
double stepper_frame(Stepper *stepper, bool judge);

/* Takes a body out of the world, and tells the solver. */
void stepper_remove_body(Stepper *stepper, int body);

/* Those that have left by the time the next frame begins, of a run that goes on there. */
void stepper_catch_up(Stepper *stepper);

/* Finds the contacts at the current poses and puts their blocks after the joints' blocks. It does nothing in a world
 * without collisions. `ahead` is the time until the next call: pairs that may touch within it count. False when out of
 * memory. */
bool stepper_find_contacts(World *world, double ahead, Status *status);

#endif
