/* SPDX-License-Identifier: MIT */
/* Position solves of four units at once that share no moving body (solvers/order/schedule.h), with the bits that they
 * have one by one. Joints: those that attach two points, or hold them at a distance. Manifolds: of surfaces that do not
 * roll about an axis, without a patch. The others, and units that find no three of their kind, are left over. */
#ifndef RIGOR_SOLVERS_POSITION_POSITION_QUADS_H
#define RIGOR_SOLVERS_POSITION_POSITION_QUADS_H

#include "solvers/order/schedule.h"
#include "solvers/position/position.h"

/* The kinds of joints' blocks; others than these two do not go in quads. */
enum { JOINTS_OTHER, JOINTS_ATTACH, JOINTS_DISTANCE };

static inline int position_joint_kind(const Block *block, bool whole)
{
    return block->kind == BLOCK_ATTACH && !whole ? JOINTS_ATTACH
           : block->kind == BLOCK_DISTANCE       ? JOINTS_DISTANCE
                                                 : JOINTS_OTHER;
}

/* A fresh one is all zero. */
typedef struct PositionQuads {
    bool four; /* quads are made: else all units are left over */
    Schedule joints, manifolds;
    struct ManifoldLanes *lanes; /* of each quad of manifolds (solvers/position/unit.h) */
    struct PointPlaces *points;  /* of each quad of manifolds, point by point */
    size_t lane_capacity, point_capacity;
} PositionQuads;

/* Room for the world's units as they are now; false when out of memory. Nothing else allocates. */
bool position_quads_reserve(PositionQuads *quads, const World *world);
void position_quads_free(PositionQuads *quads);

/* Those of each colour, or those of the list, in its order. Joints do not change: once; manifolds after each
 * change of contacts. */
void position_quads_set_joints(PositionQuads *quads, const World *world, bool by_colour, bool whole);
void position_quads_set_manifolds(PositionQuads *quads, const World *world, bool by_colour, const PositionSolve *how);

/* Whether a sweep through a list gains by them. */
bool position_quads_gain(const Schedule *colours);

#endif
