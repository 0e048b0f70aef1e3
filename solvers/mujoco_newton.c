/* Convex primal Newton (MuJoCo; Todorov 2011, 2014), on bodies with six coordinates each: accelerations a minimise
 *     1/2 |a - a0|_M^2 + s(J a - aref)              (convex/convex.h; aref, R: convex/impedance.h)
 * and v += h a, x += h v. Joints are soft equalities, limits and contacts act while they are violated. Friction is
 * convex: f opposes J a - aref in a cone or pyramid, so what slides also parts a little. A pyramid has a facet
 * n + mu t for either way of each tangent; all have R = 2 mu^2 R_n, mu regularised by impratio. A of R is that of
 * body_invweight0 (1/m1 + 1/m2; a third of the inverse moments), as the engine has it, or the exact one.
 * It has no restitution: worlds with any are refused. Bounded drives are rows within their bounds (friction loss). */
#include "model/block_contact.h"
#include "model/row.h"
#include "solvers/convex/convex.h"
#include "solvers/convex/impedance.h"
#include "solvers/motion.h"

#include <stdlib.h>
#include <string.h>

static const char *const CONES[] = {"pyramidal", "elliptic", NULL};
static const char *const DIAGONALS[] = {"approximate", "exact", NULL};

typedef struct MujocoOptions {
    CommonOptions common;
    double solref_time, solref_damping;
    double solimp_min, solimp_max, solimp_width, solimp_midpoint, solimp_power;
    double impratio, tolerance;
    int cone, diagonal;
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
};

enum { CONE_PYRAMIDAL, CONE_ELLIPTIC };
enum { DIAGONAL_APPROXIMATE, DIAGONAL_EXACT };

typedef struct MujocoNewton {
    MujocoOptions options;
    Impedance impedance;
    Motion motion;
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
    convex_free(&own->problem);
    free(own->column);
    free(own->flight);
    free(own->last);
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
    return convex_reserve(&own->problem, mujoco_unknowns(world), rows, ROW_WIDTH * rows, true) ||
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

static void *mujoco_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    const MujocoOptions *o = task->options;
    if (!mujoco_accepts(world, status))
        return NULL;
    size_t bodies = (size_t)world->body_count;
    MujocoNewton *own = calloc(1, sizeof *own);
    if (own) {
        own->options = *o;
        own->impedance = (Impedance){o->solref_time,  o->solref_damping,  o->solimp_min,  o->solimp_max,
                                     o->solimp_width, o->solimp_midpoint, o->solimp_power};
        own->column = calloc(bodies, sizeof *own->column);
        own->flight = calloc(bodies, sizeof *own->flight);
        own->last = calloc(bodies, sizeof *own->last);
    }
    if (!own || !own->column || !own->flight || !own->last || !motion_init(&own->motion, world, &o->common) ||
        !mujoco_reserve(own, world, status)) {
        mujoco_destroy(own);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return own;
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

/* One row over the bodies of a block, two of six or four of three coordinates; particles do not turn. */
static void mujoco_add_row(MujocoNewton *own, const World *world, const Block *block, const double J[ROW_WIDTH],
                           double R, double aref)
{
    int width = block->kind == BLOCK_VOLUME ? 3 : 6;
    for (int k = 0; k < ROW_WIDTH / width; k++) {
        int column = own->column[block->body[k]];
        bool turns = world->mass[block->body[k]].inv_inertia.x != 0.0;
        for (int c = 0; c < (turns ? width : 3) && column >= 0; c++)
            convex_add_entry(&own->problem, column + c, J[width * k + c]);
    }
    convex_end_row(&own->problem, 1.0 / R, aref);
}

/* J V of one row. */
static double row_speed(const World *world, const Block *block, const double J[ROW_WIDTH], const Velocity *velocity)
{
    double sum = 0.0;
    int width = block->kind == BLOCK_VOLUME ? 3 : 6;
    (void)world;
    for (int k = 0; k < ROW_WIDTH / width; k++) {
        const double *j = J + width * k;
        Velocity u = velocity[block->body[k]];
        sum += vec3_dot(vec3(j[0], j[1], j[2]), u.v);
        if (width == 6)
            sum += vec3_dot(vec3(j[3], j[4], j[5]), u.w);
    }
    return sum;
}

/* J M^-1 J^T of one row; approximately: of a point 1/m1 + 1/m2, of a turn the mean of the bodies' inverse moments. */
static double row_weight(const MujocoNewton *own, const World *world, const Block *block, const double J[ROW_WIDTH])
{
    int width = block->kind == BLOCK_VOLUME ? 3 : 6;
    bool exact = own->options.diagonal == DIAGONAL_EXACT, turn = block_unit(block->kind) == UNIT_ANGLE;
    double w = 0.0;
    for (int k = 0; k < ROW_WIDTH / width; k++) {
        const double *j = J + width * k;
        const Mass *mass = &world->mass[block->body[k]];
        Vec3 u = vec3(j[0], j[1], j[2]), inverse = mass->inv_inertia;
        if (exact || width == 3) {
            w += mass->inv_mass * vec3_dot(u, u);
            if (width == 6)
                w += vec3_dot(vec3(j[3], j[4], j[5]),
                              world_inv_inertia_mul(world, block->body[k], vec3(j[3], j[4], j[5])));
        } else {
            w += turn ? (inverse.x + inverse.y + inverse.z) / 3.0 : mass->inv_mass;
        }
    }
    return w;
}

/* (1 - d)/d A; MuJoCo's least. */
static double regulariser(double d, double A)
{
    return fmax(1e-15, (1.0 - d) / d * A);
}

static void mujoco_add_joint(MujocoNewton *own, const World *world, int b, double h)
{
    const Block *block = &world->blocks[b];
    ConvexProblem *p = &own->problem;
    Rows rows;
    double squared = 0.0;
    block_rows(world, block, &rows);
    own->first_row[b] = rows.count > 0 ? p->rows : -1;
    for (int i = 0; i < rows.count; i++)
        squared += rows.C[i] * rows.C[i];
    double d = impedance_at(&own->impedance, sqrt(squared));
    double K = impedance_stiffness(&own->impedance, h), B = impedance_damping(&own->impedance, h);
    for (int i = 0; i < rows.count; i++) {
        bool open = (rows.lower[i] == 0.0 && rows.C[i] > 0.0) || (rows.upper[i] == 0.0 && rows.C[i] < 0.0);
        double v = row_speed(world, block, rows.J[i], world->velocity_before) - rows.velocity[i];
        double R = regulariser(d, row_weight(own, world, block, rows.J[i]));
        ConvexBlock row = {.first = p->rows, .count = 1, .lower = rows.lower[i], .upper = rows.upper[i]};
        if (open) /* not reached: no force whatever it does */
            row.lower = row.upper = 0.0;
        mujoco_add_row(own, world, block, rows.J[i], R, -B * v - K * d * rows.C[i]);
        p->blocks[p->block_count++] = row;
    }
}

/* Directions of a point: n, t1, t2 and, of a patch, the spin. */
typedef struct PointRows {
    int count;
    double J[CONVEX_MAX_SIZE][ROW_WIDTH];
    double friction[CONVEX_MAX_SIZE - 1];
    double gap;
} PointRows;

static PointRows point_rows(const World *world, const Block *block)
{
    ContactFrame f = contact_frame(world, block);
    Vec3 arm1 = vec3_sub(f.at, world->pose[block->body[0]].x), arm2 = vec3_sub(f.at, world->pose[block->body[1]].x);
    const Vec3 direction[3] = {f.n, f.t1, f.t2};
    PointRows p = {.count = block->friction > 0.0 ? block->patch_radius > 0.0 ? 4 : 3 : 1,
                   .friction = {block->friction, block->friction, 2.0 / 3.0 * block->patch_radius * block->friction},
                   .gap = vec3_dot(f.n, vec3_sub(f.p2, f.p1))};
    for (int i = 0; i < 3 && i < p.count; i++)
        row_linear(p.J[i], direction[i], arm1, arm2);
    if (p.count == 4)
        row_angular(p.J[3], f.n);
    return p;
}

/* Rows n, t1, t2, spin with one cone: friction has no spring, and R_j friction_j^2 = R_1 friction_1^2, R_1 =
 * R_n/impratio. */
static void add_elliptic(MujocoNewton *own, const World *world, const Block *block, const PointRows *point, double d,
                         double h)
{
    ConvexProblem *p = &own->problem;
    double K = impedance_stiffness(&own->impedance, h), B = impedance_damping(&own->impedance, h);
    double R = regulariser(d, row_weight(own, world, block, point->J[0])), R1 = R / own->options.impratio;
    double mu = point->friction[0];
    ConvexBlock cone = {.first = p->rows, .count = point->count, .cone = true, .mu = mu * sqrt(R1 / R)};
    memcpy(cone.friction, point->friction, sizeof cone.friction);
    for (int i = 0; i < point->count; i++) {
        double share = i == 0 ? 1.0 : mu / point->friction[i - 1];
        double v = row_speed(world, block, point->J[i], world->velocity_before);
        mujoco_add_row(own, world, block, point->J[i], i == 0 ? R : R1 * share * share,
                       -B * v - (i == 0 ? K * d * point->gap : 0.0));
    }
    p->blocks[p->block_count++] = cone;
}

/* Facets n + friction_j t_j and n - friction_j t_j, which only push. */
static void add_pyramid(MujocoNewton *own, const World *world, const Block *block, const PointRows *point, double d,
                        double h)
{
    ConvexProblem *p = &own->problem;
    double K = impedance_stiffness(&own->impedance, h), B = impedance_damping(&own->impedance, h);
    double mu = point->friction[0];
    double A = row_weight(own, world, block, point->J[0]) * (1.0 + mu * mu);
    double R = 2.0 * mu * mu / own->options.impratio * regulariser(d, A);
    for (int i = 1; i < point->count; i++)
        for (int side = 0; side < 2; side++) {
            double J[ROW_WIDTH], along = (side ? -1.0 : 1.0) * point->friction[i - 1];
            for (int c = 0; c < ROW_WIDTH; c++)
                J[c] = point->J[0][c] + along * point->J[i][c];
            double v = row_speed(world, block, J, world->velocity_before);
            p->blocks[p->block_count++] = (ConvexBlock){.first = p->rows, .count = 1, .lower = 0.0, .upper = INFINITY};
            mujoco_add_row(own, world, block, J, R, -B * v - K * d * point->gap);
        }
}

static void mujoco_add_point(MujocoNewton *own, const World *world, int b, double h)
{
    const Block *block = &world->blocks[b];
    ConvexProblem *p = &own->problem;
    PointRows point = point_rows(world, block);
    own->first_row[b] = -1;
    if (block->off || point.gap >= 0.0)
        return;
    own->first_row[b] = p->rows;
    double d = impedance_at(&own->impedance, point.gap);
    if (point.count == 1) {
        double v = row_speed(world, block, point.J[0], world->velocity_before);
        p->blocks[p->block_count++] = (ConvexBlock){.first = p->rows, .count = 1, .lower = 0.0, .upper = INFINITY};
        mujoco_add_row(own, world, block, point.J[0], regulariser(d, row_weight(own, world, block, point.J[0])),
                       -impedance_damping(&own->impedance, h) * v -
                           impedance_stiffness(&own->impedance, h) * d * point.gap);
    } else if (own->options.cone == CONE_ELLIPTIC) {
        add_elliptic(own, world, block, &point, d, h);
    } else {
        add_pyramid(own, world, block, &point, d, h);
    }
}

static void mujoco_begin(void *self, Step *step)
{
    MujocoNewton *own = self;
    World *world = step->world;
    motion_begin(&own->motion, world, step->h);
    memcpy(own->flight, world->velocity, sizeof *own->flight * (size_t)world->body_count);
    mujoco_set_bodies(own, world, step->h);
    for (int b = 0; b < world->joint_block_count; b++)
        mujoco_add_joint(own, world, b, step->h);
    for (int m = 0; m < world->manifold_count; m++)
        for (int i = 0; i < world->manifolds[m].count; i++)
            mujoco_add_point(own, world, manifold_contact(&world->manifolds[m], i), step->h);
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

/* J^T f h on body 2 of the rows of block b. */
static Vec3 joint_impulse(const MujocoNewton *own, const World *world, int b, double h)
{
    const Block *block = &world->blocks[b];
    Rows rows;
    int at = block->kind == BLOCK_VOLUME ? 3 : block_unit(block->kind) == UNIT_ANGLE ? 9 : 6;
    Vec3 sum = VEC3_ZERO;
    block_rows(world, block, &rows);
    for (int i = 0; i < rows.count && own->first_row[b] >= 0; i++)
        sum = vec3_add_scaled(sum, h * own->problem.force[own->first_row[b] + i],
                              vec3(rows.J[i][at], rows.J[i][at + 1], rows.J[i][at + 2]));
    return sum;
}

/* The force of a point along n, t1, t2 and its torque: of a pyramid the sums and differences of its facets. */
static void point_force(const MujocoNewton *own, const PointRows *point, int first, double f[CONVEX_MAX_SIZE])
{
    const double *force = own->problem.force + first;
    memset(f, 0, sizeof(double[CONVEX_MAX_SIZE]));
    if (point->count == 1 || own->options.cone == CONE_ELLIPTIC) {
        memcpy(f, force, sizeof *f * (size_t)point->count);
        return;
    }
    for (int i = 1; i < point->count; i++) {
        f[0] += force[2 * i - 2] + force[2 * i - 1];
        f[i] = point->friction[i - 1] * (force[2 * i - 2] - force[2 * i - 1]);
    }
}

static void store_manifold(const MujocoNewton *own, World *world, const ManifoldBlocks *manifold, double h)
{
    Vec3 torque = VEC3_ZERO;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i), first = own->first_row[b];
        Vec3 part[2] = {VEC3_ZERO, VEC3_ZERO};
        PointRows point = point_rows(world, &world->blocks[b]);
        double f[CONVEX_MAX_SIZE] = {0};
        if (first >= 0)
            point_force(own, &point, first, f);
        for (int k = 0; k < 3 && k < point.count; k++)
            part[k > 0] = vec3_add_scaled(part[k > 0], h * f[k], vec3(point.J[k][6], point.J[k][7], point.J[k][8]));
        if (point.count == 4)
            torque = vec3_add_scaled(torque, h * f[3], vec3(point.J[3][9], point.J[3][10], point.J[3][11]));
        world->block_impulse[b] = part[0];
        world->block_impulse[manifold_friction(manifold, i)] = part[1];
    }
    if (manifold->torsion >= 0)
        world->block_impulse[manifold->torsion] = torque;
}

/* v = v* + h (a - a0), then x. */
static void mujoco_move(void *self, Step *step)
{
    MujocoNewton *own = self;
    World *world = step->world;
    const ConvexProblem *p = &own->problem;
    for (int b = 0; b < world->joint_block_count; b++)
        world->block_impulse[b] = joint_impulse(own, world, b, step->h);
    for (int m = 0; m < world->manifold_count; m++)
        store_manifold(own, world, &world->manifolds[m], step->h);
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
    .capabilities = CAN_JOINTS | CAN_LOOPS | CAN_LIMITS | CAN_DRIVES | CAN_DAMPING | CAN_PARTICLES | CAN_FOUR_BODY |
                    CAN_CONTACTS | CAN_FRICTION,
    .settings = MUJOCO_SETTINGS,
    .setting_count = sizeof MUJOCO_SETTINGS / sizeof MUJOCO_SETTINGS[0],
    .conventions = MUJOCO_CONVENTIONS,
    .convention_count = sizeof MUJOCO_CONVENTIONS / sizeof MUJOCO_CONVENTIONS[0],
    .options_size = sizeof(MujocoOptions),
    .create = mujoco_create,
    .destroy = mujoco_destroy,
    .reserve = mujoco_reserve,
    .plan = mujoco_plan,
};
