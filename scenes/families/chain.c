/* SPDX-License-Identifier: MIT */
/* chain: how does the cost of a solver grow with the length of a chain and with the mass ratio at its end?
 * Rods on ball joints from the world's origin, and if wanted a heavy ball on the last joint. Hanging straight down it
 * is at rest, and joint j carries all that hangs below it: f_j = g (sum of the masses below) upward. */
#include "scenes/list.h"
#include "scenes/parts.h"

/* The ball's radius, m: the same for every mass, so that a mass ratio changes nothing else. */
#define CHAIN_BALL_RADIUS 0.25
/* The chain has come apart when a joint gapes by more than this part of a link. */
#define CHAIN_GAP_MAX 0.1
/* Released at this angle or above, free and without a ball, a chain is chaotic: with 2 to 100 rods its motion is known
 * for no longer than this many times sqrt(rod / g), 7 s with rods of 0.2 m (2 rods 6.6 s, 8 rods 3.1 s, 50 rods 4.9 s).
 */
#define CHAIN_WILD 1.5
#define CHAIN_KNOWN 49.0

typedef struct ChainParams {
    int links;
    double length, thickness, density, mass_ratio, angle, damping, gravity;
} ChainParams;

static const Setting CHAIN_SETTINGS[] = {
    PARAM_INT(ChainParams, links, "number of rods", 100, 1, PARTS_MAX),
    PARAM_REAL(ChainParams, length, "of a rod (m)", 0.2, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(ChainParams, thickness, "of a rod (m)", 0.05, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(ChainParams, density, "of a rod (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_REAL(ChainParams, mass_ratio, "the end ball's mass over a rod's; 0: no ball", 0, 0, 1e12),
    PARAM_ANGLE(ChainParams, angle, "from hanging straight down, towards +x", PI / 2, -PI, PI),
    PARAM_REAL(ChainParams, damping, "of the joints' rotation (1/s)", 0, 0, 1e6),
    PARAM_GRAVITY(ChainParams),
};

static JointDef chain_joint(const ChainParams *p, int above, Vec3 anchor_below)
{
    JointDef joint = joint_def(JOINT_BALL, above, above + 1);
    joint.local_anchors = true;
    joint.anchor[0] = above == 0 ? VEC3_ZERO : vec3(0.5 * p->length, 0, 0);
    joint.anchor[1] = anchor_below;
    joint.angular_damping = p->damping;
    return joint;
}

static bool chain_add_links(World *world, const ChainParams *p, Vec3 along, Quat turn, Status *status)
{
    BodyDef rod = part_box(p->length, p->thickness, p->thickness, p->density);
    rod.orientation = turn;
    for (int i = 1; i <= p->links; i++) {
        rod.position = vec3_scale((i - 0.5) * p->length, along);
        JointDef joint = chain_joint(p, i - 1, vec3(-0.5 * p->length, 0, 0));
        if (part_add_body(world, &rod, "link", i, status) < 0 || part_add_joint(world, &joint, "joint", i, status) < 0)
            return false;
    }
    return true;
}

static bool chain_add_ball(World *world, const ChainParams *p, Vec3 along, Quat turn, Status *status)
{
    BodyDef ball = BODY_DEF_INIT;
    ball.shape = (Shape){.kind = SHAPE_SPHERE, .radius = CHAIN_BALL_RADIUS};
    ball.mass = p->mass_ratio * world->mass[p->links].mass;
    ball.position = vec3_scale(p->links * p->length + CHAIN_BALL_RADIUS, along);
    ball.orientation = turn;
    JointDef joint = chain_joint(p, p->links, vec3(-CHAIN_BALL_RADIUS, 0, 0));
    return part_add_body(world, &ball, "ball", 0, status) >= 0 &&
           part_add_joint(world, &joint, "joint", p->links + 1, status) >= 0;
}

static void chain_truth(const Problem *problem, double t, Truth *truth)
{
    (void)t;
    const World *world = problem->world;
    truth_set_rest(problem, truth);
    double weight = 0.0;
    for (int j = world->joint_count - 1; j >= 0; j--) {
        weight -= world->mass[j + 1].mass * world->gravity.y;
        truth_set_force(truth, j, vec3(0, weight, 0));
    }
}

static bool chain_settled(const Problem *problem, const World *world)
{
    const ChainParams *p = problem->data;
    return part_holds(world, CHAIN_GAP_MAX * p->length);
}

/* The centre of mass hangs this far below the origin when the chain hangs straight. */
static double chain_centre_depth(const World *world)
{
    double moment = 0.0, mass = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        moment += world->mass[i].mass * vec3_norm(world->pose[i].x);
        mass += world->mass[i].mass;
    }
    return moment / mass;
}

static bool chain_build(Problem *problem, const void *params, Status *status)
{
    const ChainParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    Vec3 along = vec3(sin(p->angle), -cos(p->angle), 0);
    Quat turn = quat_axis_angle(vec3(0, 0, 1), p->angle - PI / 2);
    if (!chain_add_links(world, p, along, turn, status) ||
        (p->mass_ratio > 0.0 && !chain_add_ball(world, p, along, turn, status)))
        return false;
    bool hangs = p->angle == 0.0;
    problem->time = 10.0;
    problem->conserves = p->damping == 0.0 ? CONSERVES_ENERGY : 0;
    problem->passive = true;
    problem->rest = hangs;
    problem->reference = !hangs;
    problem->truth = hangs ? chain_truth : NULL;
    bool wild = p->links > 1 && fabs(p->angle) >= CHAIN_WILD && p->damping == 0.0 && p->mass_ratio == 0.0;
    if (wild && p->gravity > 0.0)
        problem->truth_time = CHAIN_KNOWN * sqrt(p->length / p->gravity);
    problem->settled = chain_settled;
    /* A hanging chain cannot fall: its errors are measured as if it had been released horizontally. */
    problem_set_scales(problem, chain_centre_depth(world) * (hangs ? 1.0 : 1.0 - cos(p->angle)));
    return part_keep(problem, p, sizeof *p, status);
}

const Scene chain_scene = {
    .name = "chain",
    .question = "How does cost grow with the length of a chain and with the mass ratio at its end?",
    .about =
        "Rods link1, link2, ... on ball joints joint1, joint2, ... from the world's origin, along +x at 90 degrees "
        "and hanging at 0. With mass_ratio > 0 a ball of radius 0.25 m hangs on the last joint. Nothing collides.\n"
        "At angle 0 it should stay at rest, and every joint carries the weight below it: positions, orientations "
        "and joint forces are known. Otherwise it falls and keeps its energy (without damping); the truth is the "
        "`reference` backend's. A chain that falls from level is chaotic: with rods of 0.2 m its motion is known for 3 "
        "to 6.6 s.\n"
        "settled: no joint gapes by more than a tenth of a link. Energy is measured against the fall to hanging "
        "straight; at angle 0 against the fall from horizontal.",
    .lectures = "000, 002, 003",
    SCENE_PARAMS(CHAIN_SETTINGS, ChainParams),
    .build = chain_build,
};
