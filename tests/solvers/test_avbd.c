/* SPDX-License-Identifier: MIT */
/* Augmented vertex block descent: its equations on cases that can be solved by hand, and heavy bodies on light ones. */
#include "solvers/descent/demo_face.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/support/check.h"

static const double H = 1.0 / 60;

/* A particle on a line down from the origin, `error` too long, falling at v, without gravity. */
static World *stretched(double error, double v, double compliance)
{
    World *world = particle_chain(1, 1.0, 1.7, 1.0, vec3(0, -1, 0));
    world->gravity = VEC3_ZERO;
    joint_terms(&world->blocks[0])->compliance = compliance;
    world->pose[1].x.y = -1.0 - error;
    world->velocity[1].v.y = -v;
    return world;
}

/* One row, straight: the sweeps of the paper written out. C is along the line, y the error without the line. */
static void sweeps_of_one_row_are_the_papers(void **state)
{
    (void)state;
    const double m = 1.7, alpha = 0.9, beta = 3e4, least = 500.0;
    for (int sweeps = 1; sweeps <= 4; sweeps++) {
        double C_old = 0.03, v = 0.8, y = C_old + H * v, x = y, lambda = 0.0, k = least * m, f;
        char options[128];
        for (int i = 0; i < sweeps; i++) {
            /* a line also has geometric stiffness across itself, which a straight fall does not feel */
            f = lambda - k * (x - alpha * C_old);
            x += (m / (H * H) * (y - x) + f) / (m / (H * H) + k);
            lambda -= k * (x - alpha * C_old);
            k += beta * m * fabs(x - alpha * C_old);
        }
        World *world = stretched(C_old, v, 0.0);
        snprintf(options, sizeof options, "iterations=%d alpha=%.17g beta=%.17g penalty_min=%.17g", sweeps, alpha, beta,
                 least);
        drive_run(world, "avbd", options, H, 1);
        assert_near(-world->pose[1].x.y - 1.0, x, 1e-15); /* round-off of a length of 1 */
        assert_near(-world->velocity[1].v.y, (x - C_old) / H, 1e-13);
        assert_near(world->block_impulse[0].y, -lambda * H, 1e-12 * fabs(lambda));
        world_destroy(world);
    }
}

/* A spring of stiffness 1/compliance by backward Euler: x+ = (x + h v)/(1 + h^2 k/m); vbd has no other penalty there,
 * avbd's grows up to it. */
static void a_compliant_row_is_a_spring(void **state)
{
    (void)state;
    const double m = 1.7, k = 900.0, x = 0.03, v = 0.8, exact = (x + H * v) / (1.0 + H * H * k / m);
    static const char *const SOLVERS[] = {"vbd", "avbd"};
    for (int i = 0; i < 2; i++) {
        World *world = stretched(x, v, 1.0 / k);
        drive_run(world, SOLVERS[i], i ? "penalty_min=1e9" : "", H, 1);
        assert_near(-world->pose[1].x.y - 1.0, exact, 1e-15);
        assert_near(world->block_impulse[0].y, k * exact * H, 1e-12);
        world_destroy(world);
    }
}

/* Errors fade by alpha a step, or are taken back at once by the last sweep, which leaves the velocity alone. */
static void errors_wait_or_are_taken_back_after_the_velocity(void **state)
{
    (void)state;
    World *world = stretched(0.03, 0.0, 0.0);
    drive_run(world, "avbd", "alpha=0.99 iterations=40 penalty_min=1e6", H, 10);
    assert_near(-world->pose[1].x.y - 1.0, 0.03 * pow(0.99, 10), 1e-9); /* what 40 sweeps leave of a step's 3e-4 m */
    world_destroy(world);
    world = stretched(0.03, 0.0, 0.0);
    drive_run(world, "avbd_post", "penalty_min=1e6", H, 1);
    assert_near(-world->pose[1].x.y - 1.0, 0.03 / (1.0 + H * H * 1e6), 1e-12); /* one Newton step with k = 1e6 m */
    assert_near(world->velocity[1].v.y, 0.0, 1e-15);
    world_destroy(world);
}

/* As given per kg, the sweeps of bodies a thousand times as heavy are the same. */
static void penalties_follow_the_mass(void **state)
{
    (void)state;
    Vec3 at[2];
    for (int i = 0; i < 2; i++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        for (int b = 0; b < 3; b++) {
            BodyDef box = box_def(b == 0 ? "a" : b == 1 ? "b" : "c", vec3(1, 1, 1), vec3(0.02 * b, 0.5 + b, 0));
            box.density = i ? 1024.0 : 1.0; /* a power of two: the same bits */
            build_body(world, &box);
        }
        drive_run(world, "avbd", "", H, 60);
        at[i] = world->pose[4].x;
        world_destroy(world);
    }
    assert_memory_equal(&at[0], &at[1], sizeof at[0]);
}

/* A box of 1000 times the mass on a light one, and a chain with such a ball: what the paper claims. */
static void a_mass_ratio_of_a_thousand_is_carried(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    add_plane(world, vec3(0, 1, 0));
    for (int b = 0; b < 2; b++) {
        BodyDef box = box_def(b ? "heavy" : "light", vec3(1, 1, 1), vec3(0, 0.5 + b, 0));
        box.density = b ? 1e6 : 1e3;
        build_body(world, &box);
    }
    drive_run(world, "avbd", "", H, 600);
    /* it rests, and lies where a step of k |C*| makes up for what the multipliers have lost by alpha gamma */
    assert_near(world->velocity[3].v.y, 0.0, 1e-3);
    assert_near(world->pose[3].x.y, 1.5, 0.1);
    assert_near(60.0 * contact_impulse(world).y, 9.81 * (1e3 + 2e6), 0.01 * 9.81 * 2e6); /* ground, and between them */
    world_destroy(world);

    /* What hangs on the light links' own penalties stretches them: by 0.58 m of 2 m as multipliers decay by 2 % a step,
     * by a tenth of that where penalties are kept. The force is there either way. */
    static const struct {
        const char *options;
        double stretch, off;
    } CASES[] = {{"", 0.6, 0.02}, {"gamma=1", 0.07, 1e-3}};
    for (int i = 0; i < 2; i++) {
        world = particle_chain(10, 0.2, 0.5, 1000.0, vec3(0, -1, 0));
        drive_run(world, "avbd", CASES[i].options, H, 600);
        Vec3 force, torque;
        world_reaction(world, 0, H, &force, &torque);
        assert_near(force.y, 9.81 * 0.5 * 1009.0, CASES[i].off * 9.81 * 500.0);
        assert_true(-world->pose[10].x.y - 2.0 < CASES[i].stretch);
        world_destroy(world);
    }
}

/* The multipliers decay by alpha gamma each step, so a block on a slope needs its anchors to stay. */
static void a_block_sticks_below_the_friction_angle_and_slides_above(void **state)
{
    (void)state;
    static const char *const SOLVERS[] = {"avbd", "avbd_post"};
    for (int i = 0; i < 2; i++) {
        World *world = block_on_slope(0.38, 0.5);
        drive_run(world, SOLVERS[i], "", H, 120);
        Vec3 at = world->pose[2].x;
        drive_run(world, SOLVERS[i], "", H, 60);
        assert_true(vec3_norm(vec3_sub(world->pose[2].x, at)) < 0.01);
        world_destroy(world);
        double angle = 0.6, a = 9.81 * (sin(angle) - 0.5 * cos(angle));
        world = block_on_slope(angle, 0.5);
        drive_run(world, SOLVERS[i], "", H, 60);
        assert_near(vec3_dot(world->velocity[2].v, vec3(cos(angle), -sin(angle), 0)), a, 0.05 * a);
        world_destroy(world);
    }
}

/* A flat box that hits the ground at 12 m/s: the multiplier of the impact must not throw it in the next step. */
static void a_hard_impact_does_not_throw(void **state)
{
    (void)state;
    static const char *const SOLVERS[] = {"avbd", "avbd_post", "vbd"};
    for (int i = 0; i < 3; i++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        BodyDef box = box_def("box", vec3(1, 1, 1), vec3(0, 0.7, 0));
        box.velocity = vec3(0, -12, 0);
        build_body(world, &box);
        Drive drive;
        drive_begin(&drive, world, SOLVERS[i], "");
        for (int f = 0; f < 120; f++) {
            drive_frame(&drive, H);
            assert_true(world->velocity[2].v.y < 0.5);
        }
        assert_near(world->pose[2].x.y, 0.5, 2e-3);
        drive_end(&drive);
        world_destroy(world);
    }
}

/* Descent goes body by body: the order in which contacts stand is that of sums, and what a point keeps from step to
 * step finds it whatever its place. */
static void the_order_of_contacts_does_not_matter(void **state)
{
    (void)state;
    Vec3 at[ORDER_COUNT];
    for (int order = 0; order < ORDER_COUNT; order++) {
        World *world = contact_world(0.5, 0.0);
        assert_true(world_set_order(world, (ConstraintOrder)order, 7));
        add_plane(world, vec3(0, 1, 0));
        for (int b = 0; b < 5; b++) {
            static const char *const NAMES[] = {"a", "b", "c", "d", "e"};
            BodyDef box = box_def(NAMES[b], vec3(1, 1, 1), vec3(0, 0.5 + b, 0));
            build_body(world, &box);
        }
        drive_run(world, "avbd", "", H, 60);
        at[order] = world->pose[6].x;
        assert_vec3_near(at[order], at[0], 1e-9); /* round-off, which a stack amplifies */
        world_destroy(world);
    }
}

/* A tie goes to the newer box, here the first; a turn by phi costs its axis 50 m phi of overlap and the ground's 0.5 m
 * phi, which must exceed -0.95 x 50 m phi + 0.01 x 0.5 m: from phi = 1.064e-4 on. */
static void the_demos_reference_is_the_newer_boxs_face_while_it_is_no_worse(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    BodyDef box = box_def("box", vec3(1, 0.5, 1), vec3(0, 0.75, 0)), ground = box_def("g", vec3(100, 1, 10), VEC3_ZERO);
    BodyDef ball = sphere_def("ball", 0.5, vec3(-3, 1, 0));
    int on = build_body(world, &box), under = build_body(world, &ground), round = build_body(world, &ball);
    assert_int_equal(demo_reference_face(world, (const int[]){on, under}), 2);
    assert_int_equal(demo_reference_face(world, (const int[]){under, on}), 2);
    world->pose[on].q = quat_exp(vec3(0, 0, 1.07e-4));
    assert_int_equal(demo_reference_face(world, (const int[]){on, under}), 5);
    world->pose[on].q = quat_exp(vec3(0, 0, 1.05e-4));
    assert_int_equal(demo_reference_face(world, (const int[]){on, under}), 2);
    assert_int_equal(demo_reference_face(world, (const int[]){under, round}), 0);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_of_one_row_are_the_papers),
        cmocka_unit_test(a_compliant_row_is_a_spring),
        cmocka_unit_test(errors_wait_or_are_taken_back_after_the_velocity),
        cmocka_unit_test(penalties_follow_the_mass),
        cmocka_unit_test(a_mass_ratio_of_a_thousand_is_carried),
        cmocka_unit_test(a_block_sticks_below_the_friction_angle_and_slides_above),
        cmocka_unit_test(a_hard_impact_does_not_throw),
        cmocka_unit_test(the_order_of_contacts_does_not_matter),
        cmocka_unit_test(the_demos_reference_is_the_newer_boxs_face_while_it_is_no_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
