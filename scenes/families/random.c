/* SPDX-License-Identifier: MIT */
/* Random families: as many instances as there are seeds, the same on every machine. All numbers come from splitmix64 of
 * family, n and seed by sums, products and square roots, which every machine rounds alike: no sine, no power. Joints
 * are placed where both bodies are, so that every mechanism is closed as it stands. */
#include "model/random.h"
#include "scenes/ground.h"
#include "scenes/list.h"

#define ROD_LENGTH 0.2
#define ROD_THICKNESS 0.04
/* A joint that gapes by more than this part of a rod has come apart. */
#define ROD_GAP_MAX 0.1

typedef struct FamilyParams {
    int n, seed;
    double gravity;
} FamilyParams;

#define PARAM_N(Params) PARAM_INT(Params, n, "how many bodies", 10, 1, 100000)

static const Setting FAMILY_SETTINGS[] = {
    PARAM_N(FamilyParams),
    PARAM_SEED(FamilyParams),
    PARAM_GRAVITY(FamilyParams),
};

typedef enum Family { FAMILY_CHAIN = 1, FAMILY_STACK, FAMILY_PILE, FAMILY_MECHANISM } Family;

/* One stream of numbers for each family, n and seed. */
static Random family_random(Family family, int n, int seed)
{
    Random random = {(uint64_t)family};
    random.state = random_bits(&random) ^ (uint64_t)n;
    random.state = random_bits(&random) ^ (uint64_t)seed;
    return random;
}

/* 10^u, u uniform in -1 .. 1: the series of exp(x / 64), |x| < 2.31, to its tenth power, below round-off; then squared
 * six times. */
static double random_decade(Random *random)
{
    static const double LN10 = 2.302585092994046;
    double x = random_in(random, -1.0, 1.0) * LN10 / 64.0, sum = 1.0;
    for (int k = 10; k > 0; k--)
        sum = 1.0 + x * sum / k;
    for (int k = 0; k < 6; k++)
        sum *= sum;
    return sum;
}

/* Uniform on the unit sphere: a point of the cube, drawn again until it is in the ball. */
static Vec3 random_direction(Random *random)
{
    for (;;) {
        Vec3 a = random_vec3(random, 1.0);
        double squared = vec3_dot(a, a);
        if (squared <= 1.0 && squared > 1e-4)
            return vec3_scale(1.0 / sqrt(squared), a);
    }
}

/* A unit quaternion, uniform over all turns, in the same way. */
static Quat random_turn(Random *random)
{
    for (;;) {
        double w = random_in(random, -1.0, 1.0);
        Vec3 v = random_vec3(random, 1.0);
        double squared = w * w + vec3_dot(v, v);
        if (squared <= 1.0 && squared > 1e-4)
            return quat_unit((Quat){w, v.x, v.y, v.z});
    }
}

/* The turn that brings +x to a unit direction on the shortest way. */
static Quat turn_to(Vec3 d)
{
    return d.x > -0.999 ? quat_unit((Quat){1.0 + d.x, 0.0, -d.z, d.y}) : (Quat){0.0, 0.0, 1.0, 0.0};
}

/* A rod from one end along a direction, of a mass between 0.1 and 10 kg. */
static BodyDef random_rod(Random *random, Vec3 end, Vec3 along)
{
    double volume = ROD_LENGTH * ROD_THICKNESS * ROD_THICKNESS;
    BodyDef rod = part_box(ROD_LENGTH, ROD_THICKNESS, ROD_THICKNESS, random_decade(random) / volume);
    rod.position = vec3_add_scaled(end, 0.5 * ROD_LENGTH, along);
    rod.orientation = turn_to(along);
    return rod;
}

static bool family_holds(const Problem *problem, const World *world)
{
    (void)problem;
    return part_holds(world, ROD_GAP_MAX * ROD_LENGTH);
}

/* What chains and mechanisms have in common: they fall and swing, and keep their energy. */
static void family_swings(Problem *problem)
{
    problem->time = 1.0;
    problem->conserves = CONSERVES_ENERGY;
    problem->passive = true;
    problem->reference = true;
    problem->settled = family_holds;
    problem_set_scales(problem, ROD_LENGTH);
}

static bool random_chain_build(Problem *problem, const void *params, Status *status)
{
    const FamilyParams *p = params;
    World *world = problem->world;
    Random random = family_random(FAMILY_CHAIN, p->n, p->seed);
    Vec3 end = VEC3_ZERO;
    part_set_gravity(world, p->gravity);
    world->collide = false;
    for (int i = 0; i < p->n; i++) {
        Vec3 along = random_direction(&random);
        BodyDef rod = random_rod(&random, end, along);
        JointDef joint = part_joint_at(JOINT_BALL, i, i + 1, end, VEC3_ZERO);
        if (part_add_body(world, &rod, "link", i + 1, status) < 0 ||
            part_add_joint(world, &joint, "joint", i + 1, status) < 0)
            return false;
        end = vec3_add_scaled(end, ROD_LENGTH, along);
    }
    family_swings(problem);
    return true;
}

const Scene random_chain_scene = {
    .name = "random_chain",
    .question = "A family of chains: which solver is better on all of them?",
    .about =
        "Rods `link1`, `link2`, ... of 0.2 m on ball joints from the world's origin, each in a random direction and "
        "with a mass of 10^U(-1, 1) kg, released at rest. Nothing collides. Another `seed` is another instance; "
        "1 to 15 are for everybody, 101 to 115 are held back for comparisons.\n"
        "Truth: `reference`. settled: no joint gapes by more than a tenth of a rod. Scales: the fall by one rod. "
        "Time: 1 s.",
    .lectures = "000, 002, 003",
    SCENE_PARAMS(FAMILY_SETTINGS, FamilyParams),
    .build = random_chain_build,
};

/* Of a unit box, from the axis of the stack. */
static const double STACK_OFFSET = 0.1, STACK_MU_LEAST = 0.3, STACK_MU_MOST = 0.8, STACK_MOVED_MAX = 0.1;

static bool random_stack_stands(const Problem *problem, const World *world)
{
    return part_stays(problem, world, STACK_MOVED_MAX) && ground_at_rest(world);
}

static bool random_stack_build(Problem *problem, const void *params, Status *status)
{
    const FamilyParams *p = params;
    World *world = problem->world;
    Random random = family_random(FAMILY_STACK, p->n, p->seed);
    part_set_gravity(world, p->gravity);
    ground_set_material(world, random_in(&random, STACK_MU_LEAST, STACK_MU_MOST), 0.0);
    if (ground_add(world, status) < 0)
        return false;
    for (int i = 0; i < p->n; i++) {
        BodyDef box = part_box(1, 1, 1, GROUND_DENSITY);
        double x = random_in(&random, -STACK_OFFSET, STACK_OFFSET), z = random_in(&random, -STACK_OFFSET, STACK_OFFSET);
        box.position = vec3(x, 0.5 + i, z);
        if (part_add_body(world, &box, "box", i + 1, status) < 0)
            return false;
    }
    problem->time = 2.0;
    problem->passive = true;
    problem->rest = true;
    problem->truth = ground_rest_truth;
    problem->settled = random_stack_stands;
    problem_set_scales(problem, 0.5 * p->n);
    return true;
}

const Scene random_stack_scene = {
    .name = "random_stack",
    .question = "A family of stacks: which solver is better on all of them?",
    .about =
        "Unit boxes `box1`, `box2`, ... on `ground`, each up to a tenth of its edge off the axis in x and z, with "
        "one coefficient of friction between 0.3 and 0.8. Another `seed` is another instance; 1 to 15 are for "
        "everybody, 101 to 115 are held back for comparisons.\n"
        "Truth: they stay. settled: no centre has moved by more than 0.1 m, and all are at rest. Scales: the fall of "
        "the stack to the ground. Time: 2 s.",
    .lectures = "001",
    SCENE_PARAMS(FAMILY_SETTINGS, FamilyParams),
    .build = random_stack_build,
};

/* m: cells of the bin, wider than any body's diagonal; bodies are this long at least and at most. */
static const double CELL = 1.0, BODY_LEAST = 0.3, BODY_MOST = 0.5;
static const double PILE_SUNK_MAX = 0.1; /* of CELL: what may be beyond a wall */

/* A sphere, a box or a capsule, turned at random. */
static BodyDef random_body(Random *random)
{
    double a = random_in(random, BODY_LEAST, BODY_MOST), b = random_in(random, BODY_LEAST, BODY_MOST);
    double c = random_in(random, BODY_LEAST, BODY_MOST);
    BodyDef body = part_box(a, b, c, GROUND_DENSITY);
    switch (random_bits(random) % 3) {
    case 0:
        body.shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.5 * a};
        break;
    case 1:
        body.shape = (Shape){.kind = SHAPE_CAPSULE, .radius = 0.25 * a, .length = 0.5 * b};
        break;
    default:
        break;
    }
    body.orientation = random_turn(random);
    return body;
}

static bool random_pile_settled(const Problem *problem, const World *world)
{
    double width = *(const double *)problem->data, most = 0.5 * width + PILE_SUNK_MAX * CELL, squares = 0.0;
    int count = 0;
    for (int i = 1; i < world->body_count; i++) {
        Vec3 x = world->pose[i].x, v = world->velocity[i].v;
        if (world_is_fixed(world, i))
            continue;
        if (!(x.y > 0.0 && fabs(x.x) < most && fabs(x.z) < most))
            return false;
        squares += vec3_dot(v, v);
        count++;
    }
    return sqrt(squares / count) <= STANDS_PACE_MAX * world_pace(world);
}

static bool random_pile_build(Problem *problem, const void *params, Status *status)
{
    static const Vec3 INWARD[4] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    const FamilyParams *p = params;
    World *world = problem->world;
    Random random = family_random(FAMILY_PILE, p->n, p->seed);
    int columns = 1, layer = 4; /* as many columns a side as leave about four layers */
    while (layer * columns * columns < p->n)
        columns++;
    double width = columns * CELL;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, 0.5, 0.0);
    bool ok = ground_add(world, status) >= 0;
    for (int i = 0; ok && i < 4; i++)
        ok = ground_add_plane(world, "wall", i + 1, INWARD[i], -0.5 * width, status) >= 0;
    for (int i = 0; ok && i < p->n; i++) {
        BodyDef body = random_body(&random);
        double x = (i % columns + 0.5) * CELL - 0.5 * width, z = (i / columns % columns + 0.5) * CELL - 0.5 * width;
        body.position = vec3(x, (0.5 + i / (columns * columns)) * CELL, z);
        ok = part_add_body(world, &body, "body", i + 1, status) >= 0;
    }
    problem->time = 4.0;
    problem->passive = true;
    problem->rest = true;
    problem->settled = random_pile_settled;
    problem->settled_time = problem->time;
    problem_set_scales(problem, 2.0 * CELL);
    return ok && part_keep(problem, &width, sizeof width, status);
}

const Scene random_pile_scene = {
    .name = "random_pile",
    .question = "A family of piles: which solver is better on all of them?",
    .about =
        "Spheres, boxes and capsules `body1`, `body2`, ... of 0.3 to 0.5 m, turned at random, fall from the cells of "
        "a grid into a bin of `ground` and four walls, about four layers deep. Another `seed` is another instance; "
        "1 to 15 are for everybody, 101 to 115 are held back for comparisons. `rigor solve --at 2` has them settled.\n"
        "settled: all lie in the bin with an RMS speed below 0.032 sqrt(g length_scale). Scales: a fall by two "
        "cells of 1 m. Time: 4 s.",
    .lectures = "001",
    SCENE_PARAMS(FAMILY_SETTINGS, FamilyParams),
    .build = random_pile_build,
};

typedef struct MechanismParams {
    int n, seed;
    double loops, gravity;
} MechanismParams;

static const Setting MECHANISM_SETTINGS[] = {
    PARAM_N(MechanismParams),
    PARAM_SEED(MechanismParams),
    PARAM_REAL(MechanismParams, loops, "closing joints, as part of n (rounded)", 0.1, 0, 0.3),
    PARAM_GRAVITY(MechanismParams),
};

/* A body of a random tree: on a hinge or ball joint at an end of a body before it, or at the origin. */
static bool mechanism_add(World *world, Random *random, int i, Status *status)
{
    int parent = (int)(random_bits(random) % (uint64_t)(i + 1));
    Vec3 half = vec3(0.5 * ROD_LENGTH, 0, 0), along = random_direction(random), axis = random_direction(random);
    const Pose *at = &world->pose[parent];
    Vec3 end = parent > 0 ? vec3_add(at->x, quat_rotate(world_reported_orientation(world, parent), half)) : VEC3_ZERO;
    BodyDef rod = random_rod(random, end, along);
    bool hinge = random_bits(random) & 1;
    JointDef joint = part_joint_at(hinge ? JOINT_HINGE : JOINT_BALL, parent, i + 1, end, hinge ? axis : VEC3_ZERO);
    return part_add_body(world, &rod, "link", i + 1, status) >= 0 &&
           part_add_joint(world, &joint, "joint", i + 1, status) >= 0;
}

/* A ball joint halfway between two different bodies. */
static bool mechanism_close(World *world, Random *random, int n, int joint, Status *status)
{
    int one = 1 + (int)(random_bits(random) % (uint64_t)n), two = 1 + (int)(random_bits(random) % (uint64_t)(n - 1));
    two += two >= one;
    Vec3 middle = vec3_scale(0.5, vec3_add(world->pose[one].x, world->pose[two].x));
    JointDef ball = part_joint_at(JOINT_BALL, one, two, middle, VEC3_ZERO);
    return part_add_joint(world, &ball, "loop", joint, status) >= 0;
}

static bool random_mechanism_build(Problem *problem, const void *params, Status *status)
{
    const MechanismParams *p = params;
    World *world = problem->world;
    Random random = family_random(FAMILY_MECHANISM, p->n, p->seed);
    int loops = p->n > 1 ? (int)floor(p->loops * p->n + 0.5) : 0;
    bool ok = true;
    part_set_gravity(world, p->gravity);
    world->collide = false;
    for (int i = 0; ok && i < p->n; i++)
        ok = mechanism_add(world, &random, i, status);
    for (int i = 0; ok && i < loops; i++)
        ok = mechanism_close(world, &random, p->n, i + 1, status);
    family_swings(problem);
    return ok;
}

const Scene random_mechanism_scene = {
    .name = "random_mechanism",
    .question = "A family of mechanisms with loops: which solver is better on all of them?",
    .about =
        "Rods `link1`, `link2`, ... of 0.2 m, of 10^U(-1, 1) kg each, in a random tree: hinges with random axes and "
        "ball joints at the ends of rods before them, or at the origin; and ball joints `loop1`, ... halfway between "
        "two rods. Released at rest. Nothing collides. Another `seed` is another instance; 1 to 15 are for everybody, "
        "101 to 115 are held back for comparisons.\n"
        "Truth: `reference`. settled: no joint gapes by more than a tenth of a rod. Scales: the fall by one rod. "
        "Time: 1 s.",
    .lectures = "000, 003",
    SCENE_PARAMS(MECHANISM_SETTINGS, MechanismParams),
    .build = random_mechanism_build,
};
