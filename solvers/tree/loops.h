/* SPDX-License-Identifier: MIT */
/* Loops of an articulated tree, closed by multipliers (Featherstone 2008, ch. 8): joints that the tree has no room for
 * are cut, and their rows are forces on the links that they join,
 *
 *     (J W J^T) lambda = -(J A0 + k),   W: the recursion's answer to a wrench on a link, a pass for every row.
 *
 * A0 is what the tree does by itself; k is Jdot V for accelerations, J V for jumps of velocity, C for moves. Where rows
 * depend on each other (a planar linkage of hinges) the multipliers are those of least norm. */
#ifndef RIGOR_SOLVERS_TREE_LOOPS_H
#define RIGOR_SOLVERS_TREE_LOOPS_H

#include "solvers/linear/least_norm.h"
#include "solvers/tree/articulated.h"

typedef enum LoopLevel { LOOPS_ACCELERATION, LOOPS_VELOCITY, LOOPS_POSITION } LoopLevel;

/* What a solve of the tree is given, kept aside while the rows are tried. */
typedef struct LoopLoad {
    double c[6], p[6], given[LINK_MAX_DOFS], qddot[LINK_MAX_DOFS];
} LoopLoad;

typedef struct Loops {
    Arrays arrays;
    int block_count, row_count;
    int *block; /* rigid rows of the joints that were cut */
    Rows *rows; /* theirs, at the placed state */
    LoopLoad *load;
    LeastNorm system;       /* J W J^T */
    double *right, *lambda; /* of the last solve: N or N m; impulses for velocities */
} Loops;

/* Room for the loops of a connected tree. False with a message: out of memory, more rows than a dense matrix is good
 * for, or a limit or drive in a joint that had to be cut. free copes with zeroed ones. */
bool loops_init(Loops *loops, const Articulated *tree, const World *world, Status *status);
void loops_free(Loops *loops);

/* The joints that are cut now: after a removal there are fewer. */
void loops_connect(Loops *loops, const Articulated *tree, const World *world);

/* Rows at the placed state; returns the largest |C|, over its block's scale. */
double loops_evaluate(Loops *loops, const World *world);

/* After articulated_solve with the same load: finds the multipliers and solves again with them as forces. Returns how
 * often the tree was solved. */
int loops_close(Loops *loops, Articulated *tree, const World *world, LoopLevel level);

/* True if the last rows depended on each other. */
bool loops_are_dependent(const Loops *loops);

/* Adds, for a time `share` (s), the multipliers to the impulses of their blocks. */
void loops_add_reactions(const Loops *loops, const World *world, double share, Vec3 *impulse);

#endif
