/* SPDX-License-Identifier: MIT */
/* A ladder on two rough planes: where it stands friction is not determined, and where it slides both ends must. */
#include "scenes/ground.h"
#include "scenes/list.h"

typedef struct LadderParams {
    double angle, mu, length, restitution, gravity;
} LadderParams;

static const Setting LADDER_SETTINGS[] = {
    PARAM_ANGLE(LadderParams, angle, "of the ladder above the ground", 50.0 / 180.0 * PI, 0.01, 1.56),
    PARAM_MU(LadderParams, 0.3),
    PARAM_REAL(LadderParams, length, "between the middles of its round ends (m)", 2, LENGTH_MIN, LENGTH_MAX),
    PARAM_RESTITUTION(LadderParams, 0),
    PARAM_GRAVITY(LadderParams),
};

static const double LADDER_MASS = 10.0;      /* kg */
static const double LADDER_THICKNESS = 0.01; /* radius over length */
static const double LADDER_TIME = 2.0;       /* s */
static const double LADDER_MOVED = 0.02;     /* of the length, at most, where it stands */

/* Both ends at their cones: the ground bears m g / (1 + mu^2), the wall mu times that. */
static bool ladder_stands(const LadderParams *p)
{
    return p->gravity == 0.0 || 2.0 * p->mu * tan(p->angle) >= 1.0 - p->mu * p->mu;
}

static Vec3 ladder_centre(const LadderParams *p)
{
    double r = LADDER_THICKNESS * p->length;
    return vec3(r + 0.5 * p->length * cos(p->angle), r + 0.5 * p->length * sin(p->angle), 0);
}

/* What stands is where it was; what slides lies on the ground in the end. */
static bool ladder_settled(const Problem *problem, const World *world)
{
    const LadderParams *p = problem->data;
    Vec3 x = world->pose[world->body_count - 1].x;
    if (ladder_stands(p))
        return vec3_norm(vec3_sub(x, ladder_centre(p))) <= LADDER_MOVED * p->length;
    return x.y <= 2.0 * LADDER_THICKNESS * p->length;
}

static bool ladder_build(Problem *problem, const void *params, Status *status)
{
    const LadderParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, p->restitution);
    double r = LADDER_THICKNESS * p->length, across = LADDER_MASS * p->length * p->length / 12.0;
    BodyDef ladder = BODY_DEF_INIT;
    ladder.shape = (Shape){.kind = SHAPE_CAPSULE, .radius = r, .length = p->length};
    ladder.mass = LADDER_MASS;
    ladder.has_inertia = true; /* of a line, thick enough to turn about itself */
    ladder.inertia = vec3(across, 0.5 * LADDER_MASS * r * r, across);
    ladder.position = ladder_centre(p);
    ladder.orientation = quat_axis_angle(vec3(0, 0, 1), 0.5 * PI - p->angle);
    if (ground_add(world, status) < 0 || ground_add_plane(world, "wall", 0, vec3(1, 0, 0), 0.0, status) < 0 ||
        part_add_body(world, &ladder, "ladder", 0, status) < 0)
        return false;
    problem_set_scales(problem, ladder.position.y - r);
    problem->time = LADDER_TIME;
    problem->passive = true;
    problem->rest = ladder_stands(p);
    if (ladder_stands(p))
        problem->truth = ground_rest_truth;
    else
        problem->reference = true;
    double fall = sqrt(p->length / p->gravity);
    problem->settled = ladder_settled;
    problem->settled_time = ladder_stands(p) ? 0.0 : LADDER_TIME;
    if (!ladder_stands(p) && LADDER_TIME < 4.0 * fall)
        problem->settled = NULL; /* it has not come down yet */
    return part_keep(problem, p, sizeof *p, status);
}

const Scene ladder_scene = {
    .name = "ladder",
    .question = "Does a ladder slide when both its ends must?",
    .about =
        "A thin `ladder`, a capsule of 10 kg and `length`, leans in the x-y plane against the `wall` x = 0, its foot "
        "on "
        "the `ground`, `angle` above it, and is let go.\n"
        "It stands iff tan(angle) >= (1 - mu^2) / (2 mu), 56.6 deg with mu = 0.3: where it stands four forces obey "
        "three equations, and no one knows how its ends share the friction. Else both ends slide at once, the upper "
        "one "
        "leaves the wall on the way down (without friction at 2/3 of its height), and it falls flat and slides to "
        "rest.\n"
        "Truth: at rest where it stands; else `reference`, by modes of both contacts. settled: it stands within 2 % of "
        "its length, or lies on the ground. Scales: energy = m g x the fall of its centre. Time: 2 s.",
    .lectures = "001, 003",
    SCENE_PARAMS(LADDER_SETTINGS, LadderParams),
    .build = ladder_build,
};
