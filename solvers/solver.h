/* SPDX-License-Identifier: MIT */
/* The solver plug-in: everything a backend must know, in one header.
 *
 * A backend is a `const Solver`. solvers/stepper.c owns the loop; per run it calls
 *
 *     create(task)                                     the world as it begins, options, dt
 *     for each frame                                   (world_begin_frame)
 *         for each of options.substeps substeps        h = dt / substeps       (world_begin_substep)
 *             for each phase that plan() gave
 *                 phase.enter()                        once, if not NULL
 *                 phase.iterate()                      phase.iterations times: one sweep over all rows
 *                                                      (world_end_substep)
 *     destroy()
 *
 * Only the phases are on the runner's clock. When the last phase ends, the backend has moved world->pose and
 * world->velocity forward by h. world->block_impulse[b] then holds the impulse that block b gave its second body during
 * the substep (N s, or N m s for angular kinds; world frame; for a volume: on its second particle).
 *
 * The backend solves world->blocks[0 .. block_count) in this order, since row order is part of the algorithm; the
 * harness gives every backend the same list. block_rows() evaluates a block's error C, Jacobian J, bounds and target
 * velocity at the current poses; block_error() gives the same error as one vector.
 * Signs, bounds and units are stated in model/block.h. Compliance alpha means the same everywhere: at velocity level
 * (J M^-1 J^T + alpha/h^2) lambda = -C/h - J V, at position level dlambda = (-C - a lambda)/(w + a), a = alpha/h^2.
 * Free flight, gyroscopic term, actuators and joint damping are shared by all backends: solvers/motion.h.
 *
 * What a backend may not do: allocate, print, read a clock or stop early inside a phase; read a scene's or another
 * solver's name; skip what it cannot do. It declares what it can do in `capabilities`; a world that needs more is
 * refused before the run. create() refuses, with STATUS_UNSUPPORTED, what only a look at the world can tell.
 * step_report() reports a fallback, a cap or a clamp. step_fail() ends the run if a substep cannot be made; a blow-up
 * is no such failure. traits() says what else the backend does not give.
 *
 * A plug-in built outside the tree exports `const Solver rigor_solver` and is loaded with --plugin x.so;
 * examples/spring_solver.c is one. */
#ifndef RIGOR_SOLVERS_SOLVER_H
#define RIGOR_SOLVERS_SOLVER_H

#include "model/contact/pins.h"
#include "model/settings.h"
#include "model/world.h"
#include "solvers/conventions.h"
#include "solvers/phases.h"

/* Raised when this header, or what a plug-in reads of the world, changes in a way that breaks one already built. */
enum { SOLVER_ABI = 12 };

/* What a world may need and a backend can offer. */
typedef enum Capability {
    CAN_JOINTS = 1 << 0,        /* equality rows between bodies */
    CAN_LOOPS = 1 << 1,         /* joints that form closed loops */
    CAN_LIMITS = 1 << 2,        /* joint rows with one-signed multipliers */
    CAN_DRIVES = 1 << 3,        /* servos, motors, actuators */
    CAN_COMPLIANCE = 1 << 4,    /* alpha > 0 */
    CAN_DAMPING = 1 << 5,       /* joint damping */
    CAN_PARTICLES = 1 << 6,     /* bodies without inertia */
    CAN_FOUR_BODY = 1 << 7,     /* volume rows */
    CAN_CONTACTS = 1 << 8,      /* unilateral contact */
    CAN_FRICTION = 1 << 9,      /* friction at contacts */
    CAN_W = 1 << 10,            /* problems that are given by J M^-1 J^T alone: `method` */
    CAN_STIFFNESS = 1 << 11,    /* PBD's stiffness of a joint, in the place of its compliance */
    CAN_LAWS = 1 << 12,         /* joints' springs, viscous friction, armature and PD drives */
    CAN_DRY_FRICTION = 1 << 13, /* of joints */
    CAN_SERIES = 1 << 14,       /* series whose rows are those between two bodies; bounds on a whole turn */
    CAN_COUPLINGS = 1 << 15,    /* a coordinate as a polynomial of another */
    CAN_COORDINATES = 1 << 16,  /* other series, and bounds on drives and on their sum: in joint coordinates alone */
    CAN_ROLLING = 1 << 17,      /* friction against rolling and spinning, by a length */
    CAN_STICTION = 1 << 18,     /* more friction at rest than in sliding: for whoever bounds it by its block's friction,
                                 * which the loop sets (model/contact/stiction.h) */
} Capability;

enum {
    CAPABILITY_COUNT = 19,
    CAN_ALL_JOINTS = (1 << 8) - 1,
    CAN_ALL_LAWS = CAN_LAWS | CAN_DRY_FRICTION | CAN_SERIES,
    CAN_COULOMB = CAN_FRICTION | CAN_STICTION
};

extern const char *const capability_names[CAPABILITY_COUNT];

typedef enum Integrator { INTEGRATE_FORWARD, INTEGRATE_SEMI_IMPLICIT, INTEGRATE_RK4 } Integrator;
typedef enum Gyroscopic { GYROSCOPIC_OFF, GYROSCOPIC_EXPLICIT, GYROSCOPIC_IMPLICIT, GYROSCOPIC_MOMENTUM } Gyroscopic;

/* Every backend's options struct begins with these. */
typedef struct CommonOptions {
    int substeps;
    int iterations;
    int integrator; /* Integrator, of free flight */
    int gyroscopic; /* Gyroscopic */
    /* The stepper ends a phase's sweeps once its residual is at most this. 0: never. It stays 0 where a backend does
     * not offer it. */
    double stop_residual;
} CommonOptions;

extern const char *const integrator_names[], *const gyroscopic_names[];

/* Rows of a table that every backend has. */
#define SUBSTEPS_SETTING(initial)                                                                                      \
    PARAM_INT(CommonOptions, substeps, "steps of length dt/substeps in a frame", initial, 1, 1e6)
#define FLIGHT_SETTINGS(last_gyroscopic, gyroscopic_choices)                                                           \
    PARAM_CHOICE(CommonOptions, integrator, "of free flight", INTEGRATE_SEMI_IMPLICIT, 2, integrator_names),           \
        PARAM_CHOICE(CommonOptions, gyroscopic, "how -w x I w enters; momentum: I w is carried, not w",                \
                     GYROSCOPIC_IMPLICIT, last_gyroscopic, gyroscopic_choices)
#define COMMON_SETTINGS(default_substeps, default_iterations)                                                          \
    SUBSTEPS_SETTING(default_substeps),                                                                                \
        PARAM_INT(CommonOptions, iterations, "sweeps over all rows in a substep", default_iterations, 1, 1e6),         \
        FLIGHT_SETTINGS(GYROSCOPIC_MOMENTUM, gyroscopic_names)

/* The same for a backend that solves directly: it has no `iterations`, and the field stays 0. */
#define COMMON_SETTINGS_DIRECT(default_substeps)                                                                       \
    SUBSTEPS_SETTING(default_substeps), FLIGHT_SETTINGS(GYROSCOPIC_MOMENTUM, gyroscopic_names)

/* For a backend whose sweeps may end early. */
#define STOP_RESIDUAL_SETTING                                                                                          \
    PARAM_REAL(CommonOptions, stop_residual, "sweeps end once the residual is at most this; 0: never", 0, 0, 1)

/* For a backend that lets contacts bounce. The default is far below the speed that gravity gives in a frame, and a
 * bounce that it ends is lower than 0.2 mm. */
#define RESTITUTION_THRESHOLD_SETTING(Options) RESTITUTION_THRESHOLD_FROM(Options, 0.05)
#define RESTITUTION_THRESHOLD_FROM(Options, initial)                                                                   \
    PARAM_REAL_OR(Options, restitution_threshold, "impacts slower than this do not bounce (m/s); auto: 2 g h",         \
                  initial, 0, 1e6, WORD_AUTO)

/* For a backend whose contacts may keep a small overlap, by which their points stay in touch. */
#define SLOP_SETTING(Options) SLOP_FROM(Options, 0.005)
#define SLOP_FROM(Options, initial)                                                                                    \
    PARAM_REAL(Options, slop, "overlap of contacts that is left alone (m)", initial, 0, 1e6)

/* For a backend that can have its contact points where solver2d and MuJoCo have them (model/contact/pins.h). */
#define CONTACT_POINT_SETTING(Options, initial)                                                                        \
    PARAM_CHOICE(Options, contact_point,                                                                               \
                 "where contacts are: on the surfaces, or midway, pinned to both bodies as they are found", initial,   \
                 1, contact_point_names)

/* For a backend that can leave out what detection found ahead (likewise). */
#define LOOK_AHEAD_SETTING(Options)                                                                                    \
    PARAM_REAL_OR(Options, look_ahead, "contacts found farther apart do not count (m); inf: all do", INFINITY, 0, 1e6, \
                  WORD_INF)

/* For a backend that bounds how fast an overlap is taken back. */
#define PUSH_SPEED_SETTING(Options) PUSH_SPEED_FROM(Options, 2)
#define PUSH_SPEED_FROM(Options, initial)                                                                              \
    PARAM_REAL_OR(Options, push_speed, "deep overlap is taken back no faster than this (m/s); inf: no bound", initial, \
                  0, 1e6, WORD_INF)

/* The threshold in m/s: the option's value, or for auto the speed that gravity gives in two substeps of length h
 * (Mueller et al. 2020). */
static inline double restitution_threshold_at(double option, const World *world, double h)
{
    return isnan(option) ? 2.0 * vec3_norm(world->gravity) * h : option;
}

enum { STEP_MAX_EVENTS = 8, STEP_EVENT_TEXT = 96 };

/* What a shown row changes, M^-1 J^T (after - before), and so the unit of its multiplier. */
typedef enum ShownLevel {
    SHOWN_VELOCITY,     /* velocities: an impulse, N s */
    SHOWN_POSITION,     /* poses: N s^2, h^2 times a force */
    SHOWN_ACCELERATION, /* accelerations: a force, N */
} ShownLevel;

/* A row as a lecture text solves it, handed over before it is applied: the worked example of `rigor read --step`. */
typedef struct ShownRow {
    int block, row;       /* of the world's blocks; of the block's rows */
    double C;             /* its error (m, rad, m^3) */
    const double *J;      /* ROW_WIDTH numbers: v1, w1, v2, w2 */
    double A;             /* J M^-1 J^T and what softens it: what is divided by */
    double bias;          /* what the row adds to J v, or to C */
    double before, after; /* its multiplier */
    ShownLevel level;
} ShownRow;

typedef struct StepEvent {
    char what[STEP_EVENT_TEXT];
    long count;
    double first_at; /* s */
} StepEvent;

/* The current substep, as the runner hands it to a backend. */
typedef struct Step Step;

struct Step {
    World *world;
    double h;             /* s, length of the substep */
    double time;          /* s, at its beginning */
    int phase, sweep;     /* where the loop is: index of the phase, and 1, 2, ... in its sweeps, 0 on entering it */
    long long row_solves; /* the backend counts every active scalar row, each time a pass solves it */
    double own_seconds;   /* s; a backend with TRAIT_OWN_CLOCK adds its own time */
    bool failed;          /* step_fail was called: nothing moves any more */
    Status status;        /* why */
    int event_count;
    StepEvent events[STEP_MAX_EVENTS];
    void (*show)(void *watcher, const Step *step, const ShownRow *row); /* NULL: nobody watches */
    void *watcher;
};

static inline void step_show(const Step *step, const ShownRow *row)
{
    if (step->show)
        step->show(step->watcher, step, row);
}

/* Counts a fallback, cap or clamp; a text longer than STEP_EVENT_TEXT is cut. */
void step_report(Step *step, const char *what);

/* Says why this substep could not be made. The run is then `failed`, and no phase is entered again. */
void step_fail(Step *step, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports that push_speed is limiting a contact. */
void step_report_recovery(Step *step, double push_speed);

enum { SOLVER_MAX_PHASES = 5 };

typedef struct Phase {
    const char *name; /* "velocity", "position", "relax", ... */
    int iterations;
    void (*enter)(void *self, Step *step);
    void (*iterate)(void *self, Step *step); /* may be NULL when iterations is 0 */
    /* The error that the sweeps so far have left (the metric `residual`), off the clock. NULL: this phase has no
     * residual. */
    double (*residual)(void *self, const Step *step);
    double stop; /* the sweeps end once the residual is at most this; 0: as stop_residual says */
} Phase;

/* What the harness must know about a backend that does not solve our rows: an engine in another process. */
typedef enum Trait {
    TRAIT_NO_JOINT_IMPULSES = 1 << 0,   /* the joints' block_impulse is not filled: metrics that use it are null */
    TRAIT_NO_CONTACT_IMPULSES = 1 << 1, /* nor the contacts' */
    TRAIT_NO_ROW_SOLVES = 1 << 2,       /* rows are not counted: null, which is not a cost of zero */
    TRAIT_SINGLE = 1 << 4,              /* it computes in float */
    TRAIT_OWN_CLOCK = 1 << 3,           /* its time is step.own_seconds, not what the phases took here */
    TRAIT_ANY_STEP = 1 << 5,            /* a substep is cut where a body leaves the world: its length is no matter */
} Trait;

typedef struct Solver Solver;

/* Fields of a Solver: a table and its length. */
#define SOLVER_SETTINGS(table) .settings = (table), .setting_count = sizeof(table) / sizeof(table)[0]
#define SOLVER_CONVENTIONS(table) .conventions = (table), .convention_count = sizeof(table) / sizeof(table)[0]

/* The argument of create(); valid only during the call. */
typedef struct SolverTask {
    const Solver *solver;
    const World *world; /* as the run begins, or goes on */
    const void *options;
    double dt;    /* s, of a frame */
    bool goes_on; /* in the middle of a run: world->block_impulse is what the blocks gave in the last substep */
    /* What create() had made for the run so far, with other options or other numbers of the same bodies and joints; the
     * new one may take out of it what it remembers, and it is destroyed then. NULL: there is none. */
    void *before;
} SolverTask;

/* What create() most often does: `size` bytes of zeros, then init. Where that fails the backend is destroyed, and NULL
 * returned with init's message, or else that memory is out. */
void *solver_create(const SolverTask *task, size_t size,
                    bool (*init)(void *self, const SolverTask *task, Status *status), void (*destroy)(void *self),
                    Status *status);

struct Solver {
    int abi; /* SOLVER_ABI */
    const char *name;
    const char *summary;   /* one line */
    const char *reference; /* lecture or paper */
    unsigned capabilities; /* of Capability */
    const Setting *settings;
    int setting_count;
    size_t options_size; /* of the struct that settings describe; begins with CommonOptions; <= SETTINGS_MAX_BYTES */

    /* The backend's own memory for this task. NULL with a message: refused (STATUS_UNSUPPORTED) or failed. */
    void *(*create)(const SolverTask *task, Status *status);
    void (*destroy)(void *self); /* copes with NULL */
    /* Its traits, of Trait; asked once, after create. */
    unsigned (*traits)(const void *self); /* NULL: none */
    /* An event took the body out of the world, between two substeps. */
    void (*removed)(void *self, int body); /* NULL: it looks at world->removed where that matters */
    /* Makes room for as many blocks as the world has now; called off the clock when detection has found more. */
    bool (*reserve)(void *self, const World *world, Status *status); /* NULL: not needed */
    /* Fills the phases of a substep, returns how many. Called once, after create. */
    int (*plan)(void *self, Phase phases[SOLVER_MAX_PHASES]);
    /* Velocity-level backends only, for `rigor solve`: the multipliers (N s) of the last system, row by row. */
    int (*multipliers)(void *self, const double **lambda); /* NULL: none */
    /* Backends that serve as truth: their own estimate of the largest error so far, m, turns in length scales; NaN: not
     * asked for. */
    double (*error_estimate)(void *self); /* NULL: none */
    /* Backends whose forces limit the step: the longest substep, s, that was stable in every state so far. */
    double (*stable_step)(const void *self); /* NULL: none */
    const void *data;                        /* the backend's own, for one create() behind several names */
    const struct ConeMethod *method;         /* on problems given by W (solvers/cone/method.h); NULL: none */

    /* Bytes of memory for each scalar row, and for each pair of rows where its matrix is dense. The memory of a run is
     * estimated from these before it starts. 0: rows cost what they cost a sparse backend, and pairs nothing. */
    double row_bytes, row_pair_bytes;

    /* How it treats contacts, for the reader of `rigor show`. None: it has no contacts, or says nothing about them. */
    const Convention *conventions;
    int convention_count;

    /* What each of its phases does, for the reader of `rigor read`; the end is a row without a phase. NULL: it says
     * nothing about them. */
    const PhaseStep *steps;

    /* Variants only (solvers/variants.h): the backend, and the options that differ from its defaults,
     * `manifold=true:slop=0`. */
    const Solver *variant_of; /* NULL: a backend */
    const char *sets;

    /* Which of its numbers hold for a step of whatever length, so that substeps make it another method and do not
     * refine it; NULL, also of the function: none. */
    const char *(*per_step)(const void *options);

    /* Lecture texts only (solvers/lecture/): the fast backend that the text equals, step by step. */
    const char *text_of; /* NULL: this is no lecture text */
};

/* The backend behind a solver: itself, or what it is a variant of. */
static inline const Solver *solver_backend(const Solver *solver)
{
    return solver->variant_of ? solver->variant_of : solver;
}

/* What this world needs, as Capability bits. */
unsigned world_needs(const World *world);

/* False, with every missing capability named in the message, if the solver cannot run this world. */
bool solver_supports(const Solver *solver, const World *world, Status *status);

/* The list: solvers/list.c. */
extern const Solver *const all_solvers[];
extern const int solver_count;

#endif
