/* SPDX-License-Identifier: MIT */
/* Every type of joint with every choice that changes its blocks, at random places. */
#ifndef RIGOR_TESTS_MODEL_JOINT_CASES_H
#define RIGOR_TESTS_MODEL_JOINT_CASES_H

#include "model/joint.h"
#include "tests/support/build.h"

#define ROUND_OFF 1e-13

enum { MAX_BLOCKS = 4, TRIALS = 20, NONE = -1 };

typedef void Fill(JointDef *def);

static inline void fill_nothing(JointDef *def)
{
    (void)def;
}

static inline void fill_no_length(JointDef *def)
{
    def->rest = 0.0;
}

static inline void fill_swing(JointDef *def)
{
    def->swing_max = 0.6;
}

static inline void fill_turn(JointDef *def)
{
    def->turn_max = 0.6;
}

static inline void fill_swing_and_twist(JointDef *def)
{
    def->swing_max = 0.6;
    def->twist_min = -0.3;
    def->twist_max = 0.9;
}

static inline void fill_twist_max(JointDef *def)
{
    def->twist_max = 0.9;
}

static inline void fill_angles(JointDef *def)
{
    def->angle_min = -0.4;
    def->angle_max = 1.1;
}

static inline void fill_speed(JointDef *def)
{
    def->speed = 2.5;
    def->max_torque = 30.0;
}

static inline void fill_torque(JointDef *def)
{
    def->torque = 4.2;
}

static inline void fill_positions(JointDef *def)
{
    def->position_min = -0.7;
    def->position_max = 0.2;
}

static inline void fill_force(JointDef *def)
{
    def->force = 3.9;
}

static inline void fill_target(JointDef *def)
{
    def->target = 0.0;
}

static inline void fill_target_and_angle(JointDef *def)
{
    def->target = 0.0;
    def->angle = 0.0;
}

/* A joint, the blocks it must make, and which of them its compliance softens. */
static const struct {
    JointType type;
    Fill *fill;
    int count;
    BlockKind kinds[MAX_BLOCKS];
    int soft;
} CASES[] = {
    {JOINT_FIXED, fill_nothing, 2, {BLOCK_ATTACH, BLOCK_ORIENT}, 0},
    {JOINT_DISTANCE, fill_nothing, 1, {BLOCK_DISTANCE}, 0},
    {JOINT_BALL, fill_nothing, 1, {BLOCK_ATTACH}, 0},
    {JOINT_BALL, fill_turn, 2, {BLOCK_ATTACH, BLOCK_TURN}, 0},
    {JOINT_BALL, fill_swing, 2, {BLOCK_ATTACH, BLOCK_SWING}, 0},
    {JOINT_BALL, fill_twist_max, 2, {BLOCK_ATTACH, BLOCK_TWIST}, 0},
    {JOINT_BALL, fill_swing_and_twist, 3, {BLOCK_ATTACH, BLOCK_SWING, BLOCK_TWIST}, 0},
    {JOINT_HINGE, fill_nothing, 2, {BLOCK_ATTACH, BLOCK_ALIGN}, 0},
    {JOINT_HINGE, fill_angles, 3, {BLOCK_ATTACH, BLOCK_ALIGN, BLOCK_TWIST}, 0},
    {JOINT_SERVO, fill_nothing, 3, {BLOCK_ATTACH, BLOCK_ALIGN, BLOCK_TWIST}, 2},
    {JOINT_MOTOR, fill_speed, 3, {BLOCK_ATTACH, BLOCK_ALIGN, BLOCK_TWIST}, 0},
    {JOINT_MOTOR, fill_torque, 2, {BLOCK_ATTACH, BLOCK_ALIGN}, 0},
    {JOINT_PRISMATIC, fill_nothing, 3, {BLOCK_GUIDE, BLOCK_ALIGN, BLOCK_TWIST}, 0},
    {JOINT_PRISMATIC, fill_positions, 4, {BLOCK_GUIDE, BLOCK_ALIGN, BLOCK_SLIDE, BLOCK_TWIST}, 0},
    {JOINT_CYLINDER, fill_force, 2, {BLOCK_GUIDE, BLOCK_ALIGN}, NONE},
    {JOINT_CYLINDER, fill_target, 3, {BLOCK_GUIDE, BLOCK_ALIGN, BLOCK_SLIDE}, 2},
    {JOINT_CYLINDER, fill_target_and_angle, 4, {BLOCK_GUIDE, BLOCK_ALIGN, BLOCK_SLIDE, BLOCK_TWIST}, 2},
    {JOINT_WIRE, fill_nothing, 1, {BLOCK_WIRE}, 0},
    {JOINT_VOLUME, fill_nothing, 1, {BLOCK_VOLUME}, 0},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

/* Somewhere, along some axis; a wire's anchor lies on its circle, a distance spans two anchors. */
static inline JointDef make_def(Random *random, int which)
{
    JointDef def = joint_def(CASES[which].type, 1, 2);
    def.name = "joint";
    def.anchor[0] = random_vec3(random, 1.0);
    def.axis = random_arrow(random, 0.5, 2.0);
    def.normal = random_unit(random);
    if (def.type == JOINT_VOLUME)
        for (int i = 0; i < 4; i++)
            def.body[i] = 3 + i;
    if (def.type == JOINT_DISTANCE) {
        def.local_anchors = true;
        def.anchor[1] = random_vec3(random, 0.5);
    }
    if (def.type == JOINT_WIRE) {
        Vec3 out = vec3_any_normal(vec3_unit(def.axis));
        def.radius = random_in(random, 0.4, 1.2);
        def.centre = vec3_add_scaled(def.anchor[0], -def.radius, out);
    }
    CASES[which].fill(&def);
    return def;
}

#endif
