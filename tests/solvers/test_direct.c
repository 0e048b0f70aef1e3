/* SPDX-License-Identifier: MIT */
/* The sparse direct solve: equal to a dense one, linear in the links, at home in loops and at bounds. */
#include "model/energy.h"
#include "solvers/systems/constraint_graph.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/drive.h"

#include <lapacke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DT = 1.0 / 60.0;

/* Boxes joined at random to earlier ones, and `loops` joints more. */
static World *random_mechanism(Random *random, int bodies, int loops)
{
    static const JointType TYPES[] = {JOINT_BALL,      JOINT_HINGE, JOINT_DISTANCE,
                                      JOINT_PRISMATIC, JOINT_FIXED, JOINT_WIRE};
    World *world = world_create();
    for (int i = 1; i <= bodies; i++)
        build_random_box(world, random, "box");
    for (int k = 1; k <= bodies + loops; k++) {
        int two = k <= bodies ? k : (int)random_in(random, 2, bodies + 0.999);
        int one = (int)random_in(random, 0, two - 0.001);
        JointDef joint = joint_def(k <= bodies ? TYPES[k % 6] : JOINT_DISTANCE, one, two);
        joint.local_anchors = k > bodies;
        joint.anchor[0] = random_vec3(random, 1.0);
        joint.anchor[1] = random_vec3(random, 1.0);
        joint.axis = random_unit(random);
        joint.centre = random_vec3(random, 1.0);
        joint.radius = 0.8;
        joint.compliance = k % 3 == 0 ? 1e-3 : 0.0;
        build_joint(world, &joint);
    }
    return world;
}

static void prepare_held(RowSystem *system, World *world, bool (*held)[BLOCK_MAX_ROWS])
{
    assert_true(row_system_init(system, world));
    row_system_prepare(system, world, &(RowSetup){.h = 0.01, .rate = 20.0, .relaxation = 1.0});
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            held[b][i] = true;
}

/* A lambda = b for all rows at once, A = J M^-1 J^T + s, b = -(J V + bias). */
static int dense_multipliers(const RowSystem *system, const World *world, double *lambda)
{
    int rows = system->rows, at = 0;
    size_t n = (size_t)rows;
    double *A = calloc(n * n, sizeof *A);
    Velocity *push = calloc((size_t)world->body_count, sizeof *push);
    for (int b = 0; b < system->count; b++) {
        const RowBlock *from = &system->blocks[b];
        double rate[BLOCK_MAX_ROWS];
        if (from->count > 0)
            row_block_rates(from, world->velocity, rate);
        for (int i = 0; i < from->count; i++, at++) {
            double unit[BLOCK_MAX_ROWS] = {0};
            unit[i] = 1.0;
            lambda[at] = -(rate[i] + from->bias[i]);
            memset(push, 0, sizeof *push * (size_t)world->body_count);
            row_block_push(from, unit, push);
            for (int c = 0, to = 0; c < system->count; to += system->blocks[c++].count) {
                double got[BLOCK_MAX_ROWS];
                if (system->blocks[c].count > 0)
                    row_block_rates(&system->blocks[c], push, got);
                for (int k = 0; k < system->blocks[c].count; k++)
                    A[(size_t)(to + k) * n + (size_t)at] = got[k];
            }
            A[(size_t)at * n + (size_t)at] += from->soft[i];
        }
    }
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', rows, 1, A, rows, lambda, 1), 0);
    free(A);
    free(push);
    return rows;
}

static void multipliers_equal_a_dense_solve_with_and_without_loops(void **state)
{
    (void)state;
    Random random = {0xd17ec7};
    for (int trial = 0; trial < 12; trial++) {
        World *world = random_mechanism(&random, 11, trial % 4);
        RowSystem system;
        ConstraintGraph graph;
        bool(*held)[BLOCK_MAX_ROWS] = calloc((size_t)world->block_count, sizeof *held);
        double(*goal)[BLOCK_MAX_ROWS] = calloc((size_t)world->block_count, sizeof *goal);
        double dense[256];
        const double *lambda;
        prepare_held(&system, world, held);
        assert_true(system.rows <= 256);
        int rows = dense_multipliers(&system, world, dense);
        assert_true(constraint_graph_init(&graph, world, false));
        const bool(*rows_held)[BLOCK_MAX_ROWS] = (const bool(*)[BLOCK_MAX_ROWS])held;
        assert_int_equal(constraint_graph_factor(&graph, world, &system, rows_held, 0.0), 0);
        constraint_graph_solve(&graph, world, &system, rows_held, (const double(*)[BLOCK_MAX_ROWS])goal,
                               world->velocity);
        assert_int_equal(row_system_multipliers(&system, &lambda), rows);
        double scale = 0.0;
        for (int i = 0; i < rows; i++)
            scale = fmax(scale, fabs(dense[i]));
        for (int i = 0; i < rows; i++)
            assert_near(lambda[i], dense[i], 1e-10 * scale); /* the condition of A is up to 1e5 */
        assert_true(row_system_residual(&system, world->velocity) < 1e-12);
        constraint_graph_free(&graph);
        row_system_free(&system);
        free(held);
        free(goal);
        world_destroy(world);
    }
}

static void the_residual_is_round_off_at_a_mass_ratio_of_a_million(void **state)
{
    (void)state;
    World *world = mechanism_rods(200, 0.2, false);
    world->mass[200].mass *= 1e6;
    world->mass[200].inv_mass /= 1e6;
    world->mass[200].inertia = vec3_scale(1e6, world->mass[200].inertia);
    world->mass[200].inv_inertia = vec3_scale(1e-6, world->mass[200].inv_inertia);
    Drive drive;
    drive_begin(&drive, world, "direct", "substeps=1");
    for (int f = 0; f < 10; f++) {
        drive_frame(&drive, 1e-3);
        world_begin_substep(world, 1e-3);
        drive.phases[0].enter(drive.self, &drive.step);
        drive.phases[0].iterate(drive.self, &drive.step);
        /* Impulses of 1e6 kg in velocities of 1e-2 m/s: round-off of 1e-16 times the ratio. */
        assert_true(drive.phases[0].residual(drive.self, &drive.step) < 1e-9);
        drive.phases[1].enter(drive.self, &drive.step);
        drive.phases[1].iterate(drive.self, &drive.step);
        world_end_substep(world, 1e-3);
    }
    drive_end(&drive);
    world_destroy(world);
}

static void it_converges_to_reduced_coordinates_with_order_one(void **state)
{
    (void)state;
    double error[2];
    World *world = mechanism_rods(20, 0.2, false);
    drive_run(world, "featherstone", "substeps=40", DT, 15);
    Vec3 exact = world->pose[20].x;
    world_destroy(world);
    for (int k = 0; k < 2; k++) {
        char options[32];
        snprintf(options, sizeof options, "substeps=%d", 100 << k);
        world = mechanism_rods(20, 0.2, false);
        drive_run(world, "direct", options, DT, 15);
        error[k] = vec3_norm(vec3_sub(world->pose[20].x, exact));
        world_destroy(world);
    }
    assert_true(error[0] < 1e-2);
    assert_near(error[0] / error[1], 2.0, 0.1); /* the next order is a twentieth at this step */
}

static void projection_leaves_no_drift_and_without_it_drift_shrinks_with_the_step(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        double least, most;
    } CASES[] = {{"substeps=20", 0.0, 1e-7},
                 {"substeps=20 position_iterations=3", 0.0, 1e-14},
                 {"substeps=20 position=none", 1e-4, 1e-1},
                 {"substeps=20 position=baumgarte", 1e-6, 1e-2}};
    for (int c = 0; c < 4; c++) {
        World *world = mechanism_rods(10, 0.2, false);
        drive_run(world, "direct", CASES[c].options, DT, 60);
        double drift = 0.0;
        for (int b = 0; b < world->block_count; b++)
            drift = fmax(drift, block_violation(world, &world->blocks[b]));
        /* One Newton step squares the step's own error of (w h)^2 l = 1e-4 m. */
        assert_true(drift >= CASES[c].least && drift <= CASES[c].most);
        world_destroy(world);
    }
}

static void count_work(World *world, long long *products, int *values)
{
    ConstraintGraph graph;
    assert_true(constraint_graph_init(&graph, world, false));
    *products = graph.ldl.product_count;
    *values = graph.ldl.value_count;
    constraint_graph_free(&graph);
    world_destroy(world);
}

static World *star(int rays)
{
    World *world = world_create();
    int hub = mechanism_add_box(world, VEC3_ZERO, vec3(1, 1, 1));
    for (int i = 0; i < rays; i++) {
        Vec3 at = vec3(cos(i), sin(i), 0);
        mechanism_join(world, JOINT_HINGE, hub, mechanism_add_box(world, vec3_scale(1.5, at), vec3(0.3, 0.3, 0.3)), at);
    }
    return world;
}

static void chains_trees_and_rings_fill_in_linearly(void **state)
{
    (void)state;
    long long products[2];
    int values[2];
    for (int k = 0; k < 2; k++)
        count_work(mechanism_rods(k ? 10000 : 10, 0.2, false), &products[k], &values[k]);
    /* A link is a body before its joint: one product each, and none for the last joint, which ends at the world. */
    assert_int_equal(products[0], 2 * 10 - 1);
    assert_int_equal(products[1], 2 * 10000 - 1);
    assert_int_equal(values[1] + 18, 1000 * (values[0] + 18)); /* 36 + 9 + 2 x 18 a link, less 18 */
    for (int k = 0; k < 2; k++)
        count_work(star(k ? 2000 : 20), &products[k], &values[k]);
    assert_true(products[1] <= 100 * products[0]);
    for (int k = 0; k < 2; k++)
        count_work(mechanism_rods(k ? 10000 : 100, 0.2, true), &products[k], &values[k]);
    assert_true(products[1] < 102 * products[0] && values[1] < 102 * values[0]);
}

/* A crank, a coupler and a rocker in a parallelogram: hinges about z, three rows too many. */
static World *parallelogram(double speed)
{
    World *world = world_create();
    int crank = mechanism_add_box(world, vec3(0, 0.25, 0), vec3(0.05, 0.5, 0.05));
    int coupler = mechanism_add_box(world, vec3(0.6, 0.5, 0), vec3(1.2, 0.05, 0.05));
    int rocker = mechanism_add_box(world, vec3(1.2, 0.25, 0), vec3(0.05, 0.5, 0.05));
    JointDef motor = joint_def(JOINT_MOTOR, 0, crank);
    motor.axis = vec3(0, 0, 1);
    motor.speed = speed;
    build_joint(world, &motor);
    mechanism_join(world, JOINT_HINGE, crank, coupler, vec3(0, 0.5, 0));
    mechanism_join(world, JOINT_HINGE, coupler, rocker, vec3(1.2, 0.5, 0));
    mechanism_join(world, JOINT_HINGE, rocker, 0, vec3(1.2, 0, 0));
    return world;
}

static void a_redundant_loop_follows_its_kinematics_and_says_that_rows_were_relaxed(void **state)
{
    (void)state;
    World *world = parallelogram(0.9);
    Drive drive;
    drive_begin(&drive, world, "direct", "");
    for (int f = 0; f < 60; f++)
        drive_frame(&drive, DT);
    assert_int_equal(drive.step.event_count, 1);
    assert_string_equal(drive.step.events[0].what, "redundant rows: all were relaxed");
    /* The rocker turns as the crank does. A Newton step takes (w h)^2 = 2e-6 back, to second order, and the motor's
     * own row has no part in it. */
    assert_near(joint_angle(world, &world->joints[0]), 0.9, 1e-8);
    assert_vec3_near(world->pose[3].x, vec3(1.2 - 0.25 * sin(0.9), 0.25 * cos(0.9), 0), 1e-8);
    assert_near(world->velocity[3].w.z, 0.9, 1e-5);
    drive_end(&drive);
    world_destroy(world);
}

/* A lattice of particles that move at random: soft edges, and rigid diagonals, more than the particles have freedom. */
static World *lattice(Random *random, int side)
{
    World *world = world_create();
    for (int i = 0; i < side * side * side; i++) {
        Vec3 at = vec3(i % side, i / side % side, i / (side * side)); /* whole numbers are meant */
        int body = mechanism_add_particle(world, at, random_in(random, 1.0, 2.0));
        world->velocity[body].v = random_vec3(random, 1.0);
    }
    for (int one = 1; one < world->body_count; one++)
        for (int two = one + 1; two < world->body_count; two++) {
            double apart = vec3_norm(vec3_sub(world->pose[one].x, world->pose[two].x));
            JointDef edge = joint_def(JOINT_DISTANCE, one, two);
            edge.anchor[0] = world->pose[one].x;
            edge.anchor[1] = world->pose[two].x;
            edge.compliance = apart < 1.1 ? 1e-3 : 0.0;
            if (apart < 1.5)
                build_joint(world, &edge);
        }
    return world;
}

/* Two passes over relaxed rows, in the one order or the other: the work, and the velocities in `velocity`. */
static long long solve_relaxed(World *world, bool any_order, Velocity *velocity)
{
    RowSystem system;
    ConstraintGraph graph;
    bool(*held)[BLOCK_MAX_ROWS] = calloc((size_t)world->block_count, sizeof *held);
    double(*goal)[BLOCK_MAX_ROWS] = calloc((size_t)world->block_count, sizeof *goal);
    const bool(*rows_held)[BLOCK_MAX_ROWS] = (const bool(*)[BLOCK_MAX_ROWS])held;
    prepare_held(&system, world, held);
    assert_true(constraint_graph_init(&graph, world, any_order));
    assert_true(graph.loops);
    assert_int_equal(constraint_graph_factor(&graph, world, &system, rows_held, 1e-7), 0);
    memcpy(velocity, world->velocity, sizeof *velocity * (size_t)world->body_count);
    for (int pass = 0; pass < 2; pass++)
        constraint_graph_solve(&graph, world, &system, rows_held, (const double(*)[BLOCK_MAX_ROWS])goal, velocity);
    long long work = graph.ldl.product_count;
    constraint_graph_free(&graph);
    row_system_free(&system);
    free(held);
    free(goal);
    return work;
}

static void relaxed_rows_have_the_same_velocities_in_any_order_and_less_work_in_a_good_one(void **state)
{
    (void)state;
    Random random = {0x1a77};
    World *world = lattice(&random, 4);
    size_t bodies = (size_t)world->body_count;
    Velocity *first = calloc(bodies, sizeof *first), *second = calloc(bodies, sizeof *second);
    long long bodies_first = solve_relaxed(world, false, first), any = solve_relaxed(world, true, second);
    assert_true(5 * any < bodies_first);
    for (size_t i = 1; i < bodies; i++)
        assert_vec3_near(first[i].v, second[i].v, 1e-10);
    free(first);
    free(second);
    world_destroy(world);
}

static void a_limit_stops_and_carries_and_a_weak_motor_gives_its_torque(void **state)
{
    (void)state;
    World *world = world_create();
    int rod = mechanism_add_box(world, vec3(0.5, 0, 0), vec3(1, 0.05, 0.05));
    JointDef joint = joint_def(JOINT_HINGE, 0, rod);
    joint.axis = vec3(0, 0, 1);
    joint.angle_min = -0.6;
    build_joint(world, &joint);
    drive_run(world, "direct", "", DT, 60);
    double weight = 9.81 * world->mass[rod].mass;
    Vec3 force, torque;
    world_reaction(world, 0, DT, &force, &torque);
    assert_near(joint_angle(world, &world->joints[0]), -0.6, 1e-9);
    assert_vec3_near(force, vec3(0, weight, 0), 1e-6 * weight);
    assert_vec3_near(torque, vec3(0, 0, 0.5 * cos(0.6) * weight), 1e-6 * weight);
    world_destroy(world);

    world = world_create();
    world->gravity = VEC3_ZERO;
    rod = mechanism_add_box(world, VEC3_ZERO, vec3(1, 0.05, 0.05));
    joint = joint_def(JOINT_MOTOR, 0, rod);
    joint.axis = vec3(0, 0, 1);
    joint.speed = 3.0;
    joint.max_torque = 0.2;
    build_joint(world, &joint);
    drive_run(world, "direct", "", DT, 30);
    double inertia = world->mass[rod].mass * (1.0 + 0.05 * 0.05) / 12.0;
    assert_near(world->velocity[rod].w.z, 0.2 * 0.5 / inertia, 1e-12);
    world_destroy(world);
}

/* Ropes crossing: of many one-sided rows some pull, some do not. */
static void bounds_of_many_rows_settle(void **state)
{
    (void)state;
    Random random = {0xb0bd};
    World *world = world_create();
    for (int i = 1; i <= 12; i++) {
        build_random_particle(world, &random, "p");
        for (int k = 0; k < 3; k++) {
            JointDef rope = joint_def(JOINT_DISTANCE, (int)random_in(&random, 0, i - 0.001), i);
            rope.local_anchors = true;
            rope.one_sided = true;
            build_joint(world, &rope);
        }
    }
    Drive drive;
    drive_begin(&drive, world, "direct", "position=none");
    for (int f = 0; f < 20; f++) {
        world_begin_substep(world, 1e-3);
        drive.step.h = 1e-3;
        drive.phases[0].enter(drive.self, &drive.step);
        drive.phases[0].iterate(drive.self, &drive.step);
        /* The natural map vanishes: rows that pull are at rest, the others slack. Repeated ropes leave round-off. */
        assert_true(drive.phases[0].residual(drive.self, &drive.step) < 1e-9);
        drive.phases[1].enter(drive.self, &drive.step);
        world_end_substep(world, 1e-3);
    }
    drive_end(&drive);
    world_destroy(world);
}

static void particles_and_volumes_keep_their_measures(void **state)
{
    (void)state;
    World *world = world_create();
    Vec3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.3, 0.4, 1}};
    for (int i = 0; i < 4; i++) {
        int body = mechanism_add_particle(world, corner[i], 1.0 + i);
        world->velocity[body].v = vec3(0.3 * i, -0.2 * i * i, 0.1);
    }
    for (int i = 2; i <= 4; i++)
        mechanism_tie(world, 1, i);
    JointDef volume = joint_def(JOINT_VOLUME, 1, 2);
    volume.body[2] = 3;
    volume.body[3] = 4;
    build_joint(world, &volume);
    Vec3 momentum = world_momentum(world);
    world->gravity = VEC3_ZERO;
    drive_run(world, "direct", "position_iterations=3", DT, 60);
    for (int b = 0; b < 4; b++)
        assert_near(block_violation(world, &world->blocks[b]), 0.0, 1e-13); /* round-off of unit lengths */
    assert_vec3_near(world_momentum(world), momentum, 1e-12);
    world_destroy(world);
}

/* Twenty rods that fall from the horizontal whip round in large turns: one Newton step a frame let them come apart by
 * metres; now more follow, and it is said. */
static void a_whipping_chain_stays_together_in_one_step_a_frame(void **state)
{
    (void)state;
    World *world = mechanism_rods(20, 0.2, false);
    Drive drive;
    drive_begin(&drive, world, "direct", "substeps=1");
    double worst = 0.0;
    for (int f = 0; f < 300; f++) {
        drive_frame(&drive, 1.0 / 60);
        for (int b = 0; b < world->block_count; b++)
            worst = fmax(worst, block_violation(world, &world->blocks[b]));
    }
    assert_true(worst < 0.05); /* a quarter of a rod, for a frame or two */
    assert_true(drive.step.event_count > 0 && strstr(drive.step.events[0].what, "one Newton step"));
    drive_end(&drive);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whipping_chain_stays_together_in_one_step_a_frame),
        cmocka_unit_test(multipliers_equal_a_dense_solve_with_and_without_loops),
        cmocka_unit_test(the_residual_is_round_off_at_a_mass_ratio_of_a_million),
        cmocka_unit_test(it_converges_to_reduced_coordinates_with_order_one),
        cmocka_unit_test(projection_leaves_no_drift_and_without_it_drift_shrinks_with_the_step),
        cmocka_unit_test(chains_trees_and_rings_fill_in_linearly),
        cmocka_unit_test(a_redundant_loop_follows_its_kinematics_and_says_that_rows_were_relaxed),
        cmocka_unit_test(relaxed_rows_have_the_same_velocities_in_any_order_and_less_work_in_a_good_one),
        cmocka_unit_test(a_limit_stops_and_carries_and_a_weak_motor_gives_its_torque),
        cmocka_unit_test(bounds_of_many_rows_settle),
        cmocka_unit_test(particles_and_volumes_keep_their_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
