/* SPDX-License-Identifier: MIT */
/* The error of any block as one number with its gradient, for a correction along it: a kind of several rows has the
 * length of its error vector, which is corrected along itself (the joint lecture's ApplyLinearCorrection). */
#ifndef RIGOR_MODEL_ROWS_BLOCK_GRADIENT_H
#define RIGOR_MODEL_ROWS_BLOCK_GRADIENT_H

#include "model/rows/gradient.h"
#include "model/rows/prepared_rows.h"

typedef struct BlockGradient {
    double C; /* m, rad, m^3 */
    Gradient of;
    double lower, upper; /* bounds on the multiplier, as a force */
} BlockGradient;

/* False if there is nothing to correct: inactive, a limit that holds, or friction, since to slip is no violation. Of an
 * error vector that is zero the gradient is zero, too. */
static inline bool block_gradient(const World *world, const Block *block, BlockGradient *g)
{
    BlockError e;
    if (block->kind == BLOCK_FRICTION || block->kind == BLOCK_TORSION)
        return false;
    g->lower = -INFINITY;
    g->upper = INFINITY;
    if (block->kind == BLOCK_VOLUME) {
        Vec3 of[4];
        g->C = block->off ? 0.0 : block_volume(world, block, of);
        g->of = gradient_volume(block, of);
        return !block->off;
    }
    block_error(world, block, &e);
    g->C = e.scalar ? e.C : vec3_norm(e.error);
    if (!e.active || (e.scalar && ((e.lower == 0.0 && e.C >= 0.0) || (e.upper == 0.0 && e.C <= 0.0))))
        return false;
    if (e.scalar) {
        g->lower = e.lower;
        g->upper = e.upper;
    }
    Vec3 along = g->C == 0.0 ? VEC3_ZERO : vec3_scale(1.0 / g->C, e.error);
    g->of = gradient_of_error(block, &e, e.scalar ? e.gradient : along);
    return true;
}

/* Whether the error can be taken back by a move: a spring and a servo of bounded force have theirs to carry a load. */
static inline bool block_is_placed(const Block *block)
{
    return block_terms(block)->compliance == 0.0 && !block_is_weak_servo(block);
}

/* Takes the error back at once, by the correction that is right for this block alone,
 *     w = sum_i w_i |grad_i C|^2,    x_i <- x_i - C/w w_i grad_i C,
 * its multiplier within the bounds of a step of length h. Returns the rows corrected. */
static inline int block_take_back(World *world, const Block *block, double h)
{
    BlockGradient g;
    if (!block_gradient(world, block, &g))
        return 0;
    double w = gradient_weight(world, &g.of);
    if (w > 0.0)
        gradient_move(world, &g.of, clamp(-g.C / w, h * h * g.lower, h * h * g.upper));
    return w > 0.0 || g.C == 0.0 ? block_row_count(block->kind) : 0;
}

#endif
