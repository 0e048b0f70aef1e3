/* SPDX-License-Identifier: MIT */
#include "solvers/truth/impact_pairs.h"

#include "model/array.h"
#include "model/contact.h"

#include <stdlib.h>

/* Rows for that many pairs make a matrix of 32 MB, should all of them touch at once. */
enum { IMPACT_MAX_PAIRS = 2000 };

static ShapeKind shape_of(const World *world, int body)
{
    return world->bodies[body].shape.kind;
}

/* The pairs that may touch; -1 with a message if there are too many. */
static int pairs_count(const World *world, Status *status)
{
    int count = 0;
    for (int i = 1; i < world->body_count; i++)
        for (int k = i + 1; k < world->body_count; k++) {
            if (!contacts_may_touch(world, i, k))
                continue;
            if (++count <= IMPACT_MAX_PAIRS)
                continue;
            status_set(status, STATUS_UNSUPPORTED,
                       "solver reference cannot run this scene: more than %d pairs of bodies may touch",
                       IMPACT_MAX_PAIRS);
            return -1;
        }
    return count;
}

/* A point of the plane, and its normal, in the body's internal frame. */
static void plane_in_body(const World *world, int body, Vec3 *point, Vec3 *normal)
{
    const Shape *shape = &world->bodies[body].shape;
    *normal = quat_rotate_inverse(world->principal[body], shape->normal);
    *point = vec3_scale(shape->offset, *normal);
}

/* n points from body 1 to body 2. */
static Block pair_block(const World *world, int one, int two, BlockSeat *seat)
{
    Block block = {.kind = BLOCK_CONTACT, .joint = -1, .body = {one, two, -1, -1}, .seat = seat};
    block.carrier = NORMAL_ALONG_CORES;
    block.restitution = contacts_restitution(world, one, two);
    seat->normal[0] = vec3(0, 1, 0); /* of two centres at one place */
    seat->normal[1] = vec3(1, 0, 0);
    for (int side = 0; side < 2; side++) {
        int body = block.body[side];
        if (shape_of(world, body) == SHAPE_SPHERE) {
            seat->radius[side] = world->bodies[body].shape.radius;
            continue;
        }
        plane_in_body(world, body, &seat->anchor[side], &seat->normal[0]);
        block.carrier = side ? NORMAL_ON_2 : NORMAL_ON_1;
        if (side == 1)
            seat->normal[0] = vec3_negate(seat->normal[0]);
    }
    return block;
}

bool impact_pairs_init(ImpactPairs *pairs, const World *world, Status *status)
{
    int joints = world->joint_block_count, next = joints;
    *pairs = (ImpactPairs){.count = pairs_count(world, status)};
    if (pairs->count < 0)
        return false;
    size_t blocks = (size_t)(joints + pairs->count) + 1;
    pairs->blocks = lines_grow(NULL, 0, blocks * sizeof *pairs->blocks);
    if (!pairs->blocks || !NEW_ARRAY(pairs->seats, blocks) || !NEW_ARRAY(pairs->impulses, blocks))
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 1; i < world->body_count && pairs->count > 0; i++)
        for (int k = i + 1; k < world->body_count; k++)
            if (contacts_may_touch(world, i, k)) {
                pairs->blocks[next] = pair_block(world, i, k, &pairs->seats[next - joints]);
                next++;
            }
    return true;
}

void impact_pairs_free(ImpactPairs *pairs)
{
    lines_free(pairs->blocks);
    free(pairs->seats);
    free(pairs->impulses);
}

World *impact_pairs_enter(ImpactPairs *pairs, const World *world)
{
    int joints = world->joint_block_count;
    World *stage = &pairs->stage;
    *stage = *world;
    for (int b = 0; b < joints; b++)
        pairs->blocks[b] = world->blocks[b];
    stage->blocks = pairs->blocks;
    stage->block_impulse = pairs->impulses;
    /* All of them are rows like the joints': there is no friction that goes with a contact. */
    stage->block_count = stage->joint_block_count = stage->block_capacity = joints + pairs->count;
    stage->manifold_count = 0;
    for (int b = joints; b < stage->block_count; b++)
        pairs->blocks[b].off = world->removed[pairs->blocks[b].body[0]] || world->removed[pairs->blocks[b].body[1]];
    return stage;
}

static Vec3 pair_impulse(const World *stage, int joints, const Block *contact)
{
    for (int b = joints; b < stage->block_count; b++)
        if (stage->blocks[b].body[0] == contact->body[0] && stage->blocks[b].body[1] == contact->body[1])
            return stage->block_impulse[b];
    return VEC3_ZERO;
}

void impact_pairs_leave(const ImpactPairs *pairs, World *world)
{
    const World *stage = &pairs->stage;
    int joints = world->joint_block_count;
    world->torque_work = stage->torque_work;
    for (int b = 0; b < joints; b++)
        world->block_impulse[b] = stage->block_impulse[b];
    for (int b = joints; b < world->block_count; b++)
        world->block_impulse[b] =
            world->blocks[b].kind == BLOCK_CONTACT ? pair_impulse(stage, joints, &world->blocks[b]) : VEC3_ZERO;
}
