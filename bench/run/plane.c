/* SPDX-License-Identifier: MIT */
#include "bench/run/plane.h"

/* m, m/s, N, and sines: round-off of a scene whose numbers were computed. */
static const double FLAT = 1e-9;

static bool is_flat(double x)
{
    return fabs(x) <= FLAT;
}

static bool is_along_z(Vec3 unit)
{
    return fabs(unit.z) >= 1.0 - FLAT;
}

/* Whether one of the body's principal axes is along z; a particle has none that matter. */
static bool body_stands(const World *world, int body)
{
    Vec3 z = quat_rotate_inverse(world->pose[body].q, vec3(0, 0, 1));
    return vec3_is_zero(world->mass[body].inertia) || fmax(fabs(z.x), fmax(fabs(z.y), fabs(z.z))) >= 1.0 - FLAT;
}

static bool body_lies(const World *world, int body, double height)
{
    const BodyDef *def = &world->bodies[body];
    Velocity speed = world->velocity[body];
    return is_flat(world->pose[body].x.z - height) && is_flat(speed.v.z) && is_flat(speed.w.x) && is_flat(speed.w.y) &&
           is_flat(def->force.z) && is_flat(def->torque.x) && is_flat(def->torque.y) && body_stands(world, body);
}

static bool joint_lies(const World *world, const Joint *joint)
{
    Vec3 axis = quat_rotate(world->pose[joint->def.body[0]].q, joint->axis[0]);
    switch (joint->def.type) {
    case JOINT_HINGE:
    case JOINT_SERVO:
    case JOINT_MOTOR:
    case JOINT_WIRE:
        return is_along_z(axis);
    case JOINT_PRISMATIC:
    case JOINT_CYLINDER:
        return is_flat(axis.z);
    default:
        return joint->def.type != JOINT_VOLUME;
    }
}

bool world_lies_in_plane(const World *world)
{
    bool flat = is_flat(world->gravity.z), found = false;
    double height = 0.0;
    for (int i = 1; flat && i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        if (!found)
            height = world->pose[i].x.z;
        found = true;
        flat = body_lies(world, i, height);
    }
    for (int j = 0; flat && j < world->joint_count; j++)
        flat = joint_lies(world, &world->joints[j]);
    return flat && (world->attractor.gm == 0.0 || is_flat(world->attractor.at.z - height));
}
