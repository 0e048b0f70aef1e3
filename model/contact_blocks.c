/* From contacts to building blocks and back: the cached impulse of a point is one vector, its normal part that of the
 * contact block, the rest that of the friction block. */
#include "model/contact.h"

#include "model/cache.h"

#include <string.h>

/* A cylinder's axis in its internal frame; zero for every other shape. */
static Vec3 rolling_axis(const World *world, int body)
{
    if (world->bodies[body].shape.kind != SHAPE_CYLINDER)
        return VEC3_ZERO;
    return quat_rotate_inverse(world->principal[body], vec3(0, 1, 0));
}

/* In two halves: these go through registers, where the compiler makes a string copy of the whole, which is slow to
 * begin. */
static inline void block_copy(Block *to, const Block *from)
{
    enum { HALF = sizeof(Block) / 2 };
    memcpy(to, from, HALF);
    memcpy((char *)to + HALF, (const char *)from + HALF, sizeof(Block) - HALF);
}

/* What all blocks of a manifold have in common. */
static void set_common(Block *block, const World *world, const Manifold *manifold, int index)
{
    static const Block any = {.joint = -1,
                              .body = {-1, -1, -1, -1},
                              .lower = -INFINITY,
                              .upper = INFINITY,
                              .stiffness = NAN,
                              .max_force = INFINITY};
    int body[2] = {manifold->body1, manifold->body2};
    block_copy(block, &any);
    block->body[0] = body[0];
    block->body[1] = body[1];
    block->carrier = manifold->carrier;
    block->normal[0] = manifold->normal;
    block->normal[1] = vec3_any_normal(manifold->normal);
    block->manifold = index;
    block->friction = manifold->friction;
    block->restitution = manifold->restitution;
    block->patch_radius = manifold->patch_radius;
    if (manifold->carrier == NORMAL_ALONG_CORES)
        return;
    block->normal[0] = quat_rotate_inverse(world->pose[body[manifold->carrier == NORMAL_ON_2]].q, manifold->normal);
    for (int i = 0; i < 2; i++)
        block->axis[i] = rolling_axis(world, body[i]);
}

/* A block of one of its points. */
static void set_block(Block *block, const Block *common, BlockKind kind, int normal_block, const ContactPoint *point)
{
    block_copy(block, common);
    block->kind = kind;
    block->normal_block = normal_block;
    block->anchor[0] = point->anchor1;
    block->anchor[1] = point->anchor2;
    block->radius[0] = point->radius1;
    block->radius[1] = point->radius2;
    block->rest = point->gap;
    block->recovers = point->recovers;
}

/* The normal's block and the friction's after it. */
static void set_point(World *world, const Block *common, const Manifold *manifold, int at, const ContactPoint *point)
{
    set_block(&world->blocks[at], common, BLOCK_CONTACT, at, point);
    set_block(&world->blocks[at + 1], common, BLOCK_FRICTION, at, point);
    double along = vec3_dot(manifold->normal, point->impulse);
    world->block_impulse[at] = vec3_scale(along, manifold->normal);
    world->block_impulse[at + 1] = vec3_add_scaled(point->impulse, -along, manifold->normal);
}

static int manifold_block_count(const Manifold *manifold)
{
    return 2 * manifold->count + (manifold->patch_radius != 0.0);
}

/* The blocks of manifold `index`, from block `first` on. */
static void set_blocks(World *world, int index, int first)
{
    const Manifold *manifold = &world->contacts->manifolds[index];
    int torsion = manifold->patch_radius != 0.0 ? first + 2 * manifold->count : -1;
    world->manifolds[index] = (ManifoldBlocks){{manifold->body1, manifold->body2}, first, manifold->count, torsion};
    Block common;
    set_common(&common, world, manifold, index);
    for (int i = 0; i < manifold->count; i++)
        set_point(world, &common, manifold, manifold_contact(&world->manifolds[index], i), &manifold->point[i]);
    if (torsion < 0)
        return;
    set_block(&world->blocks[torsion], &common, BLOCK_TORSION, first, &manifold->point[0]);
    world->block_impulse[torsion] = manifold->torsion;
}

/* Manifolds that are worth a thread's while. */
enum { MANIFOLDS_LEAST = 64 };

/* Blocks of a manifold's points, at most. */
enum { POINT_BLOCKS = 2 * MANIFOLD_MAX };

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

static long parts_fill(void *context, int from, int to)
{
    const BlockParts *parts = context;
    for (int p = from; p < to; p++) {
        PartRange range = part_range(parts->manifolds, p, parts->parts);
        int at = parts->blocks[p];
        for (int m = range.from; m < range.to; m++) {
            /* Of the next manifold, which begins no later. */
            cache_expect(&parts->world->blocks[at + POINT_BLOCKS], POINT_BLOCKS * sizeof(Block));
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
    team_share(world->team, parts.parts, 1, parts_count, &parts);
    int sum = world->joint_block_count;
    for (int p = 0; p < parts.parts; p++) {
        int blocks = parts.blocks[p];
        parts.blocks[p] = sum;
        sum += blocks;
    }
    world->block_count = world->joint_block_count;
    world->manifold_count = 0;
    if (manifolds == 0)
        return true;
    if (!world_add_manifolds(world, manifolds) || !world_add_blocks(world, sum - world->joint_block_count))
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
