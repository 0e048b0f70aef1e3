/* SPDX-License-Identifier: MIT */
/* Rigid rows of joints that were cut, and of couplings, solved directly: with their answers Y_l and W = J_l Y_l,
 *
 *     lambda_l = -W^+ (J_l v + bias),   and of every other row Y <- Y - Y_l W^+ J_l Y:
 *
 * whatever another row then does, the loops stay as they are. Rows may depend on each other, as those of a planar
 * linkage do: multipliers are then those of least norm (solvers/linear/least_norm.h). */
#ifndef RIGOR_SOLVERS_ARTICULATED_CLOSING_H
#define RIGOR_SOLVERS_ARTICULATED_CLOSING_H

#include "solvers/articulated/coordinate_rows.h"
#include "solvers/linear/least_norm.h"

/* A row of a closed block. */
typedef struct ClosedRow {
    CoordinateBlock *block;
    int i;
} ClosedRow;

typedef struct Closing {
    Arrays arrays;
    int count, most;
    ClosedRow *rows;
    LeastNorm system;
    double *right, *lambda;
} Closing;

/* Dense matrices of this many rows are out of proportion to the tree: more are swept. */
enum { CLOSING_MOST = 600 };

/* How many rows a connected tree's cut joints have. */
int closing_rows(const Articulated *tree, const World *world);

/* Room for the rows of a connected tree's cut joints, none if `wanted` is false or there are too many. False when out
 * of memory; free copes with zeroed ones. */
bool closing_init(Closing *closing, const Articulated *tree, const World *world, bool wanted);
void closing_free(Closing *closing);

/* Chooses the rows among prepared ones, factors W, and takes them out of all other answers. Returns how many there are.
 */
int closing_prepare(Closing *closing, CoordinateRows *rows, const Articulated *tree, const World *world);

/* u += Y_l lambda_l: the rows' velocities, or the errors of the pass that takes them back, which w is of. */
void closing_close(Closing *closing, double *u);
void closing_close_back(Closing *closing, double *w);

/* True if the rows depend on each other. */
bool closing_is_dependent(const Closing *closing);

/* The multipliers, once the tree is solved under all other rows' impulses for its speeds: they are left in the blocks.
 */
void closing_find_multipliers(Closing *closing, const double *speeds);

#endif
