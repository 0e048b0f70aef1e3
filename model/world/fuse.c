/* SPDX-License-Identifier: MIT */
/* Fused bodies: several listed ones that move as one. The first of them, the root, moves for all, about the centre of
 * mass of the whole; the others stand for solvers, and follow it. */
#include "model/world/body.h"

#include <stdlib.h>

/* A body's own part, placed in the world as its definition says. */
static MassPart own_part(const World *world, int body)
{
    const Ride *ride = &world->ride[body];
    const BodyDef *def = &world->bodies[body];
    return (MassPart){{ride->own.mass, VEC3_ZERO, mat3_diagonal(ride->own.inertia)},
                      def->position,
                      quat_mul(def->orientation, ride->own_axes)};
}

/* Mass and axes of all bodies up to `last` that move with the root, in its definition's frame. */
static bool join_masses(World *world, int root, int last, Vec3 *centre, Status *status)
{
    MassPart *parts = malloc(sizeof *parts * (size_t)(last + 1));
    int count = 0;
    if (!parts)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = root; i <= last; i++)
        if (world->ride[i].root == root)
            parts[count++] = own_part(world, i);
    MassProperties all = mass_properties_join(parts, count);
    free(parts);
    Mat3 R = mat3_from_quat(world->bodies[root].orientation);
    Mat3 inertia = mat3_mul(mat3_mul(mat3_transpose(R), all.inertia), R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            inertia.m[i][j] = inertia.m[j][i];
    Mass *mass = &world->mass[root];
    Status why = {0};
    if (!inertia_principal_axes(inertia, &world->principal[root], &mass->inertia, &why))
        return status_set(status, why.code, "body %s with what is fused to it: %s", world->bodies[root].name,
                          why.message);
    mass->mass = all.mass;
    mass->inv_mass = 1.0 / all.mass;
    mass->inv_inertia = vec3(1.0 / mass->inertia.x, 1.0 / mass->inertia.y, 1.0 / mass->inertia.z);
    *centre = all.centre;
    return isfinite(mass->mass) ||
           status_set(status, STATUS_FAILED, "body %s: its mass is beyond double precision", world->bodies[root].name);
}

/* Where each body of the root is in the root's internal frame. */
static void seat_bodies(World *world, int root, int last)
{
    const Pose *at = &world->pose[root];
    for (int i = root; i <= last; i++) {
        if (world->ride[i].root != root)
            continue;
        const BodyDef *def = &world->bodies[i];
        world->ride[i].seat = (Pose){quat_rotate_inverse(at->q, vec3_sub(def->position, at->x)),
                                     quat_mul(quat_conj(at->q), def->orientation)};
        if (i < last)
            colliders_place(world, i);
    }
}

/* The root moves about the new centre as it did about its own. */
static bool fuse(World *world, int index, Status *status)
{
    int root = world->ride[index].root;
    const BodyDef *def = &world->bodies[root];
    Vec3 centre;
    world->mass[index] = (Mass){0};
    world->principal[index] = world->ride[index].own_axes;
    if (!join_masses(world, root, index, &centre, status))
        return false;
    world->pose[root] = (Pose){centre, quat_mul(def->orientation, world->principal[root])};
    world->velocity[root].v =
        vec3_add(def->velocity, vec3_cross(def->angular_velocity, vec3_sub(centre, def->position)));
    world->pose_before[root] = world->pose[root];
    world->velocity_before[root] = world->velocity[root];
    seat_bodies(world, root, index);
    world->fused_count++;
    world->colliders_differ = true; /* not all colliders of a body are its own */
    return true;
}

bool body_settle(World *world, int index, Status *status)
{
    const BodyDef *def = &world->bodies[index];
    Ride *ride = &world->ride[index];
    bool moves = def->fused && !def->fixed;
    ride->root = moves ? world->ride[def->parent].root : index;
    ride->seat = (Pose){VEC3_ZERO, quat_conj(ride->own_axes)};
    world->mass[index] = ride->own;
    world->principal[index] = ride->own_axes;
    world->pose[index] = (Pose){def->position, quat_mul(def->orientation, ride->own_axes)};
    world->velocity[index] = (Velocity){def->velocity, def->angular_velocity};
    return !moves || fuse(world, index, status);
}

void world_follow_fused(World *world)
{
    for (int i = 1; i < world->body_count && world->fused_count > 0; i++) {
        const Ride *ride = &world->ride[i];
        if (ride->root == i)
            continue;
        const Pose *root = &world->pose[ride->root];
        Vec3 arm = quat_rotate(root->q, ride->seat.x);
        world->pose[i] = (Pose){vec3_add(root->x, arm), quat_mul(quat_mul(root->q, ride->seat.q), ride->own_axes)};
        world->velocity[i] = (Velocity){world_point_velocity(world, ride->root, arm), world->velocity[ride->root].w};
    }
}

Velocity world_reported_velocity(const World *world, int body)
{
    const Ride *ride = &world->ride[body];
    if (!world_rides(world, body))
        return world->velocity[body];
    Vec3 arm = quat_rotate(world->pose[ride->root].q, ride->seat.x);
    return (Velocity){world_point_velocity(world, ride->root, arm), world->velocity[ride->root].w};
}

Pose world_reported_frame(const World *world, int body)
{
    const Pose *frame = &world->bodies[body].frame;
    Quat turn = world_reported_orientation(world, body);
    Vec3 at = world_reported_position(world, body);
    return (Pose){vec3_add(at, quat_rotate(turn, frame->x)), quat_mul(turn, frame->q)};
}
