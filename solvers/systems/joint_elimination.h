/* SPDX-License-Identifier: MIT */
/* The Schur complement of the joints' equality rows f in the rows that have bounds, b, by the joints' sparse graph:
 *
 *     A' = A_bb - A_bf A_ff^-1 A_fb,   column by column: what a unit impulse of a row does to all bodies while the
 * joints hold. That is linear in the joints for each row with bounds; A itself is never formed. */
#ifndef RIGOR_SOLVERS_SYSTEMS_JOINT_ELIMINATION_H
#define RIGOR_SOLVERS_SYSTEMS_JOINT_ELIMINATION_H

#include "solvers/systems/joint_solve.h"

typedef struct JointElimination {
    Arrays arrays;
    JointSolve solve;
    bool (*held)[BLOCK_MAX_ROWS];   /* of the joints' blocks: equality rows */
    double (*goal)[BLOCK_MAX_ROWS]; /* multipliers of their rows that are not */
    double (*bias)[BLOCK_MAX_ROWS]; /* kept while the right side is zero */
    Velocity *moved;                /* of each body */
} JointElimination;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool joint_elimination_init(JointElimination *elimination, const World *world);
void joint_elimination_free(JointElimination *elimination);

/* Rows of a joint that are eliminated: they have no bound, and something moves. */
bool joint_row_is_eliminated(const RowBlock *rb, int i);

/* Factors A_ff of a prepared system. Multipliers of joints become zero. */
void joint_elimination_factor(JointElimination *elimination, const World *world, RowSystem *system);

/* Velocities where the joints hold and no row with bounds has an impulse. They stay until the next call. */
const Velocity *joint_elimination_rest(JointElimination *elimination, const World *world, RowSystem *system);

/* Between begin and end: what a unit impulse of row i of block b changes of the velocities. */
void joint_elimination_begin_columns(JointElimination *elimination, RowSystem *system);
const Velocity *joint_elimination_column(JointElimination *elimination, const World *world, RowSystem *system, int b,
                                         int i);
void joint_elimination_end_columns(JointElimination *elimination, RowSystem *system);

/* The joints' multipliers, once those of all rows with bounds stand in the system. */
void joint_elimination_finish(JointElimination *elimination, const World *world, RowSystem *system);

#endif
