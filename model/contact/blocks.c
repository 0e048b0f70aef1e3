/* SPDX-License-Identifier: MIT */
/* From contacts to building blocks and back: the cached impulse of a point is one vector, its normal part that of the
 * contact block, the rest that of the friction block. */
#include "model/contact.h"

#include "model/array.h"
#include "model/lanes/row.h"

#include <assert.h>
#include <stddef.h>

/* What all blocks of a manifold have in common. It is written into each, and not into one that is copied: a load waits
 * for smaller stores to the same place, and these for all that were made before. */
typedef struct Common {
    const Manifold *manifold;
    int index;
    Vec3 normal, tangent;
    bool rolls;
} Common;

static inline void set_common(Common *common, const World *world, int index)
{
    const Manifold *manifold = &world->contacts->manifolds[index];
    common->manifold = manifold;
    common->index = index;
    common->normal = manifold->normal;
    common->tangent = vec3_any_normal(manifold->normal);
    common->rolls = false;
    if (manifold->carrier == NORMAL_ALONG_CORES)
        return;
    int body[2] = {manifold->body1, manifold->body2}, collider[2] = {manifold->collider1, manifold->collider2};
    common->normal = quat_rotate_inverse(world->pose[body[manifold->carrier == NORMAL_ON_2]].q, manifold->normal);
    for (int i = 0; i < 2; i++) {
        ShapeKind kind = world->colliders[collider[i]].shape.kind;
        common->rolls = common->rolls || kind == SHAPE_CYLINDER || kind == SHAPE_ELLIPSOID;
    }
}

/* Anchors, radii and the gap of a point, which follow each other in both. */
enum { POINT_NUMBERS = 9 };
static_assert(offsetof(ContactPoint, gap) == offsetof(ContactPoint, anchor1) + (POINT_NUMBERS - 1) * sizeof(double) &&
                  offsetof(BlockSeat, rest) == offsetof(BlockSeat, anchor) + (POINT_NUMBERS - 1) * sizeof(double) &&
                  offsetof(ContactPoint, radius1) - offsetof(ContactPoint, anchor1) ==
                      offsetof(BlockSeat, radius) - offsetof(BlockSeat, anchor),
              "a seat has its point's numbers in their order");

/* A block of point i, or of all of the manifold's: then i is 0. */
static inline void set_block(World *world, const Common *common, int at, BlockKind kind, int contact, int i)
{
    const Manifold *manifold = common->manifold;
    world->blocks[at] = (Block){.kind = kind,
                                .joint = -1,
                                .body = {manifold->body1, manifold->body2, -1, -1},
                                .normal_block = contact,
                                .manifold = common->index,
                                .friction = manifold->friction,
                                .restitution = manifold->restitution,
                                .recovers = manifold->recovers[i],
                                .rolls = common->rolls,
                                .carrier = manifold->carrier,
                                .seat = world_contact_seat(world, contact)};
}

LANE_INLINE void set_seat(BlockSeat *seat, const Common *common, int i)
{
    const Manifold *manifold = common->manifold;
    const double *from = &manifold->point[i].anchor1.x;
    double *to = &seat->anchor[0].x;
    lanes_store(to, lanes_load(from));
    lanes_store(to + 4, lanes_load(from + 4));
    seat->rest = manifold->point[i].gap;
    seat->normal[0] = common->normal;
    seat->normal[1] = common->tangent;
    seat->patch_radius = manifold->patch_radius;
}

/* The blocks of point i: the normal's, and the friction's after it. */
LANE_INLINE void set_point(World *world, const Common *common, int at, int i)
{
    Vec3 n = common->manifold->normal, impulse = common->manifold->point[i].impulse;
    set_seat(world_contact_seat(world, at), common, i);
    set_block(world, common, at, BLOCK_CONTACT, at, i);
    set_block(world, common, at + 1, BLOCK_FRICTION, at, i);
    double along = vec3_dot(n, impulse);
    world->block_impulse[at] = vec3_scale(along, n);
    world->block_impulse[at + 1] = vec3_add_scaled(impulse, -along, n);
}

/* The blocks of manifold `index`, from block `first` on. */
LANE_INLINE void set_blocks(World *world, int index, int first)
{
    const Manifold *manifold = &world->contacts->manifolds[index];
    int torsion = manifold->patch_radius != 0.0 ? first + 2 * manifold->count : -1;
    world->manifolds[index] = (ManifoldBlocks){{manifold->body1, manifold->body2}, first, manifold->count, torsion};
    Common common;
    set_common(&common, world, index);
    for (int i = 0; i < manifold->count; i++)
        set_point(world, &common, manifold_contact(&world->manifolds[index], i), i);
    if (torsion < 0)
        return;
    set_block(world, &common, torsion, BLOCK_TORSION, first, 0);
    world->block_impulse[torsion] = manifold->torsion;
}

/* Manifolds that are worth a thread's while. */
enum { MANIFOLDS_LEAST = 64 };

/* The manifolds in parts, whose blocks are counted before they are filled: where a part's blocks begin does not depend
 * on who fills them. */
typedef struct BlockParts {
    World *world;
    int manifolds, parts;
    int blocks[TEAM_MOST + 1]; /* of each part; then where they begin */
} BlockParts;

static long parts_count(void *context, int from, int to)
{
    BlockParts *parts = context;
    for (int p = from; p < to; p++) {
        PartRange range = part_range(parts->manifolds, p, parts->parts);
        int blocks = 0;
        for (int m = range.from; m < range.to; m++)
            blocks += manifold_block_count(&parts->world->contacts->manifolds[m]);
        parts->blocks[p] = blocks;
    }
    return 0;
}

LANE_VERSIONS static long parts_fill(void *context, int from, int to)
{
    const BlockParts *parts = context;
    for (int p = from; p < to; p++) {
        PartRange range = part_range(parts->manifolds, p, parts->parts);
        int at = parts->blocks[p];
        for (int m = range.from; m < range.to; m++) {
            set_blocks(parts->world, m, at);
            at += manifold_block_count(&parts->world->contacts->manifolds[m]);
        }
    }
    return 0;
}

bool contacts_add_blocks(World *world)
{
    int manifolds = (int)world->contacts->manifold_count;
    BlockParts parts = {
        .world = world, .manifolds = manifolds, .parts = team_parts(world->team, manifolds, MANIFOLDS_LEAST)};
    if (parts.parts > 1)
        team_share(world->team, parts.parts, 1, parts_count, &parts);
    for (int p = 0, sum = world->joint_block_count; p < parts.parts; p++) {
        int blocks = parts.blocks[p];
        parts.blocks[p] = sum;
        sum += blocks;
    }
    world->contacts->detection++;
    world->block_count = world->joint_block_count;
    world->manifold_count = 0;
    if (manifolds == 0)
        return true;
    int blocks = (int)world->contacts->block_count;
    if (!world_add_manifolds(world, manifolds) || !world_add_blocks(world, blocks) ||
        !lines_reserve_anew((void **)&world->seats, &world->seat_capacity, sizeof *world->seats,
                            (size_t)(blocks + 1) / 2))
        return false;
    team_share(world->team, parts.parts, 1, parts_fill, &parts);
    return true;
}

static long store_part(void *context, int from, int to)
{
    World *world = context;
    for (int m = from; m < to; m++) {
        const ManifoldBlocks *blocks = &world->manifolds[m];
        Manifold *manifold = &world->contacts->manifolds[m];
        for (int i = 0; i < blocks->count; i++)
            manifold->point[i].impulse = vec3_add(world->block_impulse[manifold_contact(blocks, i)],
                                                  world->block_impulse[manifold_friction(blocks, i)]);
        if (blocks->torsion >= 0)
            manifold->torsion = world->block_impulse[blocks->torsion];
    }
    return 0;
}

void contacts_store_impulses(World *world)
{
    team_share(world->team, world->manifold_count, MANIFOLDS_LEAST, store_part, world);
}
