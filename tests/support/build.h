/* SPDX-License-Identifier: MIT */
/* Worlds of random bodies, and a small turn or shift of one of them. */
#ifndef RIGOR_TESTS_SUPPORT_BUILD_H
#define RIGOR_TESTS_SUPPORT_BUILD_H

#include "model/world.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

/* Somewhere within 2 m, turned and moving at random. */
static inline BodyDef build_random_def(Random *random, const char *name)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = name;
    def.position = random_vec3(random, 2.0);
    def.orientation = random_quat(random);
    def.velocity = random_vec3(random, 1.0);
    def.angular_velocity = random_vec3(random, 1.0);
    return def;
}

static inline int build_body(World *world, const BodyDef *def)
{
    Status status = {0};
    int body = world_add_body(world, def, &status);
    if (body < 0)
        fail_msg("%s", status.message);
    return body;
}

static inline int build_random_box(World *world, Random *random, const char *name)
{
    BodyDef def = build_random_def(random, name);
    def.shape.kind = SHAPE_BOX;
    def.shape.size = random_sides(random, 0.2, 1.5);
    def.density = random_in(random, 0.5, 4.0);
    return build_body(world, &def);
}

static inline int build_random_particle(World *world, Random *random, const char *name)
{
    BodyDef def = build_random_def(random, name);
    def.mass = random_in(random, 0.5, 4.0);
    return build_body(world, &def);
}

static inline int build_plane(World *world, Vec3 normal, double offset)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "plane";
    def.fixed = true;
    def.shape = (Shape){.kind = SHAPE_PLANE, .normal = normal, .offset = offset};
    return build_body(world, &def);
}

/* Boxes on the floor, each on the one before and `ratio` times its mass; `force` acts on all of them. */
static inline World *build_pile(int count, double ratio, Vec3 force)
{
    World *world = world_create();
    build_plane(world, vec3(0, 1, 0), 0.0);
    BodyDef box = BODY_DEF_INIT;
    box.name = "box";
    box.shape.kind = SHAPE_BOX;
    box.shape.size = vec3(1.1, 0.7, 0.9);
    box.density = 300.0;
    box.force = force;
    for (int i = 0; i < count; i++) {
        box.position = vec3(0, (0.5 + i) * box.shape.size.y, 0);
        build_body(world, &box);
        box.density *= ratio;
    }
    world->collide = true;
    return world;
}

/* Two boxes, then four particles, anywhere. */
static inline World *build_random_world(Random *random)
{
    World *world = world_create();
    assert_non_null(world);
    build_random_box(world, random, "one");
    build_random_box(world, random, "two");
    for (int i = 0; i < 4; i++)
        build_random_particle(world, random, "particle");
    return world;
}

/* The joint stays where it is while a world has no more than 32. */
static inline const Joint *build_joint(World *world, const JointDef *def)
{
    Status status = {0};
    int index = world_add_joint(world, def, &status);
    if (index < 0)
        fail_msg("%s", status.message);
    return &world->joints[index];
}

/* Random boxes, each joined to the one before by a joint of the next type. */
static inline void build_random_chain(World *world, Random *random, const JointType *types, int joints)
{
    int last = build_random_box(world, random, "box");
    for (int i = 0; i < joints; i++) {
        int body = build_random_box(world, random, "box");
        JointDef joint = joint_def(types[i], last, body);
        joint.anchor[0] = random_vec3(random, 1.0);
        joint.axis = random_unit(random);
        build_joint(world, &joint);
        last = body;
    }
}

/* Three boxes, turned and moving: a ball joint to the world, a hinge, a ball joint. */
static inline World *build_hinged_chain(Random *random)
{
    World *world = world_create();
    for (int i = 1; i <= 3; i++) {
        int body = build_random_box(world, random, "box");
        JointDef def = joint_def(i == 2 ? JOINT_HINGE : JOINT_BALL, body - 1, body);
        def.anchor[0] = random_vec3(random, 1.0);
        def.axis = random_unit(random);
        build_joint(world, &def);
    }
    return world;
}

/* Gives every moving body a new random pose and velocity. */
static inline void build_scatter(World *world, Random *random)
{
    for (int i = 1; i < world->body_count; i++) {
        world->pose[i] = (Pose){random_vec3(random, 2.0), random_quat(random)};
        world->velocity[i] = (Velocity){random_vec3(random, 1.0), random_vec3(random, 1.0)};
    }
}

/* Moves body along its degree of freedom: 0..2 shift along, 3..5 turn about a world axis. */
static inline void build_move(World *world, int body, int freedom, double amount)
{
    Vec3 step = vec3_scale(amount, vec3_axis(freedom % 3));
    Pose *pose = &world->pose[body];
    if (freedom < 3)
        pose->x = vec3_add(pose->x, step);
    else
        pose->q = quat_mul(quat_exp(step), pose->q);
}

/* Moves every body on by t with its velocity held constant. */
static inline void build_drift(World *world, double t)
{
    for (int i = 1; i < world->body_count; i++) {
        Pose *pose = &world->pose[i];
        pose->x = vec3_add_scaled(pose->x, t, world->velocity[i].v);
        pose->q = quat_mul(quat_exp(vec3_scale(t, world->velocity[i].w)), pose->q);
    }
}

#endif
