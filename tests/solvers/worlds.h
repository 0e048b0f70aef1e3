/* SPDX-License-Identifier: MIT */
/* Small worlds that solver tests share. */
#ifndef RIGOR_TESTS_SOLVERS_WORLDS_H
#define RIGOR_TESTS_SOLVERS_WORLDS_H

#include "tests/support/build.h"
#include "tests/support/drive.h"

#include <stdio.h>

/* Particles on a line from the origin, joined by distances; the last is heavier by mass_ratio. */
static inline World *particle_chain(int links, double length, double mass, double mass_ratio, Vec3 direction)
{
    World *world = world_create();
    for (int i = 1; i <= links; i++) {
        BodyDef def = BODY_DEF_INIT;
        char name[16];
        snprintf(name, sizeof name, "link%d", i);
        def.name = name;
        def.position = vec3_scale(i * length, direction);
        def.mass = i == links ? mass * mass_ratio : mass;
        int body = build_body(world, &def);
        JointDef joint = joint_def(JOINT_DISTANCE, body - 1, body);
        joint.local_anchors = true;
        build_joint(world, &joint);
    }
    return world;
}

/* Rods on ball joints from the origin along a direction in the xy plane, `angle` from hanging straight down. */
static inline World *rod_chain(int links, double angle)
{
    World *world = world_create();
    Vec3 along = vec3(sin(angle), -cos(angle), 0);
    for (int i = 0; i < links; i++) {
        BodyDef def = BODY_DEF_INIT;
        char name[16];
        snprintf(name, sizeof name, "link%d", i + 1);
        def.name = name;
        def.position = vec3_scale(i + 0.5, along);
        def.orientation = quat_axis_angle(vec3(0, 0, 1), angle - 0.5 * PI);
        def.shape = (Shape){.kind = SHAPE_BOX, .size = {1, 0.05, 0.05}};
        def.density = 1000;
        int body = build_body(world, &def);
        JointDef joint = joint_def(JOINT_BALL, body - 1, body);
        joint.anchor[0] = vec3_scale(i, along);
        build_joint(world, &joint);
    }
    return world;
}

/* Two neighbouring boxes joined by a joint of this type, turned at random, free in space, without gravity. The anchor
 * lies between them: a far one makes the rows of a block so unlike each other in mass that a solve along the error
 * overshoots, which is a result of its own and not what these tests ask. */
static inline World *joined_pair(Random *random, JointType type)
{
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    int bodies[4];
    for (int i = 0; i < (type == JOINT_VOLUME ? 4 : 2); i++) {
        char name[2] = {(char)('a' + i), 0};
        BodyDef def = build_random_def(random, name);
        def.position = vec3_add(random_vec3(random, 0.1), vec3(i == 1, i == 2, i == 3));
        if (type == JOINT_VOLUME) {
            def.mass = random_in(random, 0.5, 4.0);
        } else {
            def.shape.kind = SHAPE_BOX;
            def.shape.size = random_sides(random, 0.7, 1.5);
            def.density = random_in(random, 0.5, 4.0);
        }
        bodies[i] = build_body(world, &def);
    }
    JointDef joint = joint_def(type, bodies[0], bodies[1]);
    if (type == JOINT_VOLUME) {
        joint.body[2] = bodies[2];
        joint.body[3] = bodies[3];
    }
    joint.anchor[0] = vec3_add(random_vec3(random, 0.2), vec3(0.5, 0, 0));
    joint.axis = random_unit(random);
    if (type == JOINT_DISTANCE) {
        joint.local_anchors = true;
        joint.anchor[0] = random_vec3(random, 0.3);
        joint.anchor[1] = random_vec3(random, 0.3);
    }
    if (type == JOINT_SERVO)
        joint.target = 0.0;
    if (type == JOINT_MOTOR)
        joint.speed = 1.3;
    if (type == JOINT_CYLINDER)
        joint.target = 0.0;
    if (type == JOINT_WIRE) {
        joint.radius = 0.8;
        joint.centre = vec3_add_scaled(joint.anchor[0], 0.8, vec3_any_normal(joint.axis));
    }
    build_joint(world, &joint);
    return world;
}

static inline double worst_violation(const World *world)
{
    double worst = 0.0;
    for (int b = 0; b < world->block_count; b++)
        worst = fmax(worst, block_violation(world, &world->blocks[b]));
    return worst;
}

#endif
