/* SPDX-License-Identifier: MIT */
/* The work W of drives and constant forces in a substep, from the states at its two ends.
 *     force x change of its own coordinate (slide, angle)     a force that is the same all through: constant forces,
 *                                                             actuators, a drive at its bound
 *     h tau.(w- + w+)/2                                       a constant torque: turns have no coordinate of its own
 *     mean force of both ends x that change             the drives of a law
 *     impulse x (u- + u+)/2, u = J V before and after         a drive's row that holds its target: so much energy an
 *                                                             impulse gives; from rest half of lambda u+ */
#include "model/energy.h"

#include "model/joint/law_rows.h"

/* A drive whose impulse is within round-off of max_force h is at its bound. */
static const double BOUND_ROUND_OFF = 1e-9;

bool block_is_at_bound(const Block *block, Vec3 impulse, double h)
{
    return vec3_norm(impulse) >= block_terms(block)->max_force * h * (1.0 - BOUND_ROUND_OFF);
}

/* The world as the substep began; shares everything but the state. */
static World world_before(const World *world)
{
    World before = *world;
    before.pose = world->pose_before;
    before.velocity = world->velocity_before;
    return before;
}

/* J V of the block's only row. */
static double row_speed(const World *world, const Block *block, const double J[ROW_WIDTH])
{
    Velocity one = world->velocity[block->body[0]], two = world->velocity[block->body[1]];
    return vec3_dot(vec3(J[0], J[1], J[2]), one.v) + vec3_dot(vec3(J[3], J[4], J[5]), one.w) +
           vec3_dot(vec3(J[6], J[7], J[8]), two.v) + vec3_dot(vec3(J[9], J[10], J[11]), two.w);
}

static double drive_work(const World *world, const World *before, int index, double h)
{
    const Block *block = &world->blocks[index];
    const Joint *joint = &world->joints[block->joint];
    bool angular = block_unit(block->kind) == UNIT_ANGLE;
    Vec3 impulse = world->block_impulse[index];
    Rows start, end;
    block_rows(before, block, &start);
    block_rows(world, block, &end);
    if (start.count == 0 || end.count == 0)
        return 0.0;
    const double *on2 = start.J[0] + (angular ? 9 : 6); /* where the row takes hold of body 2: lambda on2 = impulse */
    Vec3 line = vec3(on2[0], on2[1], on2[2]);
    double lambda = copysign(vec3_norm(impulse) / vec3_norm(line), vec3_dot(impulse, line));
    if (!block_is_at_bound(block, impulse, h))
        return 0.5 * lambda * (row_speed(before, block, start.J[0]) + row_speed(world, block, end.J[0]));
    double way = angular ? block_twist(world, block) - block_twist(before, block)
                         : joint_position(world, joint) - joint_position(before, joint);
    return lambda / h * way;
}

static double actuator_work(const World *world, const World *before, const Joint *joint)
{
    double work = 0.0;
    if (!isnan(joint->def.force))
        work += joint->def.force * (joint_position(world, joint) - joint_position(before, joint));
    if (!isnan(joint->def.torque))
        work += joint->def.torque * (joint_angle(world, joint) - joint_angle(before, joint));
    return work;
}

static double constant_work(const World *world, const World *before, int body, double h)
{
    const BodyDef *def = &world->bodies[body];
    if (vec3_is_zero(def->force) && vec3_is_zero(def->torque))
        return 0.0;
    double work = vec3_dot(def->force, vec3_sub(world->pose[body].x, before->pose[body].x));
    if (isnan(world->torque_work))
        work += 0.5 * h * vec3_dot(def->torque, vec3_add(before->velocity[body].w, world->velocity[body].w));
    return work;
}

/* Bodies that are worth a thread's while. */
enum { PUSHED_LEAST = 1024 };

/* Moving bodies with a constant force or torque: most scenes have none. */
static long bodies_pushed(void *context, int from, int to)
{
    const World *world = context;
    long pushed = 0;
    for (int i = from; i < to; i++) {
        const BodyDef *def = &world->bodies[i];
        pushed += !(vec3_is_zero(def->force) && vec3_is_zero(def->torque)) && !world_is_fixed(world, i);
    }
    return pushed;
}

double world_substep_work(const World *world, double h)
{
    World before = world_before(world);
    double work = isnan(world->torque_work) ? 0.0 : world->torque_work;
    for (int b = 0; b < world->joint_block_count; b++)
        if (block_terms(&world->blocks[b])->actuator && !block_terms(&world->blocks[b])->law && !world->blocks[b].off)
            work += drive_work(world, &before, b, h);
    for (int j = 0; j < world->joint_count && world->actuated_count > 0; j++)
        if (joint_has_actuator(&world->joints[j]))
            work += actuator_work(world, &before, &world->joints[j]);
    for (int j = 0; j < world->joint_count && world->lawful_count > 0; j++)
        work += law_drive_work(&before, world, &world->joints[j]);
    bool pushed = team_share(world->team, world->body_count, PUSHED_LEAST, bodies_pushed, (void *)world) > 0;
    for (int i = 1; pushed && i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            work += constant_work(world, &before, i, h);
    return work;
}
