#include "solvers/position/position_quads.h"

#include "solvers/position/four_place.h"
#include "solvers/position/place.h"

#include <stdlib.h>

bool position_quads_reserve(PositionQuads *quads, const World *world)
{
    int manifolds = world->manifold_count, points = (world->block_count - world->joint_block_count) / 2;
    bool grows = manifolds > quads->manifolds.capacity || !quads->lanes;
    int room = grows ? 2 * manifolds : quads->manifolds.capacity; /* contacts come and go */
    if (!quad_colours_reserve(&quads->joints, world->joint_block_count, world->body_count) ||
        !quad_colours_reserve(&quads->manifolds, room, world->body_count) ||
        (grows && !quad_room_for((void **)&quads->lanes, room / QUAD_LEAST + 1, sizeof *quads->lanes)))
        return false;
    if (points <= quads->point_capacity && quads->points)
        return true;
    quads->point_capacity = 2 * points;
    return quad_room_for((void **)&quads->points, 2 * points / QUAD_LEAST + 1, sizeof *quads->points);
}

void position_quads_free(PositionQuads *quads)
{
    quad_colours_free(&quads->joints);
    quad_colours_free(&quads->manifolds);
    free(quads->lanes);
    free(quads->points);
}

static void units_set_bodies(QuadUnits *units, int i, const int body[2])
{
    for (int k = 0; k < 2; k++)
        units->body[k][i] = body[k];
}

static int joint_kind(const Block *block, bool whole)
{
    return block->kind == BLOCK_ATTACH && !whole ? JOINTS_ATTACH : block->kind == BLOCK_DISTANCE ? JOINTS_DISTANCE : 0;
}

void position_quads_set_joints(PositionQuads *quads, const World *world, const Colouring *colouring, bool whole)
{
    QuadColours *joints = &quads->joints;
    for (int b = 0; b < world->joint_block_count; b++)
        joints->kinds[b] = (unsigned char)(quads->four ? joint_kind(&world->blocks[b], whole) : 0);
    if (colouring)
        quad_colours_group(joints, &colouring->joints, colouring->joints.units, QUAD_LEAST);
    else
        quad_colours_joint_levels(joints, world, QUAD_LEAST);
    for (int q = 0; q < joints->quad_count; q++)
        for (int i = 0; i < QUAD; i++)
            units_set_bodies(&joints->quads[q], i, world->blocks[joints->quads[q].unit[i]].body);
}

typedef struct Filling {
    PositionQuads *quads;
    const World *world;
    const PositionSolve *how;
} Filling;

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
    const Filling *job = context;
    for (int m = from; m < to; m++)
        job->quads->manifolds.kinds[m] =
            (unsigned char)(job->quads->four ? manifold_kind(job->world, &job->world->manifolds[m]) : 0);
    return 0;
}

/* What position_contact_error adds to C beside the slop. */
static double wait_of(const Block *block, const PositionSolve *how)
{
    return block->recovers ? fmax(-block->seat->rest - how->push_speed * how->h, 0.0) : 0.0;
}

/* One number of each block, or seat; and where a vector of each stands. */
#define OF_BLOCKS(b, field) ((Wide){b[0]->field, b[1]->field, b[2]->field, b[3]->field})
#define IN_BLOCKS(b, field) ((const double *[]){&b[0]->field, &b[1]->field, &b[2]->field, &b[3]->field})

WIDE_INLINE void point_fill(const Block *const b[QUAD], const PositionSolve *how, PointPlaces *point, bool *anchored)
{
    const BlockSeat *const seat[QUAD] = {b[0]->seat, b[1]->seat, b[2]->seat, b[3]->seat};
    FourVec3 directions[2], anchor[2];
    four_gather_two(IN_BLOCKS(seat, anchor[0].x), anchor);
    four_gather_two(IN_BLOCKS(seat, normal[0].x), directions);
    point->normal = directions[0];
    point->tangent = directions[1];
    for (int k = 0; k < 2; k++)
        point->radius[k] = OF_BLOCKS(seat, radius[k]);
    point->wait = (Wide){wait_of(b[0], how), wait_of(b[1], how), wait_of(b[2], how), wait_of(b[3], how)};
    if (!*anchored && four_all(four_is_zero(anchor[0]) & four_is_zero(anchor[1])))
        return;
    *anchored = true;
    for (int k = 0; k < 2; k++)
        point->anchor[k] = anchor[k];
}

WIDE_INLINE void lanes_fill(const World *world, const QuadUnits *units, const Block *const b[QUAD],
                            ManifoldLanes *lanes)
{
    four_masses(world, units->body, &lanes->mass);
    lanes->carrier = OF_BLOCKS(b, carrier);
    lanes->friction = OF_BLOCKS(b, friction);
    lanes->restitution = OF_BLOCKS(b, restitution);
    WideMask along = (WideMask)(lanes->carrier == NORMAL_ALONG_CORES);
    lanes->any_carried = !four_all(along);
    lanes->any_along_cores = four_any(along);
    lanes->any_anchored = units->count > 1; /* else a later point might be the first one */
}

static WIDE_ALONE long fill_manifolds(void *context, int from, int to)
{
    const Filling *job = context;
    const World *world = job->world;
    for (int q = from; q < to; q++) {
        QuadUnits *units = &job->quads->manifolds.quads[q];
        ManifoldLanes *lanes = &job->quads->lanes[q];
        const Block *first[QUAD], *block[QUAD];
        for (int i = 0; i < QUAD; i++) {
            const ManifoldBlocks *manifold = &world->manifolds[units->unit[i]];
            units_set_bodies(units, i, manifold->body);
            first[i] = &world->blocks[manifold->first];
        }
        lanes_fill(world, units, first, lanes);
        for (int n = 0; n < units->count; n++) {
            PointPlaces *point = &job->quads->points[units->first + n];
            for (int i = 0; i < QUAD; i++)
                block[i] = &world->blocks[manifold_contact(&world->manifolds[units->unit[i]], n)];
            point_fill(block, job->how, point, &lanes->any_anchored);
        }
    }
    return 0;
}

void position_quads_set_manifolds(PositionQuads *quads, const World *world, const Colouring *colouring,
                                  const PositionSolve *how)
{
    Filling job = {quads, world, how};
    team_share(world->team, world->manifold_count, KINDS_LEAST, kinds_of_manifolds, &job);
    if (colouring)
        quad_colours_group(&quads->manifolds, &colouring->manifolds, colouring->manifolds.units, QUAD_LEAST);
    else
        quad_colours_levels(&quads->manifolds, world, QUAD_LEAST);
    if (wide_is_one_register() && quads->manifolds.quad_count > 0)
        team_share(world->team, quads->manifolds.quad_count, FILL_LEAST, fill_manifolds, &job);
}

bool position_quads_gain(const QuadColours *colours)
{
    return 2 * colours->quad_count > colours->rest_start[colours->count];
}
