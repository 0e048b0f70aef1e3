/* SPDX-License-Identifier: MIT */
#include "scenes/parts.h"

#include "model/energy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_CHARS = 32 };

void part_set_gravity(World *world, double g)
{
    world->gravity = vec3(0.0, 0.0 - g, 0.0); /* not -g: no gravity is written 0, not -0 */
}

BodyDef part_box(double x, double y, double z, double density)
{
    BodyDef def = BODY_DEF_INIT;
    def.shape = (Shape){.kind = SHAPE_BOX, .size = vec3(x, y, z)};
    def.density = density;
    return def;
}

BodyDef part_particle(double mass, Vec3 position)
{
    BodyDef def = BODY_DEF_INIT;
    def.mass = mass;
    def.position = position;
    return def;
}

Pose part_rod_pose(Vec3 start, double length, double angle)
{
    Vec3 along = vec3(cos(angle), sin(angle), 0);
    return (Pose){vec3_add_scaled(start, 0.5 * length, along), quat_axis_angle(vec3(0, 0, 1), angle)};
}

void part_place(BodyDef *def, Pose pose)
{
    def->position = pose.x;
    def->orientation = pose.q;
}

static void part_name(char name[NAME_MAX_CHARS], const char *word, int number)
{
    if (number > 0)
        snprintf(name, NAME_MAX_CHARS, "%s%d", word, number);
    else
        snprintf(name, NAME_MAX_CHARS, "%s", word);
}

int part_add_body(World *world, BodyDef *def, const char *word, int number, Status *status)
{
    char name[NAME_MAX_CHARS];
    part_name(name, word, number);
    def->name = name;
    int body = world_add_body(world, def, status);
    def->name = NULL;
    return body;
}

int part_add_joint(World *world, JointDef *def, const char *word, int number, Status *status)
{
    char name[NAME_MAX_CHARS];
    part_name(name, word, number);
    def->name = name;
    int joint = world_add_joint(world, def, status);
    def->name = NULL;
    return joint;
}

JointDef part_joint_at(JointType type, int body1, int body2, Vec3 point, Vec3 axis)
{
    JointDef def = joint_def(type, body1, body2);
    def.anchor[0] = point;
    def.axis = axis;
    return def;
}

bool part_keep(Problem *problem, const void *data, size_t size, Status *status)
{
    problem->data = malloc(size);
    if (!problem->data)
        return status_set(status, STATUS_FAILED, "out of memory");
    memcpy(problem->data, data, size);
    return true;
}

void truth_set_position(Truth *truth, int body, Vec3 position)
{
    truth->has_position[body] = true;
    truth->position[body] = position;
}

void truth_set_pose(Truth *truth, int body, Pose pose)
{
    truth_set_position(truth, body, pose.x);
    truth->has_orientation[body] = true;
    truth->orientation[body] = pose.q;
}

void truth_set_force(Truth *truth, int joint, Vec3 force)
{
    truth->has_force[joint] = true;
    truth->force[joint] = force;
}

void truth_set_rest(const Problem *problem, Truth *truth)
{
    const World *world = problem->world;
    for (int i = 1; i < world->body_count; i++)
        truth_set_pose(truth, i, (Pose){world->bodies[i].position, world->bodies[i].orientation});
}

bool part_stays(const Problem *problem, const World *world, double distance)
{
    for (int i = 1; i < world->body_count; i++)
        if (!(vec3_norm(vec3_sub(world->pose[i].x, problem->world->bodies[i].position)) <= distance))
            return false;
    return true;
}

bool part_holds(const World *world, double gap)
{
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        bool rigid_length = block_unit(block->kind) == UNIT_LENGTH && block_terms(block)->compliance == 0.0;
        if (rigid_length && !(block_violation(world, block) <= gap))
            return false;
    }
    return true;
}
