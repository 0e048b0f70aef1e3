/* SPDX-License-Identifier: MIT */
/* Loops closed by multipliers in reduced coordinates, held against `kkt`, which knows no tree. */
#include "model/energy.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/drive.h"

#include <stdio.h>
#include <string.h>

static const double DT = 1.0 / 60.0;

/* Four rods on ball joints that sag between two points 2.6 m apart: no row depends on another. */
static World *sagging_rods(void)
{
    World *world = world_create();
    static const double AT[][2] = {{0, 0}, {0.5, -0.6}, {1.3, -0.7}, {2.1, -0.5}, {2.6, 0}};
    for (int i = 0; i < 4; i++) {
        Vec3 from = vec3(AT[i][0], AT[i][1], 0), to = vec3(AT[i + 1][0], AT[i + 1][1], 0.1 * i);
        BodyDef def = BODY_DEF_INIT;
        def.name = "rod";
        def.position = vec3_scale(0.5, vec3_add(from, to));
        def.mass = 1.0 + 0.3 * i;
        def.has_inertia = true;
        def.inertia = vec3(0.11, 0.13, 0.07);
        def.angular_velocity = vec3(0, 0, 0);
        int body = build_body(world, &def);
        mechanism_join(world, JOINT_BALL, body - 1, body, from);
    }
    mechanism_join(world, JOINT_BALL, 4, 0, vec3(2.6, 0, 0.3));
    return world;
}

/* A crank, a coupler and a rocker on hinges about z, which make the loop redundant in space; it falls from rest. */
static World *four_bar(void)
{
    World *world = world_create();
    static const double AT[][2] = {{0, 0}, {0.1, 0.4}, {1.1, 0.9}, {1.2, 0}};
    for (int i = 0; i < 3; i++) {
        Vec3 from = vec3(AT[i][0], AT[i][1], 0), to = vec3(AT[i + 1][0], AT[i + 1][1], 0);
        int body = mechanism_add_box(world, vec3_scale(0.5, vec3_add(from, to)), vec3(0.3, 0.1, 0.05));
        mechanism_join(world, JOINT_HINGE, body - 1, body, from);
    }
    mechanism_join(world, JOINT_HINGE, 3, 0, vec3(1.2, 0, 0));
    return world;
}

/* The furthest that two runs of the same world are apart, m. */
static double apart(World *one, World *two)
{
    double largest = 0.0;
    for (int i = 1; i < one->body_count; i++)
        largest = fmax(largest, vec3_norm(vec3_sub(one->pose[i].x, two->pose[i].x)));
    return largest;
}

static double gap(const World *world)
{
    double largest = 0.0;
    for (int b = 0; b < world->joint_block_count; b++)
        largest = fmax(largest, block_violation(world, &world->blocks[b]));
    return largest;
}

static void a_loop_moves_as_with_all_multipliers_and_stays_closed(void **state)
{
    (void)state;
    World *(*const BUILD[])(void) = {sagging_rods, four_bar};
    for (int k = 0; k < 2; k++) {
        World *tree = BUILD[k](), *whole = BUILD[k]();
        drive_run(tree, "featherstone", "substeps=40", DT, 40);
        drive_run(whole, "kkt", "integrator=rk4 substeps=40", DT, 40);
        assert_true(vec3_norm(tree->velocity[2].v) > 0.5);
        assert_near(apart(tree, whole), 0.0, 1e-8); /* both err by h^4 = 3e-14 times what the motion makes of it */
        assert_near(gap(tree), 0.0, 1e-12);
        world_destroy(tree);
        world_destroy(whole);
    }
}

/* No row depends on another, so every joint's force is unique, the cut one's included. */
static void every_joint_carries_what_it_does_without_a_tree(void **state)
{
    (void)state;
    World *tree = sagging_rods(), *whole = sagging_rods();
    Drive one, two;
    drive_begin(&one, tree, "featherstone", "substeps=40");
    drive_begin(&two, whole, "kkt", "integrator=rk4 substeps=40");
    for (int f = 0; f < 20; f++) {
        drive_frame(&one, DT);
        drive_frame(&two, DT);
    }
    for (int b = 0; b < tree->joint_block_count; b++) {
        assert_true(vec3_norm(whole->block_impulse[b]) > 1e-4);
        /* Impulses of a substep of 0.4 ms; projections share them out anew, by O(h^2) of them. */
        assert_vec3_near(tree->block_impulse[b], whole->block_impulse[b], 1e-6 * vec3_norm(whole->block_impulse[b]));
    }
    drive_end(&one);
    drive_end(&two);
    world_destroy(tree);
    world_destroy(whole);
}

static void runge_kutta_keeps_its_order_with_loops(void **state)
{
    (void)state;
    double error[2];
    World *exact = sagging_rods();
    drive_run(exact, "featherstone", "substeps=128", DT, 20);
    for (int k = 0; k < 2; k++) {
        char options[64];
        World *world = sagging_rods();
        snprintf(options, sizeof options, "substeps=%d", 4 << k);
        drive_run(world, "featherstone", options, DT, 20);
        error[k] = apart(world, exact);
        world_destroy(world);
    }
    assert_near(error[0] / error[1], 16.0, 2.5); /* the next term of the error */
    world_destroy(exact);
}

static void a_floating_ring_keeps_its_momentum(void **state)
{
    (void)state;
    Random random = {0xbead};
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    for (int i = 0; i < 5; i++) {
        int body = build_random_box(world, &random, "box");
        if (i > 0)
            mechanism_join(world, JOINT_BALL, body - 1, body, random_vec3(&random, 1.0));
    }
    mechanism_join(world, JOINT_BALL, 5, 1, random_vec3(&random, 1.0));
    Vec3 momentum = world_momentum(world), angular = world_angular_momentum(world);
    double scale = world_angular_momentum_scale(world);
    drive_run(world, "featherstone", "substeps=20", DT, 30);
    assert_vec3_near(world_momentum(world), momentum, 1e-12 * scale);
    assert_vec3_near(world_angular_momentum(world), angular, 1e-7 * scale); /* RK4's error at this step */
    assert_near(gap(world), 0.0, 1e-12);
    world_destroy(world);
}

static void a_limit_in_a_loop_is_a_coordinate_of_the_tree(void **state)
{
    (void)state;
    /* The same loop, whose last joint, the one that would be cut, has the limit. */
    World *plain = four_bar(), *world = world_create();
    for (int i = 1; i < plain->body_count; i++)
        build_body(world, &plain->bodies[i]);
    for (int j = 0; j < 4; j++) {
        JointDef def = plain->joints[j].def;
        def.angle_max = j == 3 ? 0.2 : NAN;
        def.angle_min = j == 3 ? -0.2 : NAN;
        build_joint(world, &def);
    }
    drive_run(world, "featherstone", "", DT, 240);
    assert_near(fabs(joint_angle(world, &world->joints[3])), 0.2, 1e-6);
    assert_near(gap(world), 0.0, 1e-6);
    world_destroy(plain);
    world_destroy(world);
}

static void limits_all_around_a_loop_are_refused_by_name(void **state)
{
    (void)state;
    World *plain = four_bar(), *world = world_create();
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    Status status = {0};
    for (int i = 1; i < plain->body_count; i++)
        build_body(world, &plain->bodies[i]);
    for (int j = 0; j < 4; j++) {
        JointDef def = plain->joints[j].def;
        def.name = j == 3 ? "last" : "other";
        def.angle_max = 0.2;
        build_joint(world, &def);
    }
    assert_null(drive_find("featherstone")->create(&(SolverTask){NULL, world, &options, DT, false}, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.message, "joint last closes a loop and has a limit"));
    world_destroy(plain);
    world_destroy(world);
}

/* Nothing is left but free flight for the far end of a loop that loses a link on each side. */
static void a_removed_body_opens_its_loop(void **state)
{
    (void)state;
    World *world = sagging_rods();
    Drive drive;
    drive_begin(&drive, world, "featherstone", "");
    for (int f = 0; f < 5; f++)
        drive_frame(&drive, DT);
    world_remove_body(world, 1);
    world_remove_body(world, 4);
    double mass = world->mass[2].mass + world->mass[3].mass;
    Vec3 x = vec3_scale(1.0 / mass, vec3_add(vec3_scale(world->mass[2].mass, world->pose[2].x),
                                             vec3_scale(world->mass[3].mass, world->pose[3].x)));
    Vec3 v = vec3_scale(1.0 / mass, vec3_add(vec3_scale(world->mass[2].mass, world->velocity[2].v),
                                             vec3_scale(world->mass[3].mass, world->velocity[3].v)));
    for (int f = 0; f < 30; f++)
        drive_frame(&drive, DT);
    Vec3 end = vec3_scale(1.0 / mass, vec3_add(vec3_scale(world->mass[2].mass, world->pose[2].x),
                                               vec3_scale(world->mass[3].mass, world->pose[3].x)));
    assert_vec3_near(end, vec3_add_scaled(vec3_add_scaled(x, 0.5, v), 0.125, world->gravity), 1e-9);
    drive_end(&drive);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_moves_as_with_all_multipliers_and_stays_closed),
        cmocka_unit_test(every_joint_carries_what_it_does_without_a_tree),
        cmocka_unit_test(runge_kutta_keeps_its_order_with_loops),
        cmocka_unit_test(a_floating_ring_keeps_its_momentum),
        cmocka_unit_test(a_limit_in_a_loop_is_a_coordinate_of_the_tree),
        cmocka_unit_test(limits_all_around_a_loop_are_refused_by_name),
        cmocka_unit_test(a_removed_body_opens_its_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
