/* SPDX-License-Identifier: MIT */
#include "model/contact/stiction.h"

#include "model/contact.h"
#include "model/contact/block_contact.h"

static bool world_has_stiction(const World *world)
{
    for (int i = 0; i < world->material_count; i++)
        if (world->materials[i].static_friction > world->materials[i].friction)
            return true;
    return false;
}

/* m/s, of body 2's surface over body 1's. */
static double point_slip(const World *world, const Block *contact)
{
    ContactFrame f = contact_frame(world, contact);
    int one = contact->body[0], two = contact->body[1];
    Vec3 slip = vec3_sub(world_point_velocity(world, two, vec3_sub(f.at[1], world->pose[two].x)),
                         world_point_velocity(world, one, vec3_sub(f.at[0], world->pose[one].x)));
    return vec3_norm(vec3_add_scaled(slip, -vec3_dot(slip, f.n), f.n));
}

/* m/s^2: gravity's, or what stands for it where there is none. */
static double world_weight(const World *world)
{
    double g = vec3_norm(world->gravity), pace = world_pace(world);
    return g > 0.0 ? g : pace * pace / world->length_scale;
}

/* All points of a pair stick or slide together, as do its patch's spin and slip. */
static void manifold_set_stiction(World *world, const Manifold *manifold, const ManifoldBlocks *blocks, double speed)
{
    double fastest = 0.0;
    for (int i = 0; i < blocks->count; i++)
        fastest = fmax(fastest, point_slip(world, &world->blocks[manifold_contact(blocks, i)]));
    bool sticks = fastest <= manifold->static_friction * speed;
    double mu = sticks ? manifold->static_friction : manifold->friction;
    for (int b = blocks->first; b < blocks->first + manifold_block_count(manifold); b++)
        world->blocks[b].friction = mu;
}

void contacts_set_stiction(World *world, double h)
{
    if (!world_has_stiction(world))
        return;
    double speed = h * world_weight(world);
    for (int m = 0; m < world->manifold_count; m++) {
        const Manifold *manifold = &world->contacts->manifolds[m];
        if (manifold->static_friction > manifold->friction)
            manifold_set_stiction(world, manifold, &world->manifolds[m], speed);
    }
}
