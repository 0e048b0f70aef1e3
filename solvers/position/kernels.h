/* SPDX-License-Identifier: MIT */
/* The position solves over lanes: what a sweep calls, at both widths. `f` takes quads [from, to) of the schedule, four
 * units that share no moving body (solvers/order/schedule.h); `f_one` takes units [from, to) one after the other. Both
 * are one text, a header each, which one_lane.c and four_lanes.c compile; a unit has the same bits either way. All
 * return the rows solved. */
#ifndef RIGOR_SOLVERS_POSITION_KERNELS_H
#define RIGOR_SOLVERS_POSITION_KERNELS_H

#include "model/team.h"
#include "solvers/position/position_quads.h"

/* What they are given as their context. */
typedef struct PositionSweep {
    World *world;
    const PositionSolve *how;
    Multiplier *multipliers;    /* of all blocks */
    const PositionQuads *quads; /* of four */
    ScheduleSpan span;          /* of a level; of one, no units: the first ones, as created */
    double threshold;           /* m/s, of contact_velocities: slower contacts do not bounce */
    bool by_approach;           /* likewise: slower before the position solve; else, as published, after it */
    const Velocity *predicted;  /* likewise v~ of each body: before the position solve, forces included */
    long *dropped; /* likewise grows by the pairs that came fast enough and do not bounce; NULL: nobody asks */
} PositionSweep;

/* Blocks of joints (joint_kernel.h): one by one, of any kind. */
TeamWork joint_positions, joint_positions_one;

/* Manifolds (contact_kernel.h, and those of stick). Velocity passes add what they do to world->block_impulse, which
 * holds lambda / h already. */
TeamWork contact_positions, contact_positions_one, contact_velocities, contact_velocities_one;
TeamWork stick_tangents, stick_tangents_one, stick_normals, stick_normals_one, stick_velocities, stick_velocities_one;

/* Friction of a patch in the velocity pass. Adds what it does to world->block_impulse; returns the rows solved. */
int patch_rub(World *world, const ManifoldBlocks *manifold, const Multiplier *multipliers, double h);

/* Fills what no pose changes of quads of manifolds [from, to): their bodies, quads->lanes and quads->points. */
typedef struct QuadFilling {
    PositionQuads *quads;
    const World *world;
    const PositionSolve *how;
} QuadFilling;

TeamWork manifold_quads_fill;

#endif
