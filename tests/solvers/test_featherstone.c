/* SPDX-License-Identifier: MIT */
/* Reduced coordinates, held against published motions; limits, drives, and what they cannot do. */
#include "model/energy.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/drive.h"

#include <stdio.h>
#include <string.h>

static const double DT = 1.0 / 60.0;

static Vec3 tip_after(World *world, const char *options, double dt, int frames, double tip)
{
    drive_run(world, "featherstone", options, dt, frames);
    Vec3 at = world_point(world, world->body_count - 1, vec3(tip, 0, 0));
    world_destroy(world);
    return at;
}

static void integrators_converge_with_their_orders_on_three_rods(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int substeps;
        double ratio;
    } CASES[] = {{"rk4", 4, 16.0}, {"semi_implicit", 512, 2.0}, {"forward", 512, 2.0}};
    char options[64];
    Vec3 exact = tip_after(mechanism_rods(3, 1.0, false), "substeps=400", DT, 30, 0.5);
    for (int c = 0; c < 3; c++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            snprintf(options, sizeof options, "integrator=%s substeps=%d", CASES[c].name, CASES[c].substeps << k);
            error[k] = vec3_norm(vec3_sub(tip_after(mechanism_rods(3, 1.0, false), options, DT, 30, 0.5), exact));
        }
        /* The next term of the error is a tenth of the first at these steps. */
        assert_near(error[0] / error[1], CASES[c].ratio, 0.12 * CASES[c].ratio);
    }
}

static void double_pendulum_of_particles_meets_its_published_motion(void **state)
{
    (void)state;
    World *world = mechanism_particles(2, vec3(1.0, 0, 0), 1.0);
    Drive drive;
    drive_begin(&drive, world, "featherstone", "substeps=100");
    static const struct {
        int frames;
        double x, y;
    } AT[] = {{30, 1.473465670, -1.200389435},
              {60, -1.444818850, -1.321794461},
              {120, -1.434124817, -1.129870196},
              {300, -1.550778469, -1.075912735}};
    for (int k = 0, f = 0; k < 4; k++) {
        for (; f < AT[k].frames; f++)
            drive_frame(&drive, DT);
        /* Nine digits are printed; RK4 at 1/6000 s adds 1e-9 in the chaos up to 5 s. */
        assert_vec3_near(world->pose[2].x, vec3(AT[k].x, AT[k].y, 0), 5e-9);
        assert_near(world_energy(world), 0.0, 1e-9);
        assert_near(vec3_norm(vec3_sub(world->pose[2].x, world->pose[1].x)), 1.0, 1e-15); /* no drift */
    }
    drive_end(&drive);
    world_destroy(world);
}

static void chain_of_ten_particles_meets_its_published_motion(void **state)
{
    (void)state;
    World *world = mechanism_particles(10, vec3(0.1, 0, 0), 0.1);
    Drive drive;
    drive_begin(&drive, world, "featherstone", "substeps=200");
    for (int f = 0; f < 60; f++) {
        drive_frame(&drive, DT);
        if (f == 29)
            assert_vec3_near(world->pose[10].x, vec3(-0.156401511, -0.915683202, 0), 2e-9);
    }
    assert_vec3_near(world->pose[10].x, vec3(-0.913312229, -0.149655141, 0), 2e-8); /* chaos: 1e-9 grows */
    drive_end(&drive);
    world_destroy(world);
}

static void bead_on_a_wire_keeps_time_and_feels_thirty_cosine(void **state)
{
    (void)state;
    World *world = world_create();
    world->gravity = vec3(0, -10, 0);
    BodyDef def = BODY_DEF_INIT;
    def.name = "bead";
    def.position = vec3(0.8, 0, 0);
    def.mass = 1.0;
    int bead = build_body(world, &def);
    JointDef joint = joint_def(JOINT_WIRE, 0, bead);
    joint.axis = vec3(0, 0, 1);
    joint.radius = 0.8;
    joint.anchor[0] = def.position;
    build_joint(world, &joint);
    drive_run(world, "featherstone", "substeps=50", DT, 60);
    Vec3 x = world->pose[bead].x, force, torque;
    assert_near(atan2(x.x, -x.y), -1.555898390, 2e-9); /* nine digits are printed */
    world_reaction(world, 0, DT, &force, &torque);
    /* The frame's mean of 30 cos(theta) towards the centre, against its value at the end: O(dt). */
    double normal = -vec3_dot(force, x) / 0.8;
    assert_near(normal, 30.0 * -x.y / 0.8, 0.5);
    world_destroy(world);
}

static void a_rod_released_level_loads_its_pivot_by_a_quarter(void **state)
{
    (void)state;
    World *world = mechanism_rods(1, 1.0, false);
    double weight = 9.81 * world->mass[1].mass;
    Vec3 force, torque;
    drive_run(world, "featherstone", "substeps=1", 1e-6, 1);
    world_reaction(world, 0, 1e-6, &force, &torque);
    assert_vec3_near(force, vec3(0, 0.250468 * weight, 0), 1e-6 * weight); /* six digits, and w^2 r after 1e-6 s */
    assert_vec3_near(torque, VEC3_ZERO, 1e-12);
    assert_near(world->velocity[1].w.z / 1e-6, -1.499063 * 9.81, 1e-5);
    world_destroy(world);
}

static void heavy_top_meets_its_published_motion(void **state)
{
    (void)state;
    World *world = world_create();
    world->gravity = vec3(0, 0, -9.81);
    BodyDef def = BODY_DEF_INIT;
    def.name = "top";
    def.position = vec3(0, 1, 0);
    def.mass = 15.0;
    def.has_inertia = true;
    def.inertia = vec3(0.234375, 0.46875, 0.234375);
    def.angular_velocity = vec3(0, 150, -4.61538);
    def.velocity = vec3_cross(def.angular_velocity, def.position);
    int top = build_body(world, &def);
    JointDef joint = joint_def(JOINT_BALL, 0, top);
    build_joint(world, &joint);
    Drive drive;
    drive_begin(&drive, world, "featherstone", "substeps=100");
    for (int f = 0; f < 100; f++) {
        drive_frame(&drive, 0.01);
        if (f == 9) /* RK4 at 1e-4 s and 150 rad/s: 1e-8 */
            assert_vec3_near(world->pose[top].x, vec3(0.421296659, 0.894571974, -0.149164701), 2e-8);
    }
    assert_vec3_near(world->pose[top].x, vec3(0.173343964, 0.640088592, -0.748490791), 5e-7);
    drive_end(&drive);
    world_destroy(world);
}

/* A rod on a hinge at the origin along z, falling from level to a stop. */
static World *stopped_rod(double stop)
{
    World *world = world_create();
    int rod = mechanism_add_box(world, vec3(0.5, 0, 0), vec3(1, 0.05, 0.05));
    JointDef joint = joint_def(JOINT_HINGE, 0, rod);
    joint.axis = vec3(0, 0, 1);
    joint.angle_min = stop;
    joint.angle_max = 2.0;
    build_joint(world, &joint);
    return world;
}

static void a_hinge_limit_stops_without_bounce_and_then_carries(void **state)
{
    (void)state;
    const char *integrators[] = {"integrator=rk4", "integrator=semi_implicit", "integrator=forward"};
    for (int k = 0; k < 3; k++) {
        World *world = stopped_rod(-0.6);
        Drive drive;
        double lowest = 0.0;
        drive_begin(&drive, world, "featherstone", integrators[k]);
        for (int f = 0; f < 60; f++) {
            drive_frame(&drive, DT);
            lowest = fmin(lowest, joint_angle(world, &world->joints[0]));
        }
        assert_near(lowest, -0.6, 1e-12); /* lands on it: the last approach is cut to the gap */
        assert_near(joint_angle(world, &world->joints[0]), -0.6, 1e-12);
        assert_near(world->velocity[1].w.z, 0.0, 1e-12);
        Vec3 force, torque;
        world_reaction(world, 0, DT, &force, &torque);
        double weight = 9.81 * world->mass[1].mass;
        assert_vec3_near(force, vec3(0, weight, 0), 1e-9 * weight);
        assert_vec3_near(torque, vec3(0, 0, 0.5 * cos(0.6) * weight), 1e-9 * weight);
        drive_end(&drive);
        world_destroy(world);
    }
}

static void ball_limits_hold_swing_and_twist(void **state)
{
    (void)state;
    World *world = world_create();
    int rod = mechanism_add_box(world, vec3(0, -0.5, 0), vec3(0.1, 1, 0.1));
    world->velocity[rod].w = vec3(2.0, 5.0, 3.0);
    JointDef joint = joint_def(JOINT_BALL, 0, rod);
    joint.axis = vec3(0, -1, 0);
    joint.swing_max = 0.5;
    joint.twist_min = -0.4;
    joint.twist_max = 0.3;
    build_joint(world, &joint);
    Drive drive;
    double swing = 0.0, twist = 0.0;
    drive_begin(&drive, world, "featherstone", "substeps=40");
    for (int f = 0; f < 240; f++) {
        drive_frame(&drive, DT);
        swing = fmax(swing, block_violation(world, &world->blocks[1]));
        twist = fmax(twist, block_violation(world, &world->blocks[2]));
    }
    /* The step that meets a limit at w = 5 rad/s bends by (w h)^2 = 4e-6; later ones take it back. */
    assert_true(swing < 1e-5 && twist < 1e-5);
    assert_int_equal(drive.step.event_count, 0);
    assert_true(world_energy(world) < -0.4 * 9.81 * world->mass[rod].mass);
    drive_end(&drive);
    world_destroy(world);
}

static void a_motor_keeps_its_speed_and_a_weak_one_gives_its_torque(void **state)
{
    (void)state;
    for (int weak = 0; weak < 2; weak++) {
        World *world = world_create();
        world->gravity = VEC3_ZERO;
        int rod = mechanism_add_box(world, VEC3_ZERO, vec3(1, 0.05, 0.05));
        JointDef joint = joint_def(JOINT_MOTOR, 0, rod);
        joint.axis = vec3(0, 0, 1);
        joint.speed = 3.0;
        if (weak)
            joint.max_torque = 0.2;
        build_joint(world, &joint);
        drive_run(world, "featherstone", "", DT, 30);
        double inertia = world->mass[rod].mass * (1.0 + 0.05 * 0.05) / 12.0;
        Vec3 force, torque;
        world_reaction(world, 0, DT, &force, &torque);
        assert_near(world->velocity[rod].w.z, weak ? 0.2 * 0.5 / inertia : 3.0, 1e-12);
        assert_near(torque.z, weak ? 0.2 : 0.0, 1e-10);
        if (!weak)
            assert_near(joint_angle(world, &world->joints[0]), 3.0 * 0.5, 1e-12);
        world_destroy(world);
    }
}

static void a_servo_from_170_degrees_arrives_and_holds(void **state)
{
    (void)state;
    for (int weak = 0; weak < 2; weak++) {
        World *world = world_create();
        int rod = mechanism_add_box(world, vec3(0.5, 0, 0), vec3(1, 0.05, 0.05));
        JointDef joint = joint_def(JOINT_SERVO, 0, rod);
        joint.axis = vec3(0, 0, 1);
        joint.target = 170.0 / 180.0 * PI;
        /* At a torque bound the servo pushes fully either way: only damping makes that come to rest. */
        joint.angular_damping = 4.0;
        if (weak)
            joint.max_torque = 40.0;
        build_joint(world, &joint);
        drive_run(world, "featherstone", "", DT, weak ? 600 : 1);
        assert_near(joint_angle(world, &world->joints[0]), joint.target, 1e-12);
        assert_near(world->velocity[1].w.z, 0.0, 1e-9);
        world_destroy(world);
    }
}

static void energy_is_conserved_as_the_step_shrinks(void **state)
{
    (void)state;
    double before = 0.0;
    for (int k = 0; k < 3; k++) {
        World *world = mechanism_rods(5, 0.4, false);
        char options[32];
        double start = world_energy(world), worst = 0.0;
        snprintf(options, sizeof options, "substeps=%d", 8 << k);
        Drive drive;
        drive_begin(&drive, world, "featherstone", options);
        for (int f = 0; f < 40; f++) {
            drive_frame(&drive, DT);
            worst = fmax(worst, fabs(world_energy(world) - start));
        }
        drive_end(&drive);
        world_destroy(world);
        assert_true(k == 0 || worst < before / 12.0); /* fourth order: 16 */
        before = worst;
    }
}

static void a_floating_tree_keeps_momentum_even_of_velocities_that_break_its_joints(void **state)
{
    (void)state;
    Random random = {0xf00d};
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    for (int i = 0; i < 6; i++) {
        int body = build_random_box(world, &random, "box");
        if (i == 0)
            continue;
        JointDef joint = joint_def(i % 2 ? JOINT_BALL : JOINT_HINGE, body - 1, body);
        joint.anchor[0] = random_vec3(&random, 1.0);
        joint.axis = random_unit(&random);
        build_joint(world, &joint);
    }
    Vec3 momentum = world_momentum(world), angular = world_angular_momentum(world);
    double scale = world_angular_momentum_scale(world);
    drive_run(world, "featherstone", "substeps=20", DT, 30);
    assert_vec3_near(world_momentum(world), momentum, 1e-12 * scale);
    assert_vec3_near(world_angular_momentum(world), angular, 1e-7 * scale); /* RK4's error at this step */
    world_destroy(world);
}

static void what_it_cannot_do_is_refused_by_name(void **state)
{
    (void)state;
    Status status;
    World *world = mechanism_rods(3, 1.0, false);
    JointDef joint = joint_def(JOINT_BALL, 0, 3);
    joint.anchor[0] = vec3(3, 0, 0);
    joint.compliance = 1e-6;
    build_joint(world, &joint);
    assert_false(solver_supports(drive_find("featherstone"), world, &status));
    assert_non_null(strstr(status.message, "compliance"));
    world_destroy(world);

    world = mechanism_particles(1, vec3(1.0, 0, 0), 1.0);
    joint_terms(&world->blocks[0])->one_sided = true;
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    assert_null(drive_find("featherstone")->create(&(SolverTask){NULL, world, &options, 1.0 / 60.0, false}, &status));
    assert_non_null(strstr(status.message, "rope"));
    world_destroy(world);
}

static void a_removed_body_lets_the_rest_fall(void **state)
{
    (void)state;
    World *world = mechanism_particles(3, vec3(0.5, 0, 0), 1.0);
    Drive drive;
    drive_begin(&drive, world, "featherstone", "");
    for (int f = 0; f < 5; f++)
        drive_frame(&drive, DT);
    world_remove_body(world, 1);
    Vec3 x = vec3_scale(0.5, vec3_add(world->pose[2].x, world->pose[3].x));
    Vec3 v = vec3_scale(0.5, vec3_add(world->velocity[2].v, world->velocity[3].v));
    for (int f = 0; f < 30; f++)
        drive_frame(&drive, DT);
    Vec3 end = vec3_scale(0.5, vec3_add(world->pose[2].x, world->pose[3].x));
    Vec3 parabola = vec3_add_scaled(vec3_add_scaled(x, 0.5, v), 0.125, world->gravity);
    assert_vec3_near(end, parabola, 1e-9); /* RK4 is exact on the parabola, not on the pair's turning */
    drive_end(&drive);
    world_destroy(world);
}

static void work_grows_with_the_number_of_links(void **state)
{
    (void)state;
    long long solves[2];
    for (int k = 0; k < 2; k++) {
        World *world = mechanism_rods(k == 0 ? 10 : 1000, 0.2, false);
        Drive drive;
        drive_begin(&drive, world, "featherstone", "substeps=1");
        drive_frame(&drive, 1e-3);
        solves[k] = drive.step.row_solves;
        drive_end(&drive);
        world_destroy(world);
    }
    assert_int_equal(solves[0], 4 * 3 * 10); /* RK4: four evaluations, three coordinates a link */
    assert_int_equal(solves[1], 100 * solves[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrators_converge_with_their_orders_on_three_rods),
        cmocka_unit_test(double_pendulum_of_particles_meets_its_published_motion),
        cmocka_unit_test(chain_of_ten_particles_meets_its_published_motion),
        cmocka_unit_test(bead_on_a_wire_keeps_time_and_feels_thirty_cosine),
        cmocka_unit_test(a_rod_released_level_loads_its_pivot_by_a_quarter),
        cmocka_unit_test(heavy_top_meets_its_published_motion),
        cmocka_unit_test(a_hinge_limit_stops_without_bounce_and_then_carries),
        cmocka_unit_test(ball_limits_hold_swing_and_twist),
        cmocka_unit_test(a_motor_keeps_its_speed_and_a_weak_one_gives_its_torque),
        cmocka_unit_test(a_servo_from_170_degrees_arrives_and_holds),
        cmocka_unit_test(energy_is_conserved_as_the_step_shrinks),
        cmocka_unit_test(a_floating_tree_keeps_momentum_even_of_velocities_that_break_its_joints),
        cmocka_unit_test(what_it_cannot_do_is_refused_by_name),
        cmocka_unit_test(a_removed_body_lets_the_rest_fall),
        cmocka_unit_test(work_grows_with_the_number_of_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
