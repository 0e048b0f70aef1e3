/* SPDX-License-Identifier: MIT */
/* How high can you stack, and what do mass ratios and cached impulses do to it? stack, heavy_on_light, warm_start_kick:
 * unit boxes one on the other (lecture 001). All should stay as they are. */
#include "scenes/ground.h"
#include "scenes/list.h"

#include <stdlib.h>

typedef struct StackParams {
    int boxes;
    double mass_ratio, mu, gap, gravity;
} StackParams;

static const Setting STACK_SETTINGS[] = {
    PARAM_INT(StackParams, boxes, "how many", 10, 1, PARTS_MAX),
    PARAM_REAL(StackParams, mass_ratio, "mass of the top box over the bottom box, geometric between", 1, 1e-6, 1e6),
    PARAM_MU(StackParams, 0.5),
    PARAM_REAL(StackParams, gap, "below each box (m)", 0, 0, 100),
    PARAM_GRAVITY(StackParams),
};

/* A box stands if it has moved no more than this part of its size against the one below. */
static const double STACK_SHIFT_MAX = 0.1;

/* Bodies 1 ground, 2, 3, ... boxes; `gap` closes. */
static bool stack_stands(const Problem *problem, const World *world, int boxes, double gap)
{
    for (int i = 2; i < 2 + boxes; i++)
        if (!ground_keeps_place(problem, world, i, i - 1, STACK_SHIFT_MAX * world->length_scale + gap))
            return false;
    return ground_at_rest(world);
}

/* The ground and unit boxes from there upwards. */
static bool stack_add(World *world, int boxes, double gap, double ratio, Status *status)
{
    if (ground_add(world, status) < 0)
        return false;
    for (int i = 0; i < boxes; i++) {
        double density = GROUND_DENSITY * (boxes > 1 ? pow(ratio, (double)i / (boxes - 1)) : 1.0);
        BodyDef box = part_box(1, 1, 1, density);
        box.position = vec3(0, 0.5 + i + (i + 1) * gap, 0);
        if (part_add_body(world, &box, "box", i + 1, status) < 0)
            return false;
    }
    return true;
}

/* How far the centre of mass can fall: to where all boxes lie on the ground. */
static double stack_drop(const World *world)
{
    double mass = 0.0, moment = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        mass += world->mass[i].mass;
        moment += world->mass[i].mass * world->pose[i].x.y;
    }
    return moment / mass - 0.5;
}

static void stack_set_facts(Problem *problem)
{
    problem_set_scales(problem, stack_drop(problem->world));
    problem->passive = true;
    problem->rest = true;
}

static bool stack_settled(const Problem *problem, const World *world)
{
    const StackParams *p = problem->data;
    return stack_stands(problem, world, p->boxes, p->gap);
}

static bool stack_build(Problem *problem, const void *params, Status *status)
{
    const StackParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (!stack_add(world, p->boxes, p->gap, p->mass_ratio, status))
        return false;
    stack_set_facts(problem);
    problem->truth = p->gap == 0.0 ? ground_rest_truth : NULL;
    problem->settled = stack_settled;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene stack_scene = {
    .name = "stack",
    .question = "How high can you stack?",
    .about =
        "Unit boxes `box1` (the lowest), `box2`, ... one on the other on the `ground`, each `gap` above what is below "
        "it. The lowest weighs 1000 kg, the top one mass_ratio times that, with a constant ratio from box to box.\n"
        "It should stand (with a gap: fall and then stand). An impulse solver must carry the weight of the top through "
        "every contact below, which takes as many sweeps as boxes unless it starts from the last frame's impulses.\n"
        "At defaults ten boxes stand for 10 s with `pgs` (rows, 28 mm off), `pgs_block` (5 mm), `xpbd_stick` (0.3 mm) "
        "and `pbd_stick` (5 mm); with `pgs_lecture`, and with `xpbd` and `pbd` as published, they fall.\n"
        "Truth (gap 0): at rest. settled: no box has moved by more than 0.1 m (and the gap) against the one below, "
        "and none is faster than "
        "0.032 sqrt(g length_scale) = 0.1 m/s. "
        "Scales: energy = total mass x g x the fall of the centre of mass if all "
        "boxes lay on the ground (one box: to y = 0). Time: 10 s.",
    .lectures = "001",
    SCENE_PARAMS(STACK_SETTINGS, StackParams),
    .build = stack_build,
};

typedef struct HeavyParams {
    double ratio, mu, gravity;
} HeavyParams;

static const Setting HEAVY_SETTINGS[] = {
    PARAM_REAL(HeavyParams, ratio, "mass of the upper box over the lower", 100, 1e-6, 1e6),
    PARAM_MU(HeavyParams, 0.5),
    PARAM_GRAVITY(HeavyParams),
};

static bool heavy_settled(const Problem *problem, const World *world)
{
    return stack_stands(problem, world, 2, 0.0);
}

static bool heavy_build(Problem *problem, const void *params, Status *status)
{
    const HeavyParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (!stack_add(world, 2, 0.0, p->ratio, status))
        return false;
    stack_set_facts(problem);
    problem->truth = ground_rest_truth;
    problem->settled = heavy_settled;
    return true;
}

const Scene heavy_on_light_scene = {
    .name = "heavy_on_light",
    .question = "Does a light box carry a heavy one?",
    .about =
        "Two unit boxes on the `ground`, `box1` of 1000 kg below, `box2` of `ratio` times that on it.\n"
        "They should rest; the ground carries both weights, box1 that of box2. Gauss-Seidel passes the load down by "
        "about 1/ratio a sweep, so that a few sweeps without warm starting let box1 be pressed into the ground.\n"
        "Truth: at rest. settled: neither box has moved by more than 0.1 m against what is below it, nor is faster "
        "than 0.032 sqrt(g length_scale) = 0.1 m/s. "
        "Scales: the fall of the centre of mass if both lay on the ground. Time: 10 s.",
    .lectures = "001",
    SCENE_PARAMS(HEAVY_SETTINGS, HeavyParams),
    .build = heavy_build,
};

typedef struct KickParams {
    int boxes;
    double ratio, mu, gravity;
} KickParams;

static const Setting KICK_SETTINGS[] = {
    PARAM_INT(KickParams, boxes, "below the sphere", 3, 1, 10000),
    PARAM_REAL(KickParams, ratio, "mass of the sphere over that of a box", 100, 1e-6, 1e6),
    PARAM_MU(KickParams, 0.5),
    PARAM_GRAVITY(KickParams),
};

static const double KICK_AT = 2.0;    /* s, when the sphere goes */
static const double KICK_TIME = 3.0;  /* s: the last second, which jitter is taken over, begins with the removal */
static const double KICK_RISE = 0.01; /* of its size, above its place, what a box may jump */

static int kick_top(const World *world)
{
    return world->body_count - 1;
}

static void kick_truth(const Problem *problem, double t, Truth *truth)
{
    truth_set_rest(problem, truth);
    int top = kick_top(problem->world);
    truth->has_position[top] = truth->has_orientation[top] = t < KICK_AT;
}

static bool kick_settled(const Problem *problem, const World *world)
{
    int boxes = kick_top(world) - 2;
    for (int i = 2; i < 2 + boxes; i++)
        if (!(world->pose[i].x.y - problem->world->bodies[i].position.y <= KICK_RISE * world->length_scale))
            return false;
    return stack_stands(problem, world, boxes, 0.0);
}

static bool kick_build(Problem *problem, const void *params, Status *status)
{
    const KickParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (!stack_add(world, p->boxes, 0.0, 1.0, status))
        return false;
    BodyDef top = ground_sphere(0.5, 0.0);
    top.mass = p->ratio * world->mass[2].mass;
    top.position = vec3(0, p->boxes + 0.5, 0);
    int sphere = part_add_body(world, &top, "top", 0, status);
    if (sphere < 0)
        return false;
    problem->events = malloc(sizeof *problem->events);
    if (!problem->events)
        return status_set(status, STATUS_FAILED, "out of memory");
    problem->events[0] = (SceneEvent){KICK_AT, sphere};
    problem->event_count = 1;
    stack_set_facts(problem);
    problem->time = KICK_TIME;
    problem->truth = kick_truth;
    problem->settled = kick_settled;
    problem->settled_time = problem->time;
    return true;
}

const Scene warm_start_kick_scene = {
    .name = "warm_start_kick",
    .question = "Does the cached impulse lie?",
    .about =
        "Unit boxes `box1`, `box2`, ... of 1000 kg on the `ground` and on them a sphere `top` of `ratio` times that, "
        "which is removed at 2 s.\n"
        "The boxes should not notice. A solver that starts from the last frame's impulses begins with those that "
        "carried the sphere: if it does not take them back within the step, the boxes jump.\n"
        "Truth: at rest, the sphere until it goes. settled: no box is more than 1 cm above its place, has moved by "
        "more than 0.1 m against the one below, or is faster than "
        "0.032 sqrt(g length_scale) = 0.1 m/s. "
        "Scales: the fall of the centre of mass if "
        "all lay on the ground. Time: 3 s.",
    .lectures = "001",
    SCENE_PARAMS(KICK_SETTINGS, KickParams),
    .build = kick_build,
};
