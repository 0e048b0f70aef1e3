/* SPDX-License-Identifier: MIT */
#include "model/energy.h"
#include "model/world.h"
#include "tests/support/box_mesh.h"
#include "tests/support/build.h"

#include <stdio.h>
#include <string.h>

#define ROUND_OFF 1e-13

static void a_new_world_holds_the_fixed_body_world_at_the_origin(void **state)
{
    (void)state;
    World *world = world_create();
    assert_int_equal(world->body_count, 1);
    assert_int_equal(world_find_body(world, "world"), 0);
    assert_true(world_is_fixed(world, 0));
    assert_vec3_near(world->pose[0].x, VEC3_ZERO, 0.0);
    assert_vec3_near(world->gravity, vec3(0, -9.81, 0), 0.0);
    assert_int_equal(world->material_count, 1);
    world_destroy(world);
    world_destroy(NULL);
}

static void names_are_copied_and_found_among_many(void **state)
{
    (void)state;
    Random random = {401};
    World *world = world_create();
    char name[16];
    for (int i = 1; i <= 200; i++) {
        snprintf(name, sizeof name, "link%d", i);
        assert_int_equal(build_random_particle(world, &random, name), i);
    }
    strcpy(name, "scribble");
    assert_int_equal(world_find_body(world, "link1"), 1);
    assert_int_equal(world_find_body(world, "link137"), 137);
    assert_int_equal(world_find_body(world, "link201"), -1);
    assert_string_equal(world->bodies[200].name, "link200");
    world_destroy(world);
}

static void materials_are_copied(void **state)
{
    (void)state;
    World *world = world_create();
    char name[] = "steel";
    Material steel = {name, 0.31, 0.7, 0.02};
    int index = world_add_material(world, &steel);
    name[0] = 'X';
    assert_int_equal(index, 1);
    assert_string_equal(world->materials[1].name, "steel");
    assert_near(world->materials[1].friction, 0.31, 0.0);
    world_destroy(world);
}

static void a_body_without_shape_or_inertia_is_a_particle(void **state)
{
    (void)state;
    Random random = {402};
    World *world = world_create();
    BodyDef def = build_random_def(&random, "bead");
    def.mass = 2.5;
    int bead = build_body(world, &def);
    assert_near(world->mass[bead].inv_mass, 0.4, 0.0);
    assert_vec3_near(world->mass[bead].inv_inertia, VEC3_ZERO, 0.0);
    assert_vec3_near(world_inv_inertia_mul(world, bead, vec3(1, 2, 3)), VEC3_ZERO, 0.0);
    world_destroy(world);
}

static void given_inertia_is_about_the_axes_of_the_bodys_frame(void **state)
{
    (void)state;
    Random random = {403};
    World *world = world_create();
    BodyDef def = build_random_def(&random, "top");
    def.mass = 15.0;
    def.has_inertia = true;
    def.inertia = vec3(0.2, 0.5, 0.4);
    int top = build_body(world, &def);
    Mat3 I = mat3_turn_diagonal(def.orientation, def.inertia);
    assert_mat3_near(mat3_mul(I, world_inv_inertia(world, top)), mat3_diagonal(vec3(1, 1, 1)), ROUND_OFF);
    world_destroy(world);
}

static void a_given_mass_scales_the_shapes_inertia(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "ball";
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.3};
    def.mass = 7.0;
    int ball = build_body(world, &def);
    assert_near(world->mass[ball].mass, 7.0, 0.0);
    assert_near(world->mass[ball].inertia.y, 0.4 * 7.0 * 0.09, ROUND_OFF);
    assert_near(world->mass[ball].inv_inertia.y * world->mass[ball].inertia.y, 1.0, ROUND_OFF);
    world_destroy(world);
}

static void results_come_back_in_the_definitions_frame(void **state)
{
    (void)state;
    Random random = {404};
    for (int trial = 0; trial < 50; trial++) {
        World *world = world_create();
        Vec3 size = vec3(0.3, 1.2, 0.7);
        Quat frame = random_quat(&random);
        Mesh *mesh = box_mesh(size, frame, random_vec3(&random, 2.0));
        BodyDef def = build_random_def(&random, "mesh");
        def.shape = (Shape){.kind = SHAPE_MESH, .mesh = mesh};
        def.density = 3.0;
        int body = build_body(world, &def);
        Quat back = quat_mul(world_reported_orientation(world, body), quat_conj(def.orientation));
        assert_vec3_near(quat_log(back), VEC3_ZERO, ROUND_OFF);
        assert_vec3_near(world->pose[body].x, def.position, 0.0);
        /* The internal axes are the box's edges, whatever frame the file was written in. */
        MassProperties box = shape_mass_properties(&(Shape){.kind = SHAPE_BOX, .size = size}, 3.0);
        Vec3 d = vec3(box.inertia.m[0][0], box.inertia.m[1][1], box.inertia.m[2][2]);
        Mat3 I = mat3_turn_diagonal(quat_mul(def.orientation, frame), d);
        assert_mat3_near(mat3_turn_diagonal(world->pose[body].q, world->mass[body].inertia), I, ROUND_OFF * 10.0);
        Vec3 u = random_vec3(&random, 1.0);
        assert_vec3_near(world_inv_inertia_mul(world, body, u), mat3_mul_vec(mat3_inverse(I), u), ROUND_OFF * 100.0);
        mesh_destroy(mesh);
        world_destroy(world);
    }
}

static void a_mesh_is_copied_and_shifted_to_its_centre_of_mass(void **state)
{
    (void)state;
    World *world = world_create();
    Vec3 offset = vec3(1.5, -2.25, 0.75);
    Mesh *mesh = box_mesh(vec3(1, 2, 3), QUAT_IDENTITY, offset);
    BodyDef def = BODY_DEF_INIT;
    def.name = "mesh";
    def.shape = (Shape){.kind = SHAPE_MESH, .mesh = mesh};
    def.density = 1.0;
    int body = build_body(world, &def);
    assert_vec3_near(mesh->vertices[7], vec3_add(offset, vec3(0.5, 1.0, 1.5)), 0.0);
    mesh_destroy(mesh);
    assert_vec3_near(world->meshes[body]->vertices[7], vec3(0.5, 1.0, 1.5), ROUND_OFF);
    assert_ptr_equal(world->bodies[body].shape.mesh, world->meshes[body]);
    world_destroy(world);
}

static void assert_body_refused(BodyDef def, const char *reason)
{
    World *world = world_create();
    Status status = {0};
    def.name = "bad";
    assert_int_equal(world_add_body(world, &def, &status), -1);
    assert_int_equal(world->body_count, 1);
    if (!strstr(status.message, reason) || !strstr(status.message, "bad"))
        fail_msg("the message is '%s'", status.message);
    world_destroy(world);
}

static void bodies_that_cannot_move_right_are_refused(void **state)
{
    (void)state;
    BodyDef def = BODY_DEF_INIT;
    assert_body_refused(def, "a moving body needs a mass");
    def.density = 1.0;
    def.shape = (Shape){.kind = SHAPE_BOX, .size = vec3(1, 0, 1)};
    assert_body_refused(def, "no volume");

    Mesh *mesh = box_mesh(vec3(1, 1, 1), QUAT_IDENTITY, VEC3_ZERO);
    def.shape = (Shape){.kind = SHAPE_MESH, .mesh = mesh};
    mesh->triangle_count--;
    assert_body_refused(def, "not closed");
    mesh->triangle_count++;
    for (int t = 0; t < mesh->triangle_count; t++) {
        int first = mesh->triangles[t][0];
        mesh->triangles[t][0] = mesh->triangles[t][1];
        mesh->triangles[t][1] = first;
    }
    assert_body_refused(def, "inside out");
    mesh_destroy(mesh);
}

static void a_fixed_body_needs_no_mass(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "floor";
    def.fixed = true;
    def.shape = (Shape){.kind = SHAPE_PLANE, .normal = vec3(0, 1, 0)};
    assert_true(world_is_fixed(world, build_body(world, &def)));
    world_destroy(world);
}

static void a_removed_body_takes_its_joints_with_it_and_no_others(void **state)
{
    (void)state;
    Random random = {405};
    World *world = world_create();
    for (int i = 0; i < 3; i++)
        build_random_box(world, &random, "box");
    JointDef first = joint_def(JOINT_MOTOR, 1, 2), second = joint_def(JOINT_HINGE, 2, 3);
    JointDef kept = joint_def(JOINT_HINGE, 0, 1);
    first.torque = 5.0;
    first.angular_damping = second.angular_damping = kept.angular_damping = 1.0;
    const Joint *motor = build_joint(world, &first), *hinge = build_joint(world, &second);
    const Joint *other = build_joint(world, &kept);
    assert_true(joint_has_actuator(motor));
    world_remove_body(world, 2);
    assert_true(world->removed[2] && world_is_fixed(world, 2));
    assert_false(joint_has_actuator(motor));
    Vec3 force, torque;
    joint_actuation(world, motor, &force, &torque);
    assert_vec3_near(torque, VEC3_ZERO, 0.0);
    JointDamping damping;
    joint_damping(world, hinge, &damping);
    assert_int_equal(damping.angular, DAMPING_NONE);
    joint_damping(world, other, &damping);
    assert_int_equal(damping.angular, DAMPING_AXIS);
    for (int b = 0; b < world->block_count; b++)
        assert_int_equal(world->blocks[b].off, b < 4);
    /* Whatever a solver leaves for a block that is off counts for nothing. */
    world_begin_frame(world);
    world_begin_substep(world, 0.01);
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = vec3(1, 1, 1);
    world_end_substep(world, 0.01);
    assert_vec3_near(motor->angular_impulse, VEC3_ZERO, 0.0);
    assert_vec3_near(other->impulse, vec3(1, 1, 1), 0.0);
    assert_near(world->actuator_work, 0.0, 0.0);
    world_destroy(world);
}

/* Torques work along the mean of the spins at both ends, or as the solver says. */
static void constant_forces_work_along_the_bodys_way(void **state)
{
    (void)state;
    Random random = {406};
    World *world = world_create();
    BodyDef def = build_random_def(&random, "rocket");
    def.mass = 2.0;
    def.has_inertia = true;
    def.inertia = vec3(0.3, 0.3, 0.3);
    def.force = vec3(1.5, -2.0, 0.5);
    def.torque = vec3(0.2, 0.7, -0.4);
    int body = build_body(world, &def);
    double h = 0.01, work = 0.0;
    for (int i = 0; i < 5; i++) {
        world_begin_substep(world, h);
        Vec3 travel = random_vec3(&random, 0.1), before = world->velocity[body].w, after = random_vec3(&random, 1.0);
        world->pose[body].x = vec3_add(world->pose[body].x, travel);
        world->pose[body].q = quat_mul(quat_exp(random_vec3(&random, 1.0)), world->pose[body].q); /* does not matter */
        world->velocity[body].w = after;
        double turned = 0.5 * h * vec3_dot(def.torque, vec3_add(before, after));
        if (i == 3)
            world->torque_work = turned = 0.317;
        world_end_substep(world, h);
        work += vec3_dot(def.force, travel) + turned;
    }
    assert_near(world->actuator_work, work, ROUND_OFF);
    world_destroy(world);
}

/* A cylinder's force f over a stroke s works f s, a torque motor's tau over an angle works tau times it; also while the
 * bodies turn, and with them the axis. */
static void actuators_work_along_their_stroke_and_turn(void **state)
{
    (void)state;
    Random random = {407};
    World *world = world_create();
    build_random_box(world, &random, "one");
    build_random_box(world, &random, "two");
    Vec3 axis = random_unit(&random);
    JointDef cylinder = joint_def(JOINT_CYLINDER, 1, 2), motor = joint_def(JOINT_MOTOR, 1, 2);
    cylinder.axis = motor.axis = axis;
    cylinder.force = 6.5;
    motor.torque = 1.75;
    build_joint(world, &cylinder);
    build_joint(world, &motor);
    double h = 0.01;
    for (int b = 1; b <= 2; b++)
        world->velocity[b] = (Velocity){VEC3_ZERO, VEC3_ZERO};
    world_begin_substep(world, h);
    world->pose[2].x = vec3_add_scaled(world->pose[2].x, 0.3, axis);
    world->pose[1].x = vec3_add_scaled(world->pose[1].x, -0.1, axis);
    world->pose[2].q = quat_mul(quat_exp(vec3_scale(0.7, axis)), world->pose[2].q);
    Quat turn = quat_exp(random_vec3(&random, 1.0));
    for (int b = 1; b <= 2; b++)
        world->pose[b] = (Pose){quat_rotate(turn, world->pose[b].x), quat_mul(turn, world->pose[b].q)};
    world_end_substep(world, h);
    assert_near(world->actuator_work, 6.5 * 0.4 + 1.75 * 0.7, ROUND_OFF);
    world_destroy(world);
}

static void a_rigid_drives_impulse_works_and_a_plain_hinges_does_not(void **state)
{
    (void)state;
    Random random = {408};
    World *world = world_create();
    build_random_box(world, &random, "one");
    build_random_box(world, &random, "two");
    Vec3 axis = random_unit(&random);
    JointDef servo = joint_def(JOINT_SERVO, 1, 2);
    servo.axis = axis;
    build_joint(world, &servo);
    world_begin_substep(world, 0.01);
    Vec3 before = vec3_sub(world->velocity[2].w, world->velocity[1].w);
    world->block_impulse[0] = random_vec3(&random, 1.0);
    world->block_impulse[1] = random_vec3(&random, 1.0);
    world->block_impulse[2] = vec3_scale(0.83, axis);
    world->velocity[2].w = random_vec3(&random, 1.0);
    Vec3 after = vec3_sub(world->velocity[2].w, world->velocity[1].w);
    world_end_substep(world, 0.01);
    assert_near(world->actuator_work, 0.83 * 0.5 * vec3_dot(axis, vec3_add(before, after)), ROUND_OFF);
    world_destroy(world);
}

static World *make_motor(Vec3 *axis)
{
    Random random = {409};
    World *world = world_create();
    build_random_box(world, &random, "one");
    build_random_box(world, &random, "two");
    *axis = random_unit(&random);
    JointDef motor = joint_def(JOINT_MOTOR, 1, 2);
    motor.axis = *axis;
    motor.speed = 3.0;
    motor.max_torque = 10.0;
    build_joint(world, &motor);
    return world;
}

static void a_motors_target_runs_ahead_at_its_speed(void **state)
{
    (void)state;
    Vec3 axis;
    World *world = make_motor(&axis);
    const JointTerms *twist = block_terms(&world->blocks[2]);
    for (int i = 1; i <= 4; i++) {
        world_begin_substep(world, 0.01);
        assert_near(twist->target_before, 0.03 * (i - 1), ROUND_OFF);
        assert_near(twist->target, 0.03 * i, ROUND_OFF);
        world->block_impulse[2] = vec3_scale(0.09, axis); /* below the bound of 10 N m x 0.01 s */
        world_end_substep(world, 0.01);
    }
    world_destroy(world);
}

/* Erratum 25: while it cannot turn its load, the target waits at the joint's angle. */
static void a_stalled_motor_does_not_wind_up(void **state)
{
    (void)state;
    Vec3 axis;
    World *world = make_motor(&axis);
    const JointTerms *twist = block_terms(&world->blocks[2]);
    for (int i = 0; i < 50; i++) {
        world_begin_substep(world, 0.01);
        assert_near(twist->target, twist->angle + 0.03, ROUND_OFF);
        world->pose[2].q = quat_mul(quat_axis_angle(axis, 0.002), world->pose[2].q);
        world->block_impulse[2] = vec3_scale(0.1, axis); /* at the bound */
        world_end_substep(world, 0.01);
        assert_near(twist->angle, 0.002 * (i + 1), ROUND_OFF);
    }
    world_destroy(world);
}

static void a_world_has_no_more_bodies_and_joints_than_it_may(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef body = BODY_DEF_INIT;
    JointDef joint = {.type = JOINT_BALL};
    Status status = {0};
    int bodies = world->body_count, joints = world->joint_count;
    world->body_count = WORLD_MAX_BODIES;
    assert_int_equal(world_add_body(world, &body, &status), -1);
    assert_non_null(strstr(status.message, "at most 4194304 bodies"));
    world->body_count = bodies;
    world->joint_count = WORLD_MAX_JOINTS;
    assert_int_equal(world_add_joint(world, &joint, &status), -1);
    assert_non_null(strstr(status.message, "at most 8388608 joints"));
    world->joint_count = joints;
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_world_holds_the_fixed_body_world_at_the_origin),
        cmocka_unit_test(names_are_copied_and_found_among_many),
        cmocka_unit_test(materials_are_copied),
        cmocka_unit_test(a_body_without_shape_or_inertia_is_a_particle),
        cmocka_unit_test(given_inertia_is_about_the_axes_of_the_bodys_frame),
        cmocka_unit_test(a_given_mass_scales_the_shapes_inertia),
        cmocka_unit_test(results_come_back_in_the_definitions_frame),
        cmocka_unit_test(a_mesh_is_copied_and_shifted_to_its_centre_of_mass),
        cmocka_unit_test(bodies_that_cannot_move_right_are_refused),
        cmocka_unit_test(a_fixed_body_needs_no_mass),
        cmocka_unit_test(a_removed_body_takes_its_joints_with_it_and_no_others),
        cmocka_unit_test(constant_forces_work_along_the_bodys_way),
        cmocka_unit_test(actuators_work_along_their_stroke_and_turn),
        cmocka_unit_test(a_rigid_drives_impulse_works_and_a_plain_hinges_does_not),
        cmocka_unit_test(a_motors_target_runs_ahead_at_its_speed),
        cmocka_unit_test(a_stalled_motor_does_not_wind_up),
        cmocka_unit_test(a_world_has_no_more_bodies_and_joints_than_it_may),
    };
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
