/* SPDX-License-Identifier: MIT */
/* Who passes the impulse on? Newton's cradle: pairwise impulses (lecture 001, take 1) hand it through, one simultaneous
 * solve with Newton's restitution spreads it. Equal balls on equal threads exchange their whole motion in an elastic
 * impact, so all of it is one pendulum theta(t): the first `lifted` balls have it while it swings to the left, the
 * last `lifted` while it swings to the right. */
#include "scenes/ground.h"
#include "scenes/list.h"
#include "scenes/truth/pendulum.h"

typedef struct CradleParams {
    int balls, lifted;
    double angle, restitution, gap, radius, length, density, mu, gravity;
} CradleParams;

static const Setting CRADLE_SETTINGS[] = {
    PARAM_INT(CradleParams, balls, "how many", 5, 1, 10000),
    PARAM_INT(CradleParams, lifted, "how many of them are let go", 1, 1, 10000),
    PARAM_ANGLE(CradleParams, angle, "of those, from hanging towards -x", PI / 4, 0, 3),
    PARAM_RESTITUTION(CradleParams, 1),
    PARAM_REAL(CradleParams, gap, "between two balls that hang (m)", 0, 0, LENGTH_MAX),
    PARAM_REAL(CradleParams, radius, "of a ball (m)", 0.1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(CradleParams, length, "from a ball's joint to its centre (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(CradleParams, density, "of a ball (kg/m^3)", 7800, DENSITY_MIN, DENSITY_MAX),
    PARAM_MU(CradleParams, 0),
    PARAM_GRAVITY(CradleParams),
};

/* A ball counts as moving with more than the first part of a lifted ball's energy, as hanging with less than the
 * second: a simultaneous solve leaves parts of 4/9 and 1/9. */
static const double CRADLE_MOVES_MIN = 0.5;
static const double CRADLE_HANGS_MAX = 0.1;

static Vec3 cradle_joint(const CradleParams *p, int i)
{
    return vec3((2.0 * p->radius + p->gap) * (i - 0.5 * (p->balls - 1)), p->length, 0);
}

/* Ball i at an angle from hanging, towards +x. */
static Pose cradle_pose(const CradleParams *p, int i, double angle)
{
    Vec3 arm = vec3(p->length * sin(angle), -p->length * cos(angle), 0);
    return (Pose){vec3_add(cradle_joint(p, i), arm), quat_axis_angle(vec3(0, 0, 1), angle)};
}

static void cradle_truth(const Problem *problem, double t, Truth *truth)
{
    const CradleParams *p = problem->data;
    const Mass *mass = &problem->world->mass[1];
    Pendulum pendulum = {p->gravity, mass->mass, p->length, mass->inertia.x, -p->angle};
    double angle = pendulum_at(&pendulum, t).angle;
    for (int i = 0; i < p->balls; i++) {
        bool swings = angle <= 0.0 ? i < p->lifted : i >= p->balls - p->lifted;
        truth_set_pose(truth, i + 1, cradle_pose(p, i, swings ? angle : 0.0));
    }
}

/* Kinetic energy and height above hanging. */
static double cradle_energy(const CradleParams *p, const World *world, int i)
{
    Mass m = world->mass[i + 1];
    Velocity u = world->velocity[i + 1];
    double lift = world->pose[i + 1].x.y - (cradle_joint(p, i).y - p->length);
    return 0.5 * m.mass * vec3_dot(u.v, u.v) + 0.5 * m.inertia.x * vec3_dot(u.w, u.w) + m.mass * p->gravity * lift;
}

static bool cradle_settled(const Problem *problem, const World *world)
{
    const CradleParams *p = problem->data;
    double each = world->mass[1].mass * p->gravity * p->length * (1.0 - cos(p->angle));
    int moving = 0;
    for (int i = 0; i < p->balls; i++) {
        double energy = cradle_energy(p, world, i);
        if (energy >= CRADLE_MOVES_MIN * each)
            moving++;
        else if (!(energy <= CRADLE_HANGS_MAX * each))
            return false;
    }
    return moving == p->lifted;
}

static bool cradle_add(World *world, const CradleParams *p, int i, Status *status)
{
    BodyDef ball = ground_sphere(p->radius, p->density);
    part_place(&ball, cradle_pose(p, i, i < p->lifted ? -p->angle : 0.0));
    if (part_add_body(world, &ball, "ball", i + 1, status) < 0)
        return false;
    JointDef joint = joint_def(JOINT_BALL, 0, i + 1);
    joint.local_anchors = true;
    joint.anchor[0] = cradle_joint(p, i);
    joint.anchor[1] = vec3(0, p->length, 0);
    return part_add_joint(world, &joint, "joint", i + 1, status) >= 0;
}

static bool cradle_build(Problem *problem, const void *params, Status *status)
{
    const CradleParams *p = params;
    if (p->lifted > p->balls)
        return status_set(status, STATUS_USAGE, "lifted: there are only %d balls", p->balls);
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, p->restitution);
    for (int i = 0; i < p->balls; i++)
        if (!cradle_add(world, p, i, status))
            return false;
    problem_set_scales(problem, p->length * (1.0 - cos(p->angle)) * p->lifted / p->balls);
    problem->passive = true;
    if (p->restitution == 1.0 && p->mu == 0.0) {
        problem->conserves = CONSERVES_ENERGY;
        problem->settled = p->angle > 0.0 && p->gravity > 0.0 ? cradle_settled : NULL;
        problem->truth = p->gap == 0.0 ? cradle_truth : NULL;
    }
    problem->reference = !problem->truth && p->mu == 0.0;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene cradle_scene = {
    .name = "cradle",
    .question = "Who passes the impulse on?",
    .about =
        "Balls `ball1`, `ball2`, ... in a row along +x, each on one `ball` joint `length` above its centre, touching "
        "(or `gap` apart). The first `lifted` are let go at `angle` towards -x.\n"
        "As many balls as fall in on the left leave on the right, and come back. Three balls in a row, the first with "
        "speed 1: impulses pair by pair give (0, 0, 1), one simultaneous solve with Newton's restitution gives (-1/3, "
        "2/3, 2/3). Both keep momentum and energy, and each is right in its own terms: the second applies the law of "
        "restitution to all contacts at one instant, as a rigid body without waves must; the first lets one impact "
        "end before the next begins, as real balls do, which are never quite in touch or quite rigid. `naive` gives "
        "the first, `pgs`, `lcp`, `pbd_stick` and `xpbd_stick` the second, whose balls no longer swing as one "
        "pendulum: its "
        "error against the truth is that of the law, not of the step. `xpbd` and `pbd` as published go from contact to "
        "contact once, after positions have shared the overlap: (0, 1/2, 1/2), which loses half of the energy.\n"
        "Truth (restitution 1, gap 0, mu 0): all poses at all times; equal balls exchange their motion, which is that "
        "of one physical pendulum (elliptic functions); other gaps and restitutions are left to `reference`. settled "
        "(restitution 1, mu 0): exactly `lifted` balls have "
        "more than half of a lifted ball's energy, the others less than a tenth. Scales: energy = mass of the lifted "
        "balls x g x their height. Time: 10 s.",
    .lectures = "001",
    SCENE_PARAMS(CRADLE_SETTINGS, CradleParams),
    .build = cradle_build,
};
