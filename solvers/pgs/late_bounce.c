/* SPDX-License-Identifier: MIT */
#include "solvers/pgs/late_bounce.h"

#include "solvers/rows/contact_rows.h"

#include <stdlib.h>
#include <string.h>

bool late_bounce_reserve(LateBounce *bounce, const World *world)
{
    if (!bounce->before)
        bounce->before = calloc((size_t)world->body_count, sizeof *bounce->before);
    return bounce->before && point_memory_reserve(&bounce->pushed, world, sizeof(bool));
}

void late_bounce_free(LateBounce *bounce)
{
    free(bounce->before);
    point_memory_free(&bounce->pushed);
}

void late_bounce_begin_frame(LateBounce *bounce, const World *world)
{
    memcpy(bounce->before, world->velocity, sizeof *bounce->before * (size_t)world->body_count);
    bounce->pushed.count = 0;
}

/* Contact points in the order of the blocks, which the memory of points has; NULL at other blocks. */
static ContactRow *point_row(const RowSystem *system, const World *world, int b)
{
    return world->blocks[b].kind == BLOCK_CONTACT ? &system->contacts[system->packed[b]] : NULL;
}

bool late_bounce_awaits(LateBounce *bounce, const World *world)
{
    for (int m = 0; m < world->manifold_count; m++)
        if (world->blocks[world->manifolds[m].first].restitution != 0.0)
            return true;
    bounce->pushed.count = 0;
    return false;
}

void late_bounce_note(LateBounce *bounce, const RowSystem *system, const World *world)
{
    point_memory_match(&bounce->pushed, world);
    for (int b = world->joint_block_count, point = 0; b < world->block_count; b++) {
        const ContactRow *row = point_row(system, world, b);
        if (!row)
            continue;
        bool *pushed = point_memory_at(&bounce->pushed, point++);
        *pushed = *pushed || (row->count > 0 && row->lambda[0] > 0.0);
    }
}

int late_bounce_apply(const LateBounce *bounce, RowSystem *system, const World *world, double threshold)
{
    int rows = 0;
    for (int b = world->joint_block_count, point = 0; b < world->block_count; b++) {
        ContactRow *row = point_row(system, world, b);
        if (!row)
            continue;
        bool pushed = *(const bool *)point_memory_at(&bounce->pushed, point++);
        double e = world->blocks[row->block].restitution;
        if (row->count == 0 || !pushed || e == 0.0)
            continue;
        double before = contact_row_approach(row, bounce->before);
        if (before >= -threshold)
            continue;
        contact_row_bounce(row, e * before, world->velocity);
        rows++;
    }
    return rows;
}
