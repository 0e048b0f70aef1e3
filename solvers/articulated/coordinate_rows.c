/* SPDX-License-Identifier: MIT */
#define LANES 1
#include "solvers/articulated/coordinate_rows.h"

#include "solvers/contact/law.h"
#include "solvers/rows/joint_rows.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of all answers together, 4 GB: a tree of thousands of links that all have rows. */
#define ANSWERS_MOST ((size_t)1 << 29)

bool coordinate_rows_init(CoordinateRows *rows, const World *world)
{
    size_t coordinates = LINK_MAX_DOFS * (size_t)world->body_count;
    *rows = (CoordinateRows){0};
    return NEW_ARRAY(rows->u, coordinates) && answers_init(&rows->answers, world) &&
           axis_rows_init(&rows->axes, world) && row_system_init(&rows->system, world);
}

void coordinate_rows_free(CoordinateRows *rows)
{
    row_system_free(&rows->system);
    answers_free(&rows->answers);
    axis_rows_free(&rows->axes);
    turning_free(&rows->turning);
    free(rows->blocks);
    free(rows->part);
    free(rows->u);
}

/* Rows of the joints' blocks, and of a contact point's two, stand together. */
static void rows_measure(const AxisRows *axes, const Forest *forest, const Articulated *tree, const World *world,
                         size_t *numbers, size_t *paths)
{
    bool turns = world_resists_turning(world);
    *numbers = *paths = 0;
    for (int k = 0; k < axes->count; k++)
        for (int i = 0; i < axes->list[k].count; i++) {
            *numbers += 1 + (size_t)forest_grove_size(forest, forest->grove[axes->list[k].link[i]]);
            *paths += 1;
        }
    for (int b = 0; b < world->joint_block_count; b++)
        if (articulated_leaves_block(tree, world, b))
            answers_measure(forest, tree, world->blocks[b].body, block_row_count(world->blocks[b].kind), numbers,
                            paths);
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        int answers = manifold->count * (turns ? 2 : 1) + (manifold->torsion >= 0);
        for (int i = 0; i < answers; i++)
            answers_measure(forest, tree, manifold->body, BLOCK_MAX_ROWS, numbers, paths);
    }
}

bool coordinate_rows_fit(const CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world)
{
    size_t numbers, paths;
    rows_measure(&rows->axes, forest, tree, world, &numbers, &paths);
    return numbers <= rows->answers.number_room && paths <= rows->answers.path_room;
}

static bool rows_reserve_answers(CoordinateRows *rows, const Forest *forest, const Articulated *tree,
                                 const World *world, Status *status)
{
    size_t numbers, paths;
    rows_measure(&rows->axes, forest, tree, world, &numbers, &paths);
    if (numbers > ANSWERS_MOST)
        return status_set(status, STATUS_UNSUPPORTED,
                          "solver articulated cannot run this scene: what its rows do to its coordinates takes %.3g "
                          "numbers, more than %.3g",
                          (double)numbers, (double)ANSWERS_MOST);
    return answers_reserve(&rows->answers, numbers, paths) || status_set(status, STATUS_FAILED, "out of memory");
}

bool coordinate_rows_reserve(CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world,
                             Status *status)
{
    bool ok = row_system_reserve(&rows->system, world) && turning_reserve(&rows->turning, world) &&
              array_reserve((void **)&rows->part, &rows->part_room, sizeof *rows->part, (size_t)world->block_count + 1);
    if (ok && world->block_count + rows->axes.count > rows->capacity) {
        int capacity = world->block_capacity + rows->axes.count;
        CoordinateBlock *grown = realloc(rows->blocks, sizeof *grown * (size_t)capacity);
        rows->blocks = grown ? grown : rows->blocks;
        rows->capacity = grown ? capacity : rows->capacity;
        ok = grown != NULL;
    }
    if (!ok)
        return status_set(status, STATUS_FAILED, "out of memory");
    return rows_reserve_answers(rows, forest, tree, world, status);
}

bool coordinate_rows_connect(CoordinateRows *rows, const Articulated *tree, const World *world, Status *status)
{
    return axis_rows_connect(&rows->axes, tree, world, status);
}

/* A contact's normal that is soft is so by a share of its A: of the trees', not of the free bodies'. */
static double block_softness(const CoordinateBlock *block, bool contact, int i)
{
    const RowBlock *rb = block->rows;
    double rigid = rb->A[i][i] - rb->soft[i];
    if (!contact || rb->soft[i] == 0.0 || !(rigid > 0.0))
        return rb->soft[i];
    return rb->soft[i] / rigid * block->answer.A[i][i];
}

void coordinate_block_weigh(CoordinateRows *rows, CoordinateBlock *block)
{
    const RowBlock *rb = block->rows;
    bool contact = block->block >= rows->system.joint_count;
    double(*A)[BLOCK_MAX_ROWS] = block->answer.A;
    for (int i = 0; i < rb->count; i++) {
        block->soft[i] = block_softness(block, contact, i);
        double whole = A[i][i] + block->soft[i];
        block->step[i] = whole > 0.0 ? 1.0 / whole : 0.0;
    }
    if (rb->kind != ROWS_CONTACT)
        return;
    double stop[3];
    block->bound = rows->system.contacts[rows->system.packed[block->block]].bound;
    block->slide_step = block->bound > 0.0 ? law_slide_step(A[1][1], A[2][1], A[2][2]) : 0.0;
    law_stop(A[1][1], A[2][1], A[2][2], block->slide_step, stop);
    law_prepare(rows->law.model, A[1][1], A[2][1], A[2][2], stop, block->tangent);
}

/* Torque counts as force at the arm: one step for all, below the inverse of the largest of them and the points'. */
static void patch_weigh(CoordinateBlock *torsion)
{
    const RowBlock *rb = torsion->rows;
    CoordinateBlock *points = torsion - rb->patch.count;
    double largest = torsion->answer.A[0][0] * rb->patch_arm * rb->patch_arm;
    for (int i = 0; i < rb->patch.count; i++)
        largest = fmax(largest, 1.0 / points[i].slide_step);
    torsion->slide_step = 1.0 / (largest * rb->patch.count);
    for (int i = 0; i < rb->patch.count; i++)
        points[i].slide_step = torsion->slide_step;
}

static void rows_add(CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world, int b)
{
    RowBlock *rb = &rows->system.blocks[b];
    if (rb->count == 0)
        return;
    CoordinateBlock *block = &rows->blocks[rows->count++];
    *block = (CoordinateBlock){.rows = rb, .block = b};
    answer_find(&block->answer, &rows->answers, forest, tree, rb->body, rb->count, (const double(*)[ROW_WIDTH])rb->J);
    row_block_rates(rb, world->velocity, block->bias);
    for (int i = 0; i < rb->count; i++)
        block->bias[i] += rb->bias[i];
    coordinate_block_weigh(rows, block);
    if (rb->kind == ROWS_TORSION)
        patch_weigh(block);
}

/* Point i of manifold m, the world's `point`-th, with its friction against turning. */
static void rows_add_point(CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world,
                           int m, int i, int point, double keep)
{
    int b = manifold_contact(&world->manifolds[m], i), before = rows->count;
    rows_add(rows, forest, tree, world, b);
    if (rows->count > before)
        turning_add(&rows->turning, point, &world->contacts->manifolds[m], b, rows->system.blocks[b].lambda, keep,
                    world, &rows->answers, forest, tree);
}

/* The tree has the speeds without rows as qddot. */
static void rows_add_axis(CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world,
                          const RowSetup *setup, int k)
{
    AxisRow *axis = &rows->axes.list[k];
    CoordinateBlock *block = &rows->blocks[rows->count++];
    *block = (CoordinateBlock){.rows = &axis->rows, .block = -1, .axis = axis};
    axis_row_set(axis, tree, world, setup);
    axis_row_answer(axis, &block->answer, &rows->answers, forest, tree);
    block->bias[0] = axis->rows.bias[0];
    for (int i = 0; i < axis->count; i++)
        block->bias[0] += axis->J[i] * tree->links[axis->link[i]].moves->qddot[axis->k[i]];
    rows->system.b_norm = hypot(rows->system.b_norm, block->bias[0]);
    coordinate_block_weigh(rows, block);
}

void coordinate_rows_prepare(CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world,
                             const RowSetup *setup)
{
    RowSetup with = *setup;
    for (int b = 0; b < world->block_count; b++)
        rows->part[b] = b >= world->joint_block_count || articulated_leaves_block(tree, world, b);
    with.part = rows->part;
    row_system_prepare(&rows->system, world, &with);
    rows->law = (FrictionLaw){setup->friction, setup->facets};
    rows->relaxation = setup->relaxation;
    rows->count = 0;
    answers_clear(&rows->answers);
    turning_begin(&rows->turning, world);
    for (int b = 0; b < world->joint_block_count; b++)
        if (rows->part[b])
            rows_add(rows, forest, tree, world, b);
    for (int k = 0; k < rows->axes.count; k++)
        rows_add_axis(rows, forest, tree, world, &with, k);
    for (int m = 0, point = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        for (int i = 0; i < manifold->count; i++, point++)
            rows_add_point(rows, forest, tree, world, m, i, point, setup->keep);
        if (manifold->torsion >= 0)
            rows_add(rows, forest, tree, world, manifold->torsion);
    }
    memset(rows->u, 0, sizeof *rows->u * (size_t)tree->dof_count);
}

void coordinate_rows_apply(CoordinateRows *rows)
{
    for (int k = 0; k < rows->count; k++) {
        const CoordinateBlock *block = &rows->blocks[k];
        for (int i = 0; i < block->rows->count && !block->closed; i++)
            if (block->rows->lambda[i] != 0.0)
                answer_push(&block->answer, i, block->rows->lambda[i], rows->u);
    }
    turning_apply(&rows->turning, rows->u);
}

/* A multiplier goes to `next`, and the coordinates follow. */
static void row_set(const CoordinateBlock *block, int i, double next, double *lambda, double *u)
{
    double d = next - lambda[i];
    lambda[i] = next;
    if (d != 0.0)
        answer_push(&block->answer, i, d, u);
}

static double row_residual(const CoordinateBlock *block, int i, const double *u)
{
    return block->bias[i] + answer_rate(&block->answer, i, u) + block->soft[i] * block->rows->lambda[i];
}

static void block_solve(const CoordinateRows *rows, const CoordinateBlock *block)
{
    RowBlock *rb = block->rows;
    for (int i = 0; i < rb->count; i++) {
        double r = row_residual(block, i, rows->u);
        row_set(block, i, clamp(rb->lambda[i] - rows->relaxation * block->step[i] * r, rb->lower[i], rb->upper[i]),
                rb->lambda, rows->u);
    }
}

/* The normal, then its tangents within the bound that follows; those of a patch wait for its torsion. */
static void point_solve(const CoordinateRows *rows, const CoordinateBlock *block)
{
    double *lambda = block->rows->lambda, to[2];
    double next = lambda[0] - rows->relaxation * block->step[0] * row_residual(block, 0, rows->u);
    row_set(block, 0, next < 0.0 ? 0.0 : next, lambda, rows->u);
    if (block->rows->slides_with_patch)
        return;
    const double r[2] = {row_residual(block, 1, rows->u), row_residual(block, 2, rows->u)};
    law_step(rows->law, block->slide_step, block->tangent, law_limit(rows->law, block->bound, lambda[0]), lambda + 1, r,
             to);
    row_set(block, 1, to[0], lambda, rows->u);
    row_set(block, 2, to[1], lambda, rows->u);
}

/* Where one step of a patch leads, as in solvers/rows/contact_rows.c: all from the same velocities, then back into the
 * ellipsoid (f/f_max)^2 + (m/m_max)^2 <= 1. */
typedef struct PatchStep {
    double tangent[MANIFOLD_MAX][2], torque;
} PatchStep;

static PatchStep patch_step(const CoordinateRows *rows, const CoordinateBlock *torsion)
{
    const RowBlock *rb = torsion->rows;
    const CoordinateBlock *points = torsion - rb->patch.count;
    double arm = rb->patch_arm, step = torsion->slide_step, load = 0.0, force = 0.0;
    PatchStep to = {.torque = rb->lambda[0] - step * arm * arm * row_residual(torsion, 0, rows->u)};
    for (int i = 0; i < rb->patch.count; i++) {
        const double *lambda = points[i].rows->lambda;
        load += lambda[0];
        for (int t = 0; t < 2 && points[i].rows->count == BLOCK_MAX_ROWS; t++)
            to.tangent[i][t] = lambda[1 + t] - step * row_residual(&points[i], 1 + t, rows->u);
        force += sqrt(to.tangent[i][0] * to.tangent[i][0] + to.tangent[i][1] * to.tangent[i][1]);
    }
    double size = sqrt(force * force + to.torque * to.torque / (arm * arm)), limit = rb->mu * load;
    double scale = size > limit ? limit / size : 1.0;
    to.torque *= scale;
    for (int i = 0; i < rb->patch.count; i++)
        for (int t = 0; t < 2; t++)
            to.tangent[i][t] *= scale;
    return to;
}

static void patch_solve(const CoordinateRows *rows, const CoordinateBlock *torsion)
{
    const RowBlock *rb = torsion->rows;
    const CoordinateBlock *points = torsion - rb->patch.count;
    PatchStep to = patch_step(rows, torsion);
    row_set(torsion, 0, to.torque, rb->lambda, rows->u);
    for (int i = 0; i < rb->patch.count; i++)
        for (int t = 1; t < points[i].rows->count; t++)
            row_set(&points[i], t, to.tangent[i][t - 1], points[i].rows->lambda, rows->u);
}

int coordinate_rows_sweep(CoordinateRows *rows)
{
    int solved = 0;
    for (int k = 0; k < rows->count; k++) {
        const CoordinateBlock *block = &rows->blocks[k];
        if (block->closed)
            continue;
        if (block->rows->kind == ROWS_CONTACT)
            point_solve(rows, block);
        else if (block->rows->kind == ROWS_TORSION)
            patch_solve(rows, block);
        else
            block_solve(rows, block);
        solved += block->rows->count;
    }
    return solved + turning_sweep(&rows->turning, rows->u);
}

/* The squared natural map of one row; of a point's tangents, and of a patch. */
static double bounded_left(const CoordinateRows *rows, const CoordinateBlock *block, int i)
{
    const RowBlock *rb = block->rows;
    if (block->step[i] == 0.0)
        return 0.0;
    double moved = clamp(rb->lambda[i] - block->step[i] * row_residual(block, i, rows->u), rb->lower[i], rb->upper[i]);
    double natural = rb->metres * (rb->lambda[i] - moved) / block->step[i];
    return natural * natural;
}

static double tangents_left(const CoordinateRows *rows, const CoordinateBlock *block)
{
    if (block->rows->slides_with_patch || !(block->slide_step > 0.0))
        return 0.0;
    const double *lambda = block->rows->lambda,
                 r[2] = {row_residual(block, 1, rows->u), row_residual(block, 2, rows->u)};
    double to[2];
    law_slide(rows->law, block->slide_step, law_limit(rows->law, block->bound, lambda[0]), lambda + 1, r, to);
    double one = (lambda[1] - to[0]) / block->slide_step, two = (lambda[2] - to[1]) / block->slide_step;
    return one * one + two * two;
}

static double patch_left(const CoordinateRows *rows, const CoordinateBlock *torsion)
{
    const RowBlock *rb = torsion->rows;
    const CoordinateBlock *points = torsion - rb->patch.count;
    PatchStep to = patch_step(rows, torsion);
    double step = torsion->slide_step;
    double natural = rb->metres * (rb->lambda[0] - to.torque) / (step * rb->patch_arm * rb->patch_arm);
    double sum = natural * natural;
    for (int i = 0; i < rb->patch.count; i++)
        for (int t = 1; t < points[i].rows->count; t++) {
            natural = (points[i].rows->lambda[t] - to.tangent[i][t - 1]) / step;
            sum += natural * natural;
        }
    return sum;
}

double coordinate_rows_residual(const CoordinateRows *rows)
{
    double sum = 0.0;
    for (int k = 0; k < rows->count; k++) {
        const CoordinateBlock *block = &rows->blocks[k];
        if (block->closed)
            continue;
        if (block->rows->kind == ROWS_TORSION)
            sum += patch_left(rows, block);
        else if (block->rows->kind == ROWS_CONTACT)
            sum += bounded_left(rows, block, 0) + tangents_left(rows, block);
        else
            for (int i = 0; i < block->rows->count; i++)
                sum += bounded_left(rows, block, i);
    }
    const RowSystem *system = &rows->system;
    return sum == 0.0 ? 0.0 : sqrt(sum) / (system->b_norm > 0.0 ? system->b_norm : system->pace);
}

/* Of contacts the overlap beyond the slop. */
static double error_back(const RowBlock *rb, bool contact, int i, const RowSetup *setup)
{
    return contact ? fmax(setup->rate * fmin(rb->C[i] + setup->slop, 0.0), -setup->push_speed) : setup->rate * rb->C[i];
}

void coordinate_rows_begin_back(CoordinateRows *rows, const RowSetup *setup)
{
    for (int k = 0; k < rows->count; k++) {
        CoordinateBlock *block = &rows->blocks[k];
        bool contact = block->block >= rows->system.joint_count;
        for (int i = 0; i < block->rows->count; i++) {
            const RowBlock *rb = block->rows;
            bool has_error = !contact || (i == 0 && rb->kind != ROWS_TORSION);
            block->goes_back[i] =
                has_error && block->soft[i] == 0.0 && !row_is_gap(rb->C[i], rb->lower[i], rb->upper[i]);
            block->pseudo[i] = 0.0;
            block->back[i] = block->goes_back[i] ? error_back(rb, contact, i, setup) : 0.0;
        }
    }
}

int coordinate_rows_sweep_back(CoordinateRows *rows, double *w)
{
    int solved = 0;
    for (int k = 0; k < rows->count; k++) {
        CoordinateBlock *block = &rows->blocks[k];
        const RowBlock *rb = block->rows;
        for (int i = 0; i < rb->count && !block->closed; i++) {
            if (!block->goes_back[i])
                continue;
            double r = block->back[i] + answer_rate(&block->answer, i, w);
            row_set(block, i,
                    clamp(block->pseudo[i] - rows->relaxation * block->step[i] * r, rb->lower[i], rb->upper[i]),
                    block->pseudo, w);
            solved++;
        }
    }
    return solved;
}

void coordinate_rows_push(const CoordinateRows *rows, Articulated *tree, bool closed)
{
    for (int k = 0; k < rows->count; k++) {
        const CoordinateBlock *block = &rows->blocks[k];
        for (int i = 0; block->axis && i < block->axis->count && block->closed == closed; i++)
            tree->links[block->axis->link[i]].moves->given[block->axis->k[i]] +=
                block->axis->J[i] * block->rows->lambda[0];
        for (int i = 0; !block->axis && i < block->rows->count && block->closed == closed; i++)
            articulated_push(tree, block->rows->body, block->rows->J[i], block->rows->lambda[i]);
    }
    if (!closed)
        turning_push(&rows->turning, tree);
}
