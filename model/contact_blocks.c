/* From contacts to building blocks and back: the cached impulse of a point is one vector, its normal part that of the
 * contact block, the rest that of the friction block. */
#include "model/contact.h"

/* A cylinder's axis in its internal frame; zero for every other shape. */
static Vec3 rolling_axis(const World *world, int body)
{
    if (world->bodies[body].shape.kind != SHAPE_CYLINDER)
        return VEC3_ZERO;
    return quat_rotate_inverse(world->principal[body], vec3(0, 1, 0));
}

static Block *add_block(World *world, BlockKind kind, const Manifold *manifold, const ContactPoint *point)
{
    Block *block = world_add_block(world);
    if (!block)
        return NULL;
    int body[2] = {manifold->body1, manifold->body2};
    block->kind = kind;
    block->joint = -1;
    block->anchor[0] = point->anchor1;
    block->anchor[1] = point->anchor2;
    block->radius[0] = point->radius1;
    block->radius[1] = point->radius2;
    block->rest = point->gap;
    block->recovers = point->recovers;
    for (int i = 0; i < 2; i++) {
        block->body[i] = body[i];
        block->body[i + 2] = -1;
        block->axis[i] = manifold->carrier == NORMAL_ALONG_CORES ? VEC3_ZERO : rolling_axis(world, body[i]);
    }
    block->carrier = manifold->carrier;
    block->normal[0] = manifold->normal;
    if (manifold->carrier != NORMAL_ALONG_CORES)
        block->normal[0] = quat_rotate_inverse(world->pose[body[manifold->carrier == NORMAL_ON_2]].q, manifold->normal);
    block->normal[1] = vec3_any_normal(manifold->normal);
    block->friction = manifold->friction;
    block->restitution = manifold->restitution;
    block->patch_radius = manifold->patch_radius;
    block->normal_count = 1;
    return block;
}

static bool add_point(World *world, const Manifold *manifold, const ContactPoint *point)
{
    int first = world->block_count;
    if (!add_block(world, BLOCK_CONTACT, manifold, point))
        return false;
    Block *friction = add_block(world, BLOCK_FRICTION, manifold, point);
    if (!friction)
        return false;
    friction->normal_block = world->blocks[first].normal_block = first;
    double along = vec3_dot(manifold->normal, point->impulse);
    world->block_impulse[first] = vec3_scale(along, manifold->normal);
    world->block_impulse[first + 1] = vec3_add_scaled(point->impulse, -along, manifold->normal);
    return true;
}

bool contacts_add_blocks(World *world)
{
    const Contacts *contacts = world->contacts;
    world->block_count = world->joint_block_count;
    for (size_t m = 0; m < contacts->manifold_count; m++) {
        const Manifold *manifold = &contacts->manifolds[m];
        int first = world->block_count;
        for (int i = 0; i < manifold->count; i++)
            if (!add_point(world, manifold, &manifold->point[i]))
                return false;
        if (manifold->patch_radius > 0.0) {
            Block *torsion = add_block(world, BLOCK_TORSION, manifold, &manifold->point[0]);
            if (!torsion)
                return false;
            torsion->normal_block = first;
            torsion->normal_count = manifold->count;
            world->block_impulse[world->block_count - 1] = manifold->torsion;
        }
    }
    return true;
}

void contacts_store_impulses(World *world)
{
    Contacts *contacts = world->contacts;
    int b = world->joint_block_count;
    for (size_t m = 0; m < contacts->manifold_count; m++) {
        Manifold *manifold = &contacts->manifolds[m];
        for (int i = 0; i < manifold->count; i++, b += 2)
            manifold->point[i].impulse = vec3_add(world->block_impulse[b], world->block_impulse[b + 1]);
        if (manifold->patch_radius > 0.0)
            manifold->torsion = world->block_impulse[b++];
    }
}
