/* SPDX-License-Identifier: MIT */
/* Small mechanisms that several solvers are tried on. */
#ifndef RIGOR_TESTS_SOLVERS_MECHANISMS_H
#define RIGOR_TESTS_SOLVERS_MECHANISMS_H

#include "tests/support/build.h"

static inline int mechanism_add_box(World *world, Vec3 at, Vec3 size)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "box";
    def.position = at;
    def.shape = (Shape){.kind = SHAPE_BOX, .size = size};
    def.density = 1000.0;
    return build_body(world, &def);
}

static inline int mechanism_add_particle(World *world, Vec3 at, double mass)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "particle";
    def.position = at;
    def.mass = mass;
    return build_body(world, &def);
}

static inline void mechanism_join(World *world, JointType type, int one, int two, Vec3 at)
{
    JointDef joint = joint_def(type, one, two);
    joint.name = "joint";
    joint.anchor[0] = at;
    joint.axis = vec3(0, 0, 1);
    build_joint(world, &joint);
}

/* A distance joint between the centres, as placed. */
static inline void mechanism_tie(World *world, int one, int two)
{
    JointDef joint = joint_def(JOINT_DISTANCE, one, two);
    joint.name = "tie";
    joint.local_anchors = true;
    build_joint(world, &joint);
}

/* Rods along +x from the origin on ball joints; a last joint to the world if closed. */
static inline World *mechanism_rods(int links, double length, bool closed)
{
    World *world = world_create();
    for (int i = 0; i < links; i++) {
        int body = mechanism_add_box(world, vec3((i + 0.5) * length, 0, 0), vec3(length, 0.05, 0.05));
        mechanism_join(world, JOINT_BALL, body - 1, body, vec3(i * length, 0, 0));
    }
    if (closed)
        mechanism_join(world, JOINT_BALL, links, 0, vec3(links * length, 0, 0));
    return world;
}

/* Particles in a row from the origin on distance joints. */
static inline World *mechanism_particles(int links, Vec3 step, double mass)
{
    World *world = world_create();
    for (int i = 0; i < links; i++)
        mechanism_tie(world, i, mechanism_add_particle(world, vec3_scale(i + 1, step), mass));
    return world;
}

enum { CASE_MAX_SETTINGS = 3 };

/* A joint between two boxes, the first of which hangs on a ball joint at the origin. */
typedef struct JointCase {
    const char *name;
    JointType type;
    bool smooth; /* no impact on a limit and no saturation: errors fall with a clean order */
    struct {
        size_t field; /* of JointDef; 0: no more */
        double value;
    } settings[CASE_MAX_SETTINGS];
} JointCase;

#define CASE_SET(field, value)                                                                                         \
    {                                                                                                                  \
        offsetof(JointDef, field), value                                                                               \
    }

static const JointCase JOINT_CASES[] = {
    {"fixed", JOINT_FIXED, true, {{0}}},
    {"distance", JOINT_DISTANCE, true, {{0}}},
    {"ball", JOINT_BALL, true, {{0}}},
    {"hinge", JOINT_HINGE, true, {{0}}},
    {"servo", JOINT_SERVO, true, {CASE_SET(target, 0.0)}},
    {"motor", JOINT_MOTOR, true, {CASE_SET(speed, 2.0)}},
    {"torque motor", JOINT_MOTOR, true, {CASE_SET(torque, 30.0)}},
    {"prismatic", JOINT_PRISMATIC, true, {{0}}},
    {"cylinder with a force", JOINT_CYLINDER, true, {CASE_SET(force, 50.0)}},
    {"cylinder with targets", JOINT_CYLINDER, true, {CASE_SET(target, 0.0), CASE_SET(angle, 0.0)}},
    {"wire", JOINT_WIRE, true, {CASE_SET(radius, 0.4)}},
    {"hinge with limits", JOINT_HINGE, false, {CASE_SET(angle_min, -0.2), CASE_SET(angle_max, 0.3)}},
    {"ball with limits",
     JOINT_BALL,
     false,
     {CASE_SET(swing_max, 0.3), CASE_SET(twist_min, -0.1), CASE_SET(twist_max, 0.2)}},
    {"prismatic with limits", JOINT_PRISMATIC, false, {CASE_SET(position_min, -0.1), CASE_SET(position_max, 0.05)}},
    {"weak motor", JOINT_MOTOR, false, {CASE_SET(speed, 4.0), CASE_SET(max_torque, 20.0)}},
    {"weak servo",
     JOINT_SERVO,
     false,
     {CASE_SET(target, 0.5), CASE_SET(max_torque, 300.0), CASE_SET(angular_damping, 8.0)}},
};

enum { JOINT_CASE_COUNT = sizeof JOINT_CASES / sizeof JOINT_CASES[0] };

static inline World *mechanism_joint_case(const JointCase *joint_case)
{
    World *world = world_create();
    int one = mechanism_add_box(world, vec3(0.5, 0, 0), vec3(1, 0.2, 0.3));
    int two = mechanism_add_box(world, vec3(1.5, 0.1, 0.2), vec3(1, 0.2, 0.3));
    JointDef pivot = joint_def(JOINT_BALL, 0, one), joint = joint_def(joint_case->type, one, two);
    pivot.angular_damping = 0.3;
    build_joint(world, &pivot);
    joint.anchor[0] = vec3(1, 0.05, 0.1);
    joint.axis = vec3(0.3, 0.5, 0.8);
    joint.damping = 0.2;
    joint.angular_damping = 0.4;
    for (int i = 0; i < CASE_MAX_SETTINGS && joint_case->settings[i].field; i++)
        *(double *)((char *)&joint + joint_case->settings[i].field) = joint_case->settings[i].value;
    if (joint.type == JOINT_DISTANCE) {
        joint.local_anchors = true;
        joint.anchor[0] = vec3(0.5, 0, 0);
        joint.anchor[1] = vec3(-0.4, 0, 0.1);
    } else if (joint.type == JOINT_WIRE) {
        joint.axis = vec3(0, 0, 1);
        joint.centre = vec3_sub(joint.anchor[0], vec3(0, joint.radius, 0));
    }
    build_joint(world, &joint);
    return world;
}

#endif
