#include "solvers/rows/pairwise.h"

#include "solvers/position/position.h"

#include <stdlib.h>
#include <string.h>

void pairwise_destroy(void *self)
{
    Pairwise *pairwise = self;
    if (!pairwise)
        return;
    motion_free(&pairwise->motion);
    row_system_free(&pairwise->system);
    free(pairwise->seen);
    free(pairwise->share);
    free(pairwise->touching);
    free(pairwise);
}

bool pairwise_reserve(void *self, const World *world, Status *status)
{
    Pairwise *pairwise = self;
    if (world->block_count > pairwise->capacity) {
        double *grown = realloc(pairwise->share, sizeof *grown * (size_t)world->block_capacity);
        if (!grown)
            return status_set(status, STATUS_FAILED, "out of memory");
        pairwise->share = grown;
        pairwise->capacity = world->block_capacity;
    }
    return row_system_reserve(&pairwise->system, world) || status_set(status, STATUS_FAILED, "out of memory");
}

void *pairwise_create(const World *world, const void *options, Status *status)
{
    Pairwise *pairwise = calloc(1, sizeof *pairwise);
    if (pairwise) {
        pairwise->options = *(const PairwiseOptions *)options;
        pairwise->seen = calloc((size_t)world->body_count, sizeof *pairwise->seen);
        pairwise->touching = calloc((size_t)world->body_count, sizeof *pairwise->touching);
    }
    if (!pairwise || !pairwise->seen || !pairwise->touching ||
        !motion_init(&pairwise->motion, world, &pairwise->options.common) ||
        !row_system_init(&pairwise->system, world) || !pairwise_reserve(pairwise, world, status)) {
        pairwise_destroy(pairwise);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return pairwise;
}

/* share = 1 / the larger number of rows that act on one of the block's moving bodies. */
static void pairwise_count_competitors(Pairwise *pairwise, const World *world)
{
    memset(pairwise->touching, 0, sizeof *pairwise->touching * (size_t)world->body_count);
    for (int b = 0; b < pairwise->system.count; b++) {
        const RowBlock *rb = &pairwise->system.blocks[b];
        for (int k = 0; rb->count > 0 && k < (rb->kind == ROWS_FOUR ? 4 : 2); k++)
            if (!world_is_fixed(world, rb->body[k]))
                pairwise->touching[rb->body[k]] += rb->count;
    }
    for (int b = 0; b < pairwise->system.count; b++) {
        const RowBlock *rb = &pairwise->system.blocks[b];
        int most = 1;
        for (int k = 0; rb->count > 0 && k < (rb->kind == ROWS_FOUR ? 4 : 2); k++)
            if (pairwise->touching[rb->body[k]] > most)
                most = pairwise->touching[rb->body[k]];
        pairwise->share[b] = 1.0 / most;
    }
}

void pairwise_begin(void *self, Step *step)
{
    Pairwise *pairwise = self;
    motion_begin(&pairwise->motion, step->world, step->h);
    row_system_prepare(&pairwise->system, step->world, &(RowSetup){.h = step->h, .relaxation = 1.0, .whole = true});
    pairwise_count_competitors(pairwise, step->world);
}

double pairwise_residual(void *self, const Step *step)
{
    return row_system_residual(&((Pairwise *)self)->system, step->world->velocity);
}

/* Sets the finite end of every one-sided row: to its multiplier, or back to zero. */
static void pairwise_set_bounds(Pairwise *pairwise, bool at_multiplier)
{
    for (int b = 0; b < pairwise->system.count; b++) {
        RowBlock *rb = &pairwise->system.blocks[b];
        for (int i = 0; i < rb->count; i++) {
            double bound = at_multiplier ? rb->lambda[i] : 0.0;
            if (isinf(rb->upper[i]) && !isinf(rb->lower[i]))
                rb->lower[i] = bound;
            else if (isinf(rb->lower[i]) && !isinf(rb->upper[i]))
                rb->upper[i] = bound;
        }
    }
}

void pairwise_begin_pass(Pairwise *pairwise)
{
    pairwise_set_bounds(pairwise, true);
}

void pairwise_end_pass(Pairwise *pairwise)
{
    pairwise_set_bounds(pairwise, false);
}

/* Two colliding bodies: -(1 + e) v_n / w if they approach and touch within the substep, and friction that stops the
 * slip or, where it cannot, mu times that (lecture 001, slide "Naive Take", erratum 1). */
static int pairwise_collide(RowBlock *rb, const Velocity *seen, Velocity *velocity, double share, double threshold,
                            double h)
{
    double v[BLOCK_MAX_ROWS] = {0}, d[BLOCK_MAX_ROWS] = {0};
    double bias = rb->bias[0];
    rb->bias[0] = 0.0;
    row_block_residuals(rb, seen, v);
    rb->bias[0] = bias;
    bool touches = rb->C[0] + h * v[0] <= 0.0;
    if (v[0] >= 0.0 || !touches)
        return 0;
    double e = -v[0] > threshold ? rb->restitution : 0.0;
    d[0] = -share * (1.0 + e) * rb->step[0] * v[0];
    double limit = rb->mu * d[0], size = 0.0;
    for (int i = 1; i < rb->count; i++) {
        d[i] = -share * rb->step[i] * (v[i] + rb->A[i][0] * d[0]);
        size += d[i] * d[i];
    }
    for (int i = 1; i < rb->count && size > limit * limit; i++)
        d[i] *= limit / sqrt(size);
    for (int i = 0; i < rb->count; i++)
        rb->lambda[i] += d[i];
    row_block_push(rb, d, velocity);
    return rb->count;
}

int pairwise_collide_all(Pairwise *pairwise, const World *world, const Velocity *seen, Velocity *velocity,
                         const double *share, double h)
{
    int rows = 0;
    double threshold = restitution_threshold_at(pairwise->options.restitution_threshold, world, h);
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        RowBlock *rb = &pairwise->system.blocks[b];
        if (world->blocks[b].kind == BLOCK_CONTACT && rb->count > 0)
            rows += pairwise_collide(rb, seen, velocity, share ? share[b] : 1.0, threshold, h);
    }
    return rows;
}

void pairwise_move(void *self, Step *step)
{
    Pairwise *pairwise = self;
    row_system_store_impulses(&pairwise->system, step->world);
    motion_damp(&pairwise->motion, step->world, step->h);
    motion_move(&pairwise->motion, step->world, NULL, step->h);
}

void pairwise_push(void *self, Step *step)
{
    (void)self;
    World *world = step->world;
    PositionSolve how = {.h = step->h, .stiffness = 1.0, .push_speed = INFINITY};
    for (int b = 0; b < world->block_count; b++) {
        Multiplier multiplier = {0};
        if (world->blocks[b].compliance == 0.0)
            step->row_solves += position_solve_block(world, &world->blocks[b], &how, &multiplier);
    }
}
