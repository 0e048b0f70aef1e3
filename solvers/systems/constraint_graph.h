/* SPDX-License-Identifier: MIT */
/* The system of bodies and joints, [M J^T; J -s] [dV; -dlambda] = [f; r], as a graph of small blocks in a good order.
 *
 * A joint's rows are one node, a moving body another. On a tree each body goes just before the joint that holds it,
 * leaves first (Baraff 1996): every pivot is definite and nothing fills in, so work is linear in the bodies whatever
 * their number of joints. J M^-1 J^T alone would make a clique of all joints at one body. What is left when all trees
 * are peeled off has loops. There bodies go first, which forms J M^-1 J^T, and then joints in an order that fills in
 * little (block_ldl.h): a rigid row has no pivot before its bodies are gone. Where every row is softened, by however
 * little, the matrix is quasi-definite and any order has definite pivots (Vanderbei 1995): then all go in such an
 * order, which in a soft cube of 125 particles and 885 joints takes a twentieth of the work, and loses as many digits
 * as a row's softness is below its (J M^-1 J^T)_ii. */
#ifndef RIGOR_SOLVERS_SYSTEMS_CONSTRAINT_GRAPH_H
#define RIGOR_SOLVERS_SYSTEMS_CONSTRAINT_GRAPH_H

#include "model/joint/graph.h"
#include "model/world.h"
#include "solvers/linear/block_ldl.h"
#include "solvers/rows/rows.h"

typedef struct ConstraintGraph {
    Arrays arrays;
    BlockLdl ldl;
    int *node_of_body, *node_of_joint; /* -1: fixed; nothing to move */
    JointLists joints;
    bool loops; /* something was left when all trees were peeled off */
} ConstraintGraph;

/* `relaxed`: for rows that are all softened, in any order. False when out of memory; free copes with zeroed and
 * half-built ones. */
bool constraint_graph_init(ConstraintGraph *graph, const World *world, bool relaxed);
void constraint_graph_free(ConstraintGraph *graph);

/* Factors the system of the rows that are `held`; the others are left to constraint_graph_solve. `relax` softens every
 * row to at least that share of its own (J M^-1 J^T)_ii. Returns the rows that repeat others and were left out. */
int constraint_graph_factor(ConstraintGraph *graph, const World *world, const RowSystem *system,
                            const bool (*held)[BLOCK_MAX_ROWS], double relax);

/* Changes velocities and multipliers so that every held row has no residual, J V + s lambda + bias = 0, and every other
 * row has the multiplier goal[b][i]. With relaxed rows a share `relax` of the residual is left: solving again takes it
 * back. */
void constraint_graph_solve(ConstraintGraph *graph, const World *world, RowSystem *system,
                            const bool (*held)[BLOCK_MAX_ROWS], const double (*goal)[BLOCK_MAX_ROWS],
                            Velocity *velocity);

#endif
