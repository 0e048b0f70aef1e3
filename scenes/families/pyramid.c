/* SPDX-License-Identifier: MIT */
/* Many contacts at once, in rows that rest on rows: pyramid and wall, which should stay, and overlap, a pyramid whose
 * boxes begin inside each other and should come apart without an explosion (lecture 001). */
#include "scenes/ground.h"
#include "scenes/list.h"

/* A box stands if it has moved no more than this part of its height against what it rests on. */
static const double ROWS_SHIFT_MAX = 0.1;
/* Rows of a pyramid: its boxes stay below a million. */
enum { PYRAMID_BASE_MAX = 1400, ROWS_FIRST = 2 };

typedef struct PyramidParams {
    int base;
    double mu, gravity;
} PyramidParams;

static const Setting PYRAMID_SETTINGS[] = {
    PARAM_INT(PyramidParams, base, "boxes in the lowest row", 20, 1, PYRAMID_BASE_MAX),
    PARAM_MU(PyramidParams, 0.5),
    PARAM_GRAVITY(PyramidParams),
};

static const double PYRAMID_APART = 1.05; /* m, centres of two boxes in a row */

/* Unit boxes in rows of base, base - 1, ..., 1, centred over each other; returns the height of the centre of mass. */
static double pyramid_add(World *world, int base, double apart, double layer, Status *status)
{
    BodyDef box = part_box(1, 1, 1, GROUND_DENSITY);
    double moment = 0.0;
    int number = 0;
    for (int row = 0; row < base; row++)
        for (int i = 0; i < base - row; i++) {
            box.position = vec3(apart * (i - 0.5 * (base - row - 1)), 0.5 + layer * row, 0);
            moment += box.position.y;
            if (part_add_body(world, &box, "box", ++number, status) < 0)
                return -1.0;
        }
    return moment / number;
}

/* Box i of a row rests on boxes i and i + 1 of the row below, which is longer by one. */
static bool pyramid_settled(const Problem *problem, const World *world)
{
    const PyramidParams *p = problem->data;
    int body = ROWS_FIRST;
    for (int row = 0; row < p->base; row++)
        for (int i = 0; i < p->base - row; i++, body++) {
            int below = row == 0 ? ROWS_FIRST - 1 : body - (p->base - row + 1), next = row == 0 ? below : below + 1;
            if (!ground_keeps_place(problem, world, body, below, ROWS_SHIFT_MAX * world->length_scale) ||
                !ground_keeps_place(problem, world, body, next, ROWS_SHIFT_MAX * world->length_scale))
                return false;
        }
    return ground_at_rest(world);
}

static bool pyramid_build(Problem *problem, const void *params, Status *status)
{
    const PyramidParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (ground_add(world, status) < 0)
        return false;
    double height = pyramid_add(world, p->base, PYRAMID_APART, 1.0, status);
    if (height < 0.0)
        return false;
    problem_set_scales(problem, height - 0.5);
    problem->passive = true;
    problem->rest = true;
    problem->truth = ground_rest_truth;
    problem->settled = pyramid_settled;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene pyramid_scene = {
    .name = "pyramid",
    .question = "Do many contacts at once hold, and what do they cost?",
    .about =
        "Unit boxes of 1000 kg in rows of base, base - 1, ..., 1 on the `ground`, 1.05 m apart in a row, each row "
        "centred over the one below: `box1` is the leftmost of the lowest row.\n"
        "It should stand.\n"
        "Truth: at rest. settled: no box has moved by more than 0.1 m against those it rests on, and none is faster "
        "than 0.032 sqrt(g length_scale) = 0.1 m/s. "
        "Scales: energy = total mass x g x the fall of the centre of mass if all boxes lay on the "
        "ground. Time: 10 s.",
    .lectures = "001",
    SCENE_PARAMS(PYRAMID_SETTINGS, PyramidParams),
    .build = pyramid_build,
};

typedef struct OverlapParams {
    int base;
    double overlap, mu, gravity;
} OverlapParams;

static const Setting OVERLAP_SETTINGS[] = {
    PARAM_INT(OverlapParams, base, "boxes in the lowest row", 4, 1, PYRAMID_BASE_MAX),
    PARAM_REAL(OverlapParams, overlap, "part of its size by which a box is inside its neighbours", 0.25, 0, 0.9),
    PARAM_MU(OverlapParams, 0.5),
    PARAM_GRAVITY(OverlapParams),
};

/* No box further from its place than the pyramid is wide, and all come to rest: pushed apart they need a part of it. */
static bool overlap_settled(const Problem *problem, const World *world)
{
    const OverlapParams *p = problem->data;
    return part_stays(problem, world, p->base * world->length_scale) && ground_at_rest(world);
}

static bool overlap_build(Problem *problem, const void *params, Status *status)
{
    const OverlapParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (ground_add(world, status) < 0)
        return false;
    double apart = 1.0 - p->overlap;
    if (pyramid_add(world, p->base, apart, apart, status) < 0.0)
        return false;
    /* A pyramid of as many boxes that do not overlap: what pushing apart may lift them to. */
    problem_set_scales(problem, (p->base - 1) / 3.0);
    problem->passive = true;
    problem->rest = true;
    problem->settled = overlap_settled;
    problem->settled_time = problem->time;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene overlap_scene = {
    .name = "overlap",
    .question = "Does a solver recover from a deep overlap without an explosion?",
    .about =
        "A pyramid of unit boxes of 1000 kg, `base` in the lowest row on the `ground`, in which each box is inside "
        "its neighbours, beside and below, by `overlap` of its size.\n"
        "The boxes should be pushed apart at a bounded speed and come to rest beside and on each other: a contact "
        "alone "
        "opens at no more than push_speed. Lifting them takes about 0.24 of the energy scale; what energy_gain_max has "
        "beyond that is speed that the push left behind, none with `pgs` position=split or ngs, some where the push is "
        "a velocity (baumgarte) or becomes one (`pbd_stick`, `xpbd_stick`). `pbd` and `xpbd` as published know no "
        "push_speed: the depth taken back in one substep becomes speed, and the boxes fly apart. `naive` moves "
        "positions by the whole depth at once, "
        "which opens contacts at 17 m/s but leaves no velocity: it does not throw the boxes, it keeps them from ever "
        "resting, and jitter_rms says so.\n"
        "settled: no box is further from its place than `base` boxes are wide, and none is faster than "
        "0.032 sqrt(g length_scale) = 0.1 m/s. "
        "Scales: "
        "energy = total mass x g x (base - 1) / 3, the height of a pyramid's centre of mass above its lowest row's. "
        "Time: 10 s.",
    .lectures = "001",
    SCENE_PARAMS(OVERLAP_SETTINGS, OverlapParams),
    .build = overlap_build,
};

typedef struct WallParams {
    int rows, columns;
    double mu, gravity;
} WallParams;

static const Setting WALL_SETTINGS[] = {
    PARAM_INT(WallParams, rows, "of bricks", 8, 1, 1000),
    PARAM_INT(WallParams, columns, "bricks in a row", 8, 1, 1000),
    PARAM_MU(WallParams, 0.5),
    PARAM_GRAVITY(WallParams),
};

static const Vec3 BRICK = {1.0, 0.5, 0.5};  /* m */
static const double BRICK_JOINT = 0.01;     /* m, open, between two bricks of a row */
static const double BRICK_SHIFT_MAX = 0.05; /* of its length: a tenth of its height */

static int wall_row_length(const WallParams *p, int row)
{
    return row % 2 == 0 ? p->columns : p->columns + 1;
}

/* Brick i of a row: every second row begins and ends with a half brick, so that joints lie over bricks. */
static BodyDef wall_brick(const WallParams *p, int row, int i)
{
    double pitch = BRICK.x + BRICK_JOINT, half = 0.5 * (BRICK.x - BRICK_JOINT), length = BRICK.x;
    double x = pitch * (i - 0.5 * (p->columns - 1));
    if (row % 2 == 1) {
        x -= 0.5 * pitch;
        if (i == 0 || i == p->columns) {
            length = half;
            x += (i == 0 ? 0.25 : -0.25) * pitch;
        }
    }
    BodyDef brick = part_box(length, BRICK.y, BRICK.z, GROUND_DENSITY);
    brick.position = vec3(x, BRICK.y * (row + 0.5), 0);
    return brick;
}

static bool wall_settled(const Problem *problem, const World *world)
{
    const WallParams *p = problem->data;
    int body = ROWS_FIRST;
    for (int row = 0; row < p->rows; row++)
        for (int i = 0; i < wall_row_length(p, row); i++, body++) {
            /* The left one of the two below: of a long row's first brick the first, else one before. */
            int below = row == 0 ? 1 : body - i - wall_row_length(p, row - 1) + (row % 2 == 1 && i > 0 ? i - 1 : i);
            if (!ground_keeps_place(problem, world, body, below, BRICK_SHIFT_MAX * world->length_scale))
                return false;
        }
    return ground_at_rest(world);
}

static bool wall_build(Problem *problem, const void *params, Status *status)
{
    const WallParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (ground_add(world, status) < 0)
        return false;
    int number = 0;
    for (int row = 0; row < p->rows; row++)
        for (int i = 0; i < wall_row_length(p, row); i++) {
            BodyDef brick = wall_brick(p, row, i);
            if (part_add_body(world, &brick, "brick", ++number, status) < 0)
                return false;
        }
    problem_set_scales(problem, 0.5 * BRICK.y * (p->rows - 1));
    problem->passive = true;
    problem->rest = true;
    problem->truth = ground_rest_truth;
    problem->settled = wall_settled;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene wall_scene = {
    .name = "wall",
    .question = "Does a wall without mortar stand?",
    .about =
        "Bricks 1 x 0.5 x 0.5 m in running bond on the `ground`, 1 cm apart in a row: `brick1` is the leftmost of the "
        "lowest row; every second row begins and ends with a half brick.\n"
        "It should stand, each joint bridged by the bricks above and below.\n"
        "Truth: at rest. settled: no brick has moved by more than 5 cm against the one below, and none is faster than "
        "0.032 sqrt(g length_scale) = 0.1 m/s. "
        "Scales: energy = total mass x g x the fall of the centre of mass if all bricks lay on the ground. "
        "Time: 10 s.",
    .lectures = "001",
    SCENE_PARAMS(WALL_SETTINGS, WallParams),
    .build = wall_build,
};
