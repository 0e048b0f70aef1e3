/* SPDX-License-Identifier: MIT */
/* Links with one column for each axis of a series, the first nearest to the parent. In the parent's frame, x and q of
 * the link as placed moved by each axis in turn, the last first:
 *
 *     T = T_1(d_1) ... T_k(d_k) T_placed,   d: the coordinates less their start.
 *
 * A link whose body is the joint's first one has the inverse: the same axes, back to front and turned round. */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_SERIES_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_SERIES_H

#include "solvers/tree/articulated.h"

/* What a LinkState is for a series. */
typedef struct SeriesState {
    double d[LINK_MAX_DOFS], speed[LINK_MAX_DOFS];
} SeriesState;

_Static_assert(sizeof(SeriesState) <= sizeof(LinkState), "a series has its numbers in the place of others");

/* Whether a joint is one that the tree has such links for. */
static inline bool joint_is_series(const Joint *joint)
{
    return joint->def.type == JOINT_SERIES;
}

/* The axes of a link's joint, as placed. */
void series_begin(Link *link, const World *world);

/* Coordinates from the poses. */
void series_read(const Link *link, const World *world, SeriesState *state);

/* The link's pose, velocity, columns, r and c. */
void series_place(Link *link, const SeriesState *state, World *world);

/* Coordinate k of a link is axis series_axis(link, k) of its joint. */
static inline int series_axis(const Link *link, int k)
{
    return link->reversed ? link->dofs - 1 - k : k;
}

#endif
