/* SPDX-License-Identifier: MIT */
/* A small backend built outside the tree: semi-implicit Euler with a damped spring on every joint row.
 *
 *     cc -shared -fPIC $(pkg-config --cflags rigor-plugin) spring_solver.c -o spring.so     (or -I the source)
 *     rigor run pendulum springs --plugin ./spring.so -s stiffness=1e5
 *
 * It reads rows from block_rows(), as every backend does: force = -(k C + c C'), C' = J V, through J^T. */
#include "solvers/motion.h"

#include <stdlib.h>

typedef struct SpringOptions {
    CommonOptions common; /* must come first */
    double stiffness, damping;
} SpringOptions;

static const Setting SPRING_SETTINGS[] = {
    COMMON_SETTINGS(50, 1),
    PARAM_REAL(SpringOptions, stiffness, "of every joint row, N/m", 1e5, 0, 1e12),
    PARAM_REAL(SpringOptions, damping, "of every joint row, N s/m", 10, 0, 1e9),
};

typedef struct Spring {
    SpringOptions options;
    Motion motion; /* free flight, the same for every backend */
} Spring;

static void spring_destroy(void *self)
{
    Spring *spring = self;
    if (spring)
        motion_free(&spring->motion);
    free(spring);
}

static void *spring_create(const SolverTask *task, Status *status)
{
    Spring *spring = calloc(1, sizeof *spring);
    if (spring)
        spring->options = *(const SpringOptions *)task->options;
    if (!spring || !motion_init(&spring->motion, task->world, &spring->options.common)) {
        status_set(status, STATUS_FAILED, "out of memory");
        spring_destroy(spring);
        return NULL;
    }
    return spring;
}

/* V += h M^-1 J^T f, one row; returns nothing but the bodies' new velocities. */
static void spring_push(World *world, const Block *block, const double J[ROW_WIDTH], double impulse)
{
    for (int k = 0; k < 2; k++) {
        int body = block->body[k];
        const double *j = J + 6 * k;
        Velocity *u = &world->velocity[body];
        u->v = vec3_add_scaled(u->v, impulse * world->mass[body].inv_mass, vec3(j[0], j[1], j[2]));
        u->w = vec3_add_scaled(u->w, impulse, world_inv_inertia_mul(world, body, vec3(j[3], j[4], j[5])));
    }
}

static double spring_rate(const World *world, const Block *block, const double J[ROW_WIDTH])
{
    double rate = 0.0;
    for (int k = 0; k < 2; k++) {
        const double *j = J + 6 * k;
        Velocity u = world->velocity[block->body[k]];
        rate += vec3_dot(vec3(j[0], j[1], j[2]), u.v) + vec3_dot(vec3(j[3], j[4], j[5]), u.w);
    }
    return rate;
}

/* The forces of one substep, from the velocities at its beginning; then the move. */
static void spring_step(void *self, Step *step)
{
    Spring *spring = self;
    World *world = step->world;
    motion_begin(&spring->motion, world, step->h);
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        Rows rows;
        block_rows(world, block, &rows);
        int at = block_unit(block->kind) == UNIT_ANGLE ? 9 : 6;
        world->block_impulse[b] = VEC3_ZERO;
        for (int i = 0; i < rows.count; i++) {
            double rate = spring_rate(world, block, rows.J[i]);
            double impulse = -step->h * (spring->options.stiffness * rows.C[i] + spring->options.damping * rate);
            spring_push(world, block, rows.J[i], impulse);
            world->block_impulse[b] = vec3_add_scaled(world->block_impulse[b], impulse,
                                                      vec3(rows.J[i][at], rows.J[i][at + 1], rows.J[i][at + 2]));
            step->row_solves++;
        }
    }
    motion_move(&spring->motion, world, NULL, step->h);
}

/* One evaluation a substep, whatever `iterations` says: a second one would move the bodies twice. */
static int spring_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "force", .iterations = 1, .iterate = spring_step};
    return 1;
}

const Solver rigor_solver = {
    .abi = SOLVER_ABI,
    .name = "springs",
    .summary = "an example from outside the tree: springs on joint rows",
    .reference = "lecture 002, Force Based Simulation",
    .capabilities = CAN_JOINTS | CAN_LOOPS | CAN_PARTICLES,
    .settings = SPRING_SETTINGS,
    .setting_count = sizeof SPRING_SETTINGS / sizeof SPRING_SETTINGS[0],
    .options_size = sizeof(SpringOptions),
    .create = spring_create,
    .destroy = spring_destroy,
    .plan = spring_plan,
};
