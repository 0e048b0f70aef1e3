/* SPDX-License-Identifier: MIT */
/* How a joint moves: its coordinates, drives, actuators and damping. */
#include "tests/model/joint_cases.h"

static void drives_carry_target_speed_and_bound(void **state)
{
    (void)state;
    Random random = {207};
    World *world = build_random_world(&random);
    JointDef servo = joint_def(JOINT_SERVO, 1, 2), motor = joint_def(JOINT_MOTOR, 1, 2);
    servo.target = 2.967; /* 170 degrees */
    servo.max_torque = 12.5;
    fill_speed(&motor);
    build_joint(world, &servo);
    build_joint(world, &motor);
    const JointTerms *angle = block_terms(&world->blocks[2]), *spin = block_terms(&world->blocks[5]);
    Rows rows;
    block_rows(world, &world->blocks[2], &rows);
    assert_near(rows.C[0], -2.967, ROUND_OFF);
    assert_near(rows.upper[0], 12.5, 0.0);
    assert_near(rows.lower[0], -12.5, 0.0);
    assert_true(angle->actuator && !angle->driven);
    assert_true(spin->actuator && spin->driven);
    assert_near(spin->speed, 2.5, 0.0);
    assert_near(spin->max_force, 30.0, 0.0);
    world_destroy(world);
}

static void a_soft_drive_is_a_spring_and_no_actuator(void **state)
{
    (void)state;
    Random random = {208};
    World *world = build_random_world(&random);
    JointDef servo = joint_def(JOINT_SERVO, 1, 2), cylinder = joint_def(JOINT_CYLINDER, 1, 2);
    servo.compliance = cylinder.compliance = 0.01;
    fill_target(&cylinder);
    build_joint(world, &servo);
    build_joint(world, &cylinder);
    assert_false(block_terms(&world->blocks[2])->actuator);
    assert_false(block_terms(&world->blocks[5])->actuator);
    world_destroy(world);
}

static void angle_and_position_are_body_2_against_body_1s_axis(void **state)
{
    (void)state;
    Random random = {209};
    for (int trial = 0; trial < TRIALS; trial++) {
        World *world = build_random_world(&random);
        JointDef def = joint_def(JOINT_CYLINDER, 1, 2);
        def.anchor[0] = random_vec3(&random, 1.0);
        def.axis = random_unit(&random);
        def.force = 1.0;
        const Joint *joint = build_joint(world, &def);
        /* Turn about the axis through the anchor, then shift along it. */
        Quat turn = quat_axis_angle(def.axis, 0.7);
        Vec3 arm = quat_rotate(turn, vec3_sub(world->pose[2].x, def.anchor[0]));
        world->pose[2].q = quat_mul(turn, world->pose[2].q);
        world->pose[2].x = vec3_add_scaled(vec3_add(def.anchor[0], arm), 0.45, def.axis);
        assert_near(joint_angle(world, joint), 0.7, ROUND_OFF);
        assert_near(joint_position(world, joint), 0.45, ROUND_OFF);
        world_destroy(world);
    }
}

static void angle_counts_whole_turns_with_and_without_limits(void **state)
{
    (void)state;
    Random random = {210};
    World *world = build_random_world(&random);
    JointDef hinge = joint_def(JOINT_HINGE, 1, 2), limited = hinge;
    hinge.axis = limited.axis = random_unit(&random);
    fill_angles(&limited);
    const Joint *joints[2] = {build_joint(world, &hinge), build_joint(world, &limited)};
    for (int i = 1; i <= 30; i++) {
        world_begin_substep(world, 0.01);
        world->pose[2].q = quat_mul(quat_axis_angle(hinge.axis, -0.9), world->pose[2].q);
        world_end_substep(world, 0.01);
        for (int k = 0; k < 2; k++)
            assert_near(joint_angle(world, joints[k]), -0.9 * i, 100.0 * ROUND_OFF);
    }
    world_destroy(world);
}

/* Erratum 28: a positive force extends a1.(p2 - p1). */
static void actuators_act_along_body_1s_axis_on_body_2(void **state)
{
    (void)state;
    Random random = {211};
    World *world = build_random_world(&random);
    JointDef cylinder = joint_def(JOINT_CYLINDER, 1, 2), motor = joint_def(JOINT_MOTOR, 1, 2);
    JointDef hinge = joint_def(JOINT_HINGE, 1, 2);
    cylinder.axis = motor.axis = random_unit(&random);
    fill_force(&cylinder);
    fill_torque(&motor);
    const Joint *c = build_joint(world, &cylinder), *m = build_joint(world, &motor), *h = build_joint(world, &hinge);
    Quat turn = random_quat(&random);
    world->pose[1].q = quat_mul(turn, world->pose[1].q); /* the axis goes with body 1 */
    Vec3 axis = quat_rotate(turn, cylinder.axis), force, torque;
    joint_actuation(world, c, &force, &torque);
    assert_vec3_near(force, vec3_scale(3.9, axis), ROUND_OFF);
    assert_vec3_near(torque, VEC3_ZERO, 0.0);
    joint_actuation(world, m, &force, &torque);
    assert_vec3_near(force, VEC3_ZERO, 0.0);
    assert_vec3_near(torque, vec3_scale(4.2, axis), ROUND_OFF);
    assert_true(joint_has_actuator(c) && joint_has_actuator(m));
    assert_false(joint_has_actuator(h));
    world_destroy(world);
}

/* A rigid point does not move, so it is not damped; a compliant one is. */
static const struct {
    JointType type;
    DampingForm rigid, soft, angular;
} DAMPING[] = {
    {JOINT_FIXED, DAMPING_NONE, DAMPING_NONE, DAMPING_NONE},
    {JOINT_DISTANCE, DAMPING_AXIS, DAMPING_AXIS, DAMPING_VECTOR},
    {JOINT_BALL, DAMPING_NONE, DAMPING_VECTOR, DAMPING_VECTOR},
    {JOINT_HINGE, DAMPING_NONE, DAMPING_VECTOR, DAMPING_AXIS},
    {JOINT_SERVO, DAMPING_NONE, DAMPING_NONE, DAMPING_AXIS},
    {JOINT_MOTOR, DAMPING_NONE, DAMPING_VECTOR, DAMPING_AXIS},
    {JOINT_PRISMATIC, DAMPING_AXIS, DAMPING_AXIS, DAMPING_AXIS},
    {JOINT_CYLINDER, DAMPING_AXIS, DAMPING_AXIS, DAMPING_AXIS},
    {JOINT_WIRE, DAMPING_AXIS, DAMPING_AXIS, DAMPING_VECTOR},
};

static void damping_acts_where_a_joint_is_free(void **state)
{
    (void)state;
    Random random = {212};
    for (size_t i = 0; i < sizeof DAMPING / sizeof DAMPING[0]; i++)
        for (int soft = 0; soft < 2; soft++) {
            World *world = build_random_world(&random);
            int which = 0;
            while (CASES[which].type != DAMPING[i].type)
                which++;
            JointDef def = make_def(&random, which);
            def.damping = 0.8;
            def.angular_damping = 1.3;
            def.compliance = soft ? 0.01 : 0.0;
            const Joint *joint = build_joint(world, &def);
            JointDamping damping;
            joint_damping(world, joint, &damping);
            assert_int_equal(damping.linear, soft ? DAMPING[i].soft : DAMPING[i].rigid);
            assert_int_equal(damping.angular, DAMPING[i].angular);
            assert_near(damping.linear_rate, 0.8, 0.0);
            assert_near(damping.angular_rate, 1.3, 0.0);
            assert_vec3_near(damping.angular_axis, vec3_unit(def.axis), ROUND_OFF);
            world_destroy(world);
        }
}

static void no_rate_is_no_damping(void **state)
{
    (void)state;
    Random random = {213};
    World *world = build_random_world(&random);
    JointDef def = joint_def(JOINT_DISTANCE, 1, 2);
    def.local_anchors = true;
    JointDamping damping;
    joint_damping(world, build_joint(world, &def), &damping);
    assert_int_equal(damping.linear, DAMPING_NONE);
    assert_int_equal(damping.angular, DAMPING_NONE);
    world_destroy(world);
}

/* Whatever the form, the pair of forces along the axis has no total torque: both arms end on one line. */
static void damping_along_an_axis_keeps_angular_momentum(void **state)
{
    (void)state;
    Random random = {214};
    static const JointType TYPES[] = {JOINT_DISTANCE, JOINT_PRISMATIC, JOINT_CYLINDER, JOINT_WIRE};
    for (int i = 0; i < 4; i++) {
        World *world = build_random_world(&random);
        JointDef def = joint_def(TYPES[i], 1, 2);
        def.axis = random_unit(&random);
        def.anchor[0] = random_vec3(&random, 1.0);
        def.anchor[1] = random_vec3(&random, 1.0);
        def.local_anchors = true;
        def.damping = 1.0;
        def.radius = 1.0;
        def.centre = random_vec3(&random, 1.0);
        def.target = 0.0;
        const Joint *joint = build_joint(world, &def);
        build_scatter(world, &random);
        JointDamping damping;
        joint_damping(world, joint, &damping);
        assert_near(vec3_norm(damping.axis), 1.0, ROUND_OFF);
        Vec3 at1 = vec3_add(world->pose[1].x, damping.arm1), at2 = vec3_add(world->pose[2].x, damping.arm2);
        assert_vec3_near(vec3_cross(vec3_sub(at2, at1), damping.axis), VEC3_ZERO, ROUND_OFF);
        if (TYPES[i] == JOINT_WIRE) { /* along the circle's tangent */
            Vec3 a = quat_rotate(world->pose[1].q, joint->axis[0]);
            Vec3 centre = world_point(world, 1, joint->anchor[0]);
            assert_near(vec3_dot(damping.axis, a), 0.0, ROUND_OFF);
            assert_near(vec3_dot(damping.axis, vec3_sub(at2, centre)), 0.0, ROUND_OFF);
        }
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_carry_target_speed_and_bound),
        cmocka_unit_test(a_soft_drive_is_a_spring_and_no_actuator),
        cmocka_unit_test(angle_and_position_are_body_2_against_body_1s_axis),
        cmocka_unit_test(angle_counts_whole_turns_with_and_without_limits),
        cmocka_unit_test(actuators_act_along_body_1s_axis_on_body_2),
        cmocka_unit_test(damping_acts_where_a_joint_is_free),
        cmocka_unit_test(no_rate_is_no_damping),
        cmocka_unit_test(damping_along_an_axis_keeps_angular_momentum),
    };
    return cmocka_run_group_tests_name("joint_motion", tests, NULL, NULL);
}
