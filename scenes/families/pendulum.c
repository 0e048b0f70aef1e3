/* SPDX-License-Identifier: MIT */
/* What does a solver do with the exact constraint force? A bead on a circular wire (lecture 002), and pendulums of one
 * or many links (lectures 000, 002): error and drift against substeps, each against elliptic functions where one link
 * swings, and against the weights below where all hang at rest. */
#include "scenes/truth/pendulum.h"
#include "scenes/list.h"
#include "scenes/parts.h"

/* rad, either way: upright itself is an equilibrium, from which rounding alone decides when to fall. */
#define ANGLE_MAX 3.14

/* The turn about z that puts a body's x axis at `angle` from hanging straight down, towards +x. */
static Quat hanging_turn(double angle)
{
    return quat_axis_angle(vec3(0, 0, 1), angle - 0.5 * PI);
}

/* Facts that all pendulums share. `depth` is that of the centre of mass below the pivot when all hangs straight down.
 * What hangs at rest has nowhere to drop: its scale is that of a horizontal start. */
static void set_facts(Problem *problem, double depth, double angle)
{
    problem->rest = angle == 0.0;
    problem_set_scales(problem, problem->rest ? depth : depth * (1.0 - cos(angle)));
    problem->time = 10.0;
    problem->passive = true;
    problem->conserves = CONSERVES_ENERGY;
}

typedef struct BeadParams {
    double radius, angle, gravity;
} BeadParams;

static const Setting BEAD_SETTINGS[] = {
    PARAM_REAL(BeadParams, radius, "of the wire's circle (m)", 1, 1e-3, 1e3),
    PARAM_ANGLE(BeadParams, angle, "where the bead starts at rest, from the bottom towards +x", 0.5 * PI, -ANGLE_MAX,
                ANGLE_MAX),
    PARAM_GRAVITY(BeadParams),
};

static const double BEAD_MASS = 1.0; /* kg */

static void bead_truth(const Problem *problem, double t, Truth *truth)
{
    PendulumState state = pendulum_at(problem->data, t);
    truth_set_position(truth, 1, state.centre);
    truth_set_force(truth, 0, state.force);
}

static bool bead_build(Problem *problem, const void *params, Status *status)
{
    const BeadParams *wire = params;
    World *world = problem->world;
    part_set_gravity(world, wire->gravity);
    Vec3 position = quat_rotate(hanging_turn(wire->angle), vec3(wire->radius, 0, 0));
    BodyDef def = part_particle(BEAD_MASS, position);
    int bead = part_add_body(world, &def, "bead", 0, status);
    if (bead < 0)
        return false;
    JointDef joint = joint_def(JOINT_WIRE, 0, bead);
    joint.local_anchors = true;
    joint.axis = vec3(0, 0, 1);
    joint.radius = wire->radius;
    if (part_add_joint(world, &joint, "wire", 0, status) < 0)
        return false;
    set_facts(problem, wire->radius, wire->angle);
    problem->truth = bead_truth;
    Pendulum swing = {wire->gravity, BEAD_MASS, wire->radius, 0.0, wire->angle};
    return part_keep(problem, &swing, sizeof swing, status);
}

const Scene bead_on_wire_scene = {
    .name = "bead_on_wire",
    .question = "How near does a solver come to the exact constraint force?",
    .about =
        "One particle `bead` (1 kg) on a circular `wire` about the world's origin in the x-y plane, released at rest "
        "at "
        "`angle` from the bottom, towards +x.\n"
        "It should swing to -angle and back for ever. The wire's force points to the centre: m (g cos(theta) + v^2/r), "
        "3 m g cos(theta) from a start at 90 deg. Position-based solvers lose energy, less with every substep.\n"
        "Truth: position and the wire's force by elliptic functions. Scales: energy = m g x the drop to the bottom "
        "(m g radius if it starts there), speed from it. Time: 10 s.",
    .lectures = "002",
    SCENE_PARAMS(BEAD_SETTINGS, BeadParams),
    .build = bead_build,
};

typedef enum LinkKind { LINK_ROD, LINK_PARTICLE } LinkKind;

static const char *const LINK_KINDS[] = {"rod", "particle", NULL};

typedef struct PendulumParams {
    int links;
    double length;
    int kind; /* LinkKind */
    double thickness, density, mass, mass_ratio, compliance, angle, gravity;
} PendulumParams;

static const Setting PENDULUM_SETTINGS[] = {
    PARAM_INT(PendulumParams, links, "how many", 1, 1, 100000),
    PARAM_REAL(PendulumParams, length, "of each link (m)", 1, 1e-3, 1e3),
    PARAM_CHOICE(PendulumParams, kind, "rods on `ball` joints, or particles on `distance` joints", LINK_ROD,
                 LINK_PARTICLE, LINK_KINDS),
    PARAM_REAL(PendulumParams, thickness, "of a rod (m)", 0.05, 1e-6, 1e3),
    PARAM_REAL(PendulumParams, density, "of a rod (kg/m^3)", 1000, 1e-3, 1e6),
    PARAM_REAL(PendulumParams, mass, "of a particle (kg)", 1, 1e-6, 1e6),
    PARAM_REAL(PendulumParams, mass_ratio, "mass of the last particle over that of the others", 1, 1e-6, 1e9),
    PARAM_REAL(PendulumParams, compliance, "of every joint (m/N); 0: rigid", 0, 0, 1e6),
    PARAM_ANGLE(PendulumParams, angle, "of all links at the start, from hanging straight down towards +x", 0.5 * PI,
                -ANGLE_MAX, ANGLE_MAX),
    PARAM_GRAVITY(PendulumParams),
};

/* Mass of link i = 0, 1, ... */
static double link_mass(const PendulumParams *params, int i)
{
    if (params->kind == LINK_ROD)
        return params->density * params->length * params->thickness * params->thickness;
    return i == params->links - 1 ? params->mass * params->mass_ratio : params->mass;
}

/* Distance of link i's centre from the pivot along the straight pendulum. */
static double link_reach(const PendulumParams *params, int i)
{
    return params->length * (params->kind == LINK_ROD ? i + 0.5 : i + 1.0);
}

/* How far link i has sunk when all hang at rest: each joint above it gives by compliance x the weight below, which for
 * joint j = 0, 1, ... of n is g ((n - 1 - j) m_first + m_last). */
static double link_sag(const PendulumParams *params, int i)
{
    double above = i + 1.0, links = above * (params->links - 1) - 0.5 * i * above;
    double mass = links * link_mass(params, 0) + above * link_mass(params, params->links - 1);
    return params->compliance * params->gravity * mass;
}

/* One link as a physical pendulum; a box's moment across its length is m (l^2 + t^2)/12. */
static Pendulum one_link(const PendulumParams *params)
{
    double l = params->length, t = params->thickness, m = link_mass(params, 0);
    return (Pendulum){.gravity = params->gravity,
                      .mass = m,
                      .arm = link_reach(params, 0),
                      .inertia = params->kind == LINK_ROD ? m * (l * l + t * t) / 12.0 : 0.0,
                      .amplitude = params->angle};
}

/* A particle's orientation means nothing. */
static void set_link_truth(const PendulumParams *params, Truth *truth, int body, Vec3 centre, double angle)
{
    if (params->kind == LINK_ROD)
        truth_set_pose(truth, body, (Pose){centre, hanging_turn(angle)});
    else
        truth_set_position(truth, body, centre);
}

static void one_link_truth(const Problem *problem, double t, Truth *truth)
{
    const PendulumParams *params = problem->data;
    Pendulum pendulum = one_link(params);
    PendulumState state = pendulum_at(&pendulum, t);
    set_link_truth(params, truth, 1, state.centre, state.angle);
    truth_set_force(truth, 0, state.force);
}

/* All hang straight down: each joint carries the weight below it. */
static void hanging_truth(const Problem *problem, double t, Truth *truth)
{
    (void)t;
    const PendulumParams *params = problem->data;
    double below = 0.0;
    for (int i = params->links - 1; i >= 0; i--) {
        below += link_mass(params, i);
        set_link_truth(params, truth, i + 1, vec3(0, -link_reach(params, i) - link_sag(params, i), 0), 0.0);
        truth_set_force(truth, i, vec3(0, below * params->gravity, 0));
    }
}

static int add_link(World *world, const PendulumParams *params, int i, Status *status)
{
    Quat turn = hanging_turn(params->angle);
    double sag = params->angle == 0.0 ? link_sag(params, i) : 0.0;
    Vec3 position = quat_rotate(turn, vec3(link_reach(params, i) + sag, 0, 0));
    BodyDef rod = part_box(params->length, params->thickness, params->thickness, params->density);
    part_place(&rod, (Pose){position, turn});
    BodyDef particle = part_particle(link_mass(params, i), position);
    return part_add_body(world, params->kind == LINK_ROD ? &rod : &particle, "link", i + 1, status);
}

/* Joins link i to what is before it: link i - 1, or the world at the origin. */
static int add_link_joint(World *world, const PendulumParams *params, int i, Status *status)
{
    bool rod = params->kind == LINK_ROD;
    JointDef joint = joint_def(rod ? JOINT_BALL : JOINT_DISTANCE, i, i + 1);
    joint.local_anchors = true; /* particles: both at the centres */
    joint.compliance = params->compliance;
    if (rod) {
        joint.anchor[0] = vec3(i > 0 ? 0.5 * params->length : 0.0, 0, 0);
        joint.anchor[1] = vec3(-0.5 * params->length, 0, 0);
    } else {
        joint.rest = params->length;
    }
    return part_add_joint(world, &joint, "joint", i + 1, status);
}

static bool pendulum_build(Problem *problem, const void *settings, Status *status)
{
    const PendulumParams *params = settings;
    World *world = problem->world;
    part_set_gravity(world, params->gravity);
    double total = 0.0, moment = 0.0;
    for (int i = 0; i < params->links; i++) {
        if (add_link(world, params, i, status) < 0 || add_link_joint(world, params, i, status) < 0)
            return false;
        total += link_mass(params, i);
        moment += link_mass(params, i) * link_reach(params, i);
    }
    set_facts(problem, moment / total, params->angle);
    bool one_rigid = params->links == 1 && params->compliance == 0.0;
    problem->truth = problem->rest ? hanging_truth : one_rigid ? one_link_truth : NULL;
    problem->reference = problem->truth == NULL;
    return part_keep(problem, params, sizeof *params, status);
}

const Scene pendulum_scene = {
    .name = "pendulum",
    .question = "How do error and drift fall with substeps?",
    .about =
        "Links `link1` (at the pivot, the world's origin), `link2`, ... in a straight line, released at rest at "
        "`angle` "
        "from hanging straight down, towards +x. A rod is a box length x thickness x thickness on `ball` joints at its "
        "end faces (`joint1` is the pivot); a particle hangs on a `distance` joint of that length.\n"
        "It should swing in the x-y plane for ever: one link to -angle and back, several chaotically. Energy is kept, "
        "and no joint opens. With a compliance the joints are springs, unstretched at the start, or at angle 0 "
        "stretched as they hang at rest.\n"
        "Truth: one rigid link by elliptic functions, with position, orientation and the force of `joint1`; angle 0 "
        "hangs at rest, each joint carrying the weight below it; else `reference`. Scales, whatever the compliance: "
        "energy = total mass x g x the drop of the centre of mass to hanging straight (at angle 0: from horizontal), "
        "speed from it. Time: 10 s.",
    .lectures = "000, 002, 004",
    SCENE_PARAMS(PENDULUM_SETTINGS, PendulumParams),
    .build = pendulum_build,
};
