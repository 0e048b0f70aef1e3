/* SPDX-License-Identifier: MIT */
/* Patch friction: does spin lower linear friction? A disc that spins while it slides, its friction either one point and
 * a torque limit coupled by the ellipsoid (lecture 003), or a ring of points. Each model is held to its own truth. */
#include "scenes/truth/disc.h"
#include "scenes/ground.h"
#include "scenes/list.h"

typedef enum DiscPatch { PATCH_ELLIPSOID, PATCH_RING } DiscPatch;

static const char *const DISC_PATCHES[] = {"ellipsoid", "ring", NULL};

typedef struct DiscParams {
    double v0, spin, mu, radius;
    int patch; /* DiscPatch */
    double gravity;
} DiscParams;

static const Setting DISC_SETTINGS[] = {
    PARAM_REAL(DiscParams, v0, "speed at the start, along +x (m/s)", 1, 0, 1e3),
    PARAM_REAL(DiscParams, spin, "angular velocity at the start, about +y (rad/s)", 10, -1e4, 1e4),
    PARAM_MU(DiscParams, 0.3),
    PARAM_REAL(DiscParams, radius, "of the disc (m)", 0.1, 1e-3, 1e3),
    PARAM_CHOICE(DiscParams, patch, "one point with the ellipsoid's torque limit 2/3 mu N radius, or a ring of points",
                 PATCH_ELLIPSOID, PATCH_RING, DISC_PATCHES),
    PARAM_GRAVITY(DiscParams),
};

/* Friction acts this part of the radius below the centre: it shifts the load by mu times that. */
static const double DISC_HALF_HEIGHT = 0.005;
/* The moment of inertia about horizontal axes over m R^2, as of a mast on the disc: friction at the ground does not tip
 * it (by less than 1e-3 rad before it stops), whatever a solver makes of the load's shift. */
static const double DISC_MAST = 100.0;
/* What may be left of the start's speed, or off of the way and the radius, at the end: four points for a ring stop up
 * to 2 % to the side, as one of them may stick for a while. */
static const double DISC_STOPPED = 0.03;

static void disc_truth(const Problem *problem, double t, Truth *truth)
{
    DiscState state;
    int body = problem->world->body_count - 1;
    if (disc_at(problem->data, t, &state))
        truth_set_pose(truth, body,
                       (Pose){vec3(state.x, problem->world->bodies[body].position.y, state.z),
                              quat_axis_angle(vec3(0, 1, 0), state.angle)});
}

static bool disc_settled(const Problem *problem, const World *world)
{
    const Disc *disc = problem->data;
    const DiscState *stop = disc_stop(disc);
    int body = world->body_count - 1;
    Velocity u = world->velocity[body];
    Vec3 x = world->pose[body].x;
    double speed = vec3_norm(u.v) + disc->radius * fabs(u.w.y);
    double start = fabs(disc->kept[0].s[DISC_VX]) + fabs(disc->kept[0].s[DISC_SPIN]);
    double off = hypot(x.x - stop->x, x.z - stop->z);
    return speed <= DISC_STOPPED * start && off <= DISC_STOPPED * (stop->x + disc->radius);
}

/* Ellipsoid: a small sphere touches the ground in one point below the centre. Ring: a flat cylinder of 2/3 of the
 * radius touches it in four points of its rim, where a friction force far from the centre has the limit's moment. */
static BodyDef disc_body(const DiscParams *p)
{
    BodyDef disc = BODY_DEF_INIT;
    double R = p->radius, h = DISC_HALF_HEIGHT * R;
    if (p->patch == PATCH_ELLIPSOID)
        disc.shape = (Shape){.kind = SHAPE_SPHERE, .radius = h};
    else
        disc.shape = (Shape){.kind = SHAPE_CYLINDER, .radius = 2.0 / 3.0 * R, .length = 2.0 * h};
    disc.mass = GROUND_DENSITY * PI * R * R * 2.0 * h;
    disc.has_inertia = true;
    disc.inertia = vec3_scale(disc.mass * R * R, vec3(DISC_MAST, 0.5, DISC_MAST));
    disc.position = vec3(0, h, 0);
    disc.velocity = vec3(p->v0, 0, 0);
    disc.angular_velocity = vec3(0, p->spin, 0);
    return disc;
}

static bool disc_build(Problem *problem, const void *params, Status *status)
{
    const DiscParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    world->length_scale = 2.0 * p->radius; /* not that of the small sphere which touches for it */
    BodyDef body = disc_body(p);
    world->materials[0].patch_radius = p->patch == PATCH_ELLIPSOID ? p->radius : 0.0;
    if (ground_add(world, status) < 0 || part_add_body(world, &body, "disc", 0, status) < 0)
        return false;
    Disc disc;
    DiscLaw *law = p->patch == PATCH_ELLIPSOID ? disc_ellipsoid : disc_ring;
    if (!disc_start(&disc, law, p->radius, p->mu * p->gravity, p->v0, p->spin))
        return status_set(status, STATUS_FAILED, "the truth of the disc's motion could not be integrated");
    double stops = p->mu * p->gravity > 0.0 ? disc_stop(&disc)->time : INFINITY;
    problem->time = fmin(10.0, stops + 1.0);
    problem_set_scales(problem, 0.0);
    problem->passive = true;
    problem->rest = problem->time < 10.0;
    problem->truth = disc_truth;
    problem->settled = problem->rest ? disc_settled : NULL;
    problem->settled_time = problem->time;
    return part_keep(problem, &disc, sizeof disc, status);
}

const Scene spinning_disc_scene = {
    .name = "spinning_disc",
    .question = "Does spin lower linear friction, and how do patch models differ?",
    .about =
        "A body `disc` with mass and spin inertia of a thin disc slides along +x at v0 on the `ground` and spins about "
        "+y. Sliding and spinning share one friction, so that a spinning disc slides further; both end together.\n"
        "patch=ellipsoid: one point of contact below the centre (a sphere of radius/200) and one torque limit m_max = "
        "2/3 mu N radius (the material's patch_radius), (f / mu N)^2 + (m / m_max)^2 <= 1. patch=ring: four points at "
        "2/3 radius (the rim of a flat cylinder) stand for a whole ring, each with its own Coulomb friction. So that "
        "friction at the ground "
        "does not tip it, its centre is radius/200 above the ground and its moments about horizontal axes are 100 m "
        "radius^2, as with a mast.\n"
        "With mu g = radius = 1, from v0 = spin = 1: the ellipsoid stops at 1.252032 after 0.612245, v/(R w) -> 0; a "
        "disc of uniform pressure at 1.340298 after 0.637397, v/(R w) -> 0.6530017892; a continuous ring at 2/3 R "
        "tends to the ratio 0.644454.\n"
        "Truth: each model's own equations, integrated to 1e-13 (for the ring: a whole one; four points come within 2 "
        "% of its way, as one may stick and the disc pivots on it). "
        "settled: it has stopped within 3 % of the way and the radius. Scales: kinetic energy at the start. Time: 1 s "
        "after the stop.",
    .lectures = "003",
    SCENE_PARAMS(DISC_SETTINGS, DiscParams),
    .build = disc_build,
};
