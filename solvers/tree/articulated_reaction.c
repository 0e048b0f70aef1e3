/* SPDX-License-Identifier: MIT */
/* What the joints of a tree carry, as impulses of their building blocks: the wrench F that a joint gives its link, on
 * the joint's second body at that body's anchor, split among the blocks by what each can carry. */
#include "solvers/tree/articulated.h"

#include "solvers/tree/articulated_law.h"

/* The directions that a block can carry of a force or torque `part`; a is the joint's axis. */
static Vec3 block_share(const World *world, const Block *block, Vec3 part, Vec3 a)
{
    Vec3 along = a;
    if (block->kind == BLOCK_TWIST || block->kind == BLOCK_SWING) {
        BlockError error;
        block_error(world, block, &error);
        along = error.active ? vec3_unit(error.gradient) : VEC3_ZERO;
    }
    Vec3 axial = vec3_scale(vec3_dot(along, part), along);
    if (block->kind == BLOCK_SLIDE || block->kind == BLOCK_TWIST || block->kind == BLOCK_SWING)
        return axial;
    return block->kind == BLOCK_GUIDE || block->kind == BLOCK_ALIGN ? vec3_sub(part, axial) : part;
}

static bool block_is_law(const Block *block)
{
    const LawRow *law = block_terms(block)->law;
    return law && law_row_is_linear(law);
}

/* Along its free directions a joint with laws carries what they give: the first of their blocks has it. */
static bool block_carries(const Joint *joint, const World *world, int b)
{
    const Block *block = &world->blocks[b];
    bool free = block_is_limit(block) || block_terms(block)->law;
    for (int i = joint->first_block; i < b && block_is_law(block); i++)
        if (block_is_law(&world->blocks[i]))
            return false;
    return !free || block_is_law(block);
}

void link_add_reaction(const Link *link, const World *world, double share, Vec3 *impulse)
{
    const Joint *joint = &world->joints[link->joint];
    Vec3 force = vec3(link->moves->F[3], link->moves->F[4], link->moves->F[5]);
    Vec3 torque =
        vec3_sub(vec3(link->moves->F[0], link->moves->F[1], link->moves->F[2]), vec3_cross(link->at->arm, force));
    if (link->reversed) {
        Vec3 span = vec3_sub(world_point(world, link->body, link->anchors->own),
                             world_point(world, link->parent_body, link->anchors->parent));
        torque = vec3_negate(vec3_add(torque, vec3_cross(span, force)));
        force = vec3_negate(force);
    }
    Vec3 a = quat_rotate(world->pose[joint->def.body[0]].q, joint->axis[0]);
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++) {
        const Block *block = &world->blocks[b];
        if (joint->law_rows && !block_carries(joint, world, b))
            continue;
        Vec3 part = block_share(world, block, block_unit(block->kind) == UNIT_ANGLE ? torque : force, a);
        impulse[b] = vec3_add_scaled(impulse[b], share, part);
    }
}
