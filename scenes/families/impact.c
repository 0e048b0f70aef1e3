/* SPDX-License-Identifier: MIT */
/* What does an impact leave? bounce: a ball on the floor, Newton's restitution (lecture 001) against the closed form.
 * impact_rod: the lower end of an inclined rod, where clipping the impulse to the friction cone (lecture 003) can add
 * energy. */
#include "model/energy.h"
#include "scenes/ground.h"
#include "scenes/list.h"
#include "scenes/truth/bounce.h"

typedef struct BounceParams {
    double restitution, height, radius, gravity;
} BounceParams;

static const Setting BOUNCE_SETTINGS[] = {
    PARAM_RESTITUTION(BounceParams, 0.5),
    PARAM_REAL(BounceParams, height, "of the ball's lowest point (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(BounceParams, radius, "of the ball (m)", 0.1, LENGTH_MIN, LENGTH_MAX),
    PARAM_GRAVITY(BounceParams),
};

/* Nearly elastic balls come to rest later than anybody waits, s. */
static const double BOUNCE_TIME_MAX = 60.0;

static void bounce_truth(const Problem *problem, double t, Truth *truth)
{
    const BounceParams *p = problem->data;
    Bounce bounce = {p->gravity, p->height, p->restitution};
    int ball = problem->world->body_count - 1;
    truth_set_pose(truth, ball, (Pose){vec3(0, p->radius + bounce_height(&bounce, t), 0), QUAT_IDENTITY});
}

static bool bounce_settled(const Problem *problem, const World *world)
{
    const BounceParams *p = problem->data;
    double off = world->pose[world->body_count - 1].x.y - p->radius;
    return fabs(off) <= 0.1 * p->radius && ground_at_rest(world);
}

static bool bounce_build(Problem *problem, const void *params, Status *status)
{
    const BounceParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, 0.0, p->restitution);
    BodyDef ball = ground_sphere(p->radius, GROUND_DENSITY);
    ball.position = vec3(0, p->height + p->radius, 0);
    if (ground_add(world, status) < 0 || part_add_body(world, &ball, "ball", 1, status) < 0)
        return false;
    problem_set_scales(problem, p->height);
    problem->passive = true;
    problem->conserves = p->restitution == 1.0 ? CONSERVES_ENERGY : 0;
    double rest = bounce_rest(&(Bounce){p->gravity, p->height, p->restitution});
    problem->rest = rest + 1.0 < BOUNCE_TIME_MAX;
    if (problem->rest) {
        problem->time = rest + 1.0;
        problem->settled = bounce_settled;
        problem->settled_time = problem->time;
    }
    problem->truth = bounce_truth;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene bounce_scene = {
    .name = "bounce",
    .question = "Does an impact return the fraction of the speed that it should?",
    .about =
        "A sphere `ball1` falls on the `ground` from rest, its lowest point `height` above it.\n"
        "Impact k = 1, 2, ... leaves restitution^k of the first impact's speed; the times between impacts shrink by "
        "the same factor, and it rests after infinitely many of them: sqrt(2 height / g) (1 + e) / (1 - e) after the "
        "start. At restitution 1 it bounces for ever and keeps its energy.\n"
        "Truth: its pose at all times, in closed form. settled: it rests on the ground. Scales: energy = m g height. "
        "Time: 1 s after it has come to rest; 10 s where that is later than 60 s.",
    .lectures = "001",
    SCENE_PARAMS(BOUNCE_SETTINGS, BounceParams),
    .build = bounce_build,
};

typedef struct RodParams {
    double angle, vx, vy, mu, restitution, gravity;
} RodParams;

static const Setting ROD_SETTINGS[] = {
    PARAM_ANGLE(RodParams, angle, "of the rod above the ground, its lower end towards +x", PI / 3, 0, PI),
    PARAM_REAL(RodParams, vx, "velocity along the ground (m/s)", 6, -1e3, 1e3),
    PARAM_REAL(RodParams, vy, "velocity upwards (m/s)", -1, -1e3, 1e3),
    PARAM_MU(RodParams, 0.1),
    PARAM_RESTITUTION(RodParams, 0),
    PARAM_GRAVITY(RodParams),
};

static const double ROD_LENGTH = 1.0; /* m */
static const double ROD_MASS = 1.0;   /* kg */
/* m; the point of contact is this far below the end of the line: 0.1 % of the length. */
static const double ROD_RADIUS = 1e-3;
/* Of the energy scale: what a run may gain by its steps alone. */
static const double ROD_GAIN_MAX = 1e-3;

static bool rod_settled(const Problem *problem, const World *world)
{
    const double *energy = problem->data;
    return world_energy(world) <= *energy + ROD_GAIN_MAX * problem->energy_scale;
}

static bool rod_build(Problem *problem, const void *params, Status *status)
{
    const RodParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, p->restitution);
    BodyDef rod = BODY_DEF_INIT;
    rod.shape = (Shape){.kind = SHAPE_CAPSULE, .radius = ROD_RADIUS, .length = ROD_LENGTH};
    rod.mass = ROD_MASS;
    double across = ROD_MASS * ROD_LENGTH * ROD_LENGTH / 12.0;
    rod.has_inertia = true; /* of a line, thick enough to turn about itself */
    rod.inertia = vec3(across, 0.5 * ROD_MASS * ROD_RADIUS * ROD_RADIUS, across);
    rod.position = vec3(0, 0.5 * ROD_LENGTH * sin(p->angle) + ROD_RADIUS, 0);
    rod.orientation = quat_axis_angle(vec3(0, 0, 1), 0.5 * PI - p->angle);
    rod.velocity = vec3(p->vx, p->vy, 0);
    if (ground_add(world, status) < 0 || part_add_body(world, &rod, "rod", 0, status) < 0)
        return false;
    problem_set_scales(problem, rod.position.y - ROD_RADIUS);
    problem->time = 2.0;
    problem->passive = true;
    problem->settled = rod_settled;
    problem->reference = true;
    double energy = world_energy(world);
    return part_keep(problem, &energy, sizeof energy, status);
}

const Scene impact_rod_scene = {
    .name = "impact_rod",
    .question = "Does an impact with friction ever add energy?",
    .about =
        "A thin `rod` of 1 kg and 1 m, `angle` above the ground, whose lower end touches the `ground` at t = 0 while "
        "the whole rod moves with (vx, vy) and does not turn.\n"
        "The impulse that would stop the lower end lies far outside the friction cone. Clipped to the cone (lecture "
        "003, line 521) its normal part is too large: with the defaults the end leaves at +3.47 m/s and the rod has "
        "gained 1.39 J, at restitution 0. Solving the normal impulse again with friction on the cone, or projecting in "
        "the metric of the contact's inverse mass, only ever loses energy.\n"
        "Truth: `reference`. settled: it has not gained more than a thousandth of the energy scale, which is the "
        "kinetic energy at the "
        "start and the fall of the centre to the ground. Time: 2 s.",
    .lectures = "003",
    SCENE_PARAMS(ROD_SETTINGS, RodParams),
    .build = rod_build,
};
