/* SPDX-License-Identifier: MIT */
/* Which rows of joints act as equalities, for solves of all rows at once: those of rigid joints always; a limit while
 * it touches and pushes; a drive of bounded force while that suffices, else it pushes with its bound. A spring is a
 * force. limits     C >= 0,    lambda >= 0,    lambda = 0 where it parts        (or all <= 0) drives     lower <=
 * lambda <= upper */
#ifndef RIGOR_MODEL_ROWS_ACTIVE_SET_H
#define RIGOR_MODEL_ROWS_ACTIVE_SET_H

#include "model/rows/prepared_rows.h"

/* A row that does not act is taken in when it is violated by more than this (length scales or radians, a second or a
 * second squared); a held limit pulls when it does so by more than this share of the largest multiplier. */
#define ACTIVE_VIOLATED 1e-10
#define ACTIVE_PULLS 1e-12

typedef enum ActiveState { ROWS_HELD, ROWS_FREE, ROWS_AT_LOWER, ROWS_AT_UPPER, ROWS_SPRING } ActiveState;

typedef struct ActiveRows {
    PreparedRows p;
    ActiveState state;
    bool touching; /* it may be taken in */
} ActiveRows;

/* A rigid equality row whose multiplier is bounded. */
static inline bool block_is_bounded_drive(const Block *block)
{
    const JointTerms *terms = block_terms(block);
    return isfinite(terms->max_force) && terms->compliance == 0.0 && !block_is_limit(block);
}

static inline ActiveState active_start(const Block *block)
{
    return block_terms(block)->compliance > 0.0 ? ROWS_SPRING : block_is_limit(block) ? ROWS_FREE : ROWS_HELD;
}

/* +1: C >= 0 and lambda >= 0; -1: both <= 0; 0: no limit, or inactive at this pose. */
static inline int active_sign(const ActiveRows *own, const Block *block)
{
    return own->p.rows.count == 0 || !block_is_limit(block) ? 0 : own->p.rows.lower[0] == 0.0 ? 1 : -1;
}

/* Which limits touch: those that are reached or were held, and do not part. Returns whether a free one is being run
 * into. */
static inline bool active_find_touching(ActiveRows *of, const World *world)
{
    bool impact = false;
    for (int b = 0; b < world->block_count; b++) {
        ActiveRows *own = &of[b];
        int sign = active_sign(own, &world->blocks[b]);
        own->touching = block_is_bounded_drive(&world->blocks[b]);
        if (sign == 0 || own->state == ROWS_SPRING)
            continue;
        double rate = sign * row_rate(own->p.rows.J[0], &world->blocks[b], world->velocity);
        double parting = ROWS_TOUCHING * block_scale(world, world->blocks[b].kind);
        own->touching = sign * own->p.rows.C[0] <= 0.0 || own->state == ROWS_HELD;
        impact = impact || (own->touching && own->state == ROWS_FREE && rate < -parting);
        if (rate > parting) {
            own->touching = false;
            own->state = ROWS_FREE;
        }
    }
    return impact;
}

/* Limits that the bodies ran through are held from now on; true if there are any. */
static inline bool active_hold_violated(ActiveRows *of, const World *world)
{
    bool any = false;
    for (int b = 0; b < world->block_count; b++)
        if (of[b].state == ROWS_FREE && active_sign(&of[b], &world->blocks[b]) * of[b].p.rows.C[0] < 0.0) {
            of[b].state = ROWS_HELD;
            any = true;
        }
    return any;
}

/* Whether the block's rows are equalities of a solve: drives take part where multipliers are forces. */
static inline bool active_takes_part(const ActiveRows *own, const Block *block, bool forces)
{
    return own->state == ROWS_HELD && own->p.rows.count > 0 && (forces || !block_is_bounded_drive(block));
}

/* Whether a drive pushes with its bound, and with which. */
static inline bool active_is_spent(const ActiveRows *own, bool forces)
{
    return forces && (own->state == ROWS_AT_LOWER || own->state == ROWS_AT_UPPER);
}

static inline double active_bound(const ActiveRows *own, int i)
{
    return own->state == ROWS_AT_LOWER ? own->p.rows.lower[i] : own->p.rows.upper[i];
}

/* After a solve with rows J u + bias = 0: lets go what pulls, and lets spent drives push with their bounds. */
static inline bool active_let_go(ActiveRows *of, const World *world, bool forces)
{
    bool changed = false;
    double largest = 0.0;
    for (int b = 0; b < world->block_count; b++)
        for (int i = 0; i < of[b].p.rows.count && active_takes_part(&of[b], &world->blocks[b], forces); i++)
            largest = fmax(largest, fabs(of[b].p.lambda[i]) * block_scale(world, world->blocks[b].kind));
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        double lambda = of[b].p.lambda[0],
               pull = -active_sign(&of[b], block) * lambda * block_scale(world, block->kind);
        if (!active_takes_part(&of[b], block, forces))
            continue;
        if (pull > ACTIVE_PULLS * largest)
            of[b].state = ROWS_FREE;
        else if (forces && lambda < of[b].p.rows.lower[0])
            of[b].state = ROWS_AT_LOWER;
        else if (forces && lambda > of[b].p.rows.upper[0])
            of[b].state = ROWS_AT_UPPER;
        changed = changed || of[b].state != ROWS_HELD;
    }
    return changed;
}

/* Takes in the one touching row that is violated most: a drive at its upper bound may fall short of its target, but not
 * go beyond it. */
static inline bool active_take_in(ActiveRows *of, const World *world, const Velocity *u, bool forces)
{
    int worst = -1;
    double most = ACTIVE_VIOLATED;
    for (int b = 0; b < world->block_count; b++) {
        const ActiveRows *own = &of[b];
        bool spent = active_is_spent(own, forces);
        if (!own->touching || own->p.rows.count == 0 || !(own->state == ROWS_FREE || spent))
            continue;
        int sign = !spent ? active_sign(own, &world->blocks[b]) : own->state == ROWS_AT_UPPER ? -1 : 1;
        double rate = row_rate(own->p.rows.J[0], &world->blocks[b], u) + own->p.bias[0];
        double violation = -sign * rate / block_scale(world, world->blocks[b].kind);
        worst = violation > most ? b : worst;
        most = fmax(violation, most);
    }
    if (worst >= 0)
        of[worst].state = ROWS_HELD;
    return worst >= 0;
}

#endif
