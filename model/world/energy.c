/* SPDX-License-Identifier: MIT */
#include "model/energy.h"

#include "model/joint/law_rows.h"

double world_kinetic_energy(const World *world)
{
    double sum = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Velocity u = world->velocity[i];
        Vec3 w = quat_rotate_inverse(world->pose[i].q, u.w);
        sum += 0.5 * world->mass[i].mass * vec3_dot(u.v, u.v) + 0.5 * vec3_dot(w, vec3_mul(world->mass[i].inertia, w));
    }
    if (world->lawful_count > 0)
        sum += laws_kinetic_energy(world);
    return sum;
}

double world_potential_energy(const World *world)
{
    double sum = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Vec3 x = world->pose[i].x;
        double per_mass = -vec3_dot(world->gravity, x);
        if (world->attractor.gm != 0.0)
            per_mass -= world->attractor.gm / vec3_norm(vec3_sub(x, world->attractor.at));
        sum += world->mass[i].mass * per_mass;
    }
    return sum;
}

/* The integral of min(C / alpha, max_force): beyond C = alpha max_force the spring pulls no harder. */
static double block_elastic_energy(const World *world, const Block *block)
{
    const JointTerms *terms = block_terms(block);
    double C = block_violation(world, block), soft = fmin(C, terms->compliance * terms->max_force);
    return soft * soft / (2.0 * terms->compliance) + (C > soft ? (C - soft) * terms->max_force : 0.0);
}

double world_elastic_energy(const World *world)
{
    double sum = 0.0;
    for (int b = 0; b < world->joint_block_count; b++)
        if (block_terms(&world->blocks[b])->compliance > 0.0 && !block_terms(&world->blocks[b])->law)
            sum += block_elastic_energy(world, &world->blocks[b]);
    if (world->lawful_count > 0)
        sum += laws_elastic_energy(world);
    return sum;
}

double world_energy(const World *world)
{
    return world_kinetic_energy(world) + world_potential_energy(world) + world_elastic_energy(world);
}

/* R diag(I) R^T w */
static Vec3 world_spin_momentum(const World *world, int i)
{
    Quat q = world->pose[i].q;
    return quat_rotate(q, vec3_mul(world->mass[i].inertia, quat_rotate_inverse(q, world->velocity[i].w)));
}

/* x cross m v + I w */
static Vec3 world_body_angular_momentum(const World *world, int i)
{
    Vec3 orbital = vec3_scale(world->mass[i].mass, vec3_cross(world->pose[i].x, world->velocity[i].v));
    return vec3_add(orbital, world_spin_momentum(world, i));
}

Vec3 world_momentum(const World *world)
{
    Vec3 sum = VEC3_ZERO;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            sum = vec3_add_scaled(sum, world->mass[i].mass, world->velocity[i].v);
    return sum;
}

Vec3 world_angular_momentum(const World *world)
{
    Vec3 sum = VEC3_ZERO;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            sum = vec3_add(sum, world_body_angular_momentum(world, i));
    return sum;
}

double world_momentum_scale(const World *world)
{
    double sum = 0.0;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            sum += world->mass[i].mass * vec3_norm(world->velocity[i].v);
    return sum;
}

double world_angular_momentum_scale(const World *world)
{
    double sum = 0.0;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            sum += vec3_norm(world_body_angular_momentum(world, i));
    return sum;
}

void world_reaction(const World *world, int joint, double dt, Vec3 *force, Vec3 *torque)
{
    *force = vec3_scale(1.0 / dt, world->joints[joint].impulse);
    *torque = vec3_scale(1.0 / dt, world->joints[joint].angular_impulse);
}

double world_max_speed(const World *world)
{
    double fastest = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        if (!vec3_is_finite(world->pose[i].x) || !vec3_is_finite(world->velocity[i].v) ||
            !vec3_is_finite(world->velocity[i].w) || !isfinite(world->pose[i].q.w) ||
            !vec3_is_finite(quat_vec(world->pose[i].q)))
            return NAN;
        double speed = vec3_norm(world->velocity[i].v);
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest;
}

bool world_blew_up(const World *world, double speed_scale)
{
    double speed = world_max_speed(world);
    return !isfinite(speed) || speed > BLOW_UP_FACTOR * speed_scale;
}
