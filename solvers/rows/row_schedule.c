/* SPDX-License-Identifier: MIT */
#include "solvers/rows/row_schedule.h"

#include "solvers/rows/contact_rows.h"
#include "solvers/rows/joint_quads.h"
#include "solvers/rows/point_lanes.h"

/* Manifolds of a quad at least: four at once take little longer than one by itself. */
enum { CONTACTS_LEAST = 2 };

bool row_schedule_reserve(RowSchedule *quads, const World *world)
{
    int joints = world->joint_block_count, manifolds = world->manifold_count;
    int points = (world->block_count - joints) / 2; /* of two blocks each */
    return schedule_reserve(&quads->joints, joints, world->body_count) &&
           schedule_reserve(&quads->manifolds, manifolds, world->body_count) &&
           SCHEDULE_LANES(quads->joint_lanes, quads->joint_capacity, joints / QUAD_LEAST + 1) &&
           SCHEDULE_LANES(quads->inverses, quads->inverse_capacity, manifolds / CONTACTS_LEAST + 1) &&
           SCHEDULE_LANES(quads->points, quads->point_capacity, points / CONTACTS_LEAST + 1);
}

void row_schedule_free(RowSchedule *quads)
{
    schedule_free(&quads->joints);
    schedule_free(&quads->manifolds);
    lines_free(quads->joint_lanes);
    lines_free(quads->points);
    lines_free(quads->inverses);
}

/* Units that are worth a thread's while. */
enum { KINDS_LEAST = 256 };

/* A manifold's is the number of its points. */
static int manifold_kind(const World *world, const RowSetup *setup, int unit)
{
    const ManifoldBlocks *manifold = &world->manifolds[unit];
    bool usual = law_follows_load(setup->friction) && !setup->part;
    bool by_sets = setup->manifold && setup->enumerate && manifold->count > 1;
    if (!usual || by_sets || manifold->torsion >= 0)
        return 0;
    const Block *block = &world->blocks[manifold->first];
    for (int i = 1; setup->some_off && i < manifold->count; i++)
        if (world->blocks[manifold_contact(manifold, i)].off)
            return 0;
    return block->friction > 0.0 && !block->off ? manifold->count : 0;
}

/* What a team shares. */
typedef struct Kinds {
    unsigned char *kinds;
    const World *world;
    const RowSetup *setup;
} Kinds;

static long kinds_of_manifolds(void *context, int from, int to)
{
    const Kinds *job = context;
    for (int unit = from; unit < to; unit++)
        job->kinds[unit] = (unsigned char)manifold_kind(job->world, job->setup, unit);
    return 0;
}

/* Manifolds for which it is worth while to look who can stand beside whom. */
enum { LINE_UP_LEAST = 4 };

void row_schedule_manifolds(RowSchedule *quads, const World *world, const RowSetup *setup, bool by_colour)
{
    Kinds job = {.kinds = quads->manifolds.kinds, .world = world, .setup = setup};
    team_share(world->team, world->manifold_count, KINDS_LEAST, kinds_of_manifolds, &job);
    if (by_colour)
        schedule_by_colour(&quads->manifolds, world, SCHEDULE_MANIFOLDS, CONTACTS_LEAST);
    else if (world->manifold_count < LINE_UP_LEAST)
        schedule_plain(&quads->manifolds, world->manifold_count);
    else
        schedule_by_list(&quads->manifolds, world, CONTACTS_LEAST);
}
