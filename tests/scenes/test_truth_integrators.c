/* SPDX-License-Identifier: MIT */
/* orbit, spring, projectile: closed forms against the equations of motion integrated by GSL. */
#include "model/energy.h"
#include "scenes/truth/kepler.h"
#include "scenes/truth/oscillator.h"
#include "scenes/truth/path.h"
#include "tests/scenes/built.h"
#include "tests/support/random.h"

static int kepler_rate(double t, const double y[], double dydt[], void *data)
{
    (void)t;
    (void)data;
    double r = hypot(y[0], y[1]), pull = -1.0 / (r * r * r);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = pull * y[0];
    dydt[3] = pull * y[1];
    return 0;
}

static void kepler_orbit_obeys_the_central_attraction(void **state)
{
    (void)state;
    const double eccentricities[] = {0.0, 0.1234, 0.5, 0.9, 0.99};
    for (int i = 0; i < 5; i++) {
        double e = eccentricities[i], y[4];
        Path path = {
            .rate = kepler_rate, .variables = 4, .stride = 0.25, .start = {1 - e, 0, 0, sqrt((1 + e) / (1 - e))}};
        for (double t = 0.0; t < 20.0; t += 0.731) {
            Vec3 x, v;
            kepler_at(e, t, &x, &v);
            assert_true(path_at(&path, t, y));
            /* The integrator's 1e-13 a step, grown along the orbit by the speed at periapsis (20 m/s at 0.99). */
            double tolerance = 1e-10 / ((1 - e) * (1 - e));
            assert_vec3_near(x, vec3(y[0], y[1], 0), tolerance);
            assert_near(0.5 * vec3_dot(v, v) - 1 / vec3_norm(x), -0.5, 1e-13 / ((1 - e) * (1 - e)));
            assert_near(vec3_cross(x, v).z, sqrt((1 - e) * (1 + e)), 1e-14);
        }
    }
}

static void kepler_equation_is_solved_at_every_phase(void **state)
{
    (void)state;
    Random random = {5};
    for (int i = 0; i < 20000; i++) {
        double e = random_in(&random, 0, 1), t = random_in(&random, 0, 2 * PI);
        Vec3 x, v;
        kepler_at(e, t, &x, &v);
        double E = atan2(x.y / sqrt((1 - e) * (1 + e)), x.x + e);
        E += E < 0 ? 2 * PI : 0;
        assert_near(E - e * sin(E), t, 1e-11); /* recovering E from x costs a factor 1/sqrt(1 - e) */
    }
}

static void orbit_starts_at_periapsis_and_returns_after_every_period(void **state)
{
    (void)state;
    Built orbit = built_scene("orbit", "eccentricity=0.7 periods=3");
    assert_near(orbit.problem->time, 6 * PI, 1e-14);
    assert_near(orbit.problem->energy_scale, 0.5, 1e-15);
    assert_near(orbit.problem->speed_scale, 1.0, 1e-15);
    assert_vec3_near(orbit.world->pose[1].x, vec3(0.3, 0, 0), 1e-15);
    assert_near(world_energy(orbit.world), -0.5, 1e-15);
    for (int n = 0; n <= 3; n++)
        assert_vec3_near(built_position(&orbit, 1, 2 * PI * n), vec3(0.3, 0, 0), 1e-14);
    assert_vec3_near(built_position(&orbit, 1, PI), vec3(-1.7, 0, 0), 1e-14);
    for (double t = 0.1; t < 6; t += 0.37) {
        Vec3 x = built_position(&orbit, 1, t);
        /* Differences of a step 1e-3 near a periapsis passed at 2.4 m/s, 0.3 m off: relative (h/0.1)^4. */
        assert_vec3_near(built_acceleration(&orbit, 1, t), world_field(orbit.world, x), 2e-6);
    }
    built_destroy(&orbit);
}

static void orbit_with_gravity_is_left_to_the_reference(void **state)
{
    (void)state;
    Built orbit = built_scene("orbit", "gravity=0.01");
    assert_null(orbit.problem->truth);
    assert_true(orbit.problem->reference);
    assert_int_equal(orbit.problem->conserves, CONSERVES_ENERGY);
    built_destroy(&orbit);
}

typedef struct Oscillator {
    double omega, c, gravity;
} Oscillator;

static int oscillator_rate(double t, const double y[], double dydt[], void *data)
{
    (void)t;
    const Oscillator *o = data;
    dydt[0] = y[1];
    dydt[1] = -o->omega * o->omega * y[0] - o->c * y[1] - o->gravity;
    return 0;
}

static void oscillator_obeys_its_equation_at_every_damping(void **state)
{
    (void)state;
    /* Under-damped, nearly critical from both sides, critical, over-damped, and so that e^(c t) would overflow. */
    const double omega = 2.7182, dampings[] = {0, 0.3, 5.4363999, 5.4364, 5.4364001, 6.1, 40, 400};
    for (int i = 0; i < 8; i++) {
        Oscillator o = {omega, dampings[i], 0.0};
        Path path = {.rate = oscillator_rate, .data = &o, .variables = 2, .stride = 0.25, .start = {0.83, -1.9}};
        double y[2];
        for (double t = 0.0; t < 8.0; t += 0.39) {
            assert_true(path_at(&path, t, y));
            /* The integrator's 1e-13 a step; over-damped it is held by stability to h c < 6, 500 steps. */
            assert_near(oscillator_at(omega, dampings[i], 0.83, -1.9, t), y[0], 5e-12);
        }
    }
}

static void spring_truth_obeys_newton_with_and_without_gravity(void **state)
{
    (void)state;
    const char *settings[] = {"frequency=1.3", "frequency=0.7 damping=0.9", "frequency=0.4 gravity=9.81 damping=11"};
    Oscillator about[] = {{2 * PI * 1.3, 0, 0}, {2 * PI * 0.7, 0.9, 0}, {2 * PI * 0.4, 11, 9.81}};
    for (int i = 0; i < 3; i++) {
        Built spring = built_scene("spring", settings[i]);
        Path y = {.rate = oscillator_rate, .data = &about[i], .variables = 2, .stride = 0.25, .start = {0, 0}};
        Oscillator level = about[i];
        level.gravity = 0;
        Path x = {.rate = oscillator_rate, .data = &level, .variables = 2, .stride = 0.25, .start = {1, 0}};
        for (double t = 0.01; t < 5; t += 0.43) {
            double at_x[2], at_y[2];
            assert_true(path_at(&x, t, at_x) && path_at(&y, t, at_y));
            Vec3 position = built_position(&spring, 1, t);
            assert_vec3_near(position, vec3(at_x[0], at_y[0], 0), 1e-11);
            /* m a = joint force - c m v + m g; differences err by (h omega)^4 = 1e-8, times omega^2 */
            Vec3 force = vec3_add_scaled(built_force(&spring, 0, t), -about[i].c, built_velocity(&spring, 1, t));
            Vec3 a = built_acceleration(&spring, 1, t);
            assert_vec3_near(a, vec3_add(force, spring.world->gravity), 2e-6);
        }
        built_destroy(&spring);
    }
}

/* The joint as the model sees it: its elastic energy is k A^2/2, its row pulls back with k A. */
static void spring_has_the_stiffness_of_its_frequency(void **state)
{
    (void)state;
    Built spring = built_scene("spring", "frequency=2.3");
    double k = pow(2 * PI * 2.3, 2);
    assert_near(1 / block_terms(&spring.world->blocks[0])->compliance, k, 1e-12 * k);
    assert_near(world_elastic_energy(spring.world), 0.5 * k, 1e-12 * k);
    assert_near(spring.problem->energy_scale, 0.5 * k, 1e-12 * k);
    assert_int_equal(spring.problem->conserves, CONSERVES_ENERGY);
    built_destroy(&spring);
    Built damped = built_scene("spring", "damping=0.2");
    assert_int_equal(damped.problem->conserves, 0);
    assert_true(damped.problem->passive);
    built_destroy(&damped);
}

static void projectile_truth_is_the_parabola_of_its_start(void **state)
{
    (void)state;
    Built thrown = built_scene("projectile", "speed=7.3 angle=33deg gravity=3.7");
    Vec3 v = thrown.world->velocity[1].v;
    assert_vec3_near(v, vec3(7.3 * cos(33 * PI / 180), 7.3 * sin(33 * PI / 180), 0), 1e-14);
    for (double t = 0.01; t < 2; t += 0.17) {
        assert_vec3_near(built_position(&thrown, 1, t), vec3(v.x * t, v.y * t - 0.5 * 3.7 * t * t, 0), 1e-14);
        /* exact for a parabola but for rounding of 10 m: 1e-15/h^2 */
        assert_vec3_near(built_acceleration(&thrown, 1, t), thrown.world->gravity, 2e-8);
    }
    /* 7.3 sin(33 deg) 2 s - 3.7 x 2 s^2 is above the start: no drop */
    assert_near(thrown.problem->energy_scale, 0.5 * 7.3 * 7.3, 1e-13);
    built_destroy(&thrown);
    Built low = built_scene("projectile", "");
    double drop = 2 * 9.81 - 20 * sqrt(0.5);
    assert_near(low.problem->energy_scale, 50 + 9.81 * drop, 1e-12);
    built_destroy(&low);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kepler_orbit_obeys_the_central_attraction),
        cmocka_unit_test(kepler_equation_is_solved_at_every_phase),
        cmocka_unit_test(orbit_starts_at_periapsis_and_returns_after_every_period),
        cmocka_unit_test(orbit_with_gravity_is_left_to_the_reference),
        cmocka_unit_test(oscillator_obeys_its_equation_at_every_damping),
        cmocka_unit_test(spring_truth_obeys_newton_with_and_without_gravity),
        cmocka_unit_test(spring_has_the_stiffness_of_its_frequency),
        cmocka_unit_test(projectile_truth_is_the_parabola_of_its_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
