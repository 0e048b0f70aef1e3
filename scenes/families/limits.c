/* SPDX-License-Identifier: MIT */
/* Does a limit stop a joint where it says, without a bounce?
 * hinge_limit: a rod falls on a hinge. ball_limit: one rod falls to its swing limit, another spins to its twist limit.
 * prismatic: a block slides down an inclined guide. Until the stop each moves in closed form (a pendulum, a uniform
 * turn, a uniform acceleration); from then on it rests, and the joint carries its weight. */
#include "scenes/list.h"
#include "scenes/parts.h"
#include "scenes/truth/pendulum.h"

/* A limit is held when the joint stands within this of it, rad. */
#define LIMIT_ANGLE_MAX 0.01
/* Likewise along a guide, as a part of the travel. */
#define LIMIT_TRAVEL_MAX 0.01
/* Results give a frame's mean force; no frame is longer than this, s. */
#define LIMIT_FRAME_MAX 0.1

/* A rod that falls as a pendulum until it stands at `to` from hanging. */
typedef struct Fall {
    Pendulum pendulum;
    double to, stops_at;
} Fall;

static Pose arm_pose(double length, double from_hanging)
{
    return part_rod_pose(VEC3_ZERO, length, from_hanging - PI / 2);
}

static Fall fall_of(const World *world, int body, double length, double from, double to)
{
    Fall fall = {.to = to};
    fall.pendulum = (Pendulum){.gravity = -world->gravity.y,
                               .mass = world->mass[body].mass,
                               .arm = 0.5 * length,
                               .inertia = world->mass[body].inertia.z,
                               .amplitude = from};
    fall.stops_at = pendulum_time(&fall.pendulum, to);
    return fall;
}

/* A force that changes at the stop, where an impulse has none; it is not known for the frame that has the stop in it.
 */
static void limit_set_force(Truth *truth, int joint, Vec3 force, double t, double stops_at)
{
    truth_set_force(truth, joint, force);
    truth->has_force[joint] = t < stops_at || t > stops_at + LIMIT_FRAME_MAX;
}

static void fall_truth(const Fall *fall, int body, int joint, double t, Truth *truth)
{
    const Pendulum *pendulum = &fall->pendulum;
    PendulumState falling = pendulum_at(pendulum, t);
    bool stopped = t >= fall->stops_at;
    truth_set_pose(truth, body, arm_pose(2.0 * pendulum->arm, stopped ? fall->to : falling.angle));
    Vec3 weight = vec3(0, pendulum->mass * pendulum->gravity, 0);
    limit_set_force(truth, joint, stopped ? weight : falling.force, t, fall->stops_at);
}

/* Runs past the stop, with at least a second at rest for jitter. */
static void limit_set_facts(Problem *problem, double stops_at)
{
    problem->time = isfinite(stops_at) ? fmax(3.0, ceil(stops_at) + 2.0) : 3.0;
    problem->passive = true;
    problem->rest = true;
}

typedef struct HingeLimitParams {
    double length, thickness, density, angle, limit, gravity;
} HingeLimitParams;

static const Setting HINGE_LIMIT_SETTINGS[] = {
    PARAM_REAL(HingeLimitParams, length, "of the rod (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(HingeLimitParams, thickness, "of the rod (m)", 0.05, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(HingeLimitParams, density, "of the rod (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_ANGLE(HingeLimitParams, angle, "where the rod is released, from hanging, towards +x", PI / 2, 0.01, 3.1),
    PARAM_ANGLE(HingeLimitParams, limit, "where the rod stops, from hanging", PI / 6, 0, 3.1),
    PARAM_GRAVITY(HingeLimitParams),
};

static void hinge_limit_truth(const Problem *problem, double t, Truth *truth)
{
    fall_truth(problem->data, 1, 0, t, truth);
}

static bool hinge_limit_settled(const Problem *problem, const World *world)
{
    const Fall *fall = problem->data;
    return fabs(joint_angle(world, &world->joints[0]) - (fall->to - fall->pendulum.amplitude)) <= LIMIT_ANGLE_MAX;
}

static bool hinge_limit_build(Problem *problem, const void *params, Status *status)
{
    const HingeLimitParams *p = params;
    if (p->limit >= p->angle)
        return status_set(status, STATUS_USAGE, "limit: must be below the angle of release");
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    BodyDef arm = part_box(p->length, p->thickness, p->thickness, p->density);
    part_place(&arm, arm_pose(p->length, p->angle));
    JointDef hinge = part_joint_at(JOINT_HINGE, 0, 1, VEC3_ZERO, vec3(0, 0, 1));
    hinge.angle_min = p->limit - p->angle;
    if (part_add_body(world, &arm, "arm", 0, status) < 0 || part_add_joint(world, &hinge, "hinge", 0, status) < 0)
        return false;
    Fall fall = fall_of(world, 1, p->length, p->angle, p->limit);
    limit_set_facts(problem, fall.stops_at);
    problem_set_scales(problem, 0.5 * p->length * (cos(p->limit) - cos(p->angle)));
    problem->truth = hinge_limit_truth;
    problem->settled = hinge_limit_settled;
    problem->settled_time = problem->time;
    return part_keep(problem, &fall, sizeof fall, status);
}

const Scene hinge_limit_scene = {
    .name = "hinge_limit",
    .question = "Does a hinge's limit stop a falling rod without a bounce, and hold it?",
    .about =
        "A rod `arm` on a hinge at the world's origin, axis z, released at rest `angle` from hanging. The hinge's "
        "lower limit stops it at `limit` from hanging.\n"
        "It falls as a pendulum (elliptic functions), stops dead, and rests on the limit; its pose and the hinge's "
        "force are known at all times, but for the force of the impact.\n"
        "settled: it stands within 0.01 rad of the limit.",
    .lectures = "000, 004",
    SCENE_PARAMS(HINGE_LIMIT_SETTINGS, HingeLimitParams),
    .build = hinge_limit_build,
};

typedef struct BallLimitParams {
    double length, thickness, density, swing_max, twist_max, spin, gravity;
} BallLimitParams;

static const Setting BALL_LIMIT_SETTINGS[] = {
    PARAM_REAL(BallLimitParams, length, "of a rod (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(BallLimitParams, thickness, "of a rod (m)", 0.05, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(BallLimitParams, density, "of a rod (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_ANGLE(BallLimitParams, swing_max, "largest swing from where a rod is placed", PI / 3, 0.01, PI / 2),
    PARAM_ANGLE(BallLimitParams, twist_max, "largest twist, both ways", PI / 4, 0.01, 3.1),
    PARAM_REAL(BallLimitParams, spin, "of the hanging rod about its own axis (rad/s)", 1, 1e-3, 1e3),
    PARAM_GRAVITY(BallLimitParams),
};

typedef struct BallLimit {
    Fall fall;
    Pose hung; /* the twisting rod as placed */
    double twist_max, spin;
} BallLimit;

enum { BALL_SWINGS = 1, BALL_TWISTS = 2 };

static void ball_limit_truth(const Problem *problem, double t, Truth *truth)
{
    const BallLimit *limit = problem->data;
    const World *world = problem->world;
    fall_truth(&limit->fall, BALL_SWINGS, BALL_SWINGS - 1, t, truth);
    double twist = fmin(limit->spin * t, limit->twist_max);
    Quat turned = quat_mul(quat_axis_angle(vec3(0, -1, 0), twist), limit->hung.q);
    truth_set_pose(truth, BALL_TWISTS, (Pose){limit->hung.x, turned});
    truth_set_force(truth, BALL_TWISTS - 1, vec3(0, -world->gravity.y * world->mass[BALL_TWISTS].mass, 0));
}

static bool ball_limit_settled(const Problem *problem, const World *world)
{
    const BallLimit *limit = problem->data;
    /* The rods lie along their own x axis. */
    Vec3 placed = quat_rotate(problem->world->bodies[BALL_SWINGS].orientation, vec3(1, 0, 0));
    Vec3 now = quat_rotate(world_reported_orientation(world, BALL_SWINGS), vec3(1, 0, 0));
    double swing = atan2(vec3_norm(vec3_cross(placed, now)), vec3_dot(placed, now));
    double twist = joint_angle(world, &world->joints[BALL_TWISTS - 1]);
    return fabs(swing - (limit->fall.pendulum.amplitude - limit->fall.to)) <= LIMIT_ANGLE_MAX &&
           fabs(twist - limit->twist_max) <= LIMIT_ANGLE_MAX;
}

/* A rod on a ball joint that has both limits, about the rod's own direction as placed. */
static bool ball_limit_add(World *world, const BallLimitParams *p, BodyDef *rod, Vec3 pivot, int number, Status *status)
{
    int body = part_add_body(world, rod, "arm", number, status);
    JointDef ball = part_joint_at(JOINT_BALL, 0, body, pivot, quat_rotate(rod->orientation, vec3(1, 0, 0)));
    ball.swing_max = p->swing_max;
    ball.twist_min = -p->twist_max;
    ball.twist_max = p->twist_max;
    return body > 0 && part_add_joint(world, &ball, "ball", number, status) >= 0;
}

static bool ball_limit_build(Problem *problem, const void *params, Status *status)
{
    const BallLimitParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    BodyDef rod = part_box(p->length, p->thickness, p->thickness, p->density);
    part_place(&rod, arm_pose(p->length, PI / 2));
    if (!ball_limit_add(world, p, &rod, VEC3_ZERO, BALL_SWINGS, status))
        return false;
    Vec3 pivot = vec3(-p->length, 0, 0);
    part_place(&rod, part_rod_pose(pivot, p->length, -PI / 2));
    rod.angular_velocity = vec3(0, -p->spin, 0);
    BallLimit limit = {.hung = {rod.position, rod.orientation}, .twist_max = p->twist_max, .spin = p->spin};
    if (!ball_limit_add(world, p, &rod, pivot, BALL_TWISTS, status))
        return false;
    limit.fall = fall_of(world, BALL_SWINGS, p->length, PI / 2, PI / 2 - p->swing_max);
    limit_set_facts(problem, fmax(limit.fall.stops_at, p->twist_max / p->spin));
    /* Only one of two equal rods falls. */
    problem_set_scales(problem, 0.25 * p->length * sin(p->swing_max));
    problem->truth = ball_limit_truth;
    problem->settled = ball_limit_settled;
    problem->settled_time = problem->time;
    return part_keep(problem, &limit, sizeof limit, status);
}

const Scene ball_limit_scene = {
    .name = "ball_limit",
    .question = "Do the swing and twist limits of a ball joint stop without a bounce, and hold?",
    .about = "Two rods on ball joints with the same limits. `arm1` is placed horizontally along +x from the origin and "
             "falls until its swing reaches swing_max; `arm2` hangs beside it and spins about its own axis until its "
             "twist reaches twist_max.\n"
             "Both stop dead and rest at their limits: arm1 falls as a pendulum (elliptic functions), arm2 turns "
             "uniformly; poses and joint forces are known at all times, but for the force of the impact.\n"
             "settled: both stand within 0.01 rad of their limits.",
    .lectures = "000",
    SCENE_PARAMS(BALL_LIMIT_SETTINGS, BallLimitParams),
    .build = ball_limit_build,
};

typedef struct PrismaticParams {
    double angle, travel, size, density, gravity;
} PrismaticParams;

static const Setting PRISMATIC_SETTINGS[] = {
    PARAM_ANGLE(PrismaticParams, angle, "of the guide below the horizontal", PI / 6, 0.001, PI / 2),
    PARAM_REAL(PrismaticParams, travel, "from where the block is released to the limit (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(PrismaticParams, size, "edge of the block (m)", 0.2, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(PrismaticParams, density, "of the block (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_GRAVITY(PrismaticParams),
};

static double prismatic_stops_at(const PrismaticParams *p)
{
    return sqrt(2.0 * p->travel / (p->gravity * sin(p->angle)));
}

/* s = g sin(angle) t^2 / 2 until s = travel. The guide carries what is normal to it, the limit the rest. */
static void prismatic_truth(const Problem *problem, double t, Truth *truth)
{
    const PrismaticParams *p = problem->data;
    Vec3 down = vec3(cos(p->angle), -sin(p->angle), 0), across = vec3(sin(p->angle), cos(p->angle), 0);
    double acceleration = p->gravity * sin(p->angle), weight = p->gravity * problem->world->mass[1].mass;
    double stops_at = prismatic_stops_at(p);
    double s = fmin(p->travel, 0.5 * acceleration * t * t);
    truth_set_pose(truth, 1, (Pose){vec3_scale(s, down), problem->world->bodies[1].orientation});
    Vec3 force = t < stops_at ? vec3_scale(weight * cos(p->angle), across) : vec3(0, weight, 0);
    limit_set_force(truth, 0, force, t, stops_at);
}

static bool prismatic_settled(const Problem *problem, const World *world)
{
    const PrismaticParams *p = problem->data;
    return fabs(joint_position(world, &world->joints[0]) - p->travel) <= LIMIT_TRAVEL_MAX * p->travel;
}

static bool prismatic_build(Problem *problem, const void *params, Status *status)
{
    const PrismaticParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    BodyDef block = part_box(p->size, p->size, p->size, p->density);
    block.orientation = quat_axis_angle(vec3(0, 0, 1), -p->angle);
    JointDef guide = part_joint_at(JOINT_PRISMATIC, 0, 1, VEC3_ZERO, vec3(cos(p->angle), -sin(p->angle), 0));
    guide.position_min = 0.0;
    guide.position_max = p->travel;
    if (part_add_body(world, &block, "block", 0, status) < 0 || part_add_joint(world, &guide, "guide", 0, status) < 0)
        return false;
    limit_set_facts(problem, prismatic_stops_at(p));
    problem_set_scales(problem, p->travel * sin(p->angle));
    problem->truth = prismatic_truth;
    problem->settled = prismatic_settled;
    problem->settled_time = problem->time;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene prismatic_scene = {
    .name = "prismatic",
    .question = "Does a slider keep to its guide and stop at the end of it?",
    .about = "A cube `block` on a prismatic joint whose axis falls by `angle` from the world's origin along +x; it is "
             "released at rest at the upper limit and slides to the lower one.\n"
             "It accelerates with g sin(angle), stops dead after `travel`, and rests there. Its pose is known at all "
             "times; the guide carries m g cos(angle) across it, and at the stop the whole weight.\n"
             "settled: it stands within a hundredth of the travel from the limit.",
    .lectures = "000",
    SCENE_PARAMS(PRISMATIC_SETTINGS, PrismaticParams),
    .build = prismatic_build,
};
