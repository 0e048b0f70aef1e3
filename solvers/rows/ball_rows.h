/* SPDX-License-Identifier: MIT */
/* Ball joints, by far the most common ones, prepared four at a time straight into their JointRow: rigid, without
 * bounds, solved row by row, and of a system that is only swept. Their J is known,
 *
 *     J = (-1, [a1]x, 1, [a2]x),   a1 = arm1, a2 = -arm2,   [a]x u = a x u,
 *
 * so every product with it is a cross product. The bits are those of joint_rows.c. */
#ifndef RIGOR_SOLVERS_ROWS_BALL_ROWS_H
#define RIGOR_SOLVERS_ROWS_BALL_ROWS_H

#include "model/lanes/vectors.h"
#include "solvers/rows/rows.h"

/* Whether a block may be one of the four. */
bool ball_rows_take(const Block *block, const RowSetup *setup);

/* The rows of four blocks, and their b^2 in `multipliers`. Does nothing, and returns false, if one of them has bodies
 * that do not move. */
bool ball_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup, const int blocks[LANES]);

/* Their part of row_system_residual, of one block that was prepared so. */
double ball_rows_residual(const RowSystem *system, int b, const Velocity *velocity, double sum);

#endif
