/* SPDX-License-Identifier: MIT */
/* Convex primal Newton (MuJoCo; Todorov 2011, 2014), on bodies with six coordinates each: accelerations a minimise
 *     1/2 |a - a0|_M^2 + s(J a - aref)              (convex/convex.h; aref, R: convex/impedance.h)
 * and v += h a, x += h v. Joints are soft equalities, limits and contacts act while they are violated. Friction is
 * convex: f opposes J a - aref in a cone or pyramid, so what slides also parts a little. A pyramid has a facet
 * n + mu t for either way of each tangent; all have R = 2 mu^2 R_n, mu regularised by impratio. A of R is that of
 * body_invweight0 (1/m1 + 1/m2; a third of the inverse moments), as the engine has it, or the exact one.
 * It has no restitution: worlds with any are refused. Bounded drives are rows within their bounds (friction loss). */
#include "solvers/convex/soft_rows.h"
#include "solvers/motion.h"

#include <stdlib.h>
#include <string.h>

enum { CONE_PYRAMIDAL, CONE_ELLIPTIC };
enum { DIAGONAL_APPROXIMATE, DIAGONAL_EXACT };

static const char *const CONES[] = {"pyramidal", "elliptic", NULL};
static const char *const DIAGONALS[] = {"approximate", "exact", NULL};

typedef struct MujocoOptions {
    CommonOptions common;
    double solref_time, solref_damping;
    double solimp_min, solimp_max, solimp_width, solimp_midpoint, solimp_power;
    double impratio, tolerance;
    int cone, diagonal;
    int contact_point; /* ContactPointAt */
} MujocoOptions;

static const Setting MUJOCO_SETTINGS[] = {
    COMMON_SETTINGS(1, 100),
    PARAM_REAL(MujocoOptions, tolerance, "Newton's steps end once the scaled gradient is at most this", 1e-8, 0, 1),
    PARAM_REAL(MujocoOptions, solref_time, "time constant of constraints (s); at least two substeps", 0.02, 0, 1e6),
    PARAM_REAL(MujocoOptions, solref_damping, "their damping ratio", 1, 1e-6, 1e6),
    PARAM_REAL(MujocoOptions, solimp_min, "impedance without violation", 0.9, 0, 1),
    PARAM_REAL(MujocoOptions, solimp_max, "impedance beyond solimp_width", 0.95, 0, 1),
    PARAM_REAL(MujocoOptions, solimp_width, "violation over which the impedance rises (m, rad)", 0.001, 0, 1e6),
    PARAM_REAL(MujocoOptions, solimp_midpoint, "of the curve on which it does", 0.5, 0, 1),
    PARAM_REAL(MujocoOptions, solimp_power, "of that curve", 2, 1, 1e3),
    PARAM_REAL(MujocoOptions, impratio, "impedance of friction over that of normals", 1, 1e-6, 1e6),
    PARAM_CHOICE(MujocoOptions, cone, "of friction", 0, 1, CONES),
    PARAM_CHOICE(MujocoOptions, diagonal, "A of R: from the bodies' weights alone, or that of the rows", 0, 1,
                 DIAGONALS),
    CONTACT_POINT_SETTING(MujocoOptions, POINT_MIDWAY),
};

typedef struct MujocoNewton {
    Arrays arrays;
    MujocoOptions options;
    SoftRowSet rows;
    Motion motion;
    ContactPins pins;
    ConvexProblem problem;
    int *column;      /* by body: its first unknown; -1: fixed */
    Velocity *flight; /* v* of free flight */
    Velocity *last;   /* accelerations of the last substep: the first guess */
    int *first_row;   /* by block: of its rows; -1: inactive */
    int block_capacity;
} MujocoNewton;

static void mujoco_destroy(void *self)
{
    MujocoNewton *own = self;
    if (!own)
        return;
    motion_free(&own->motion);
    contact_pins_free(&own->pins);
    convex_free(&own->problem);
    arrays_free(&own->arrays);
    free(own->first_row);
    free(own);
}

static int mujoco_unknowns(const World *world)
{
    int moving = 0;
    for (int i = 1; i < world->body_count; i++)
        moving += !world_is_fixed(world, i);
    return 6 * moving;
}

static bool mujoco_reserve(void *self, const World *world, Status *status)
{
    MujocoNewton *own = self;
    /* a point has two blocks and at most six facets */
    int contact_blocks = world->block_capacity - world->joint_block_count;
    int rows = BLOCK_MAX_ROWS * world->joint_block_count + 3 * contact_blocks + 6;
    if (world->block_capacity > own->block_capacity) {
        int *grown = realloc(own->first_row, sizeof *grown * (size_t)world->block_capacity);
        own->first_row = grown ? grown : own->first_row;
        own->block_capacity = grown ? world->block_capacity : own->block_capacity;
        if (!grown)
            return status_set(status, STATUS_FAILED, "out of memory");
    }
    return (contact_pins_reserve(&own->pins, world) &&
            convex_reserve(&own->problem, mujoco_unknowns(world), rows, ROW_WIDTH * rows, true)) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static bool mujoco_accepts(const World *world, Status *status)
{
    for (int i = 0; i < world->material_count; i++)
        if (world->collide && world->materials[i].restitution > 0.0)
            return status_set(status, STATUS_UNSUPPORTED,
                              "solver mujoco_newton cannot run this scene: it has no restitution");
    return true;
}

static bool mujoco_init(void *self, const SolverTask *task, Status *status)
{
    MujocoNewton *own = self;
    const World *world = task->world;
    const MujocoOptions *o = task->options;
    size_t bodies = (size_t)world->body_count;
    own->options = *o;
    own->pins = (ContactPins){.midway = o->contact_point == POINT_MIDWAY, .look_ahead = INFINITY};
    own->rows = (SoftRowSet){.impedance = {o->solref_time, o->solref_damping, o->solimp_min, o->solimp_max,
                                           o->solimp_width, o->solimp_midpoint, o->solimp_power},
                             .impratio = o->impratio,
                             .elliptic = o->cone == CONE_ELLIPTIC,
                             .exact = o->diagonal == DIAGONAL_EXACT,
                             .problem = &own->problem};
    if (!mujoco_accepts(world, status) || !OWN_ARRAY(&own->arrays, own->column, bodies) ||
        !OWN_ARRAY(&own->arrays, own->flight, bodies) || !OWN_ARRAY(&own->arrays, own->last, bodies) ||
        !motion_init(&own->motion, world, &o->common) || !mujoco_reserve(own, world, status))
        return false;
    if (task->before)
        memcpy(own->last, ((MujocoNewton *)task->before)->last, sizeof *own->last * bodies);
    return true;
}

static void *mujoco_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(MujocoNewton), mujoco_init, mujoco_destroy, status);
}

/* M, a0 and the first guess. Particles, which do not turn, have unit inertia and no torque. */
static void mujoco_set_bodies(MujocoNewton *own, const World *world, double h)
{
    ConvexProblem *p = &own->problem;
    convex_clear(p, mujoco_unknowns(world));
    for (int i = 0, at = 0; i < world->body_count; i++) {
        own->column[i] = i == 0 || world_is_fixed(world, i) ? -1 : at;
        if (own->column[i] < 0)
            continue;
        bool turns = world->mass[i].inv_inertia.x != 0.0;
        Mat3 I = turns ? mat3_turn_diagonal(world->pose[i].q, world->mass[i].inertia) : mat3_diagonal(vec3(1, 1, 1));
        Velocity now = world->velocity[i], before = world->velocity_before[i];
        Vec3 a = vec3_scale(1.0 / h, vec3_sub(now.v, before.v)), turn = vec3_scale(1.0 / h, vec3_sub(now.w, before.w));
        for (int k = 0; k < 3; k++) {
            int line = at + k, spin = at + 3 + k;
            p->M[6 * line + k] = world->mass[i].mass;
            for (int c = 0; c < 3; c++)
                p->M[6 * spin + 3 + c] = I.m[k][c];
            p->a0[line] = vec3_get(a, k);
            p->a0[spin] = vec3_get(turn, k);
            p->a[line] = vec3_get(own->last[i].v, k);
            p->a[spin] = turns ? vec3_get(own->last[i].w, k) : vec3_get(turn, k);
        }
        at += 6;
    }
}

static void mujoco_begin(void *self, Step *step)
{
    MujocoNewton *own = self;
    World *world = step->world;
    contact_pins_set(&own->pins, world);
    motion_begin(&own->motion, world, step->h);
    memcpy(own->flight, world->velocity, sizeof *own->flight * (size_t)world->body_count);
    mujoco_set_bodies(own, world, step->h);
    own->rows.column = own->column;
    own->rows.first_row = own->first_row;
    for (int b = 0; b < world->joint_block_count; b++)
        soft_rows_add_joint(&own->rows, world, b, step->h);
    for (int m = 0; m < world->manifold_count; m++)
        for (int i = 0; i < world->manifolds[m].count; i++)
            soft_rows_add_point(&own->rows, world, manifold_contact(&world->manifolds[m], i), step->h);
    if (!convex_begin(&own->problem))
        step_fail(step, "out of memory for the Hessian of %d unknowns", own->problem.unknowns);
}

static void mujoco_iterate(void *self, Step *step)
{
    MujocoNewton *own = self;
    if (own->problem.unknowns == 0)
        return;
    step->row_solves += own->problem.rows;
    if (!convex_step(&own->problem))
        step_fail(step, "the Hessian of the convex problem could not be factored");
}

static double mujoco_residual(void *self, const Step *step)
{
    (void)step;
    return convex_residual(&((MujocoNewton *)self)->problem);
}

/* v = v* + h (a - a0), then x. */
static void mujoco_move(void *self, Step *step)
{
    MujocoNewton *own = self;
    World *world = step->world;
    const ConvexProblem *p = &own->problem;
    for (int b = 0; b < world->joint_block_count; b++)
        world->block_impulse[b] = soft_rows_joint_impulse(&own->rows, world, b, step->h);
    for (int m = 0; m < world->manifold_count; m++)
        soft_rows_store_manifold(&own->rows, world, &world->manifolds[m], step->h);
    contact_pins_drop(&own->pins, world);
    for (int i = 1; i < world->body_count; i++) {
        int at = own->column[i];
        if (at < 0)
            continue;
        Vec3 a = vec3(p->a[at], p->a[at + 1], p->a[at + 2]), turn = vec3(p->a[at + 3], p->a[at + 4], p->a[at + 5]);
        Vec3 a0 = vec3(p->a0[at], p->a0[at + 1], p->a0[at + 2]);
        Vec3 turn0 = vec3(p->a0[at + 3], p->a0[at + 4], p->a0[at + 5]);
        own->last[i] = (Velocity){a, turn};
        world->velocity[i].v = vec3_add_scaled(own->flight[i].v, step->h, vec3_sub(a, a0));
        if (world->mass[i].inv_inertia.x != 0.0)
            world->velocity[i].w = vec3_add_scaled(own->flight[i].w, step->h, vec3_sub(turn, turn0));
    }
    motion_damp(&own->motion, world, step->h);
    motion_move(&own->motion, world, NULL, step->h);
}

static int mujoco_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const MujocoOptions *o = &((MujocoNewton *)self)->options;
    phases[0] = (Phase){.name = "newton",
                        .iterations = o->common.iterations,
                        .enter = mujoco_begin,
                        .iterate = mujoco_iterate,
                        .residual = mujoco_residual,
                        .stop = o->tolerance};
    phases[1] = (Phase){.name = "move", .enter = mujoco_move};
    return 2;
}

static const PhaseStep MUJOCO_STEPS[] = {
    {"newton", PHASE_ENTER, "", "accelerations that minimise a convex energy"},
    FLIGHT_WORDS("newton"),
    {"newton", PHASE_ENTER, "rows",
     "Every row is soft: time constant {solref_time} s, damping ratio {solref_damping}; its impedance d rises from "
     "{solimp_min} to {solimp_max} over {solimp_width} of violation.",
     "aref = -b J v - k r,  of a point that is held - J' v,  R = (1 - d)/d A"},
    {"newton", PHASE_ENTER, "friction", "An elliptic cone, regularised (impratio {impratio}).", "|f_t| <= mu f_n",
     "cone", "elliptic"},
    {"newton", PHASE_ENTER, "friction", "A pyramid: a facet n + mu t for either way of each tangent.",
     "f = sum of f_k (n +- mu t_k),  f_k >= 0"},
    {"newton", PHASE_SWEEP, "step", "Newton with an exact search along it, until the gradient is at most {tolerance}.",
     "minimise 1/2 |a - a0|_M^2 + s(J a - aref)\n(M + J^T s'' J) da = -gradient,  a <- a + t da"},
    {"move", PHASE_ENTER, "", "velocities from accelerations, poses from velocities"},
    {"move", PHASE_ENTER, "velocities", "What the constraints add to free flight.", "v <- v* + h (a - a0)"},
    MOVE_WORDS("move"),
    {NULL},
};

static const Convention MUJOCO_CONVENTIONS[] = {
    {CONVENTION_LAW, "cone", "elliptic", "convex relaxation of the cone, regularised (impratio {impratio})"},
    {CONVENTION_LAW, NULL, NULL, "convex relaxation of a pyramid of 4 facets, regularised (impratio {impratio})"},
    {CONVENTION_NORMALS, NULL, NULL, "all constraints of the world together, by Newton's method"},
    {CONVENTION_ORDER, NULL, NULL, "with all normals"},
    {CONVENTION_SLOP, NULL, NULL, "0 m; a load presses soft contacts in"},
    {CONVENTION_PUSH, NULL, NULL, "as a spring of time constant {solref_time} s, damping ratio {solref_damping}"},
    {CONVENTION_RESTITUTION, NULL, NULL, "none; worlds with any are refused"},
    {CONVENTION_WARM_START, NULL, NULL, "the accelerations of the last substep; the solution does not depend on it"},
};

const Solver mujoco_newton_solver = {
    .abi = SOLVER_ABI,
    .name = "mujoco_newton",
    .summary = "soft constraints as one convex problem in accelerations, by Newton's method",
    .reference = "MuJoCo; Todorov 2011, 2014",
    .capabilities = CAN_SERIES | CAN_JOINTS | CAN_LOOPS | CAN_LIMITS | CAN_DRIVES | CAN_DAMPING | CAN_PARTICLES |
                    CAN_FOUR_BODY | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(MUJOCO_SETTINGS),
    SOLVER_CONVENTIONS(MUJOCO_CONVENTIONS),
    .steps = MUJOCO_STEPS,
    .options_size = sizeof(MujocoOptions),
    .row_bytes = 1700,
    .create = mujoco_create,
    .destroy = mujoco_destroy,
    .reserve = mujoco_reserve,
    .plan = mujoco_plan,
};
