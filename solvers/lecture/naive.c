/* SPDX-License-Identifier: MIT */
/* The naive take (lecture 001, slide "Naive Take"): every pair of bodies gets, once, the impulse that would be right if
 * it were alone; then what is violated is pushed into place. Nothing is remembered and nothing is repeated.
 *     C, J     error and Jacobian of a row: C' = J V, V = (v_A, w_A, v_B, w_B)
 *     A        J M^-1 J^T, what an impulse of one does to J V: the slide's denominator
 *     lambda   the impulse that the row gave in this tick (N s); of a contact's normal the slide's f */
#include "model/array.h"
#include "model/contact/rubbing.h"
#include "model/rows/block_gradient.h"
#include "solvers/motion.h"

typedef struct NaiveOptions {
    CommonOptions common;
    double restitution_threshold;
} NaiveOptions;

static const Setting NAIVE_SETTINGS[] = {COMMON_SETTINGS(1, 1), RESTITUTION_THRESHOLD_SETTING(NaiveOptions)};

typedef struct Naive {
    NaiveOptions options;
    Motion motion;
    size_t capacity;
    PreparedRows *of; /* each block */
} Naive;

/* [001] Unconstrained Kinematics
 *     x' = v,    q' = 1/2 w q        V is what free flight makes of it; the rows are taken where the bodies are. */
static void naive_begin(void *self, Step *step)
{
    Naive *naive = self;
    World *world = step->world;
    motion_begin(&naive->motion, world, step->h);
    for (int b = 0; b < world->block_count; b++) {
        double rate = block_is_weak_servo(&world->blocks[b]) ? 1.0 / step->h : 0.0;
        rows_prepare(world, &world->blocks[b], step->h, rate, &naive->of[b]);
    }
}

/* [001] Constraints
 *     C' = J V = 0:    lambda <- lambda - A^-1 (J V + bias + s lambda),    V <- V + M^-1 J^T dlambda
 * of all rows of a joint's block together. Rows with bounds one by one; one that may only push, or only pull, never
 * takes back what it gave. */
static void naive_give(Naive *naive, Step *step, int b, int i, double next)
{
    PreparedRows *p = &naive->of[b];
    const Block *block = &step->world->blocks[b];
    double bias = block->kind == BLOCK_CONTACT ? p->bounce : p->bias[i];
    step_show(step, &(ShownRow){b, i, p->rows.C[i], p->rows.J[i], p->A.m[i][i], bias, p->lambda[i], next});
    row_apply(p->B[i], block, next - p->lambda[i], step->world->velocity);
    p->lambda[i] = next;
    step->row_solves++;
}

static void naive_join(Naive *naive, Step *step, int b)
{
    const PreparedRows *p = &naive->of[b];
    const Block *block = &step->world->blocks[b];
    Vec3 d = rows_solve(p, block, step->world->velocity);
    for (int i = 0; i < p->rows.count; i++) {
        if (!rows_are_free(&p->rows))
            d = rows_solve(p, block, step->world->velocity);
        naive_give(naive, step, b, i, rows_onward(p, i, step->h, p->lambda[i] - vec3_get(d, i)));
    }
}

/* [001] Naive Take
 *     f = -(1 + e) N.(v_B + w_B x r_B - v_A - w_A x r_A) / (1/m_A + 1/m_B + (r_A x N)^T I_A^-1 (r_A x N) + ...)
 * that is -(1 + e) J V / A, if the bodies approach and touch in this tick. (The slide's bracket leaves w out of 1 + e.)
 * It only pushes; what hits more slowly than a threshold does not bounce. */
static void naive_hit(Naive *naive, Step *step, int b)
{
    PreparedRows *p = &naive->of[b];
    const Block *block = &step->world->blocks[b];
    double v = row_rate(p->rows.J[0], block, step->world->velocity);
    if (v < -restitution_threshold_at(naive->options.restitution_threshold, step->world, step->h))
        p->bounce = fmin(p->bounce, block->restitution * v);
    if (p->lambda[0] > 0.0 || (v + p->bounce < 0.0 && p->rows.C[0] + step->h * v <= 0.0))
        naive_give(naive, step, b, 0, p->lambda[0] - p->step[0] * fmin(v + p->bounce, 0.0));
}

/* [003] Contact Patch Friction
 *     (|f| / f_max)^2 + (m / m_max)^2 <= 1        stops slip and spin, or gives all of mu N against them
 * of a patch's points and its spin; of a point without a patch |f| <= mu N, for lecture 001's mu m_c g. */
static void naive_rub(Naive *naive, Step *step, const ManifoldBlocks *points)
{
    Rubbing rub = {.share = 1.0};
    rubbing_collect(&rub, step->world, points, naive->of, step->world->velocity, 0.0);
    rubbing_solve(&rub);
    for (int k = 0; k < rub.count; k++)
        for (int i = 0; i < (rub.part[k].spin ? 1 : 2); i++)
            naive_give(naive, step, rub.part[k].block, i, vec3_get(rub.part[k].next, i));
}

/* [001] Collision Response
 *     joints as listed, then contact points: the normal's impulse and its friction; a patch's after its last point */
static void naive_pass(void *self, Step *step)
{
    Naive *naive = self;
    const World *world = step->world;
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        if (b < world->joint_block_count)
            naive_join(naive, step, b);
        if (block->kind == BLOCK_CONTACT)
            naive_hit(naive, step, b);
        if (block->kind == BLOCK_CONTACT && block->seat->patch_radius == 0.0)
            naive_rub(naive, step, &(ManifoldBlocks){.first = b, .count = 1, .torsion = -1});
        if (block->kind == BLOCK_TORSION)
            naive_rub(naive, step, &world->manifolds[block->manifold]);
    }
}

/* [001] Naive Take
 *     x <- x + h v, then all that is violated is pushed into place, once:    x_i <- x_i - C/w w_i grad_i C */
static void naive_move(void *self, Step *step)
{
    Naive *naive = self;
    World *world = step->world;
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = rows_impulse(&naive->of[b].rows, world->blocks[b].kind, naive->of[b].lambda);
    motion_damp(&naive->motion, world, step->h);
    motion_move(&naive->motion, world, NULL, step->h);
    for (int b = 0; b < world->block_count; b++)
        if (block_is_placed(&world->blocks[b]))
            step->row_solves += block_take_back(world, &world->blocks[b], step->h);
}

static void naive_destroy(void *self)
{
    Naive *naive = self;
    if (naive) {
        motion_free(&naive->motion);
        free(naive->of);
    }
    free(naive);
}

static bool naive_reserve(void *self, const World *world, Status *status)
{
    Naive *naive = self;
    return array_reserve((void **)&naive->of, &naive->capacity, sizeof *naive->of, (size_t)world->block_count) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static void *naive_create(const SolverTask *task, Status *status)
{
    Naive *naive = calloc(1, sizeof *naive);
    if (naive)
        naive->options = *(const NaiveOptions *)task->options;
    if (naive && motion_init(&naive->motion, task->world, task->options) && naive_reserve(naive, task->world, status))
        return naive;
    naive_destroy(naive);
    status_set(status, STATUS_FAILED, "out of memory");
    return NULL;
}

static int naive_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    int passes = ((const Naive *)self)->options.common.iterations;
    phases[0] = (Phase){.name = "impulse", .iterations = passes, .enter = naive_begin, .iterate = naive_pass};
    phases[1] = (Phase){.name = "push", .enter = naive_move};
    return 2;
}

const Solver lecture_naive_solver = {
    .abi = SOLVER_ABI,
    .name = "lecture_naive",
    .text_of = "naive",
    .summary = "the lecture's text of naive: pairwise impulses, one pass, push-apart",
    .reference = "lecture 001, Naive Take",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(NAIVE_SETTINGS),
    .options_size = sizeof(NaiveOptions),
    .create = naive_create,
    .destroy = naive_destroy,
    .reserve = naive_reserve,
    .plan = naive_plan,
};
