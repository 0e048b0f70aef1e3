/* SPDX-License-Identifier: MIT */
/* The kernels for four units at a time, and what is stored of them. */
#include "solvers/position/contact_kernel.h"
#include "solvers/position/joint_kernel.h"
#include "solvers/position/stick_normals_kernel.h"
#include "solvers/position/stick_tangents_kernel.h"
#include "solvers/position/stick_velocity_kernel.h"

LANE_CHOICE(manifold_quads_fill)
long LANE_BODY(manifold_quads_fill)(void *context, int from, int to)
{
    const QuadFilling *job = context;
    const World *world = job->world;
    for (int q = from; q < to; q++) {
        ScheduleUnits *units = &job->quads->manifolds.quads[q];
        ManifoldLanes *lanes = &job->quads->lanes[q];
        const Block *block[LANES];
        for (int i = 0; i < LANES; i++) {
            const ManifoldBlocks *manifold = &world->manifolds[units->unit[i]];
            block[i] = &world->blocks[manifold->first];
            for (int k = 0; k < 2; k++)
                units->body[k][i] = manifold->body[k];
        }
        manifold_lanes(world, units->body[0], block, lanes);
        lanes->seat.any_anchored = units->count > 1; /* else a later point might be the first one */
        for (int n = 0; n < units->count; n++) {
            for (int i = 0; i < LANES; i++)
                block[i] = &world->blocks[manifold_contact(&world->manifolds[units->unit[i]], n)];
            point_places(block, job->how, &lanes->seat, &job->quads->points[units->first + n]);
        }
    }
    return 0;
}
