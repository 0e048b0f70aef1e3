#include "solvers/rows/quad.h"

#include "solvers/rows/contact_rows.h"
#include "solvers/rows/joint_quads.h"
#include "solvers/rows/quad_lanes.h"

#include <stdlib.h>

static bool joints_reserve(RowQuads *quads, const World *world, int joints)
{
    bool grows = joints > quads->joints.capacity || !quads->joint_lanes;
    return quad_colours_reserve(&quads->joints, joints, world->body_count) &&
           (!grows || quad_room_for((void **)&quads->joint_lanes, joints / QUAD_LEAST + 1, sizeof *quads->joint_lanes));
}

/* Contacts come and go: with room for twice as many. */
static bool manifolds_reserve(RowQuads *quads, const World *world, int manifolds)
{
    bool grows = manifolds > quads->manifolds.capacity || !quads->inverses;
    int room = grows ? 2 * manifolds : quads->manifolds.capacity, most = room / QUAD_LEAST + 1;
    return quad_colours_reserve(&quads->manifolds, room, world->body_count) &&
           (!grows || quad_room_for((void **)&quads->inverses, most, sizeof *quads->inverses));
}

static bool points_reserve(RowQuads *quads, int points)
{
    if (points <= quads->point_capacity && quads->points)
        return true;
    quads->point_capacity = 2 * points;
    return quad_room_for((void **)&quads->points, 2 * points / QUAD_LEAST + 1, sizeof *quads->points);
}

bool row_quads_reserve(RowQuads *quads, const World *world, bool joints)
{
    int points = (world->block_count - world->joint_block_count) / 2; /* of two blocks each */
    return joints_reserve(quads, world, joints ? world->joint_block_count : 0) &&
           manifolds_reserve(quads, world, world->manifold_count) && points_reserve(quads, points);
}

void row_quads_free(RowQuads *quads)
{
    quad_colours_free(&quads->joints);
    quad_colours_free(&quads->manifolds);
    free(quads->joint_lanes);
    free(quads->points);
    free(quads->inverses);
}

/* Units that are worth a thread's while. */
enum { KINDS_LEAST = 256 };

/* A manifold's is the number of its points. */
static int manifold_kind(const World *world, const RowSetup *setup, int unit)
{
    const ManifoldBlocks *manifold = manifold_at(world, setup, unit);
    bool usual = (setup->friction == FRICTION_DISC || setup->friction == FRICTION_CONE) && !setup->part;
    bool apart = setup->manifold ? setup->friction_first || setup->enumerate : setup->normals_first;
    if (!usual || (apart && manifold->count > 1) || manifold->torsion >= 0)
        return 0;
    const Block *block = &world->blocks[manifold->first];
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

static void set_manifold_kinds(RowQuads *quads, const World *world, const RowSetup *setup)
{
    Kinds job = {.kinds = quads->manifolds.kinds, .world = world, .setup = setup};
    team_share(world->team, world->manifold_count, KINDS_LEAST, kinds_of_manifolds, &job);
}

void row_quads_set_colours(RowQuads *quads, const Colouring *colouring, const World *world, const RowSetup *setup)
{
    set_manifold_kinds(quads, world, setup);
    quad_colours_group(&quads->manifolds, &colouring->manifolds, NULL, QUAD_LEAST);
}

bool row_quads_set_list(RowQuads *quads, const World *world, const RowSetup *setup)
{
    set_manifold_kinds(quads, world, setup);
    quad_colours_list(&quads->manifolds, world, QUAD_LEAST);
    int quad_count = quads->manifolds.quad_count, rest = quads->manifolds.rest_start[quads->manifolds.count];
    return 2 * quad_count > rest;
}
