/* SPDX-License-Identifier: MIT */
/* Does dry friction hold, slip and turn as Coulomb says? incline: a flat block sticks or slides (lectures 001, 003).
 * rolling: a ball that slides begins to roll. tilting_box: an edge that does not slide is a hinge. */
#include "scenes/ground.h"
#include "scenes/list.h"
#include "scenes/truth/pendulum.h"

typedef struct InclineParams {
    double angle, mu, height, gravity;
} InclineParams;

static const double INCLINE_LENGTH = 1.0;            /* m, of the block */
static const double INCLINE_TIME = 3.0;              /* s */
static const double INCLINE_CREEP_MAX = 3.2e-4;      /* of world_pace, of a block that sticks: 1 mm/s */
static const double INCLINE_ACCELERATION_OFF = 0.02; /* part, of a block that slides */
static const double INCLINE_TIPPED = 0.2;            /* rad, against the slope */

static const Setting INCLINE_SETTINGS[] = {
    PARAM_ANGLE(InclineParams, angle, "of the slope, down towards +x", PI / 9, 0, 1.55),
    PARAM_MU(InclineParams, 0.5),
    PARAM_REAL(InclineParams, height, "of the block (m); it is 1 m long", 0.2, LENGTH_MIN, LENGTH_MAX),
    PARAM_GRAVITY(InclineParams),
};

/* What carries the block leans back by tan(angle), or by mu where it slides: beyond its edge it tips. */
static bool incline_tips(const InclineParams *p)
{
    return fmin(tan(p->angle), p->mu) > INCLINE_LENGTH / p->height;
}

/* m/s^2, down the slope. */
static double incline_acceleration(const InclineParams *p)
{
    return fmax(0.0, p->gravity * (sin(p->angle) - p->mu * cos(p->angle)));
}

static Pose incline_pose(const InclineParams *p, double s)
{
    Vec3 normal = vec3(sin(p->angle), cos(p->angle), 0), down = vec3(cos(p->angle), -sin(p->angle), 0);
    return (Pose){vec3_add_scaled(vec3_scale(0.5 * p->height, normal), s, down),
                  quat_axis_angle(vec3(0, 0, 1), -p->angle)};
}

static void incline_truth(const Problem *problem, double t, Truth *truth)
{
    const InclineParams *p = problem->data;
    truth_set_pose(truth, problem->world->body_count - 1, incline_pose(p, 0.5 * incline_acceleration(p) * t * t));
}

/* A sliding block has v^2 = 2 a s, whenever it is asked. */
static bool incline_settled(const Problem *problem, const World *world)
{
    const InclineParams *p = problem->data;
    int block = world->body_count - 1;
    Quat turned = quat_mul(quat_conj(incline_pose(p, 0.0).q), world->pose[block].q);
    if (incline_tips(p))
        return vec3_norm(quat_log(turned)) > INCLINE_TIPPED;
    Vec3 moved = vec3_sub(world->pose[block].x, incline_pose(p, 0.0).x), v = world->velocity[block].v;
    double a = incline_acceleration(p), creep = INCLINE_CREEP_MAX * world_pace(world);
    if (a == 0.0)
        return vec3_norm(v) <= creep && vec3_norm(moved) <= creep * problem->time;
    double expected = 2.0 * a * vec3_dot(moved, vec3(cos(p->angle), -sin(p->angle), 0));
    return expected > 0.0 && fabs(vec3_dot(v, v) - expected) <= INCLINE_ACCELERATION_OFF * expected;
}

static bool incline_build(Problem *problem, const void *params, Status *status)
{
    const InclineParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    BodyDef block = part_box(INCLINE_LENGTH, p->height, INCLINE_LENGTH, GROUND_DENSITY);
    part_place(&block, incline_pose(p, 0.0));
    Vec3 normal = vec3(sin(p->angle), cos(p->angle), 0);
    if (ground_add_plane(world, "ground", 0, normal, 0.0, status) < 0 ||
        part_add_body(world, &block, "block", 0, status) < 0)
        return false;
    problem->time = INCLINE_TIME;
    double along = p->gravity * sin(p->angle);
    problem_set_scales(problem, 0.5 * along * INCLINE_TIME * INCLINE_TIME * sin(p->angle));
    problem->passive = true;
    problem->rest = incline_acceleration(p) == 0.0 && !incline_tips(p);
    problem->truth = incline_tips(p) ? NULL : incline_truth;
    problem->reference = incline_tips(p);
    problem->settled = incline_settled;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene incline_scene = {
    .name = "incline",
    .question = "Does a block stick and slip where it should?",
    .about =
        "A flat box `block`, 1 x 0.2 x 1 m, at rest on a slope (`ground`, a plane) that falls by `angle` towards +x.\n"
        "It slides iff tan(angle) > mu, with a = g (sin(angle) - mu cos(angle)); else it stays. It tips iff tan(angle) "
        "and mu are both above 1 m / height: as flat as it is, never below mu = 5. The lecture's bound mu m g instead "
        "of mu N slips at sin(angle) = mu. Where it should stick `xpbd` and `pbd` as published creep, at defaults by "
        "10 and "
        "4 mm in 3 s; `xpbd_stick` and `pbd_stick` hold it within 1 mm, `pgs` to round-off.\n"
        "Truth: its pose at all times; that of `reference`, if it tips. settled: a block that should stick creeps by "
        "less than 1 mm/s, "
        "one that should slide has v^2 = 2 a s to 2 %, one that should tip has turned. Scales: the fall along a slope "
        "without friction. Time: 3 s.",
    .lectures = "001, 003",
    SCENE_PARAMS(INCLINE_SETTINGS, InclineParams),
    .build = incline_build,
};

typedef struct RollingParams {
    double v0, mu, radius, gravity;
} RollingParams;

static const Setting ROLLING_SETTINGS[] = {
    PARAM_REAL(RollingParams, v0, "speed at the start, along +x (m/s)", 1, 0, 1e3),
    PARAM_MU(RollingParams, 0.2),
    PARAM_REAL(RollingParams, radius, "of the ball (m)", 0.1, LENGTH_MIN, LENGTH_MAX),
    PARAM_GRAVITY(RollingParams),
};

static const double ROLLING_OFF = 0.01; /* of v0, between speed, spin and truth at the end */

/* s; infinite without friction. */
static double rolling_begins(const RollingParams *p)
{
    return p->v0 == 0.0 ? 0.0 : 2.0 * p->v0 / (7.0 * p->mu * p->gravity);
}

/* Sliding: v = v0 - mu g t and, I = 2/5 m r^2, r w = 5/2 mu g t; equal at t1 = 2 v0 / (7 mu g); then both 5/7 v0. */
static void rolling_truth(const Problem *problem, double t, Truth *truth)
{
    const RollingParams *p = problem->data;
    double t1 = rolling_begins(p), slides = fmin(t, t1), rolls = t - slides, a = p->mu * p->gravity;
    double x = p->v0 * slides - 0.5 * a * slides * slides + 5.0 / 7.0 * p->v0 * rolls;
    double turned = (1.25 * a * slides * slides + 5.0 / 7.0 * p->v0 * rolls) / p->radius;
    truth_set_pose(truth, problem->world->body_count - 1,
                   (Pose){vec3(x, p->radius, 0), quat_axis_angle(vec3(0, 0, 1), -turned)});
}

static bool rolling_settled(const Problem *problem, const World *world)
{
    const RollingParams *p = problem->data;
    Velocity u = world->velocity[world->body_count - 1];
    double off = ROLLING_OFF * p->v0, expected = 5.0 / 7.0 * p->v0;
    return fabs(u.v.x - expected) <= off && fabs(-u.w.z * p->radius - expected) <= off;
}

static bool rolling_build(Problem *problem, const void *params, Status *status)
{
    const RollingParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    BodyDef ball = ground_sphere(p->radius, GROUND_DENSITY);
    ball.position = vec3(0, p->radius, 0);
    ball.velocity = vec3(p->v0, 0, 0);
    if (ground_add(world, status) < 0 || part_add_body(world, &ball, "ball", 1, status) < 0)
        return false;
    problem->time = 3.0;
    problem_set_scales(problem, 0.0);
    problem->passive = true;
    problem->truth = rolling_truth;
    problem->settled_time = rolling_begins(p) + 1.0;
    problem->settled = problem->settled_time <= problem->time ? rolling_settled : NULL;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene rolling_scene = {
    .name = "rolling",
    .question = "When does a sliding ball begin to roll, and how fast?",
    .about =
        "A sphere `ball1` on the `ground`, sliding along +x at v0 without turning.\n"
        "Friction slows it and turns it until, after 2 v0 / (7 mu g), it rolls at 5/7 v0; from then on friction does "
        "nothing. (A shell, 2/3 m r^2, would roll at 3/5 v0.)\n"
        "Truth: its pose at all times. settled, where it rolls at least for the last second: speed and spin are right "
        "to 1 % of v0. Scales: the kinetic energy at the start. Time: 3 s.",
    .lectures = "003, 004",
    SCENE_PARAMS(ROLLING_SETTINGS, RollingParams),
    .build = rolling_build,
};

typedef struct TiltParams {
    double tilt, mu, size, gravity;
} TiltParams;

static const Setting TILT_SETTINGS[] = {
    PARAM_ANGLE(TiltParams, tilt, "at which the box is let go", PI / 18, 0.001, 0.76),
    PARAM_MU(TiltParams, 1),
    PARAM_REAL(TiltParams, size, "edge of the box (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_GRAVITY(TiltParams),
};

typedef struct TiltingBox {
    Pendulum pendulum; /* about the edge, from hanging: amplitude pi - the centre's angle from straight above */
    double size, lands_at;
} TiltingBox;

/* The edge is the origin; the centre is `from_top` from straight above it, towards -x; flat at 45 deg. */
static Pose tilt_pose(double size, double from_top)
{
    double r = size * sqrt(0.5);
    return (Pose){vec3(-r * sin(from_top), r * cos(from_top), 0), quat_axis_angle(vec3(0, 0, 1), from_top - 0.25 * PI)};
}

/* Until it lands. */
static void tilt_truth(const Problem *problem, double t, Truth *truth)
{
    const TiltingBox *box = problem->data;
    if (t <= box->lands_at)
        truth_set_pose(truth, problem->world->body_count - 1,
                       tilt_pose(box->size, PI - pendulum_at(&box->pendulum, t).angle));
}

static bool tilt_settled(const Problem *problem, const World *world)
{
    const TiltingBox *box = problem->data;
    int body = world->body_count - 1;
    Vec3 up = quat_rotate(world_reported_orientation(world, body), vec3(0, 1, 0));
    Vec3 off = vec3_sub(world->pose[body].x, tilt_pose(box->size, 0.25 * PI).x);
    return up.y > cos(PI / 180.0) && vec3_norm(off) <= 0.05 * box->size && ground_at_rest(world);
}

/* The largest ratio of tangential to normal force that the edge needs while the box falls. */
static double tilt_friction(const TiltingBox *box)
{
    enum { SAMPLES = 256 };
    double worst = 0.0;
    for (int i = 0; i <= SAMPLES; i++) {
        Vec3 force = pendulum_at(&box->pendulum, box->lands_at * i / SAMPLES).force;
        worst = fmax(worst, fabs(force.x) / force.y);
    }
    return worst;
}

static bool tilt_build(Problem *problem, const void *params, Status *status)
{
    const TiltParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    BodyDef def = part_box(p->size, p->size, p->size, GROUND_DENSITY);
    double from_top = 0.25 * PI - p->tilt;
    part_place(&def, tilt_pose(p->size, from_top));
    if (ground_add(world, status) < 0)
        return false;
    int body = part_add_body(world, &def, "box", 1, status);
    if (body < 0)
        return false;
    double m = world->mass[body].mass, inertia = world->mass[body].inertia.z, r = p->size * sqrt(0.5);
    TiltingBox box = {{p->gravity, m, r, inertia, PI - from_top}, p->size, 0.0};
    box.lands_at = pendulum_time(&box.pendulum, 0.75 * PI);
    problem->time = fmin(ceil(box.lands_at) + 2.0, 10.0);
    problem_set_scales(problem, r * cos(from_top) - 0.5 * p->size);
    problem->passive = true;
    problem->reference = true;
    if (p->gravity > 0.0 && tilt_friction(&box) <= p->mu) {
        problem->rest = true;
        problem->truth = tilt_truth;
        problem->closed_until = box.lands_at;
        problem->settled = tilt_settled;
        problem->settled_time = problem->time;
    }
    return part_keep(problem, &box, sizeof box, status);
}

const Scene tilting_box_scene = {
    .name = "tilting_box",
    .question = "Is a contact that does not slide a hinge?",
    .about =
        "A cube `box1` stands on one lower edge on the `ground`, tilted by `tilt`, and is let go.\n"
        "It falls back as if the edge were a hinge, a pendulum that starts nearly upright, and lands flat; it may rock "
        "on before it rests. The edge does not slide if mu is at least what the hinge's force needs: 0.51 for the "
        "default tilt, up to 0.6 for smaller ones.\n"
        "Truth: its pose until it lands (elliptic functions), if mu suffices; then, and else, that of `reference`: "
        "Newton's law at both lower edges at once. settled: it lies flat where it should, "
        "to 1 deg and 5 % of its size. Scales: energy = m g x the fall of its centre. Time: 2 s after the landing.",
    .lectures = "001, 003",
    SCENE_PARAMS(TILT_SETTINGS, TiltParams),
    .build = tilt_build,
};
