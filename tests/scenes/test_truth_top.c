/* SPDX-License-Identifier: MIT */
/* heavy_top: the integrated truth against known numbers, its invariants, and the steady precession in closed form. */
#include "model/energy.h"
#include "scenes/truth/top.h"
#include "tests/scenes/built.h"

#include <stdio.h>

/* The benchmark's z-up axes in ours: its (x, y, z) are our (z, x, y). */
static Vec3 from_z_up(Vec3 a)
{
    return vec3(a.y, a.z, a.x);
}

static void top_is_where_the_benchmark_says(void **state)
{
    (void)state;
    Built top = built_scene("heavy_top", "");
    Vec3 tenth = from_z_up(vec3(0.421296659, 0.894571974, -0.149164701));
    Vec3 one = from_z_up(vec3(0.173343964, 0.640088592, -0.748490791));
    assert_vec3_near(built_position(&top, 1, 0.1), tenth, 1e-9);
    assert_vec3_near(built_position(&top, 1, 1.0), one, 1e-9);
    built_destroy(&top);
}

static void top_starts_as_the_benchmark_does(void **state)
{
    (void)state;
    Built top = built_scene("heavy_top", "");
    assert_vec3_near(top.world->pose[1].x, from_z_up(vec3(0, 1, 0)), 0.0);
    assert_vec3_near(top.world->velocity[1].w, from_z_up(vec3(0, 150, -4.61538)), 0.0);
    assert_vec3_near(top.world->mass[1].inertia, from_z_up(vec3(0.234375, 0.46875, 0.234375)), 0.0);
    assert_vec3_near(top.world->gravity, from_z_up(vec3(0, 0, -9.81)), 0.0);
    assert_vec3_near(built_position(&top, 1, 0), top.world->pose[1].x, 0.0);
    /* kinetic energy about the tip + 15 kg x 9.81 x 1 m */
    double energy = 0.5 * (0.46875 * 150 * 150 + 15.234375 * 4.61538 * 4.61538) + 15 * 9.81;
    assert_near(top.problem->energy_scale, energy, 1e-11);
    assert_near(block_violation(top.world, &top.world->blocks[0]), 0.0, 0.0);
    built_destroy(&top);
}

/* An asymmetric body about a point off all its axes: energy and vertical angular momentum are kept. */
static void energy_and_vertical_angular_momentum_are_kept(void **state)
{
    (void)state;
    Top top = {.mass = 1.3, .inertia = {0.7, 1.9, 1.4}, .arm = {0.3, -0.2, 0.5}, .gravity = {0, -9.81, 0}};
    top_start(&top, quat_unit((Quat){0.3, -0.7, 0.2, 0.6}), vec3(2.2, -1.3, 4.1));
    double energy = 0, momentum = 0;
    for (double t = 0; t < 10; t += 0.37) {
        TopState now;
        assert_true(top_at(&top, t, &now));
        Vec3 w = now.angular_velocity, L = vec3_mul(top.inertia, w);
        double E = 0.5 * vec3_dot(w, L) + 1.3 * 9.81 * now.centre.y, up = quat_rotate(now.orientation, L).y;
        if (t == 0) {
            energy = E;
            momentum = up;
        }
        /* 1e-13 a step over some thousand steps, of 20 J */
        assert_near(E, energy, 1e-9);
        assert_near(up, momentum, 1e-9);
    }
}

/* The value at t is the same to the bit, whatever was asked before. */
static void truth_does_not_depend_on_the_order_of_the_questions(void **state)
{
    (void)state;
    Built top = built_scene("heavy_top", "tilt=40deg spin=30 rate=1"),
          fresh = built_scene("heavy_top", "tilt=40deg spin=30 rate=1");
    Vec3 direct = built_position(&fresh, 1, 1.2345);
    for (double t = 0; t < 2; t += 1.0 / 60)
        built_position(&top, 1, t);
    assert_vec3_near(built_position(&top, 1, 1.2345), direct, 0.0);
    built_position(&top, 1, 0.4);
    assert_vec3_near(built_position(&top, 1, 1.2345), direct, 0.0);
    built_destroy(&top);
    built_destroy(&fresh);
}

static void tip_force_obeys_newton(void **state)
{
    (void)state;
    Built top = built_scene("heavy_top", "tilt=70deg spin=12 rate=-2 mass=1.7 length=0.9 J_across=0.3 J_spin=0.4");
    for (double t = 0.01; t < 3; t += 0.31) {
        Vec3 force = vec3_add_scaled(built_force(&top, 0, t), 1.7, top.world->gravity);
        /* differences of step 1e-3 of motions of some 5 rad/s, and the path's 1e-13 over h^2 */
        assert_vec3_near(vec3_scale(1 / 1.7, force), built_acceleration(&top, 1, t), 2e-6);
    }
    built_destroy(&top);
}

/* Horizontal, at rate m g l/(J_spin spin): the centre goes round at that rate and never nods. */
static void a_horizontal_top_precesses_steadily(void **state)
{
    (void)state;
    char settings[64];
    double rate = 15 * 9.81 / (0.46875 * 150);
    snprintf(settings, sizeof settings, "rate=%.17g", rate);
    Built top = built_scene("heavy_top", settings);
    for (double t = 0; t < 3; t += 0.29)
        assert_vec3_near(built_position(&top, 1, t), vec3(cos(rate * t), 0, -sin(rate * t)), 1e-10);
    built_destroy(&top);
}

/* Tilted by theta it does so where the rate p solves J_spin s p sin - (J_tip p^2 - ...): with body rate r = p
 * sin(theta) and spin s = w.axis,  m g l sin = J_spin s p sin - J_tip p^2 sin cos. */
static void a_tilted_top_precesses_steadily(void **state)
{
    (void)state;
    double theta = 0.7, p = 1.9, J = 0.234375 + 15, spin = (15 * 9.81 / p + J * p * cos(theta)) / 0.46875;
    char settings[128];
    snprintf(settings, sizeof settings, "tilt=%.17g spin=%.17g rate=%.17g", theta, spin, p * sin(theta));
    Built top = built_scene("heavy_top", settings);
    for (double t = 0; t < 3; t += 0.29)
        assert_vec3_near(built_position(&top, 1, t),
                         vec3(sin(theta) * cos(p * t), cos(theta), -sin(theta) * sin(p * t)), 1e-10);
    built_destroy(&top);
}

/* Without spin it is the plane pendulum about its tip: upright is an equilibrium, hanging at rest stays. */
static void a_top_without_spin_hangs_or_stands(void **state)
{
    (void)state;
    Built hanging = built_scene("heavy_top", "tilt=180deg spin=0 rate=0");
    assert_vec3_near(built_position(&hanging, 1, 2.0), vec3(0, -1, 0), 1e-15);
    assert_vec3_near(built_force(&hanging, 0, 2.0), vec3(0, 15 * 9.81, 0), 1e-12);
    built_destroy(&hanging);
    Built sleeping = built_scene("heavy_top", "tilt=0 rate=0");
    assert_vec3_near(built_position(&sleeping, 1, 2.0), vec3(0, 1, 0), 1e-11);
    built_destroy(&sleeping);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_is_where_the_benchmark_says),
        cmocka_unit_test(top_starts_as_the_benchmark_does),
        cmocka_unit_test(energy_and_vertical_angular_momentum_are_kept),
        cmocka_unit_test(truth_does_not_depend_on_the_order_of_the_questions),
        cmocka_unit_test(tip_force_obeys_newton),
        cmocka_unit_test(a_horizontal_top_precesses_steadily),
        cmocka_unit_test(a_tilted_top_precesses_steadily),
        cmocka_unit_test(a_top_without_spin_hangs_or_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
