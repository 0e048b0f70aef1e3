/* SPDX-License-Identifier: MIT */
/* Checks of what internal forces leave alone: momentum at a joint and at contacts, angular momentum at a joint. */
#include "bench/verify/checks.h"

#include <string.h>

/* Two boxes on a ball joint, thrown and spinning, in free space; their speeds agree at the joint, so that reduced
 * coordinates can begin with them. */
static bool thrown_pair_build(Problem *problem, const void *params, Status *status)
{
    (void)params;
    World *world = problem->world;
    int bodies[2];
    const Vec3 anchor = vec3(0.5, 0, 0), spin[2] = {vec3(0.7, -0.2, 0.3), vec3(0.7, -0.2, 0.9)};
    const Vec3 speed = vec3(0.3, 1.1, 0.4); /* of the joint */
    world->gravity = VEC3_ZERO;
    for (int i = 0; i < 2; i++) {
        BodyDef def = BODY_DEF_INIT;
        def.name = i ? "b" : "a";
        def.shape = (Shape){.kind = SHAPE_BOX, .size = {1.0, 0.3, 0.5 + 0.2 * i}};
        def.density = 300.0 + 400.0 * i;
        def.position = vec3(i, 0.0, 0.0);
        def.velocity = vec3_add(speed, vec3_cross(spin[i], vec3_sub(def.position, anchor)));
        def.angular_velocity = spin[i];
        bodies[i] = world_add_body(world, &def, status);
        if (bodies[i] < 0)
            return false;
    }
    JointDef joint = joint_def(JOINT_BALL, bodies[0], bodies[1]);
    joint.name = "joint";
    joint.anchor[0] = anchor;
    problem->conserves = CONSERVES_MOMENTUM | CONSERVES_ANGULAR_MOMENTUM;
    bool ok = world_add_joint(world, &joint, status) >= 0;
    problem_set_scales(problem, 0.0);
    return ok;
}

static const Scene THROWN_PAIR = {.name = "thrown_pair", .build = thrown_pair_build};

/* Two balls of unlike mass strike a third at once, off its centre line, without friction or bounce: it has two
 * contacts, and they have one. */
static bool struck_ball_build(Problem *problem, const void *params, Status *status)
{
    (void)params;
    World *world = problem->world;
    world->gravity = VEC3_ZERO;
    world->collide = true;
    Material smooth = {.name = "smooth"};
    int material = world_add_material(world, &smooth);
    for (int i = 0; i < 3; i++) {
        BodyDef def = BODY_DEF_INIT;
        def.name = (const char *[]){"struck", "left", "right"}[i];
        def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.5};
        def.mass = (const double[]){1.0, 1.3, 2.9}[i];
        def.position = i == 0 ? VEC3_ZERO : vec3(i == 1 ? -0.6 : 0.7, i == 1 ? 0.87 : 0.79, 0.0);
        def.velocity = i == 0 ? VEC3_ZERO : vec3(0.0, -2.0, 0.0);
        def.material = material;
        if (material < 0 || world_add_body(world, &def, status) < 0)
            return false;
    }
    problem->conserves = CONSERVES_MOMENTUM;
    problem_set_scales(problem, 0.0);
    return true;
}

static const Scene STRUCK_BALL = {.name = "struck_ball", .build = struck_ball_build};

static bool lost(const Run *like, const Scene *scene, double dt, const char *metric, VerifyResult *result,
                 Status *status)
{
    Run run = {.dt = dt, .time = 1.0, .without_truth = true, .scene = scene, .solver = like->solver};
    memcpy(run.options, like->options, sizeof run.options);
    bool ok = run_make(&run, NULL);
    if (!ok)
        *status = run.status;
    result->measured = ok ? verify_metric(&run, metric) : NAN;
    result->bound = run.result.traits & TRAIT_SINGLE ? 1e-4 : 1e-9; /* round-off of some thousand steps */
    run_clear(&run);
    return ok;
}

static bool check_momentum(const Run *like, VerifyResult *result, Status *status)
{
    return lost(like, &THROWN_PAIR, RUN_DEFAULT_DT, "momentum_error", result, status);
}

static bool check_contact_momentum(const Run *like, VerifyResult *result, Status *status)
{
    return lost(like, &STRUCK_BALL, RUN_DEFAULT_DT, "momentum_error", result, status);
}

/* Each impulse keeps it; a step that turns the arms afterwards does to first order. */
static bool check_angular_momentum(const Run *like, VerifyResult *result, Status *status)
{
    bool ok = lost(like, &THROWN_PAIR, 1e-3, "angular_momentum_error", result, status);
    result->bound = 1e-3; /* steps that turn arms lose 5e-5 */
    return ok;
}

const VerifyCheck verify_momentum = {"momentum", "of two joined boxes in free space, lost in 1 s (relative)",
                                     CAN_JOINTS, check_momentum};
const VerifyCheck verify_contact_momentum = {"contact momentum", "of a ball that two strike at once, lost (relative)",
                                             CAN_CONTACTS, check_contact_momentum};
const VerifyCheck verify_angular_momentum = {"angular momentum",
                                             "of two joined boxes, lost in 1 s with steps of 1 ms at most (relative)",
                                             CAN_JOINTS, check_angular_momentum};
