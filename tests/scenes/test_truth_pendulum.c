/* SPDX-License-Identifier: MIT */
/* bead_on_wire, pendulum: elliptic functions against the equation of motion, Newton's law and known numbers. */
#include "model/energy.h"
#include "scenes/truth/path.h"
#include "scenes/truth/pendulum.h"
#include "tests/scenes/built.h"

#define DEGREES (PI / 180.0)

/* theta'' = -omega^2 sin(theta) */
static int swing_rate(double t, const double y[], double dydt[], void *omega)
{
    (void)t;
    double w = *(double *)omega;
    dydt[0] = y[1];
    dydt[1] = -w * w * sin(y[0]);
    return 0;
}

static void pendulum_obeys_its_equation_at_every_amplitude(void **state)
{
    (void)state;
    const double degrees[] = {0, 1e-6, 30, -77.7, 90, 150, 179, -179.9};
    for (int i = 0; i < 8; i++) {
        Pendulum pendulum = {9.81, 1.7, 0.6, 0.31, degrees[i] * DEGREES};
        double omega = sqrt(1.7 * 9.81 * 0.6 / (0.31 + 1.7 * 0.36)), y[2];
        Path path = {
            .rate = swing_rate, .data = &omega, .variables = 2, .stride = 0.25, .start = {pendulum.amplitude, 0}};
        for (double t = 0; t < 10; t += 0.317) {
            assert_true(path_at(&path, t, y));
            PendulumState now = pendulum_at(&pendulum, t);
            /* The integrator's 1e-13 a step, of a hundred; as an error of energy it shifts the period by
             * 1e-13/cos^2(amplitude/2). */
            double tolerance = 1e-11 + 1e-13 / pow(cos(0.5 * pendulum.amplitude), 2);
            assert_near(now.angle, y[0], tolerance);
            assert_near(now.rate, y[1], tolerance);
            /* by itself: the energy; cos(179 deg) rounds */
            double J = 0.31 + 1.7 * 0.36, drop = cos(now.angle) - cos(pendulum.amplitude);
            assert_near(0.5 * J * now.rate * now.rate, 1.7 * 9.81 * 0.6 * drop, 1e-13);
        }
    }
}

/* The angle from the same formula in 50 digits: the doubles lose nothing near upright, where GSL's route would. */
static void pendulum_is_exact_near_upright(void **state)
{
    (void)state;
    const double table[][3] = {{90, 9.5, 0.3127590562735553},
                               {179, 3.25, -3.098669423364041},
                               {179, 9.5, -1.229128399029778},
                               {-179.9, 9.5, -3.131654959901019}};
    for (int i = 0; i < 4; i++) {
        Pendulum pendulum = {9.81, 1.7, 0.6, 0.31, table[i][0] * DEGREES};
        /* u = 32 rounds to 4e-15, at up to 7 rad/s against omega = 3.3 */
        assert_near(pendulum_at(&pendulum, table[i][1]).angle, table[i][2], 5e-14);
    }
}

/* Four times the way from its amplitude to hanging. */
static double period_of(const Pendulum *pendulum)
{
    return 4.0 * pendulum_time(pendulum, 0.0);
}

static void point_pendulum_periods_are_the_known_ones(void **state)
{
    (void)state;
    const double table[][2] = {{30, 1.017408798}, {60, 1.073182007}, {90, 1.180340599}, {150, 1.762203730}};
    for (int i = 0; i < 4; i++) {
        Pendulum pendulum = {9.81, 1, 1.3, 0, table[i][0] * DEGREES};
        assert_near(period_of(&pendulum) / (2 * PI * sqrt(1.3 / 9.81)), table[i][1], 0.6e-9);
        PendulumState again = pendulum_at(&pendulum, period_of(&pendulum));
        assert_near(again.angle, pendulum.amplitude, 1e-14);
    }
}

static void thin_rod_period_and_pivot_force_are_the_known_ones(void **state)
{
    (void)state;
    double m = 2.9;
    Pendulum rod = {9.81, m, 0.5, m / 12, 90 * DEGREES};
    double period = period_of(&rod);
    assert_near(period, 1.933334854, 0.6e-9);
    PendulumState start = pendulum_at(&rod, 0), bottom = pendulum_at(&rod, 0.25 * period);
    assert_near(start.acceleration, -1.5 * 9.81, 1e-13);
    assert_vec3_near(start.force, vec3(0, 0.25 * m * 9.81, 0), 1e-13);
    assert_vec3_near(bottom.force, vec3(0, 2.5 * m * 9.81, 0), 1e-12);
}

static void pendulum_scene_defaults_give_the_known_numbers(void **state)
{
    (void)state;
    Built scene = built_scene("pendulum", "");
    double weight = 1000 * 0.05 * 0.05 * 9.81, inertia = 2.5 * (1 + 0.0025) / 12;
    Pendulum box = {9.81, 2.5, 0.5, inertia, 90 * DEGREES};
    double period = period_of(&box);
    assert_near(period, 1.933939, 0.6e-6);
    /* The truth itself has that period: it is at rest at its start again. */
    assert_vec3_near(built_position(&scene, 1, period), vec3(0.5, 0, 0), 1e-14);
    assert_vec3_near(built_position(&scene, 1, 0.5 * period), vec3(-0.5, 0, 0), 1e-14);
    /* 1.499063 g: the centre falls with half of it, so the pivot carries the rest */
    Vec3 a = built_acceleration(&scene, 1, 2 * BUILT_STEP);
    assert_near(-a.y / (0.5 * 9.81), 1.499063, 5e-3); /* a little past the start: coarse */
    assert_near(built_force(&scene, 0, 0).y / weight, 0.250468, 0.6e-6);
    assert_near(built_force(&scene, 0, 0.25 * period).y / weight, 2.499063, 0.6e-6);
    assert_near(pendulum_at(&box, 0).acceleration / 9.81, -1.499063, 0.6e-6);
    assert_near(scene.world->mass[1].mass, 2.5, 1e-15);
    assert_near(scene.problem->energy_scale, weight * 0.5, 1e-13);
    assert_near(scene.problem->speed_scale, sqrt(9.81), 1e-14);
    built_destroy(&scene);
}

/* m a = F + m g, the rod's centre and direction agree, and its end stays on the pivot. */
static void check_newton(const char *name, const char *settings)
{
    Built scene = built_scene(name, settings);
    double mass = scene.world->mass[1].mass;
    for (double t = 0.01; t < 4; t += 0.29) {
        Vec3 force = vec3_add_scaled(built_force(&scene, 0, t), mass, scene.world->gravity);
        Vec3 a = built_acceleration(&scene, 1, t);
        /* Differences of step 1e-3: (h omega)^4 of motions up to 10 rad/s, and rounding, 1e-16/h^2. */
        assert_vec3_near(vec3_scale(1 / mass, force), a, 1e-6);
    }
    built_destroy(&scene);
}

static void truths_obey_newton(void **state)
{
    (void)state;
    check_newton("pendulum", "angle=67deg length=1.7 thickness=0.4 density=320");
    check_newton("pendulum", "angle=-151deg");
    check_newton("pendulum", "angle=179deg");
    check_newton("pendulum", "kind=particle angle=111deg length=0.8 mass=3.1 mass_ratio=2.5");
    check_newton("bead_on_wire", "radius=0.63 angle=140deg");
    check_newton("bead_on_wire", "angle=-20deg gravity=1.62");
    check_newton("bead_on_wire", "gravity=0");
}

static void rod_points_from_the_pivot_to_its_centre(void **state)
{
    (void)state;
    Built rod = built_scene("pendulum", "angle=123deg length=1.4");
    for (double t = 0; t < 5; t += 0.41) {
        Vec3 along = quat_rotate(built_orientation(&rod, 1, t), vec3(0.7, 0, 0));
        assert_vec3_near(built_position(&rod, 1, t), along, 1e-15);
    }
    built_destroy(&rod);
}

static void bead_swings_with_the_known_period_angle_and_force(void **state)
{
    (void)state;
    Built bead = built_scene("bead_on_wire", "radius=0.8 gravity=10");
    double period = 2.097646043;
    assert_vec3_near(built_position(&bead, 1, period), vec3(0.8, 0, 0), 1e-9);
    assert_vec3_near(built_position(&bead, 1, 0.524411511), vec3(0, -0.8, 0), 4e-9); /* at 4 m/s */
    assert_vec3_near(built_velocity(&bead, 1, 0.524411511), vec3(-4, 0, 0), 1e-8);
    Vec3 x = built_position(&bead, 1, 1.0);
    assert_near(atan2(x.x, -x.y), -1.555898390, 0.6e-9);
    for (double t = 0; t < 3; t += 0.23) {
        x = built_position(&bead, 1, t);
        /* 30 cos(theta) towards the centre */
        assert_vec3_near(built_force(&bead, 0, t), vec3_scale(-30 * -x.y / 0.8 / 0.8, x), 1e-12);
    }
    built_destroy(&bead);
}

/* The force of a wire or a massless rod has no part along the path. */
static void a_particle_is_held_along_its_radius_only(void **state)
{
    (void)state;
    const char *names[] = {"pendulum", "bead_on_wire"}, *settings[] = {"kind=particle angle=100deg", "angle=100deg"};
    for (int i = 0; i < 2; i++) {
        Built scene = built_scene(names[i], settings[i]);
        for (double t = 0; t < 6; t += 0.37) {
            Vec3 x = built_position(&scene, 1, t), force = built_force(&scene, 0, t);
            assert_near(vec3_norm(vec3_cross(x, force)), 0.0, 1e-13);
            assert_false(scene.truth.has_orientation[1]);
        }
        built_destroy(&scene);
    }
}

static void hanging_links_carry_the_weight_below(void **state)
{
    (void)state;
    Built rods = built_scene("pendulum", "links=7 angle=0 length=0.3 density=2000");
    Built particles = built_scene("pendulum", "links=5 angle=0 kind=particle mass=0.7 mass_ratio=10");
    double weight = 2000 * 0.3 * 0.05 * 0.05 * 9.81;
    assert_true(rods.problem->rest && particles.problem->rest);
    assert_true(rods.problem->energy_scale > 0.0);
    for (int i = 0; i < 7; i++) {
        assert_vec3_near(built_force(&rods, i, 3.0), vec3(0, (7 - i) * weight, 0), 1e-12);
        assert_vec3_near(built_position(&rods, i + 1, 3.0), rods.world->pose[i + 1].x, 1e-15);
        Quat off = quat_mul(quat_conj(built_orientation(&rods, i + 1, 3.0)), rods.world->pose[i + 1].q);
        assert_vec3_near(quat_log(off), VEC3_ZERO, 1e-15);
    }
    for (int i = 0; i < 5; i++)
        assert_vec3_near(built_force(&particles, i, 0), vec3(0, (4 - i + 10) * 0.7 * 9.81, 0), 1e-12);
    built_destroy(&rods);
    built_destroy(&particles);
}

/* Each spring is as long as its force makes it: rest length + compliance x force, which is the weight below. */
static void hanging_springs_start_as_long_as_their_load_makes_them(void **state)
{
    (void)state;
    const char *settings[] = {"links=6 angle=0 kind=particle length=0.4 mass=0.7 mass_ratio=13 compliance=2.3e-3",
                              "links=5 angle=0 length=0.4 density=1700 compliance=3.1e-4"};
    for (int k = 0; k < 2; k++) {
        Built chain = built_scene("pendulum", settings[k]);
        double compliance = k == 0 ? 2.3e-3 : 3.1e-4, below = 0.0, first = k == 0 ? 0.4 : 0.2;
        assert_true(chain.problem->rest && chain.problem->truth);
        for (int i = chain.world->body_count - 1; i >= 1; i--) {
            below += 9.81 * chain.world->mass[i].mass;
            double length = chain.world->pose[i - 1].x.y - chain.world->pose[i].x.y;
            assert_near(length, (i == 1 ? first : 0.4) + compliance * below, 1e-14);
            assert_vec3_near(built_force(&chain, i - 1, 0.7), vec3(0, below, 0), 1e-12);
            assert_vec3_near(built_position(&chain, i, 0.7), chain.world->pose[i].x, 1e-14);
        }
        built_destroy(&chain);
    }
}

/* At angle 0 one link's two truths agree. */
static void one_hanging_link_is_the_limit_of_a_small_swing(void **state)
{
    (void)state;
    Built still = built_scene("pendulum", "angle=0"), small = built_scene("pendulum", "angle=1e-9");
    assert_vec3_near(built_position(&still, 1, 1.3), built_position(&small, 1, 1.3), 1e-9);
    assert_vec3_near(built_force(&still, 0, 1.3), built_force(&small, 0, 1.3), 1e-7);
    built_destroy(&still);
    built_destroy(&small);
}

static void several_links_and_springs_are_left_to_the_reference(void **state)
{
    (void)state;
    Built two = built_scene("pendulum", "links=2");
    assert_null(two.problem->truth);
    assert_true(two.problem->reference);
    /* the centre of mass, 1 m out, drops by 1 m */
    assert_near(two.problem->energy_scale, 5.0 * 9.81, 1e-12);
    built_destroy(&two);
    Built one = built_scene("pendulum", "links=1");
    assert_false(one.problem->reference);
    built_destroy(&one);
    Built soft = built_scene("pendulum", "links=1 compliance=1e-3");
    assert_null(soft.problem->truth);
    assert_true(soft.problem->reference);
    built_destroy(&soft);
}

static void a_thousand_links_are_built_closed(void **state)
{
    (void)state;
    const char *settings[] = {"links=1000 angle=37deg", "links=1000 kind=particle angle=37deg mass_ratio=100"};
    for (int i = 0; i < 2; i++) {
        Built scene = built_scene("pendulum", settings[i]);
        assert_int_equal(scene.world->body_count, 1001);
        assert_int_equal(scene.world->joint_count, 1000);
        assert_string_equal(scene.world->bodies[1000].name, "link1000");
        for (int b = 0; b < scene.world->block_count; b++)
            assert_near(block_violation(scene.world, &scene.world->blocks[b]), 0.0, 1e-12); /* of 1000 m */
        built_destroy(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_obeys_its_equation_at_every_amplitude),
        cmocka_unit_test(pendulum_is_exact_near_upright),
        cmocka_unit_test(point_pendulum_periods_are_the_known_ones),
        cmocka_unit_test(thin_rod_period_and_pivot_force_are_the_known_ones),
        cmocka_unit_test(pendulum_scene_defaults_give_the_known_numbers),
        cmocka_unit_test(truths_obey_newton),
        cmocka_unit_test(rod_points_from_the_pivot_to_its_centre),
        cmocka_unit_test(bead_swings_with_the_known_period_angle_and_force),
        cmocka_unit_test(a_particle_is_held_along_its_radius_only),
        cmocka_unit_test(hanging_links_carry_the_weight_below),
        cmocka_unit_test(hanging_springs_start_as_long_as_their_load_makes_them),
        cmocka_unit_test(one_hanging_link_is_the_limit_of_a_small_swing),
        cmocka_unit_test(several_links_and_springs_are_left_to_the_reference),
        cmocka_unit_test(a_thousand_links_are_built_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
