#include "solvers/rows/row_schedule.h"

#include "solvers/rows/contact_rows.h"
#include "solvers/rows/joint_quads.h"
#include "solvers/rows/point_lanes.h"

#include <stdlib.h>

/* Manifolds of a quad at least: four at once take little longer than one by itself. */
enum { CONTACTS_LEAST = 2 };

static bool joints_reserve(RowSchedule *quads, const World *world, int joints)
{
    bool grows = joints > quads->joints.capacity || !quads->joint_lanes;
    return schedule_reserve(&quads->joints, joints, world->body_count) &&
           (!grows ||
            schedule_room_for((void **)&quads->joint_lanes, joints / QUAD_LEAST + 1, sizeof *quads->joint_lanes));
}

/* Contacts come and go: with room for twice as many. */
static bool manifolds_reserve(RowSchedule *quads, const World *world, int manifolds)
{
    bool grows = manifolds > quads->manifolds.capacity || !quads->inverses;
    int room = grows ? 2 * manifolds : quads->manifolds.capacity, most = room / CONTACTS_LEAST + 1;
    return schedule_reserve(&quads->manifolds, room, world->body_count) &&
           (!grows || schedule_room_for((void **)&quads->inverses, most, sizeof *quads->inverses));
}

static bool points_reserve(RowSchedule *quads, int points)
{
    if (points <= quads->point_capacity && quads->points)
        return true;
    quads->point_capacity = 2 * points;
    return schedule_room_for((void **)&quads->points, 2 * points / CONTACTS_LEAST + 1, sizeof *quads->points);
}

bool row_schedule_reserve(RowSchedule *quads, const World *world)
{
    int points = (world->block_count - world->joint_block_count) / 2; /* of two blocks each */
    return joints_reserve(quads, world, world->joint_block_count) &&
           manifolds_reserve(quads, world, world->manifold_count) && points_reserve(quads, points);
}

void row_schedule_free(RowSchedule *quads)
{
    schedule_free(&quads->joints);
    schedule_free(&quads->manifolds);
    free(quads->joint_lanes);
    free(quads->points);
    free(quads->inverses);
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
