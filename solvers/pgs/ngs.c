/* SPDX-License-Identifier: MIT */
#define LANES 1
#include "solvers/pgs/ngs.h"

#include "solvers/contact/manifold.h"
#include "solvers/position/pair.h"

/* The closed points of a manifold, at the current poses. */
typedef struct NgsPoints {
    int count;
    BlockError e[MANIFOLD_MAX]; /* C: what is corrected, <= 0 */
    Pair pair;
    PairRow row[MANIFOLD_MAX];
    ManifoldMatrix K;
} NgsPoints;

/* When it was found; and it is there still. */
static bool ngs_was_closed(const Block *block, const BlockError *e)
{
    return e->active && block->seat->rest <= 0.0;
}

/* One point that only pushes, whatever the sweep before has done. */
static int ngs_push_point(World *world, const Block *block, const PositionSolve *how)
{
    BlockError e;
    Multiplier fresh = {0};
    block_error(world, block, &e);
    return ngs_was_closed(block, &e) ? position_solve_contact(world, block, &e, how, &fresh) : 0;
}

static void ngs_gather(const World *world, const ManifoldBlocks *manifold, const PositionSolve *how, NgsPoints *p)
{
    p->count = 0;
    p->pair = pair_at(world, manifold->body);
    p->pair.exact_turns = how->exact_turns;
    for (int i = 0; i < manifold->count; i++) {
        const Block *block = &world->blocks[manifold_contact(manifold, i)];
        BlockError *e = &p->e[p->count];
        block_error(world, block, e);
        if (!ngs_was_closed(block, e))
            continue;
        e->C = fmin(position_contact_error(block, e->C, how), 0.0);
        p->row[p->count++] = pair_row(&p->pair, e->gradient, both_vec3(e->arm1, e->arm2));
    }
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j < p->count; j++)
            p->K[i][j] = pair_coupling(&p->pair, &p->row[i], &p->row[j]);
}

static int ngs_solve_manifold(World *world, const ManifoldBlocks *manifold, const PositionSolve *how)
{
    NgsPoints p;
    double x[MANIFOLD_MAX] = {0}, C[MANIFOLD_MAX] = {0}, none[MANIFOLD_MAX] = {0};
    ngs_gather(world, manifold, how, &p);
    for (int i = 0; i < p.count; i++)
        C[i] = p.e[i].C;
    if (manifold_enumerate(p.count, p.K, none, C, x))
        pair_push_world(world, &p.pair, p.row, p.count, x);
    return p.count;
}

/* Box2D's, whose limits are made for it. */
#define LIMIT_SLOP (2.0 * PI / 180.0)
#define LIMIT_MOST (8.0 * PI / 180.0)

/* dlambda = -C/(w1 + w2) of a twist's limit, C clamped. */
static int ngs_solve_twist(World *world, const Block *block, const PositionSolve *how)
{
    BlockError e;
    block_error(world, block, &e);
    double C = clamp(e.C, -LIMIT_MOST, LIMIT_MOST);
    if (e.lower == 0.0)
        C = clamp(e.C + LIMIT_SLOP, -LIMIT_MOST, 0.0);
    else if (e.upper == 0.0)
        C = clamp(e.C - LIMIT_SLOP, 0.0, LIMIT_MOST);
    if (!e.active || C == 0.0 || block_terms(block)->driven)
        return 0;
    Pair pair = pair_at(world, block->body);
    pair.exact_turns = how->exact_turns;
    PairRow row = pair_row_turn(&pair, e.gradient);
    double dlambda = -C / pair_weight(&pair, &row);
    pair_push_world(world, &pair, &row, 1, &dlambda);
    return 1;
}

int ngs_sweep(World *world, const PositionSolve *how, bool together, const int *order, Multiplier *multipliers)
{
    int rows = 0;
    for (int m = 0; together && m < world->manifold_count; m++) /* before the joints, as solver2d has it */
        rows += ngs_solve_manifold(world, &world->manifolds[m], how);
    for (int k = 0; k < world->block_count; k++) {
        int b = order ? order[k] : k;
        const Block *block = &world->blocks[b];
        if (block_terms(block)->law) /* where it is, is no error */
            continue;
        if (block->kind == BLOCK_CONTACT && (together || how->only_push))
            rows += together ? 0 : ngs_push_point(world, block, how);
        else if (block->kind == BLOCK_TWIST && how->limits_give && block_terms(block)->compliance == 0.0)
            rows += ngs_solve_twist(world, block, how);
        else if (block_terms(block)->compliance == 0.0)
            rows += position_solve_block(world, block, how, &multipliers[b]);
    }
    return rows;
}
