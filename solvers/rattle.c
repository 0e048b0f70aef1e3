/* SPDX-License-Identifier: MIT */
/* RATTLE (Andersen 1983): velocity Verlet whose multipliers keep positions and velocities on the constraints,
 *
 *     v' = v + h/2 M^-1 (f(x) + J(x)^T l),    x+ = x + h v'     l so that C(x+) = 0, by Newton;
 *     v+ = v' + h/2 M^-1 (f(x+) + J(x+)^T m)                     m so that J(x+) v+ = 0.
 *
 * Of order 2, symplectic and time-reversible: energy stays bounded, drift is Newton's tolerance. Rotations carry the
 * angular momentum L and turn by the exact flows about the principal axes, x y z y x, which is reversible too
 * (McLachlan, Quispel; Dullweber, Leimkuhler 1997). Newton's matrix is J(x) M^-1 J(x)^T, factored once a step. */
#include "solvers/motion.h"
#include "solvers/systems/row_schur.h"

#include <stdlib.h>
#include <string.h>

typedef struct RattleOptions {
    CommonOptions common;
    double tolerance;
} RattleOptions;

static const Setting RATTLE_SETTINGS[] = {
    PARAM_INT(CommonOptions, substeps, "steps of length dt/substeps in a frame", 1, 1, 1e6),
    PARAM_INT(CommonOptions, iterations, "Newton iterations for the positions, at most", 50, 1, 1e6),
    PARAM_REAL(RattleOptions, tolerance, "Newton ends when errors are below this (length scales, rad)", 1e-14, 1e-16,
               1),
};

/* Errors this many times above the tolerance are no round-off: Newton has not converged. */
static const double NEWTON_FAILED = 1e3;

typedef struct Rattle {
    Arrays arrays;
    RattleOptions options;
    Motion motion;
    RowSchur system;
    Pose *begin;            /* at the step's beginning */
    Velocity *half;         /* v and L (in .w, kg m^2/s) after half a step of the outside forces */
    Velocity *acceleration; /* M^-1 f */
    double *impulse;        /* row by row, h/2 l: N s */
    double *error, *least;  /* C, or J v; scratch of the solve */
    double largest;         /* |C| of the last iteration, over the length scale */
} Rattle;

static void rattle_destroy(void *self)
{
    Rattle *rattle = self;
    if (!rattle)
        return;
    motion_free(&rattle->motion);
    row_schur_free(&rattle->system);
    arrays_free(&rattle->arrays);
    free(rattle);
}

static bool rattle_init(void *self, const SolverTask *task, Status *status)
{
    Rattle *rattle = self;
    const World *world = task->world;
    Arrays *own = &rattle->arrays;
    size_t bodies = (size_t)world->body_count, rows = (size_t)row_count_all(world) + 1;
    CommonOptions flight = {.substeps = 1, .integrator = INTEGRATE_FORWARD, .gyroscopic = GYROSCOPIC_OFF};
    rattle->options = *(const RattleOptions *)task->options;
    return row_count_fits_dense(world, task->solver->name, status) && OWN_ARRAY(own, rattle->begin, bodies) &&
           OWN_ARRAY(own, rattle->half, bodies) && OWN_ARRAY(own, rattle->acceleration, bodies) &&
           OWN_ARRAY(own, rattle->impulse, rows) && OWN_ARRAY(own, rattle->error, rows) &&
           OWN_ARRAY(own, rattle->least, rows) && motion_init(&rattle->motion, world, &flight) &&
           row_schur_init(&rattle->system, world);
}

static void *rattle_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(Rattle), rattle_init, rattle_destroy, status);
}

/* q after turning freely with angular momentum L for h: exact turns about the principal axes, x y z y x. */
static Quat rattle_turn(Quat q, Vec3 L, Vec3 inv_inertia, double h)
{
    static const int AXES[] = {0, 1, 2, 1, 0};
    static const double SHARES[] = {0.5, 0.5, 1.0, 0.5, 0.5};
    for (int k = 0; k < 5; k++) {
        int axis = AXES[k];
        double angle = SHARES[k] * h * vec3_get(inv_inertia, axis) * vec3_get(quat_rotate_inverse(q, L), axis);
        q = quat_mul(q, quat_exp(vec3(axis == 0 ? angle : 0.0, axis == 1 ? angle : 0.0, axis == 2 ? angle : 0.0)));
    }
    return quat_unit(q);
}

/* x+ and q+ with the impulses so far. */
static void rattle_drift(Rattle *rattle, World *world, double h)
{
    row_schur_collect(&rattle->system, world, rattle->impulse);
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Vec3 v = vec3_add_scaled(rattle->half[i].v, world->mass[i].inv_mass, rattle->system.push[i].v);
        Vec3 L = vec3_add(rattle->half[i].w, rattle->system.push[i].w);
        world->pose[i].x = vec3_add_scaled(rattle->begin[i].x, h, v);
        world->pose[i].q = rattle_turn(rattle->begin[i].q, L, world->mass[i].inv_inertia, h);
        world->velocity[i].v = v;
        world->velocity[i].w = L; /* until the step ends */
    }
}

/* I w, or I^-1 L with inv, in the world. */
static Vec3 world_moment(const World *world, int body, Vec3 moments, Vec3 u)
{
    Quat q = world->pose[body].q;
    return quat_rotate(q, vec3_mul(moments, quat_rotate_inverse(q, u)));
}

/* Half a step of the outside forces: v += h/2 a, L += h/2 I a. */
static void rattle_kick(Rattle *rattle, World *world, double h)
{
    motion_accelerations(&rattle->motion, world, 0.0, rattle->acceleration);
    for (int i = 1; i < world->body_count; i++) {
        Velocity a = rattle->acceleration[i];
        Vec3 torque = world_moment(world, i, world->mass[i].inertia, a.w);
        world->velocity[i].v = vec3_add_scaled(world->velocity[i].v, 0.5 * h, a.v);
        world->velocity[i].w = vec3_add_scaled(world->velocity[i].w, 0.5 * h, torque);
    }
}

static void rattle_begin(void *self, Step *step)
{
    Rattle *rattle = self;
    World *world = step->world;
    for (int i = 1; i < world->body_count; i++)
        world->velocity[i].w = world_moment(world, i, world->mass[i].inertia, world->velocity[i].w);
    rattle_kick(rattle, world, step->h);
    memcpy(rattle->begin, world->pose, sizeof *rattle->begin * (size_t)world->body_count);
    memcpy(rattle->half, world->velocity, sizeof *rattle->half * (size_t)world->body_count);
    row_schur_factor(&rattle->system, world, step->h);
    memset(rattle->impulse, 0, sizeof *rattle->impulse * (size_t)rattle->system.rows.rows);
    rattle_drift(rattle, world, step->h);
}

/* One Newton step on C(x+) = 0: J M^-1 J^T dl = -C/h. */
static void rattle_iterate(void *self, Step *step)
{
    Rattle *rattle = self;
    int rows = rattle->system.rows.rows;
    row_schur_errors(&rattle->system, step->world, -1.0 / step->h, rattle->error);
    schur_solve(&rattle->system.schur, rattle->error, rattle->least);
    for (int i = 0; i < rows; i++)
        rattle->impulse[i] += rattle->least[i];
    step->row_solves += rows;
    rattle_drift(rattle, step->world, step->h);
}

static double rattle_residual(void *self, const Step *step)
{
    Rattle *rattle = self;
    return rattle->largest = row_schur_largest(&rattle->system, step->world);
}

/* The second half: v+ with J v+ = 0 at the new positions. */
static void rattle_end(void *self, Step *step)
{
    Rattle *rattle = self;
    World *world = step->world;
    const RowSystem *rows = &rattle->system.rows;
    if (rattle->largest > NEWTON_FAILED * rattle->options.tolerance)
        step_report(step, "Newton did not bring the positions back onto the constraints");
    row_schur_give(&rattle->system, world, rattle->impulse, false);
    rattle_kick(rattle, world, step->h);
    for (int i = 1; i < world->body_count; i++)
        world->velocity[i].w = world_moment(world, i, world->mass[i].inv_inertia, world->velocity[i].w);
    row_schur_factor(&rattle->system, world, step->h);
    row_schur_rates(&rattle->system, world->velocity, -1.0, rattle->error);
    schur_solve(&rattle->system.schur, rattle->error, rattle->impulse);
    for (int b = 0, row = 0; b < rows->count; row += rows->blocks[b++].count)
        row_block_push(&rows->blocks[b], rattle->impulse + row, world->velocity);
    step->row_solves += rows->rows;
    row_schur_give(&rattle->system, world, rattle->impulse, true);
}

static int rattle_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    Rattle *rattle = self;
    phases[0] = (Phase){.name = "position",
                        .iterations = rattle->options.common.iterations,
                        .enter = rattle_begin,
                        .iterate = rattle_iterate,
                        .residual = rattle_residual,
                        .stop = rattle->options.tolerance};
    phases[1] = (Phase){.name = "velocity", .enter = rattle_end};
    return 2;
}

static const PhaseStep RATTLE_STEPS[] = {
    {"position", PHASE_ENTER, "", "half a kick and the drift, onto the constraints by Newton's method"},
    {"position", PHASE_ENTER, "kick", "Half a step of the outside forces; spins are carried as L = I w.",
     "v' = v + h/2 M^-1 f(x)"},
    {"position", PHASE_ENTER, "matrix", "Factored once a step.", "A = J(x) M^-1 J(x)^T"},
    {"position", PHASE_SWEEP, "newton", "Until the errors are below {tolerance}.",
     "A dl = -C(x+)/h,  v' <- v' + M^-1 J(x)^T dl,  x+ = x + h v'"},
    {"position", PHASE_SWEEP, "turn", "Exact turns about the principal axes x y z y x, which can be reversed.",
     "q+ = q exp(x/2) exp(y/2) exp(z) exp(y/2) exp(x/2)"},
    {"velocity", PHASE_ENTER, "", "the other half of the kick, and velocities onto the constraints"},
    {"velocity", PHASE_ENTER, "kick", "Half a step of the forces at the new poses.", "v+ = v' + h/2 M^-1 f(x+)"},
    {"velocity", PHASE_ENTER, "project", "The velocities are those that the joints allow.",
     "v+ <- v+ + M^-1 J(x+)^T m,  J(x+) v+ = 0"},
    {NULL},
};

const Solver rattle_solver = {
    .abi = SOLVER_ABI,
    .name = "rattle",
    .summary = "velocity Verlet on the constraints: order 2, symplectic, reversible",
    .reference = "Andersen 1983; Dullweber, Leimkuhler, McLachlan 1997",
    .capabilities = CAN_SERIES | CAN_JOINTS | CAN_LOOPS | CAN_PARTICLES | CAN_FOUR_BODY,
    SOLVER_SETTINGS(RATTLE_SETTINGS),
    .steps = RATTLE_STEPS,
    .options_size = sizeof(RattleOptions),
    .row_pair_bytes = 25,
    .create = rattle_create,
    .destroy = rattle_destroy,
    .plan = rattle_plan,
};
