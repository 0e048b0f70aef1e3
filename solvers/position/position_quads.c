/* SPDX-License-Identifier: MIT */
#include "solvers/position/position_quads.h"

#include "solvers/position/unit.h"

bool position_quads_reserve(PositionQuads *quads, const World *world)
{
    int manifolds = world->manifold_count, points = (world->block_count - world->joint_block_count) / 2;
    return schedule_reserve(&quads->joints, world->joint_block_count, world->body_count) &&
           schedule_reserve(&quads->manifolds, manifolds, world->body_count) &&
           SCHEDULE_LANES(quads->lanes, quads->lane_capacity, manifolds / QUAD_LEAST + 1) &&
           SCHEDULE_LANES(quads->points, quads->point_capacity, points / QUAD_LEAST + 1);
}

void position_quads_free(PositionQuads *quads)
{
    schedule_free(&quads->joints);
    schedule_free(&quads->manifolds);
    lines_free(quads->lanes);
    lines_free(quads->points);
}

void position_quads_set_joints(PositionQuads *quads, const World *world, bool by_colour, bool whole)
{
    Schedule *joints = &quads->joints;
    for (int b = 0; b < world->joint_block_count; b++)
        joints->kinds[b] = (unsigned char)(quads->four ? position_joint_kind(&world->blocks[b], whole) : JOINTS_OTHER);
    (by_colour ? schedule_by_colour : schedule_by_levels)(joints, world, SCHEDULE_JOINTS, QUAD_LEAST);
    for (int q = 0; q < joints->quad_count; q++) {
        ScheduleUnits *quad = &joints->quads[q];
        for (int i = 0; i < 2 * QUAD; i++)
            quad->body[i / QUAD][i % QUAD] = world->blocks[quad->unit[i % QUAD]].body[i / QUAD];
    }
}

/* Units, or quads, that are worth a thread's while. */
enum { KINDS_LEAST = 256, FILL_LEAST = 32 };

/* A manifold's kind is the number of its points. */
static int manifold_kind(const World *world, const ManifoldBlocks *manifold)
{
    const Block *block = &world->blocks[manifold->first];
    return manifold->torsion >= 0 || block->off || block->rolls ? 0 : manifold->count;
}

static long kinds_of_manifolds(void *context, int from, int to)
{
    const QuadFilling *job = context;
    for (int m = from; m < to; m++)
        job->quads->manifolds.kinds[m] =
            (unsigned char)(job->quads->four ? manifold_kind(job->world, &job->world->manifolds[m]) : 0);
    return 0;
}

void position_quads_set_manifolds(PositionQuads *quads, const World *world, bool by_colour, const PositionSolve *how)
{
    QuadFilling job = {quads, world, how};
    team_share(world->team, world->manifold_count, KINDS_LEAST, kinds_of_manifolds, &job);
    (by_colour ? schedule_by_colour : schedule_by_levels)(&quads->manifolds, world, SCHEDULE_MANIFOLDS, QUAD_LEAST);
    team_share(world->team, quads->manifolds.quad_count, FILL_LEAST, manifold_quads_fill, &job);
}

bool position_quads_gain(const Schedule *colours)
{
    return 2 * colours->quad_count > colours->rest_start[colours->count];
}
