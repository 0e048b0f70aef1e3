/* SPDX-License-Identifier: MIT */
/* The laws of joints (model/joint/law.h) on the coordinates of a tree. Armature stands on the diagonal of D; over a
 * step of length h springs, viscous friction and drives stand there, too, by backward Euler: with their force f and
 * slopes k and d at its beginning
 *
 *     (M + I + h d + h^2 k) q'+ = M q' + I q' + h (f + d q').                                    */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_LAW_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_LAW_H

#include "model/joint/law_rows.h"
#include "solvers/tree/articulated.h"

/* Which forces of a law. */
typedef enum LawPart { LAW_PASSIVE, LAW_DRIVES, LAW_ALL } LawPart;

/* The law of a link's coordinate, NULL: none; and the coordinate's value and speed. */
const JointLaw *link_law(const Link *link, const World *world, int k);
double link_coordinate(const Link *link, const double *state, const World *world, int k);

/* The coordinate of a link that a coupling means: a joint's own, or axis `axis` of a series. */
int link_coordinate_of_axis(const Link *link, const World *world, int axis);

/* What a coordinate's law, which it has, gives it at a placed state; of a tree of general links alone. */
LawForce link_law_force(const Link *link, const double *state, const World *world, int k, LawPart part);

/* Whether a law's row is no row of the tree's: a force that is linear in the coordinate and its speed. Friction and
 * what is bounded are rows for whoever has rows. */
bool law_row_is_linear(const LawRow *row);

/* Of a tree with rows that is solved for the speeds after a time h, by backward Euler: what is linear of the laws. Of
 * joints that joint coordinates alone can hold all of it, bounds as they are when the step begins. */
void articulated_add_laws_over(Articulated *tree, const double *state, const World *world, double h);

#endif
