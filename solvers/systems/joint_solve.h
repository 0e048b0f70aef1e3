/* SPDX-License-Identifier: MIT */
/* The joints' rows of a velocity-level system solved exactly by their graph (constraint_graph.h), the others'
 * multipliers being given. Once rows have been seen to repeat others, all are relaxed, and the share that this leaves
 * is taken back by a second solve. */
#ifndef RIGOR_SOLVERS_SYSTEMS_JOINT_SOLVE_H
#define RIGOR_SOLVERS_SYSTEMS_JOINT_SOLVE_H

#include "solvers/systems/constraint_graph.h"

/* What a backend reports where they are. */
#define JOINT_SOLVE_REDUNDANT "redundant rows: all were relaxed"

typedef struct JointSolve {
    ConstraintGraph graph;
    ConstraintGraph relaxed; /* the same for relaxed rows, in a better order, if `graph` has loops and none for them */
    bool redundant;          /* rows that repeat others have been seen */
} JointSolve;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool joint_solve_init(JointSolve *solve, const World *world);
void joint_solve_free(JointSolve *solve);

/* Factors the system of the rows that are `held`. */
void joint_solve_factor(JointSolve *solve, const World *world, const RowSystem *system,
                        const bool (*held)[BLOCK_MAX_ROWS]);

/* As constraint_graph_solve; returns the passes over all rows that it took. */
int joint_solve_take(JointSolve *solve, const World *world, RowSystem *system, const bool (*held)[BLOCK_MAX_ROWS],
                     const double (*goal)[BLOCK_MAX_ROWS], Velocity *velocity);

#endif
