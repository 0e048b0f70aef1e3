/* SPDX-License-Identifier: MIT */
/* Lagrange multipliers at acceleration level (lecture 003): [M J^T; J 0] [a; -lambda] = [f; -k] at every evaluation,
 * then forward Euler, semi-implicit Euler or RK4. `form` = kkt solves this matrix, dense, symmetric and indefinite;
 * schur, the default, its Schur complement J M^-1 J^T, which is smaller and positive definite. Accelerations alone let
 * positions drift away: `stabilise` = none; baumgarte asks for C'' + 2 a C' + a^2 C = 0 with a = rate/h, taken at the
 * step's beginning; projection takes positions (Newton) and velocities back after every step, and is what stops a limit
 * that was run through with baumgarte, too. A limit is an equality while it touches and pushes (active set); a bounded
 * drive is steered by Baumgarte's rule and clamped. It differs from `direct` in its dense matrix, and in solving for
 * accelerations. */
#include "solvers/systems/lagrange.h"

#include <stdlib.h>

typedef enum KktStabilise { KKT_NONE, KKT_BAUMGARTE, KKT_PROJECTION } KktStabilise;

typedef enum KktForm { KKT_SCHUR, KKT_WHOLE } KktForm;

static const char *const KKT_FORM[] = {"schur", "kkt", NULL};
static const char *const KKT_STABILISE[] = {"none", "baumgarte", "projection", NULL};

typedef struct KktOptions {
    CommonOptions common;
    int stabilise;
    double rate;
    int form;
} KktOptions;

/* Accelerations change w: there is no momentum to carry. */
static const char *const KKT_GYROSCOPIC[] = {"off", "explicit", "implicit", NULL};

static const Setting KKT_SETTINGS[] = {
    SUBSTEPS_SETTING(1),
    FLIGHT_SETTINGS(GYROSCOPIC_IMPLICIT, KKT_GYROSCOPIC),
    PARAM_CHOICE(KktOptions, stabilise, "how drift is taken back", KKT_PROJECTION, 2, KKT_STABILISE),
    PARAM_REAL(KktOptions, rate, "a h of Baumgarte's C'' + 2 a C' + a^2 C = 0", 0.5, 0, 1),
    PARAM_CHOICE(KktOptions, form, "solves [M J^T; J 0] as a whole (kkt), or its Schur complement", KKT_SCHUR, 1,
                 KKT_FORM),
};

/* Bounded drives lose their whole velocity error in one Euler step: 2 a h = 1. */
#define DRIVE_RATE 0.5
/* A limit whose ends part faster than this (length scales or radians a second) has left. */
#define PARTING_SPEED 1e-9
/* Drift that a projection may leave (of the length scale, or rad) before it is reported. */
#define KKT_DRIFT_MAX 1e-9

typedef struct Kkt {
    Arrays arrays;
    KktOptions options;
    Lagrange lagrange;
    Pose *pose;         /* at the step's beginning */
    Velocity *velocity; /* likewise */
    Pose *pose_end;
    Velocity *velocity_end;
    bool started;
} Kkt;

static void kkt_destroy(void *self)
{
    Kkt *kkt = self;
    if (!kkt)
        return;
    lagrange_free(&kkt->lagrange);
    arrays_free(&kkt->arrays);
    free(kkt);
}

static bool kkt_init(void *self, const SolverTask *task, Status *status)
{
    Kkt *kkt = self;
    const World *world = task->world;
    Arrays *own = &kkt->arrays;
    size_t bodies = (size_t)world->body_count;
    kkt->options = *(const KktOptions *)task->options;
    return row_count_fits_dense(world, "kkt", status) && lagrange_takes_laws(world, "kkt", status) &&
           OWN_ARRAY(own, kkt->pose, bodies) && OWN_ARRAY(own, kkt->velocity, bodies) &&
           OWN_ARRAY(own, kkt->pose_end, bodies) && OWN_ARRAY(own, kkt->velocity_end, bodies) &&
           lagrange_init(&kkt->lagrange, world, &kkt->options.common, false) &&
           (kkt->options.form != KKT_WHOLE || lagrange_keep_whole(&kkt->lagrange, world));
}

static void *kkt_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(Kkt), kkt_init, kkt_destroy, status);
}

/* Which limits touch: those that are reached or were held. Returns whether one of the free ones is being run into. */
static bool kkt_find_touching(Kkt *kkt, const World *world)
{
    Lagrange *lagrange = &kkt->lagrange;
    bool impact = false;
    lagrange_evaluate(lagrange, world);
    for (int b = 0; b < world->block_count; b++) {
        const RowBlock *rb = &lagrange->rows.blocks[b];
        int sign = lagrange_limit_sign(lagrange, world, b);
        lagrange->touching[b] = lagrange_is_bounded_drive(&world->blocks[b]);
        if (sign == 0 || lagrange->state[b] == LAGRANGE_SOFT)
            continue;
        double rates[BLOCK_MAX_ROWS], parting = PARTING_SPEED * block_scale(world, world->blocks[b].kind);
        row_block_rates(rb, world->velocity, rates);
        lagrange->touching[b] = sign * rb->C[0] <= 0.0 || lagrange->state[b] == LAGRANGE_HELD;
        impact = impact || (lagrange->touching[b] && lagrange->state[b] == LAGRANGE_FREE && sign * rates[0] < -parting);
        /* Baumgarte's rule pushes out of a limit, and brings the push to rest at its edge. */
        bool pushed_out = kkt->options.stabilise == KKT_BAUMGARTE && sign * rb->C[0] < 0.0;
        if (sign * rates[0] > parting && !pushed_out) {
            lagrange->touching[b] = false;
            lagrange->state[b] = LAGRANGE_FREE;
        }
    }
    return impact;
}

static void kkt_report(const Kkt *kkt, Step *step)
{
    if (kkt->lagrange.whole_lost)
        step_report(step, "the KKT matrix is singular: solved by its Schur complement");
    if (kkt->lagrange.schur.deficient)
        step_report(step, LAGRANGE_DEPENDENT_ROWS);
    if (kkt->lagrange.unsettled)
        step_report(step, "the active set did not settle");
}

/* An impact, or velocities that the constraints do not allow at the start: impulses, without bounce. */
static void kkt_stop(Kkt *kkt, Step *step)
{
    World *world = step->world;
    bool impact = kkt_find_touching(kkt, world);
    if (!impact && kkt->started)
        return;
    step->row_solves += lagrange_project_velocities(&kkt->lagrange, world, true);
    lagrange_add_impulses(&kkt->lagrange, world, 1.0, world->block_impulse);
    kkt_report(kkt, step);
    kkt_find_touching(kkt, world);
    kkt->started = true;
}

static void kkt_accelerate(Kkt *kkt, Step *step, double elapsed, bool begin, double weight)
{
    World *world = step->world;
    bool euler = kkt->options.common.integrator != INTEGRATE_RK4;
    LagrangeSetup setup = {.h = euler ? step->h : 0.0,
                           .elapsed = elapsed,
                           .rate = kkt->options.stabilise == KKT_BAUMGARTE ? kkt->options.rate / step->h : 0.0,
                           .drive_rate = DRIVE_RATE / step->h,
                           .begin = begin};
    step->row_solves += lagrange_accelerate(&kkt->lagrange, world, &setup);
    lagrange_add_impulses(&kkt->lagrange, world, weight * step->h, world->block_impulse);
    kkt_report(kkt, step);
}

static void kkt_euler(Kkt *kkt, Step *step)
{
    World *world = step->world;
    bool forward = kkt->options.common.integrator == INTEGRATE_FORWARD;
    kkt_accelerate(kkt, step, 0.0, true, 1.0);
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Velocity old = world->velocity[i], a = kkt->lagrange.acceleration[i], *u = &world->velocity[i];
        u->v = vec3_add_scaled(old.v, step->h, a.v);
        u->w = vec3_add_scaled(old.w, step->h, a.w);
        world->pose[i].x = vec3_add_scaled(world->pose[i].x, step->h, forward ? old.v : u->v);
        if (world->mass[i].inv_inertia.x != 0.0)
            world->pose[i].q = motion_turn(world->pose[i].q, forward ? old.w : u->w, step->h);
    }
}

/* The classical Runge-Kutta step; which rows act is chosen at its beginning. */
static void kkt_rk4(Kkt *kkt, Step *step)
{
    World *world = step->world;
    for (int i = 0; i < world->body_count; i++) {
        kkt->pose[i] = kkt->pose_end[i] = world->pose[i];
        kkt->velocity[i] = kkt->velocity_end[i] = world->velocity[i];
    }
    for (int stage = 0; stage < RK4_STAGES; stage++) {
        kkt_accelerate(kkt, step, RK4_AT[stage] * step->h, stage == 0, RK4_WEIGHT[stage]);
        for (int i = 1; i < world->body_count; i++) {
            if (world_is_fixed(world, i))
                continue;
            Rate rate = motion_rate(world->pose[i].q, world->velocity[i], kkt->lagrange.acceleration[i]);
            motion_add_rate(&kkt->pose_end[i], &kkt->velocity_end[i], step->h * RK4_WEIGHT[stage], &rate);
            world->pose[i] = kkt->pose[i];
            world->velocity[i] = kkt->velocity[i];
            motion_add_rate(&world->pose[i], &world->velocity[i], step->h * RK4_AT[stage + 1], &rate);
            world->pose[i].q = quat_unit(world->pose[i].q);
        }
    }
    for (int i = 1; i < world->body_count; i++) {
        world->pose[i] = kkt->pose_end[i];
        world->pose[i].q = quat_unit(world->pose[i].q);
        world->velocity[i] = kkt->velocity_end[i];
    }
}

/* Limits that the step ran through are held from now on; true if there are any. */
static bool kkt_take_in_limits(Kkt *kkt, const World *world)
{
    Lagrange *lagrange = &kkt->lagrange;
    bool any = false;
    kkt_find_touching(kkt, world);
    for (int b = 0; b < world->block_count; b++) {
        double C = lagrange->rows.blocks[b].C[0];
        if (lagrange->state[b] != LAGRANGE_FREE || !(lagrange_limit_sign(lagrange, world, b) * C < 0.0))
            continue;
        lagrange->state[b] = LAGRANGE_HELD;
        any = true;
    }
    return any;
}

/* Positions, then velocities; what has just been run into stops, unless the others make it leave. */
static void kkt_project(Kkt *kkt, Step *step, bool impact)
{
    double left;
    step->row_solves += lagrange_project_positions(&kkt->lagrange, step->world, step->h, &left);
    if (!(left < KKT_DRIFT_MAX))
        step_report(step, "projection did not converge");
    step->row_solves += lagrange_project_velocities(&kkt->lagrange, step->world, impact);
    lagrange_add_impulses(&kkt->lagrange, step->world, 1.0, step->world->block_impulse);
    kkt_report(kkt, step);
}

static void kkt_step(void *self, Step *step)
{
    Kkt *kkt = self;
    for (int b = 0; b < step->world->block_count; b++)
        step->world->block_impulse[b] = VEC3_ZERO;
    kkt_stop(kkt, step);
    if (kkt->options.common.integrator == INTEGRATE_RK4)
        kkt_rk4(kkt, step);
    else
        kkt_euler(kkt, step);
    /* Baumgarte's rule would throw a limit that was run through back at a share of the depth a step: a bounce. */
    bool impact = kkt->options.stabilise != KKT_NONE && kkt_take_in_limits(kkt, step->world);
    if (impact || kkt->options.stabilise == KKT_PROJECTION)
        kkt_project(kkt, step, impact);
}

static int kkt_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "solve", .iterations = 1, .iterate = kkt_step};
    return 1;
}

static const PhaseStep KKT_STEPS[] = {
    {"solve", PHASE_ENTER, "", "accelerations and multipliers from one linear system"},
    {"solve", PHASE_SWEEP, "impact", "A limit that is run into, or a start that the joints do not allow: impulses.",
     "J v = 0,  v <- v + M^-1 J^T p"},
    {"solve", PHASE_SWEEP, "drift", "Errors are damped as Baumgarte has it, with a = {rate}/h.",
     "k = J' v + 2 a J v + a^2 C", "stabilise", "baumgarte"},
    {"solve", PHASE_SWEEP, "drift", "Accelerations are those of C'' = 0.", "k = J' v"},
    {"solve", PHASE_SWEEP, "system", "The whole matrix, dense, symmetric and indefinite.",
     "[M  -J^T] [a     ]   [f ]\n[J   0  ] [lambda] = [-k]", "form", "kkt"},
    {"solve", PHASE_SWEEP, "system", "Its Schur complement, positive definite.",
     "J M^-1 J^T lambda = -(J M^-1 f + k),  a = M^-1 (f + J^T lambda)"},
    {"solve", PHASE_SWEEP, "active set", "Limits that touch are rows while they push; bounded drives are clamped.",
     "lambda >= 0,  C'' >= 0,  lambda C'' = 0"},
    {"solve", PHASE_SWEEP, "integrate", "The classical Runge-Kutta method: four such systems a substep.",
     "(x, v) <- RK4 of x' = v, v' = a", "integrator", "rk4"},
    {"solve", PHASE_SWEEP, "integrate", "Forward Euler.", "x <- x + h v,  v <- v + h a", "integrator", "forward"},
    {"solve", PHASE_SWEEP, "integrate", "Semi-implicit Euler.", "v <- v + h a,  x <- x + h v"},
    {"solve", PHASE_SWEEP, "project", "Newton's method takes positions back, then velocities.",
     "J M^-1 J^T mu = -C,  x <- x + M^-1 J^T mu;  J v = 0", "stabilise", "projection"},
    {NULL},
};

const Solver kkt_solver = {
    .abi = SOLVER_ABI,
    .name = "kkt",
    .summary = "Lagrange multipliers at acceleration level, dense direct solve",
    .reference = "lecture 003; Baumgarte 1972; Cline 2002",
    .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS,
    SOLVER_SETTINGS(KKT_SETTINGS),
    .steps = KKT_STEPS,
    .options_size = sizeof(KktOptions),
    .row_pair_bytes = 25,
    .create = kkt_create,
    .destroy = kkt_destroy,
    .plan = kkt_plan,
};
