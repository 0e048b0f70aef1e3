/* SPDX-License-Identifier: MIT */
#include "bench/verify/checks.h"

#include "model/energy.h"
#include "solvers/engines/engine.h"

#include <stdio.h>
#include <string.h>

bool verify_run(const Run *like, const char *scene, const char *params, double dt, double time, const RunWatch *watch,
                Run *run, Status *status)
{
    char text[128], *word, *rest = NULL;
    *run = (Run){.dt = dt, .time = time, .without_truth = true, .in_child = like->in_child};
    if (!run_choose_scene(run, scene, status))
        return false;
    snprintf(text, sizeof text, "%s", params);
    for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char key[RUN_KEY];
        const char *value;
        if (!assignment_split(word, key, &value, status) || !run_set_param(run, key, value, status))
            return false;
    }
    run->solver = like->solver;
    memcpy(run->options, like->options, sizeof run->options);
    if (run_make(run, watch))
        return true;
    *status = run->status;
    return false;
}

double verify_metric(const Run *run, const char *name)
{
    return run->result.status == RUN_OK ? run->result.metrics[metric_find(name)] : NAN;
}

/* The same for a check that is one metric of one run. */
static bool verify_by_metric(const Run *like, const char *scene, const char *params, double dt, double time,
                             const char *metric, VerifyResult *result, Status *status)
{
    Run run;
    bool ok = verify_run(like, scene, params, dt, time, NULL, &run, status);
    result->measured = ok ? verify_metric(&run, metric) : NAN;
    run_clear(&run);
    return ok;
}

/* A thrown particle: semi-implicit Euler is off by g h t / 2, and nobody may be farther. */
static bool check_free_flight(const Run *like, VerifyResult *result, Status *status)
{
    const double time = 1.0, gravity = 9.81;
    bool ok = verify_by_metric(like, "projectile", "", RUN_DEFAULT_DT, time, "error_end", result, status);
    Run frame = *like;
    frame.dt = RUN_DEFAULT_DT;
    result->bound = 0.5 * gravity * run_substep(&frame) * time * (1.0 + 1e-6);
    return ok;
}

/* An engine's first state, off that of a chain of rods, over what roundings allow. */
static bool check_echo(const Run *like, VerifyResult *result, Status *status)
{
    const Solver *backend = solver_backend(like->solver);
    Run run = {.dt = RUN_DEFAULT_DT};
    if (!engine_of(backend))
        return status_set(status, STATUS_UNSUPPORTED, "only engines begin with a state of their own");
    if (!run_choose_scene(&run, "pendulum", status) || !run_set_param(&run, "links", "3", status))
        return false;
    Problem *problem = run_build(&run, status);
    SolverTask task = {backend, problem ? problem->world : NULL, like->options, run.dt};
    void *self = problem ? backend->create(&task, status) : NULL;
    result->measured = self ? engine_echo(self) : NAN;
    result->bound = 1.0;
    backend->destroy(self);
    problem_destroy(problem);
    return self != NULL;
}

/* The least share of its first spin about the same body axis: a racket that turns over comes near -1. */
typedef struct Flip {
    Vec3 first;
    double least;
} Flip;

static bool flip_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    (void)metrics, (void)status;
    Flip *flip = context;
    const World *world = problem->world;
    int body = world->body_count - 1;
    Vec3 spin = quat_rotate_inverse(world->pose[body].q, world->velocity[body].w);
    if (frame == 0)
        flip->first = spin;
    flip->least = fmin(flip->least, vec3_dot(spin, flip->first) / vec3_dot(flip->first, flip->first));
    return true;
}

static bool check_flip(const Run *like, VerifyResult *result, Status *status)
{
    Run run;
    Flip flip = {.least = 1.0};
    bool ok = verify_run(like, "torque_free", "", 1.0 / 240, 10.0, &(RunWatch){flip_frame, &flip}, &run, status);
    result->measured = ok ? flip.least : NAN;
    result->bound = -0.5;
    run_clear(&run);
    return ok;
}

/* What joints gave over the second half of a run: the mean force, and the largest torque. */
typedef struct Reactions {
    int frames, from;
    double dt;
    Vec3 force;
    double torque;
} Reactions;

static bool reactions_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    (void)metrics, (void)status;
    Reactions *reactions = context;
    Vec3 force, torque;
    if (frame == 0)
        return true;
    world_reaction(problem->world, 0, reactions->dt, &force, &torque);
    reactions->torque = fmax(reactions->torque, fabs(torque.z));
    if (frame > reactions->from) {
        reactions->force = vec3_add(reactions->force, force);
        reactions->frames++;
    }
    return true;
}

static bool check_hanging(const Run *like, VerifyResult *result, Status *status)
{
    Run run;
    Reactions reactions = {.from = 120, .dt = RUN_DEFAULT_DT};
    RunWatch watch = {reactions_frame, &reactions};
    bool ok = verify_run(like, "pendulum", "angle=0", RUN_DEFAULT_DT, 4.0, &watch, &run, status);
    if (ok && (run.result.traits & TRAIT_NO_JOINT_IMPULSES))
        ok = status_set(status, STATUS_UNSUPPORTED, "it does not give reactions");
    if (ok) {
        const World *world = run.problem->world;
        double weight = world->mass[world->body_count - 1].mass * vec3_norm(world->gravity);
        Vec3 mean = vec3_scale(1.0 / reactions.frames, reactions.force);
        result->measured = vec3_norm(vec3_sub(mean, vec3(0, weight, 0))) / weight;
    }
    result->bound = 1e-3; /* a spring still swings by less */
    run_clear(&run);
    return ok;
}

static bool check_limit(const Run *like, VerifyResult *result, Status *status)
{
    Run run;
    bool ok = verify_run(like, "hinge_limit", "", 1.0 / 240, NAN, NULL, &run, status);
    result->measured = ok ? 1.0 - verify_metric(&run, "settled") : NAN;
    result->bound = 0.0;
    run_clear(&run);
    return ok;
}

/* A pendulum with steps of a millisecond at most: what is lost or gained in a second tends to zero with the step; what
 * position-based solvers lose by then is half of this bound. */
static bool check_energy(const Run *like, VerifyResult *result, Status *status)
{
    result->bound = 0.05;
    return verify_by_metric(like, "pendulum", "", 1e-3, 1.0, "energy_error_max", result, status);
}

/* The torque of a servo that is too weak for its arm, over its bound. */
static bool check_bounds(const Run *like, VerifyResult *result, Status *status)
{
    Run run;
    Reactions reactions = {.dt = RUN_DEFAULT_DT};
    RunWatch watch = {reactions_frame, &reactions};
    bool ok = verify_run(like, "servo", "max_torque=5", RUN_DEFAULT_DT, 1.0, &watch, &run, status);
    if (ok && (run.result.traits & TRAIT_NO_JOINT_IMPULSES))
        ok = status_set(status, STATUS_UNSUPPORTED, "it does not give reactions");
    result->measured = ok ? reactions.torque / 5.0 : NAN;
    result->bound = 1.0 + (run.result.traits & TRAIT_SINGLE ? 1e-6 : 1e-9); /* some roundings */
    run_clear(&run);
    return ok;
}

/* Built-in scenes that need more than the backend declares, and are not refused. */
static bool check_refusal(const Run *like, VerifyResult *result, Status *status)
{
    (void)status;
    int taken = 0;
    /* Every scene gives a soft joint a stiffness, too. */
    unsigned can = like->solver->capabilities | (like->solver->capabilities & CAN_STIFFNESS ? CAN_COMPLIANCE : 0u);
    for (int s = 0; s < scene_count; s++) {
        Status unused, refusal = {0};
        Problem *problem = scene_build(all_scenes[s], NULL, &unused);
        if (problem && (world_needs(problem->world) & ~can) != 0)
            taken += solver_supports(like->solver, problem->world, &refusal) || refusal.message[0] == '\0';
        problem_destroy(problem);
    }
    result->measured = taken;
    result->bound = 0.0;
    return true;
}

/* Bodies that end elsewhere when the same run is made again. */
static bool check_repeatability(const Run *like, VerifyResult *result, Status *status)
{
    Run run[2];
    bool ok = true;
    int different = 0;
    for (int k = 0; k < 2; k++)
        ok = verify_run(like, "pendulum", "links=3", RUN_DEFAULT_DT, 0.5, NULL, &run[k], status) && ok;
    for (int i = 0; ok && i < run[0].problem->world->body_count; i++) {
        const World *a = run[0].problem->world, *b = run[1].problem->world;
        different += memcmp(&a->pose[i], &b->pose[i], sizeof a->pose[i]) != 0 ||
                     memcmp(&a->velocity[i], &b->velocity[i], sizeof a->velocity[i]) != 0;
    }
    result->measured = ok ? different : NAN;
    result->bound = 0.0;
    run_clear(&run[0]);
    run_clear(&run[1]);
    return ok;
}

/* The highest speed upwards of a ball that fell from 1 m. */
static bool bounce_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    (void)frame, (void)metrics, (void)status;
    const World *world = problem->world;
    double *fastest = context;
    *fastest = fmax(*fastest, world->velocity[world->body_count - 1].v.y);
    return true;
}

static bool check_bounce(const Run *like, VerifyResult *result, Status *status)
{
    Run run;
    double fastest = 0.0, expected = 0.5 * sqrt(2.0 * 9.81);
    RunWatch watch = {bounce_frame, &fastest};
    bool ok = verify_run(like, "bounce", "restitution=0.5", 1.0 / 960, 0.6, &watch, &run, status);
    result->measured = ok ? fabs(fastest / expected - 1.0) : NAN;
    result->bound = 0.02; /* the impact is found to a step of 0.01 m/s */
    run_clear(&run);
    return ok;
}

/* Of two slopes, 1 degree to either side of the friction angle of mu = 0.5, those on which a block does the wrong
 * thing: slides by more than 1 mm in a second, or by less than half of what it should. */
static bool check_friction(const Run *like, VerifyResult *result, Status *status)
{
    bool ok = true;
    int wrong = 0;
    for (int k = 0; k < 2; k++) {
        double angle = atan(0.5) + (k ? 1.0 : -1.0) * PI / 180, way = 0.5 * 9.81 * (sin(angle) - 0.5 * cos(angle));
        char params[64];
        Run run;
        snprintf(params, sizeof params, "mu=0.5 angle=%.15g", angle);
        bool made = verify_run(like, "incline", params, 1.0 / 240, 1.0, NULL, &run, status);
        if (made) {
            const World *world = run.problem->world;
            int block = world->body_count - 1;
            Vec3 at = world->pose[block].x, start = world->bodies[block].position;
            double moved = run.result.status == RUN_OK ? vec3_norm(vec3_sub(at, start)) : NAN;
            wrong += k ? !(moved > 0.5 * way) : !(moved < 1e-3);
        }
        ok = ok && made;
        run_clear(&run);
    }
    result->measured = ok ? wrong : NAN;
    result->bound = 0.0;
    return ok;
}

/* Ten boxes with friction, each 1 mm over the next, the lowest over a fixed one. The load goes down pass by pass: faces
 * that begin to press late must not make their boxes get more than what is right. */
static bool loose_stack_build(Problem *problem, const void *params, Status *status)
{
    (void)params;
    World *world = problem->world;
    world->collide = true;
    world->materials[0].friction = 0.5;
    for (int i = 0; i <= 10; i++) {
        char name[] = {(char)('a' + i), '\0'};
        BodyDef def = BODY_DEF_INIT;
        def.name = name;
        def.fixed = i == 0;
        def.shape = (Shape){.kind = SHAPE_BOX, .size = {1.0, 1.0, 1.0}};
        def.density = 500.0;
        def.position = vec3(0.0, 1.001 * i, 0.0);
        if (world_add_body(world, &def, status) < 0)
            return false;
    }
    problem->passive = true;
    problem_set_scales(problem, 1.0);
    return true;
}

static const Scene LOOSE_STACK = {.name = "loose_stack", .build = loose_stack_build};

/* Sweeps, where a solver has fewer: what is given too much grows with every one of them. */
enum { STACK_SWEEPS = 64 };

static bool check_stack(const Run *like, VerifyResult *result, Status *status)
{
    bool ok = true;
    result->measured = 0.0;
    result->bound = 0.1; /* overlap that is pushed apart lifts what lies above, by some cm where a stack collapses */
    for (int k = 0; ok && k < 2 && !isnan(result->measured); k++) {
        Run run = {.dt = RUN_DEFAULT_DT, .time = 2.0, .without_truth = true, .scene = &LOOSE_STACK};
        run.solver = like->solver;
        memcpy(run.options, like->options, sizeof run.options);
        CommonOptions *common = (CommonOptions *)run.options;
        if (k == 1 && !(common->iterations > 0 && common->iterations < STACK_SWEEPS))
            break;
        if (k == 1)
            common->iterations = STACK_SWEEPS;
        ok = run_make(&run, NULL);
        if (!ok)
            *status = run.status;
        double gain = ok ? verify_metric(&run, "energy_gain_max") : NAN;
        result->measured = isnan(gain) ? gain : fmax(gain, result->measured);
        run_clear(&run);
    }
    return ok;
}

static const VerifyCheck FREE_FLIGHT = {"free flight", "error after 1 s (m), semi-implicit Euler's at most", 0,
                                        check_free_flight};
static const VerifyCheck ECHO_CHECK = {"initial echo", "an engine's first state off the scene's, over what is allowed",
                                       CAN_JOINTS, check_echo};
static const VerifyCheck FLIP = {"torque-free flip", "least share of the first spin about its body axis", 0,
                                 check_flip};
static const VerifyCheck HANGING = {"hanging reaction", "joint force of a rod at rest, off its weight (relative)",
                                    CAN_JOINTS, check_hanging};
static const VerifyCheck LIMIT = {"hinge limit", "1: the rod does not rest at its limit", CAN_JOINTS | CAN_LIMITS,
                                  check_limit};
static const VerifyCheck ENERGY = {"pendulum energy", "error in 1 s with steps of 1 ms at most (relative)", CAN_JOINTS,
                                   check_energy};
static const VerifyCheck BOUNDS = {"bounds", "torque of a weak servo over its max_torque", CAN_JOINTS | CAN_DRIVES,
                                   check_bounds};
static const VerifyCheck REFUSAL = {"refusal", "scenes beyond its capabilities that are not refused", 0, check_refusal};
static const VerifyCheck REPEATABILITY = {"repeatability", "bodies that end elsewhere in a second run", CAN_JOINTS,
                                          check_repeatability};
static const VerifyCheck BOUNCE = {"bounce", "speed after an impact, off e v (relative)", CAN_CONTACTS, check_bounce};
static const VerifyCheck FRICTION = {"friction threshold", "slopes 1 degree off the friction angle gone wrong, of 2",
                                     CAN_CONTACTS | CAN_FRICTION, check_friction};
static const VerifyCheck STACK = {"stack energy", "gained by ten boxes that settle, also with 64 sweeps, over m g 1 m",
                                  CAN_CONTACTS | CAN_FRICTION, check_stack};

const VerifyCheck *const all_verify_checks[] = {
    &FREE_FLIGHT,
    &ECHO_CHECK,
    &FLIP,
    &HANGING,
    &LIMIT,
    &verify_momentum,
    &verify_angular_momentum,
    &verify_contact_momentum,
    &ENERGY,
    &BOUNDS,
    &REFUSAL,
    &REPEATABILITY,
    &BOUNCE,
    &FRICTION,
    &STACK,
    &verify_oblique,
    &verify_rebound,
};
const int verify_check_count = sizeof all_verify_checks / sizeof all_verify_checks[0];

VerifyResult verify_run_check(const VerifyCheck *check, const Run *like)
{
    VerifyResult result = {.measured = NAN, .bound = NAN};
    result.applies = (check->needs & ~like->solver->capabilities) == 0;
    if (!result.applies)
        return result;
    bool ok = check->measure(like, &result, &result.status);
    result.applies = ok || result.status.code != STATUS_UNSUPPORTED; /* an honest refusal */
    result.passes = ok && result.measured <= result.bound;
    return result;
}
