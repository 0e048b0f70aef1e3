/* SPDX-License-Identifier: MIT */
/* Rows of a turn that is a spring. The rows' error C of BLOCK_ALIGN (R = 1) and BLOCK_ORIENT (R = 2) is R sin(theta /
 * R) long. A spring's is as long as the angle, so that its energy is theta^2 / (2 alpha) at any angle, and J its
 * derivative: C* = theta u,   J* = u n^T + (theta / |C|) (J - u u^T J),   u = C / |C|,   theta' = n.(w2 - w1). */
#ifndef RIGOR_MODEL_ROWS_SOFT_TURN_H
#define RIGOR_MODEL_ROWS_SOFT_TURN_H

#include "model/block.h"

static inline bool block_is_soft_turn(const Block *block)
{
    return (block->kind == BLOCK_ALIGN || block->kind == BLOCK_ORIENT) && block_terms(block)->compliance > 0.0;
}

/* C and J of the rigid rows become the spring's. */
void soft_turn_rows(const World *world, const Block *block, Rows *rows);

/* Jdot V of the rigid rows becomes the spring's. */
void soft_turn_bias(const World *world, const Block *block, double k[BLOCK_MAX_ROWS]);

#endif
