/* SPDX-License-Identifier: MIT */
/* Inverse dynamics against statics, against Lagrange's equations of a double pendulum, and against forward dynamics. */
#include "bench/studies/inverse.h"

#include "tests/solvers/mechanisms.h"

static int hinge(World *world, int parent, int body, Vec3 at)
{
    JointDef joint = joint_def(JOINT_HINGE, parent, body);
    joint.name = "hinge";
    joint.anchor[0] = at;
    joint.axis = vec3(0, 0, 1);
    build_joint(world, &joint);
    return body;
}

/* A level arm of n links: joint j carries k = n - j of them, k m g times k l / 2. */
static void a_level_arm_needs_the_moment_of_what_hangs_beyond(void **state)
{
    (void)state;
    enum { LINKS = 5 };
    const double length = 0.7;
    World *world = world_create();
    for (int i = 0; i < LINKS; i++)
        hinge(world, i, mechanism_add_box(world, vec3((i + 0.5) * length, 0, 0), vec3(length, 0.1, 0.2)),
              vec3(i * length, 0, 0));
    Inverse inverse;
    Status status;
    assert_true(inverse_compute(&inverse, world, true, &status));
    assert_int_equal(inverse.count, LINKS);
    for (int j = 0; j < LINKS; j++) {
        double beyond = LINKS - j, moment = beyond * world->mass[1].mass * 9.81 * 0.5 * beyond * length;
        assert_near(inverse.forces[j].recursive, moment, 1e-13 * moment);
        assert_near(inverse.forces[j].lagrange, moment, 1e-13 * moment);
        assert_int_equal(inverse.forces[j].joint, j);
        assert_true(inverse.forces[j].angular);
    }
    inverse_free(&inverse);
    world_destroy(world);
}

/* Two rods, their angles a and b from the x axis, w and u their own rates; Lagrange's equations for q'' = 0, the second
 * coordinate being b - a. */
static void a_swinging_double_pendulum_obeys_lagranges_equations(void **state)
{
    (void)state;
    const double l = 1.0, a = 0.4, b = -0.9, w = 1.7, u = -0.6;
    World *world = world_create();
    Vec3 tip = vec3(l * cos(a), l * sin(a), 0), along = vec3(0.5 * l * cos(b), 0.5 * l * sin(b), 0);
    int one = mechanism_add_box(world, vec3_scale(0.5, tip), vec3(l, 0.05, 0.05));
    int two = mechanism_add_box(world, vec3_add(tip, along), vec3(l, 0.05, 0.05));
    world->pose[one].q = quat_mul(quat_axis_angle(vec3(0, 0, 1), a), world->pose[one].q);
    world->pose[two].q = quat_mul(quat_axis_angle(vec3(0, 0, 1), b), world->pose[two].q);
    hinge(world, 0, one, VEC3_ZERO);
    hinge(world, one, two, tip);
    world->velocity[one] = (Velocity){vec3_cross(vec3(0, 0, w), vec3_scale(0.5, tip)), vec3(0, 0, w)};
    world->velocity[two] =
        (Velocity){vec3_add(vec3_cross(vec3(0, 0, w), tip), vec3_cross(vec3(0, 0, u), along)), vec3(0, 0, u)};
    Inverse inverse;
    Status status;
    assert_true(inverse_compute(&inverse, world, true, &status));
    double m = world->mass[one].mass, g = 9.81, s = sin(a - b);
    /* d/dt dL/dw - dL/da and d/dt dL/du - dL/db with w' = u' = 0; torque 1 acts on a alone, torque 2 on b and back on
     * a. */
    double on_a = 0.5 * m * l * l * u * u * s + 1.5 * m * g * l * cos(a);
    double on_b = -0.5 * m * l * l * w * w * s + 0.5 * m * g * l * cos(b);
    /* Lengths of 1, forces of 10: round-off. */
    assert_near(inverse.forces[1].recursive, on_b, 1e-12);
    assert_near(inverse.forces[0].recursive, on_a + on_b, 1e-12);
    assert_true(inverse.difference < 1e-13);
    assert_near(inverse.forces[0].speed, w, 1e-14);
    assert_near(inverse.forces[1].speed, u - w, 1e-14);
    /* The textbook's mass matrix, in the angles a and c = b - a; a box of 1 by 0.05 turns with I about its centre. */
    double I = m * (l * l + 0.05 * 0.05) / 12.0, end = I + 0.25 * m * l * l, bend = 0.5 * m * l * l * cos(a - b);
    assert_near(inverse.mass_matrix[3], end, 1e-13);
    assert_near(inverse.mass_matrix[1], end + bend, 1e-13);
    assert_near(inverse.mass_matrix[2], end + bend, 1e-13);
    assert_near(inverse.mass_matrix[0], 2.0 * end + m * l * l + 2.0 * bend, 1e-13);
    inverse_free(&inverse);
    world_destroy(world);
}

/* Random trees of every joint that a tree may have: the two views agree. */
static void both_views_agree_on_random_trees(void **state)
{
    (void)state;
    const JointType types[] = {JOINT_BALL, JOINT_HINGE, JOINT_PRISMATIC, JOINT_CYLINDER, JOINT_FIXED, JOINT_BALL};
    for (int k = 0; k < 20; k++) {
        Random random = {(uint64_t)(4400 + k)};
        World *world = world_create();
        build_random_chain(world, &random, types, 6);
        Inverse inverse;
        Status status;
        assert_true(inverse_compute(&inverse, world, true, &status));
        assert_true(inverse.count > 6 + 3);
        assert_true(inverse.difference < 1e-11); /* sums over seven bodies, arms of some metres */
        /* Featherstone's accelerations and those of M q'' = -h, and the recursion's put into the equation. */
        assert_true(inverse.acceleration_difference < 1e-12);
        assert_true(inverse.residual < 1e-12);
        inverse_free(&inverse);
        world_destroy(world);
    }
}

static void a_loop_is_refused(void **state)
{
    (void)state;
    World *world = mechanism_rods(3, 1.0, true);
    Inverse inverse;
    Status status = {0};
    assert_false(inverse_compute(&inverse, world, true, &status));
    assert_true(status.message[0]);
    inverse_free(&inverse);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_level_arm_needs_the_moment_of_what_hangs_beyond),
        cmocka_unit_test(a_swinging_double_pendulum_obeys_lagranges_equations),
        cmocka_unit_test(both_views_agree_on_random_trees),
        cmocka_unit_test(a_loop_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
