/* SPDX-License-Identifier: MIT */
/* The two naive backends: what a pair alone would do, and how impulses are shared out among pairs. */
#include "tests/solvers/contact_worlds.h"

#include <string.h>

static const char *const NAIVE[] = {"naive", "naive_avg"};

/* One box carries itself: its four points are four constraints, so a pass gives all that is needed. */
static void a_box_on_the_floor_lies_still(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    add_plane(world, vec3(0, 1, 0));
    BodyDef box = box_def("box", vec3(1, 1, 1), vec3(0, 0.5, 0));
    build_body(world, &box);
    Drive drive;
    drive_begin(&drive, world, "naive_avg", "");
    double fastest = 0.0;
    for (int f = 0; f < 120; f++) {
        drive_frame(&drive, 1.0 / 60);
        if (f >= 60)
            fastest = fmax(fastest, vec3_norm(world->velocity[2].v));
    }
    drive_end(&drive);
    /* A step of gravity is 0.16 m/s; divided by twelve rows instead of four points 0.12 m/s of it are left. */
    assert_true(fastest < 0.02);
    world_destroy(world);
}

/* Two boxes, 30 passes: after 2 s they are 1.8 mm off. Divided by rows, 24 on the lower box instead of 8 points, they
 * are 25 mm off. */
static void two_boxes_stand_with_thirty_passes(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < 2; i++) {
        BodyDef box = box_def(i ? "upper" : "lower", vec3(1, 1, 1), vec3(0, 0.5 + i, 0));
        build_body(world, &box);
    }
    drive_run(world, "naive_avg", "iterations=30", 1.0 / 60, 120);
    for (int i = 0; i < 2; i++)
        assert_vec3_near(world->pose[2 + i].x, vec3(0, 0.5 + i, 0), 0.003);
    world_destroy(world);
}

/* The load of ten boxes reaches the floor after ten passes and more, and points that press only then count as well:
 * else the shares on a box exceed 1, and 32 passes gained 4,367 times the energy. */
static void repeated_passes_add_no_energy(void **state)
{
    (void)state;
    const char *const passes[] = {"iterations=10", "iterations=32", "iterations=128"};
    for (int k = 0; k < 3; k++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        for (int i = 0; i < 10; i++) {
            char name[] = {(char)('a' + i), '\0'};
            BodyDef box = box_def(name, vec3(1, 1, 1), vec3(0, 0.5 + i, 0));
            build_body(world, &box);
        }
        double start = world_energy(world), most = start;
        Drive drive;
        drive_begin(&drive, world, "naive_avg", passes[k]);
        for (int f = 0; f < 180; f++) {
            drive_frame(&drive, 1.0 / 60);
            most = fmax(most, world_energy(world));
        }
        drive_end(&drive);
        assert_true(most <= start * (1.0 + 1e-12)); /* round-off */
        world_destroy(world);
    }
}

/* Lets a ball of 0.2 m hit whatever is in its way within one frame, and gives its velocity after. */
static Vec3 bounced(const char *solver, const char *options, World *world, Vec3 at, Vec3 velocity)
{
    BodyDef ball = sphere_def("ball", 0.2, at);
    ball.velocity = velocity;
    int body = build_body(world, &ball);
    world->gravity = VEC3_ZERO;
    drive_run(world, solver, options, 1.0 / 60, 1);
    Vec3 after = world->velocity[body].v;
    world_destroy(world);
    return after;
}

/* e = 0.8 and mu = 0.5: friction takes nothing from the bounce of a ball that falls straight. */
static void friction_rows_do_not_take_the_bounce(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(0.5, 0.8);
        add_plane(world, vec3(0, 1, 0));
        Vec3 after = bounced(NAIVE[k], "", world, vec3(0, 0.205, 0), vec3(0, -0.917, 0));
        assert_vec3_near(after, vec3(0, 0.8 * 0.917, 0), 1e-12);
    }
}

/* Two walls at once: each pass gives half of what a wall asks for, and what is given must not count as the approach. */
static void bounce_survives_a_shared_body(void **state)
{
    (void)state;
    World *world = contact_world(0.0, 0.8);
    add_plane(world, vec3(0, 1, 0));
    add_plane(world, vec3(1, 0, 0));
    Vec3 after = bounced("naive_avg", "iterations=40", world, vec3(0.205, 0.205, 0), vec3(-0.917, -0.731, 0));
    /* What is left after 40 halvings. */
    assert_vec3_near(after, vec3(0.8 * 0.917, 0.8 * 0.731, 0), 1e-10);
}

/* A ball that spins on a patch of radius R loses mu m g (2/3 R) / I of its spin a second, and stops. */
static void a_patch_takes_spin(void **state)
{
    (void)state;
    const double mu = 0.43, radius = 0.2, patch = 0.05, spin = 7.3, time = 0.5;
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(mu, 0.0);
        world->materials[0].patch_radius = patch;
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", radius, vec3(0, radius, 0));
        ball.angular_velocity = vec3(0, spin, 0);
        int body = build_body(world, &ball);
        drive_run(world, NAIVE[k], "", 1.0 / 60, (int)(60 * time));
        double rate = mu * 9.81 * (2.0 / 3.0) * patch / (0.4 * radius * radius);
        assert_near(world->velocity[body].w.y, spin - rate * time, 1e-9);
        drive_run(world, NAIVE[k], "", 1.0 / 60, 60);
        assert_near(world->velocity[body].w.y, 0.0, 1e-9);
        world_destroy(world);
    }
}

/* Slip and spin share one bound: what slides spins down more slowly, and the other way round. */
static void slip_and_spin_share_the_friction_of_a_patch(void **state)
{
    (void)state;
    const double mu = 0.43, radius = 0.2, patch = 0.05, dt = 1e-3;
    const double arm = 2.0 / 3.0 * patch, v = 1.7, w = 31.0; /* arm w is near v: both count */
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(mu, 0.0);
        world->materials[0].patch_radius = patch;
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", radius, vec3(0, radius, 0));
        ball.velocity = vec3(v, 0, 0);
        ball.angular_velocity = vec3(0, w, 0);
        int body = build_body(world, &ball);
        drive_run(world, NAIVE[k], "", dt, 1);
        /* Maximal dissipation on (f/f_max)^2 + (m/m_max)^2 = 1: f : m/arm = v : arm w. */
        double size = hypot(v, arm * w), g = mu * 9.81 * dt;
        /* Repeated passes turn friction against the slip that is left, which is 0.8 % slower. */
        double left = k ? 0.01 : 1e-9, change = g * v / size;
        assert_near(world->velocity[body].v.x, v - change, left * change);
        change = g * arm / (0.4 * radius * radius) * arm * w / size;
        assert_near(world->velocity[body].w.y, w - change, left * change);
        world_destroy(world);
    }
}

/* A servo of 8 N m turns a rod of 2.5 kg by 1.4 rad, without gravity, and holds it there. */
static void a_servo_of_bounded_torque_arrives(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        World *world = world_create();
        world->gravity = VEC3_ZERO;
        BodyDef rod = box_def("rod", vec3(1, 0.05, 0.05), vec3(0.5, 0, 0));
        int body = build_body(world, &rod);
        JointDef servo = joint_def(JOINT_SERVO, 0, body);
        servo.axis = vec3(0, 0, 1);
        servo.target = 1.4;
        servo.max_torque = 8.0;
        servo.angular_damping = 3.0;
        build_joint(world, &servo);
        drive_run(world, NAIVE[k], "", 1.0 / 60, 240);
        /* One pass leaves some of the swing; 5 % of the way is what is asked. */
        assert_near(block_twist(world, &world->blocks[world->block_count - 1]), 1.4, 0.07);
        world_destroy(world);
    }
}

/* A rod of length L on a servo at the origin, hanging, its target so far up; gives the servo's block. */
static const Block *build_arm(World *world, double target, double max_torque)
{
    BodyDef rod = box_def("rod", vec3(0.05, 1, 0.05), vec3(0, -0.5, 0));
    int body = build_body(world, &rod);
    JointDef servo = joint_def(JOINT_SERVO, 0, body);
    servo.axis = vec3(0, 0, 1);
    servo.target = target;
    servo.max_torque = max_torque;
    build_joint(world, &servo);
    return &world->blocks[world->block_count - 1];
}

/* 8 N m lift a rod whose weight has a torque of m g l = 12.3 N m when it is level: by the work of both,
 *     8 (pi/2 - x) = m g l cos(pi/2 + x),  x = (4 pi - m g l) / (m g l + 8) = 0.015 rad
 * beyond the target, which is a quarter turn up. */
static void a_servo_of_bounded_torque_lifts_its_arm(void **state)
{
    (void)state;
    const double weight = 2.5 * 9.81 * 0.5, beyond = (4.0 * PI - weight) / (weight + 8.0);
    for (int k = 0; k < 2; k++) {
        World *world = world_create();
        const Block *servo = build_arm(world, PI / 2, 8.0);
        Drive drive;
        double highest = 0.0;
        drive_begin(&drive, world, NAIVE[k], "");
        for (int f = 0; f < 90; f++) {
            drive_frame(&drive, 1.0 / 60);
            highest = fmax(highest, block_twist(world, servo));
        }
        drive_end(&drive);
        /* It comes to its target with sqrt(2 0.304 J / 0.83 kg m^2) = 0.85 rad/s: a frame is 0.014 rad. */
        assert_near(highest, PI / 2 + beyond, 0.014);
        world_destroy(world);
    }
}

/* In one pass the servo undoes what the hinge's point asked for, and the push of the point turns the arm: it rests e
 * below its target, with k = m l^2 / I, l from the hinge to the centre,
 *     e = g sin(angle) h^2 k^2 / (l (1 + k)). */
static void one_pass_leaves_a_servo_below_its_target(void **state)
{
    (void)state;
    const double target = PI / 3, h = 1.0 / 240, l = 0.5, k = 12.0 * l * l / (1.0 + 0.05 * 0.05);
    World *world = world_create();
    const Block *servo = build_arm(world, target, 100.0);
    drive_run(world, "naive", "", h, 1200);
    double angle = block_twist(world, servo);
    /* The next term is of order e^2, 4e-7. */
    assert_near(target - angle, 9.81 * sin(angle) * h * h * k * k / (l * (1.0 + k)), 1e-6);
    world_destroy(world);
}

/* Three boxes in each other: a push of one pair is felt by the next, so that one pass leaves more than ten. */
static void the_push_goes_on_as_long_as_boxes_overlap(void **state)
{
    (void)state;
    double deepest[2];
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        for (int i = 0; i < 3; i++) {
            BodyDef box = box_def(i == 0 ? "a" : i == 1 ? "b" : "c", vec3(1, 1, 1), vec3(0, 0.48 + 0.96 * i, 0));
            build_body(world, &box);
        }
        drive_run(world, "naive", k ? "push_passes=100" : "", 1.0 / 60, 1);
        deepest[k] = worst_violation(world);
        world_destroy(world);
    }
    assert_true(deepest[0] > 0.01);
    assert_true(deepest[1] < 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_on_the_floor_lies_still),
        cmocka_unit_test(two_boxes_stand_with_thirty_passes),
        cmocka_unit_test(repeated_passes_add_no_energy),
        cmocka_unit_test(friction_rows_do_not_take_the_bounce),
        cmocka_unit_test(bounce_survives_a_shared_body),
        cmocka_unit_test(a_patch_takes_spin),
        cmocka_unit_test(slip_and_spin_share_the_friction_of_a_patch),
        cmocka_unit_test(a_servo_of_bounded_torque_arrives),
        cmocka_unit_test(a_servo_of_bounded_torque_lifts_its_arm),
        cmocka_unit_test(one_pass_leaves_a_servo_below_its_target),
        cmocka_unit_test(the_push_goes_on_as_long_as_boxes_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
