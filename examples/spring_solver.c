/* A backend in sixty lines, built outside the tree: semi-implicit Euler with a damped spring on every joint row.
 *
 *     cc -shared -fPIC -I RIGOR_SOURCE examples/spring_solver.c -o spring.so
 *     rigor run pendulum springs --plugin ./spring.so -s stiffness=1e5
 *
 * It reads rows from block_rows(), as every backend does: force = -(k C + c C'), C' = J V, through J^T. */
#include "solvers/solver.h"

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

static void *spring_create(const SolverTask *task, Status *status)
{
    SpringOptions *self = malloc(sizeof *self);
    if (!self)
        status_set(status, STATUS_FAILED, "out of memory");
    else
        *self = *(const SpringOptions *)task->options;
    return self;
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

static void spring_step(void *self, Step *step)
{
    const SpringOptions *options = self;
    World *world = step->world;
    for (int b = 0; b < world->block_count; b++) {
        Rows rows;
        block_rows(world, &world->blocks[b], &rows);
        int at = block_unit(world->blocks[b].kind) == UNIT_ANGLE ? 9 : 6;
        world->block_impulse[b] = VEC3_ZERO;
        for (int i = 0; i < rows.count; i++) {
            double rate = spring_rate(world, &world->blocks[b], rows.J[i]);
            double impulse = -step->h * (options->stiffness * rows.C[i] + options->damping * rate);
            spring_push(world, &world->blocks[b], rows.J[i], impulse);
            world->block_impulse[b] = vec3_add_scaled(world->block_impulse[b], impulse,
                                                      vec3(rows.J[i][at], rows.J[i][at + 1], rows.J[i][at + 2]));
            step->row_solves++;
        }
    }
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Velocity *u = &world->velocity[i];
        Pose *pose = &world->pose[i];
        u->v = vec3_add_scaled(u->v, step->h, world_field(world, pose->x));
        pose->x = vec3_add_scaled(pose->x, step->h, u->v);
        pose->q = quat_unit(quat_mul(quat_exp(vec3_scale(step->h, u->w)), pose->q));
    }
}

static int spring_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    phases[0] = (Phase){
        .name = "force", .iterations = ((const SpringOptions *)self)->common.iterations, .iterate = spring_step};
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
    .destroy = free,
    .plan = spring_plan,
};
