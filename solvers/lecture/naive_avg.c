/* SPDX-License-Identifier: MIT */
/* The naive take 2 (lecture 001, slide "Naive Take 2"): the pairs are gone through again and again in one tick. In a
 * pass all see the same velocities, and each gives a share of the impulse that would be right if it were alone.
 *     C, J     error and Jacobian of a row: C' = J V, V = (v_A, w_A, v_B, w_B); A = J M^-1 J^T
 *     lambda   the impulse that the row gave in this tick (N s); n: constraints that act on a body */
#include "model/array.h"
#include "model/contact/rubbing.h"
#include "model/rows/block_gradient.h"
#include "solvers/motion.h"

typedef struct NaiveAvgOptions {
    CommonOptions common;
    double restitution_threshold;
} NaiveAvgOptions;

static const Setting NAIVE_AVG_SETTINGS[] = {COMMON_SETTINGS(1, 10), RESTITUTION_THRESHOLD_SETTING(NaiveAvgOptions)};

typedef struct NaiveAvg {
    NaiveAvgOptions options;
    Motion motion;
    size_t capacity;
    PreparedRows *of; /* each block */
    Velocity *seen;   /* each body: V as a pass begins */
    int *competing;   /* each body: n */
} NaiveAvg;

/* [001] Unconstrained Kinematics
 *     x' = v,    q' = 1/2 w q        V is what free flight makes of it; the rows are taken where the bodies are. */
static void avg_begin(void *self, Step *step)
{
    NaiveAvg *avg = self;
    World *world = step->world;
    motion_begin(&avg->motion, world, step->h);
    for (int b = 0; b < world->block_count; b++) {
        double rate = block_is_weak_servo(&world->blocks[b]) ? 1.0 / step->h : 0.0;
        rows_prepare(world, &world->blocks[b], step->h, rate, &avg->of[b]);
    }
}

/* [001] Naive Take 2
 *     dlambda = 1/n of what is right alone        n of the busier body, so that momentum is kept
 * Joints act, and limits and points that close or have pushed: counted before every pass, lest shares exceed 1. */
static void avg_count(NaiveAvg *avg, const World *world)
{
    memset(avg->competing, 0, sizeof *avg->competing * (size_t)world->body_count);
    memcpy(avg->seen, world->velocity, sizeof *avg->seen * (size_t)world->body_count);
    for (int b = 0; b < world->block_count; b++)
        for (int k = 0; k < (world->blocks[b].kind == BLOCK_VOLUME ? 4 : 2); k++)
            avg->competing[world->blocks[b].body[k]] += rows_act(&avg->of[b], world, &world->blocks[b], avg->seen);
}

static double avg_share(const NaiveAvg *avg, const World *world, const Block *block)
{
    int n = 1;
    for (int k = 0; k < (block->kind == BLOCK_VOLUME ? 4 : 2); k++)
        if (!world_is_fixed(world, block->body[k]) && avg->competing[block->body[k]] > n)
            n = avg->competing[block->body[k]];
    return 1.0 / n;
}

/* [001] Constraints
 *     C' = J V = 0:    lambda <- lambda - 1/n A^-1 (J V + bias + s lambda),    V <- V + M^-1 J^T dlambda
 * of all rows of a joint's block together; those with bounds one by one, and none takes back what it gave. */
static void avg_give(NaiveAvg *avg, Step *step, int b, int i, double next)
{
    PreparedRows *p = &avg->of[b];
    const Block *block = &step->world->blocks[b];
    double bias = block->kind == BLOCK_CONTACT ? p->bounce : p->bias[i];
    step_show(step, &(ShownRow){b, i, p->rows.C[i], p->rows.J[i], p->A.m[i][i], bias, p->lambda[i], next});
    row_apply(p->B[i], block, next - p->lambda[i], step->world->velocity);
    p->lambda[i] = next;
    step->row_solves++;
}

static void avg_join(NaiveAvg *avg, Step *step, int b)
{
    const PreparedRows *p = &avg->of[b];
    double share = avg_share(avg, step->world, &step->world->blocks[b]);
    Vec3 d = rows_solve(p, &step->world->blocks[b], avg->seen);
    for (int i = 0; i < p->rows.count; i++)
        avg_give(avg, step, b, i, rows_onward(p, i, step->h, p->lambda[i] - share * vec3_get(d, i)));
}

/* [001] Naive Take
 *     f = -(1 + e) J V / A        with 1/n of it as in take 1; returns what this pass gave */
static double avg_hit(NaiveAvg *avg, Step *step, int b)
{
    PreparedRows *p = &avg->of[b];
    const Block *block = &step->world->blocks[b];
    double v = row_rate(p->rows.J[0], block, avg->seen), given = p->lambda[0];
    if (v < -restitution_threshold_at(avg->options.restitution_threshold, step->world, step->h))
        p->bounce = fmin(p->bounce, block->restitution * v);
    double whole = -p->step[0] * fmin(v + p->bounce, 0.0);
    if (given > 0.0 || (whole > 0.0 && p->rows.C[0] + step->h * v <= 0.0))
        avg_give(avg, step, b, 0, given + avg_share(avg, step->world, block) * whole);
    return p->lambda[0] - given;
}

/* [003] Contact Patch Friction
 *     (|f| / f_max)^2 + (m / m_max)^2 <= 1        stops 1/n of slip and spin, or gives mu N against them
 * of a patch's points and its spin; of a point without a patch |f| <= mu N, its slip as its normal's push d left it. */
static void avg_rub(NaiveAvg *avg, Step *step, const ManifoldBlocks *points, double d)
{
    Rubbing rub = {.share = avg_share(avg, step->world, &step->world->blocks[points->first])};
    rubbing_collect(&rub, step->world, points, avg->of, avg->seen, d);
    rubbing_solve(&rub);
    for (int k = 0; k < rub.count; k++)
        for (int i = 0; i < (rub.part[k].spin ? 1 : 2); i++)
            avg_give(avg, step, rub.part[k].block, i, vec3_get(rub.part[k].next, i));
}

/* [001] Collision Response
 *     joints as listed, then contact points: the normal's impulse and its friction; a patch's after its last point */
static void avg_pass(void *self, Step *step)
{
    NaiveAvg *avg = self;
    const World *world = step->world;
    avg_count(avg, world);
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        double d = block->kind == BLOCK_CONTACT ? avg_hit(avg, step, b) : 0.0;
        if (b < world->joint_block_count)
            avg_join(avg, step, b);
        if (block->kind == BLOCK_CONTACT && block->seat->patch_radius == 0.0)
            avg_rub(avg, step, &(ManifoldBlocks){.first = b, .count = 1, .torsion = -1}, d);
        if (block->kind == BLOCK_TORSION)
            avg_rub(avg, step, &world->manifolds[block->manifold], 0.0);
    }
}

/* [001] Naive Take 2
 *     x <- x + h v, then all that is violated is pushed into place, once:    x_i <- x_i - C/w w_i grad_i C */
static void avg_move(void *self, Step *step)
{
    NaiveAvg *avg = self;
    World *world = step->world;
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = rows_impulse(&avg->of[b].rows, world->blocks[b].kind, avg->of[b].lambda);
    motion_damp(&avg->motion, world, step->h);
    motion_move(&avg->motion, world, NULL, step->h);
    for (int b = 0; b < world->block_count; b++)
        if (block_is_placed(&world->blocks[b]))
            step->row_solves += block_take_back(world, &world->blocks[b], step->h);
}

static void avg_destroy(void *self)
{
    NaiveAvg *avg = self;
    if (avg) {
        motion_free(&avg->motion);
        free(avg->seen);
        free(avg->competing);
        free(avg->of);
    }
    free(avg);
}

static bool avg_reserve(void *self, const World *world, Status *status)
{
    NaiveAvg *avg = self;
    return array_reserve((void **)&avg->of, &avg->capacity, sizeof *avg->of, (size_t)world->block_count) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static void *avg_create(const SolverTask *task, Status *status)
{
    NaiveAvg *avg = calloc(1, sizeof *avg);
    size_t bodies = (size_t)task->world->body_count;
    if (avg)
        avg->options = *(const NaiveAvgOptions *)task->options;
    if (avg && NEW_ARRAY(avg->seen, bodies) && NEW_ARRAY(avg->competing, bodies) &&
        motion_init(&avg->motion, task->world, task->options) && avg_reserve(avg, task->world, status))
        return avg;
    avg_destroy(avg);
    status_set(status, STATUS_FAILED, "out of memory");
    return NULL;
}

static int avg_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    int passes = ((const NaiveAvg *)self)->options.common.iterations;
    phases[0] = (Phase){.name = "impulse", .iterations = passes, .enter = avg_begin, .iterate = avg_pass};
    phases[1] = (Phase){.name = "push", .enter = avg_move};
    return 2;
}

const Solver lecture_naive_avg_solver = {
    .abi = SOLVER_ABI,
    .name = "lecture_naive_avg",
    .text_of = "naive_avg",
    .summary = "the lecture's text of naive_avg: pairwise impulses, repeated and averaged",
    .reference = "lecture 001, Naive Take 2",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(NAIVE_AVG_SETTINGS),
    .options_size = sizeof(NaiveAvgOptions),
    .create = avg_create,
    .destroy = avg_destroy,
    .reserve = avg_reserve,
    .plan = avg_plan,
};
