/* SPDX-License-Identifier: MIT */
/* torque_free, tumbling_box: Jacobi's functions and the orientation against Euler's equations integrated by GSL. */
#include "model/energy.h"
#include "scenes/truth/path.h"
#include "scenes/truth/spin.h"
#include "tests/scenes/built.h"
#include "tests/support/random.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>

/* y = (q, w in body axes): Euler's equations and q' = q [0, w]/2. */
static int euler_rate(double t, const double y[], double dydt[], void *data)
{
    (void)t;
    const Vec3 *I = data;
    Quat q = quat_mul((Quat){y[0], y[1], y[2], y[3]}, (Quat){0, 0.5 * y[4], 0.5 * y[5], 0.5 * y[6]});
    dydt[0] = q.w;
    dydt[1] = q.x;
    dydt[2] = q.y;
    dydt[3] = q.z;
    dydt[4] = (I->y - I->z) * y[5] * y[6] / I->x;
    dydt[5] = (I->z - I->x) * y[6] * y[4] / I->y;
    dydt[6] = (I->x - I->y) * y[4] * y[5] / I->z;
    return 0;
}

/* Compares spin and orientation with the integration over `time`. */
static void check_spin(Vec3 I, Vec3 w, double time, double tolerance)
{
    Spin spin = spin_from(I, w);
    Path path = {.rate = euler_rate, .data = &I, .variables = 7, .stride = 0.125, .start = {1, 0, 0, 0, w.x, w.y, w.z}};
    for (double t = 0.0; t <= time; t += time / 23) {
        double y[7];
        assert_true(path_at(&path, t, y));
        Quat q = spin_orientation(&spin, t), expected = quat_unit((Quat){y[0], y[1], y[2], y[3]});
        Vec3 now = spin_velocity(&spin, t);
        assert_vec3_near(now, vec3(y[4], y[5], y[6]), tolerance);
        assert_vec3_near(quat_log(quat_mul(quat_conj(expected), q)), VEC3_ZERO, tolerance);
        /* and by itself: the energy, and L fixed in space */
        Vec3 L = vec3_mul(I, w);
        assert_near(vec3_dot(now, vec3_mul(I, now)), vec3_dot(w, L), 1e-13 * vec3_dot(w, L));
        assert_vec3_near(quat_rotate(q, vec3_mul(I, now)), L, 1e-13 * vec3_norm(L));
    }
}

/* Integrator's 1e-13 a step over some hundred steps. */
#define TOLERANCE 2e-11

static void any_spin_of_any_body_obeys_euler(void **state)
{
    (void)state;
    Random random = {271828};
    for (int i = 0; i < 60; i++) {
        Vec3 I = {random_in(&random, 0.5, 3), random_in(&random, 0.5, 3), random_in(&random, 0.5, 3)};
        check_spin(I, random_vec3(&random, 3.0), 7.0, TOLERANCE);
    }
}

/* All six orders of the moments, the spin near each axis in each sense: both regimes, both signs. */
static void every_order_of_moments_and_every_axis_obeys_euler(void **state)
{
    (void)state;
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const double moments[3] = {0.9, 1.7, 2.3};
    for (int i = 0; i < 6; i++)
        for (int axis = 0; axis < 6; axis++) {
            Vec3 I = {moments[orders[i][0]], moments[orders[i][1]], moments[orders[i][2]]};
            Vec3 w = vec3_add_scaled(vec3(0.11, -0.07, 0.13), axis < 3 ? 2.0 : -2.0, vec3_axis(axis % 3));
            check_spin(I, w, 9.0, TOLERANCE);
        }
}

static void symmetric_and_spherical_bodies_obey_euler(void **state)
{
    (void)state;
    const Vec3 bodies[] = {{1, 1, 3}, {3, 3, 1}, {1, 3, 1}, {3, 1, 3}, {3, 1, 1}, {1, 3, 3}, {2, 2, 2}};
    for (int i = 0; i < 7; i++) {
        check_spin(bodies[i], vec3(0.7, -1.1, 1.9), 8.0, TOLERANCE);
        check_spin(bodies[i], vec3(0.7, -1.1, 0.0), 8.0, TOLERANCE);
        check_spin(bodies[i], vec3(1e-9, 2.0, -1e-9), 8.0, TOLERANCE);
    }
    /* Nearly symmetric, nearly spherical. */
    check_spin(vec3(1, 1 + 1e-9, 3), vec3(0.7, -1.1, 1.9), 8.0, TOLERANCE);
    check_spin(vec3(1, 1 + 1e-9, 1 - 2e-9), vec3(0.7, -1.1, 1.9), 8.0, TOLERANCE);
}

static void a_spin_about_a_principal_axis_is_steady(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        Vec3 w = vec3_scale(-2.3, vec3_axis(i));
        Spin spin = spin_from(vec3(1, 2, 3), w);
        assert_vec3_near(spin_velocity(&spin, 31.4), w, 0.0);
        check_spin(vec3(1, 2, 3), w, 5.0, TOLERANCE);
    }
    check_spin(vec3(1, 2, 3), VEC3_ZERO, 5.0, 0.0);
}

/* I = (1, 2, 3): the separatrix is 3 wz^2 = wx^2. On it the body turns over once, and the middle axis is approached
 * for ever; beside it rounding grows e-fold in each 1/rate = 1.2/|w| s, so the time is short. */
static void the_separatrix_obeys_euler(void **state)
{
    (void)state;
    double root = sqrt(1.0 / 3.0);
    for (int i = 0; i < 4; i++) {
        double x = i & 1 ? 0.8 : -0.8, z = i & 2 ? 0.8 * root : -0.8 * root;
        check_spin(vec3(1, 2, 3), vec3(x, 0.3, z), 9.0, 1e-9);
        check_spin(vec3(1, 2, 3), vec3(x, -0.3, z * (1 + 1e-9)), 9.0, 1e-9);
        check_spin(vec3(1, 2, 3), vec3(x, -0.3, z * (1 - 1e-9)), 9.0, 1e-9);
    }
    /* Exactly on it, in doubles: 3 (3 - 2) 1^2 = 1.5 (2 - 1.5) 2^2. */
    Spin exact = spin_from(vec3(1.5, 2, 3), vec3(2, 0.3, 1));
    assert_true(exact.mc == 0.0);
    check_spin(vec3(1.5, 2, 3), vec3(2, 0.3, 1), 5.0, 1e-9);
}

/* However small the disturbance e of a spin about the middle axis, it flips: with e/100 it takes log(100)/rate longer
 * until the middle component crosses zero. */
static void a_tiny_disturbance_flips_later_by_the_logarithm(void **state)
{
    (void)state;
    double rate = sqrt(1.0 / 3.0), before = 0.0; /* of I = (1, 2, 3), wy = 1: sqrt((Iz-Iy)(Iy-Ix)/(Ix Iz)) */
    for (double e = 1e-3; e > 1e-14; e *= 1e-2) {
        Spin spin = spin_from(vec3(1, 2, 3), vec3(e, 1, e));
        double low = 0.0;
        for (double t = 0.0; spin_velocity(&spin, t).y > 0.0; t += 0.5)
            low = t;
        double high = low + 0.5; /* a zero of wy lies between: halve on its sign */
        for (int i = 0; i < 60; i++) {
            double middle = 0.5 * (low + high);
            *(spin_velocity(&spin, middle).y > 0.0 ? &low : &high) = middle;
        }
        if (before > 0.0)
            assert_near(low - before, log(100.0) / rate, 1e-4); /* O(e^2 log e) of the first, larger e */
        before = low;
    }
}

static double middle_component(double t, void *spin)
{
    return spin_velocity(spin, t).y;
}

static void the_middle_component_crosses_zero_when_it_should(void **state)
{
    (void)state;
    Spin spin = spin_from(vec3(1, 2, 3), vec3(0.01, 1, 0.01));
    gsl_function f = {middle_component, &spin};
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    for (int n = 0; n < 6; n++) {
        double expected = 10.916913494 + n * 19.552867099;
        assert_int_equal(gsl_root_fsolver_set(solver, &f, expected - 1, expected + 1), GSL_SUCCESS);
        for (int i = 0; i < 60; i++)
            gsl_root_fsolver_iterate(solver);
        assert_near(gsl_root_fsolver_root(solver), expected, 0.6e-9 * (n + 1)); /* the printed digits */
    }
    gsl_root_fsolver_free(solver);
}

/* A late time is as good as an early one: whole periods are counted, not integrated. */
static void orientation_is_the_same_by_one_long_run_or_by_two_halves(void **state)
{
    (void)state;
    Vec3 I = {1, 2, 3}, w = {0.01, 3, 0.01};
    Spin whole = spin_from(I, w);
    for (double t = 3.0; t < 200; t *= 2.3) {
        Quat half = spin_orientation(&whole, t);
        Spin second = spin_from(I, spin_velocity(&whole, t));
        Quat by_halves = quat_mul(half, spin_orientation(&second, 0.77 * t));
        Quat direct = spin_orientation(&whole, 1.77 * t);
        /* the second start is rounded: 1e-16, grown near the middle axis by at most 1/mc = 5e4 a flip, t/6.5 flips */
        assert_vec3_near(quat_log(quat_mul(quat_conj(direct), by_halves)), VEC3_ZERO, 5e-12 * t);
    }
}

static void torque_free_scene_turns_as_its_truth_begins(void **state)
{
    (void)state;
    Built body = built_scene("torque_free", "Ix=1.3 Iy=0.8 Iz=2.9 wx=0.4 wy=-1.7 wz=2.2");
    double h = 1e-5;
    Vec3 turn = quat_log(built_orientation(&body, 1, h));
    /* w is the turn over h, but for w' h/2 of some 1e-5 */
    assert_vec3_near(vec3_scale(1 / h, turn), body.world->velocity[1].w, 5e-5);
    assert_vec3_near(built_position(&body, 1, 3.0), VEC3_ZERO, 0.0);
    assert_int_equal(body.problem->conserves, CONSERVES_ENERGY | CONSERVES_ANGULAR_MOMENTUM);
    assert_near(body.problem->energy_scale, 0.5 * (1.3 * 0.16 + 0.8 * 2.89 + 2.9 * 4.84), 1e-13);
    built_destroy(&body);
}

static void torque_free_scene_falls_with_gravity(void **state)
{
    (void)state;
    Built body = built_scene("torque_free", "gravity=9.81");
    assert_vec3_near(built_position(&body, 1, 2.0), vec3(0, -2 * 9.81, 0), 1e-14);
    assert_int_equal(body.problem->conserves, CONSERVES_ENERGY);
    built_destroy(&body);
}

/* The scene's truth knows the box by its edges; the model's moments are computed apart from it. */
static void tumbling_box_truth_uses_the_moments_of_the_model(void **state)
{
    (void)state;
    Built box = built_scene("tumbling_box", "size_x=0.31 size_y=0.17 size_z=0.73 wx=1.1 wy=-2 wz=0.7 gravity=2");
    Spin spin = spin_from(box.world->mass[1].inertia, vec3(1.1, -2, 0.7));
    Quat internal = box.world->principal[1];
    assert_near(fabs(internal.w), 1.0, 1e-15);
    for (double t = 0.5; t < 10; t += 1.3) {
        Quat off = quat_mul(quat_conj(spin_orientation(&spin, t)), built_orientation(&box, 1, t));
        assert_vec3_near(quat_log(off), VEC3_ZERO, 1e-12);
        assert_vec3_near(built_position(&box, 1, t), vec3(t, 0.5 * t - t * t, 0), 1e-13);
    }
    built_destroy(&box);
    Built drifting = built_scene("tumbling_box", "");
    assert_true(drifting.problem->reference);
    assert_int_equal(drifting.problem->conserves, CONSERVES_ENERGY | CONSERVES_MOMENTUM | CONSERVES_ANGULAR_MOMENTUM);
    built_destroy(&drifting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_spin_of_any_body_obeys_euler),
        cmocka_unit_test(every_order_of_moments_and_every_axis_obeys_euler),
        cmocka_unit_test(symmetric_and_spherical_bodies_obey_euler),
        cmocka_unit_test(a_spin_about_a_principal_axis_is_steady),
        cmocka_unit_test(the_separatrix_obeys_euler),
        cmocka_unit_test(a_tiny_disturbance_flips_later_by_the_logarithm),
        cmocka_unit_test(the_middle_component_crosses_zero_when_it_should),
        cmocka_unit_test(orientation_is_the_same_by_one_long_run_or_by_two_halves),
        cmocka_unit_test(torque_free_scene_turns_as_its_truth_begins),
        cmocka_unit_test(torque_free_scene_falls_with_gravity),
        cmocka_unit_test(tumbling_box_truth_uses_the_moments_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
