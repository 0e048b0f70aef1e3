/* SPDX-License-Identifier: MIT */
/* The joints' blocks as rows of the velocity-level system: for rows.c and contact_rows.c. */
#ifndef RIGOR_SOLVERS_ROWS_JOINT_ROWS_H
#define RIGOR_SOLVERS_ROWS_JOINT_ROWS_H

#include "solvers/rows/rows.h"

/* I^-1 of bodies in the world, for a RowWork's system. */
TeamWork bodies_inv_inertia;

/* Blocks [from, to) of joints, and their packed form; their b^2 in `multipliers`. Returns the active rows. */
int joint_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup, int from, int to);

/* Over blocks[from] .. before blocks[to], or all of [from, to) if that is NULL, in order: V += M^-1 J^T lambda; one
 * sweep, which returns the rows solved. */
void joint_rows_apply(const RowSystem *system, const int *blocks, int from, int to, Velocity *velocity);
int joint_rows_sweep(RowSystem *system, const int *blocks, int from, int to, Velocity *velocity);

/* One of them. */
void joint_row_solve(RowSystem *system, int b, Velocity *velocity);

/* Their part of row_system_prepare_split, of one block, and of row_system_drop_errors. */
void joint_rows_split(RowSystem *split, const RowSystem *system, int b, const RowSetup *setup);
void joint_rows_drop_errors(RowSystem *system, const RowSetup *setup);

/* A drive asks for all of its error at once: bias C/h - speed, in the place of rate C - speed. */
void joint_rows_command_drives(RowSystem *system, const World *world, double h, double rate);

/* B = M^-1 J^T, A = J B + s and 1/A_ii of a block whose J and s are set. */
void row_block_prepare_masses(RowBlock *rb, const RowSystem *system, const World *world);

/* 1/s: the bias that a rigid row's error gives. */
static inline double row_rigid_rate(const RowSetup *setup)
{
    return setup->soft_joint.share > 0.0 ? setup->soft_joint.rate : setup->rate;
}

/* A limit that is not reached yet. */
static inline bool row_is_gap(double C, double lower, double upper)
{
    return (lower == 0.0 && C > 0.0) || (upper == 0.0 && C < 0.0);
}

#endif
