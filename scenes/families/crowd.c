/* SPDX-License-Identifier: MIT */
/* Many spheres. asteroids: elastic impacts in free space, few at a time, where pairwise impulses are good enough
 * (lecture 001). pile: dense contacts and a broad phase. */
#include "model/energy.h"
#include "model/random.h"
#include "scenes/ground.h"
#include "scenes/list.h"
#include "scenes/truth/spheres.h"

#include <stdlib.h>

typedef struct AsteroidsParams {
    int spheres;
    double restitution, radius;
    int seed;
    double gravity;
} AsteroidsParams;

static const Setting ASTEROIDS_SETTINGS[] = {
    PARAM_INT(AsteroidsParams, spheres, "how many", 50, 1, 100000),
    PARAM_RESTITUTION(AsteroidsParams, 1),
    PARAM_REAL(AsteroidsParams, radius, "of each (m)", 0.5, LENGTH_MIN, LENGTH_MAX),
    PARAM_SEED(AsteroidsParams),
    PARAM_WEIGHTLESS(AsteroidsParams),
};

/* Cells of a cubic grid, in radii; a sphere lies anywhere in its cell. Wide enough for a long flight between two
 * impacts, which each magnify any error by about flight / radius. */
static const double ASTEROIDS_CELL = 6.0;
/* Speeds in radii per second: a drift towards the middle, so that they meet, and a random part. */
static const double ASTEROIDS_INWARD = 2.0, ASTEROIDS_RANDOM = 1.0;

static void asteroids_truth(const Problem *problem, double t, Truth *truth)
{
    Spheres *spheres = problem->data;
    double fallen = 0.5 * problem->world->gravity.y * t * t;
    spheres_run(spheres, t);
    for (int i = 0; i < spheres->count; i++) {
        Vec3 x = sphere_at(spheres, i, t);
        truth_set_position(truth, i + 1, vec3(x.x, x.y + fallen, x.z));
    }
}

/* Sphere i in its cell of a cube about the origin, which holds `side`^3 of them. */
static void asteroid_draw(const AsteroidsParams *p, Random *random, int side, int i, Vec3 *x, Vec3 *v)
{
    double R = p->radius, middle = 0.5 * (side - 1);
    Vec3 cell = vec3(i % side - middle, i / side % side - middle, i / (side * side) - middle);
    double room = 0.5 * (ASTEROIDS_CELL - 2.0) * R;
    *x = vec3_add(vec3_scale(ASTEROIDS_CELL * R, cell), random_vec3(random, room));
    *v = random_vec3(random, ASTEROIDS_RANDOM * R);
    double distance = vec3_norm(*x);
    if (distance > 0.0)
        *v = vec3_add_scaled(*v, -ASTEROIDS_INWARD * R / distance, *x);
}

static bool asteroids_build(Problem *problem, const void *params, Status *status)
{
    const AsteroidsParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, 0.0, p->restitution);
    Random random = {(uint64_t)p->seed};
    int side = (int)ceil(cbrt(p->spheres) - 1e-9);
    BodyDef sphere = ground_sphere(p->radius, GROUND_DENSITY);
    Vec3 *x = malloc(2 * sizeof *x * (size_t)p->spheres), *v = x + p->spheres;
    if (!x)
        return status_set(status, STATUS_FAILED, "out of memory");
    bool ok = true;
    for (int i = 0; ok && i < p->spheres; i++) {
        asteroid_draw(p, &random, side, i, &x[i], &v[i]);
        sphere.position = x[i];
        sphere.velocity = v[i];
        ok = part_add_body(world, &sphere, "ball", i + 1, status) >= 0;
    }
    problem_set_scales(problem, 0.5 * p->gravity * problem->time * problem->time);
    problem->passive = true;
    if (p->gravity == 0.0)
        problem->conserves = CONSERVES_MOMENTUM | CONSERVES_ANGULAR_MOMENTUM;
    if (ok && p->restitution == 1.0) {
        problem->conserves |= CONSERVES_ENERGY;
        problem->truth = asteroids_truth;
        problem->data = spheres_create(p->spheres, p->radius, x, v);
        ok = problem->data || status_set(status, STATUS_FAILED, "out of memory");
    }
    free(x);
    return ok;
}

const Scene asteroids_scene = {
    .name = "asteroids",
    .question = "Where is naive good enough?",
    .about =
        "Spheres `ball1`, `ball2`, ... without friction in free space, apart from each other in the cells of a cube, "
        "drifting towards its middle with random velocities on top (all from `seed`).\n"
        "Impacts are rare and between two at a time, so that nothing but the pair matters. Momentum and angular "
        "momentum are kept, at restitution 1 energy too.\n"
        "Truth (restitution 1): all positions by an event-driven simulation, exact impact by impact. Each impact "
        "magnifies an error by about the way flown over the radius: expect solvers to leave the truth after a few "
        "impacts. Scales: the kinetic energy at the start. Time: 10 s.",
    .lectures = "001",
    SCENE_PARAMS(ASTEROIDS_SETTINGS, AsteroidsParams),
    .build = asteroids_build,
};

typedef struct PileParams {
    int spheres;
    double radius, mu;
    int seed;
    double gravity;
} PileParams;

static const Setting PILE_SETTINGS[] = {
    PARAM_INT(PileParams, spheres, "how many", 1000, 1, PARTS_MAX),
    PARAM_REAL(PileParams, radius, "of each (m); all lengths below are for 0.5 and grow with it", 0.5, LENGTH_MIN,
               LENGTH_MAX),
    PARAM_MU(PileParams, 0.5),
    PARAM_SEED(PileParams),
    PARAM_GRAVITY(PileParams),
};

/* m, for spheres of radius 0.5 */
static const double PILE_RADIUS = 0.5;
static const double PILE_APART = 1.07, PILE_JITTER = 0.03, PILE_LAYER = 1.1, PILE_LOWEST = 1.0;
static const double PILE_ROOM = 0.685; /* from the outermost columns to the walls: 5.5 for ten of them */
static const int PILE_LAYERS = 10;     /* about so many: more spheres widen the box */
/* What a sphere may be beyond a wall or the ground, of its radius. */
static const double PILE_SINKS_MAX = 0.1;

typedef struct Pile {
    double radius, half_width;
    int first; /* body */
} Pile;

static int pile_columns(int spheres)
{
    return (int)ceil(sqrt((double)spheres / PILE_LAYERS) - 1e-9);
}

static bool pile_settled(const Problem *problem, const World *world)
{
    const Pile *pile = problem->data;
    double squares = 0.0, sunk = (1.0 - PILE_SINKS_MAX) * pile->radius;
    for (int i = pile->first; i < world->body_count; i++) {
        Vec3 x = world->pose[i].x, v = world->velocity[i].v;
        if (!(x.y >= sunk && fmax(fabs(x.x), fabs(x.z)) <= pile->half_width - sunk))
            return false;
        squares += vec3_dot(v, v);
    }
    return sqrt(squares / (world->body_count - pile->first)) <= STANDS_PACE_MAX * world_pace(world);
}

/* The ground and four walls. */
static bool pile_add_box(World *world, double half_width, Status *status)
{
    static const Vec3 INWARD[4] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    if (ground_add(world, status) < 0)
        return false;
    for (int i = 0; i < 4; i++)
        if (ground_add_plane(world, "wall", i + 1, INWARD[i], -half_width, status) < 0)
            return false;
    return true;
}

static bool pile_build(Problem *problem, const void *params, Status *status)
{
    const PileParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    int columns = pile_columns(p->spheres);
    double scale = p->radius / PILE_RADIUS, middle = 0.5 * (columns - 1), height = 0.0;
    Pile pile = {p->radius, scale * (PILE_APART * middle + PILE_ROOM), 0};
    if (!pile_add_box(world, pile.half_width, status))
        return false;
    pile.first = world->body_count;
    Random random = {(uint64_t)p->seed};
    BodyDef ball = ground_sphere(p->radius, GROUND_DENSITY);
    for (int i = 0; i < p->spheres; i++) {
        double x = PILE_APART * (i % columns - middle) + random_in(&random, -PILE_JITTER, PILE_JITTER);
        double z = PILE_APART * (i / columns % columns - middle) + random_in(&random, -PILE_JITTER, PILE_JITTER);
        ball.position = vec3_scale(scale, vec3(x, PILE_LOWEST + PILE_LAYER * (i / (columns * columns)), z));
        height += ball.position.y / p->spheres;
        if (part_add_body(world, &ball, "ball", i + 1, status) < 0)
            return false;
    }
    problem_set_scales(problem, height - p->radius);
    problem->passive = true;
    problem->rest = true;
    problem->settled = pile_settled;
    problem->settled_time = problem->time;
    return part_keep(problem, &pile, sizeof pile, status);
}

const Scene pile_scene = {
    .name = "pile",
    .question = "What do a broad phase and dense contacts cost?",
    .about =
        "Spheres `ball1`, `ball2`, ... fall into a box of `ground` and four walls: 10 x 10 columns 1.07 m apart, each "
        "sphere off by up to 0.03 m (from `seed`), layers 1.1 m apart from y = 1 m, walls at +/- 5.5 m. Other counts "
        "have more or fewer columns and keep about ten layers.\n"
        "They should come to rest without gaining energy.\n"
        "settled: all lie in the box, none beyond a wall by more than a tenth of its radius, with an RMS speed below "
        "0.032 sqrt(g length_scale) = 0.1 m/s. "
        "Scales: energy = total mass x g x the fall of the centre of mass to one radius above the ground. "
        "Time: 10 s.",
    .lectures = "001",
    SCENE_PARAMS(PILE_SETTINGS, PileParams),
    .build = pile_build,
};
