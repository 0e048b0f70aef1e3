/* SPDX-License-Identifier: MIT */
/* The truth of the sliding, spinning disc: reference numbers of three friction laws, a second route, and the stop. */
#include "scenes/truth/disc.h"
#include "tests/scenes/built.h"

/* n points at `at` times the radius, with equal loads. */
static void ring_of(int n, double at, const double s[DISC_SPEEDS], double force[DISC_SPEEDS])
{
    force[0] = force[1] = force[2] = 0.0;
    for (int i = 0; i < n; i++) {
        double rx = at * cos(2.0 * PI * (i + 0.5) / n), rz = at * sin(2.0 * PI * (i + 0.5) / n);
        Vec3 u = vec3_add(vec3(s[DISC_VX], 0, s[DISC_VZ]), vec3_cross(vec3(0, s[DISC_SPIN], 0), vec3(rx, 0, rz)));
        Vec3 f = vec3_scale(-1.0 / (n * vec3_norm(u)), u), m = vec3_cross(vec3(rx, 0, rz), f);
        force[DISC_VX] += f.x;
        force[DISC_VZ] += f.z;
        force[DISC_SPIN] += m.y;
    }
}

/* The ratio v / (R w) that stays: f / (2 m) = v / (R w), where the law slows both alike. */
static double lasting_ratio(DiscLaw *law)
{
    double low = 0.1, high = 0.66;
    for (int i = 0; i < 60; i++) {
        double e = 0.5 * (low + high), force[DISC_SPEEDS], s[DISC_SPEEDS] = {e, 0.0, 1.0};
        law(s, 0.0, force);
        /* v falls relatively slower than the spin below the ratio. */
        if (force[DISC_VX] / e > 2.0 * force[DISC_SPIN])
            low = e;
        else
            high = e;
    }
    return low;
}

static void the_closed_form_of_uniform_pressure_is_its_integral(void **state)
{
    (void)state;
    static const double SPEEDS[][DISC_SPEEDS] = {
        {0.37, -0.21, 0.83}, {-0.9, 0.4, 0.7}, {0.9, -0.31, -0.41}, {0.004, 0.003, 2.0}, {0.6, 0.8, -0.007}};
    enum { RINGS = 400 };
    for (size_t n = 0; n < sizeof SPEEDS / sizeof SPEEDS[0]; n++) {
        double closed[DISC_SPEEDS], sum[DISC_SPEEDS] = {0}, ring[DISC_SPEEDS];
        disc_uniform(SPEEDS[n], 0.0, closed);
        for (int i = 0; i < RINGS; i++) {
            double r = (i + 0.5) / RINGS;
            ring_of(4000, r, SPEEDS[n], ring);
            for (int k = 0; k < DISC_SPEEDS; k++)
                sum[k] += 2.0 * r * ring[k] / RINGS;
        }
        for (int k = 0; k < DISC_SPEEDS; k++)
            assert_near(sum[k], closed[k], 1e-5); /* midpoints over 400 rings: 1/400^2 */
    }
}

static void the_closed_form_of_the_ring_is_its_integral(void **state)
{
    (void)state;
    static const double SPEEDS[][DISC_SPEEDS] = {
        {0.37, -0.21, 0.83}, {-0.9, 0.4, 0.7}, {0.1, 0.02, -2.0}, {1e-5, 0.0, 1.0}, {0.0, 1.0, 1e-5}};
    for (size_t i = 0; i < sizeof SPEEDS / sizeof SPEEDS[0]; i++) {
        double closed[DISC_SPEEDS], sum[DISC_SPEEDS];
        disc_ring(SPEEDS[i], 0.0, closed);
        ring_of(4000, 2.0 / 3.0, SPEEDS[i], sum);
        /* The rule of midpoints converges like h^n: only round-off of 4000 terms is left. */
        for (int k = 0; k < DISC_SPEEDS; k++)
            assert_near(sum[k], closed[k], 1e-13);
    }
}

static void the_laws_have_their_reference_stops_and_ratios(void **state)
{
    (void)state;
    Disc disc;
    /* Printed to six decimals. */
    assert_true(disc_start(&disc, disc_ellipsoid, 1.0, 1.0, 1.0, 1.0));
    assert_near(disc_stop(&disc)->time, 1.252032, 1e-6);
    assert_near(disc_stop(&disc)->x, 0.612245, 1e-6);
    /* v/(R w) -> 0: v outruns the spin on its way to zero. */
    assert_true(fabs(disc.kept[20].s[DISC_VX]) < 0.05 * fabs(disc.kept[20].s[DISC_SPIN]));
    assert_true(disc_start(&disc, disc_uniform, 1.0, 1.0, 1.0, 1.0));
    assert_near(disc_stop(&disc)->time, 1.340298, 1e-6);
    assert_near(disc_stop(&disc)->x, 0.637397, 1e-6);
    assert_near(lasting_ratio(disc_uniform), 0.6530017892, 1e-10);
    assert_near(disc.kept[20].s[DISC_VX] / disc.kept[20].s[DISC_SPIN], 0.6530017892, 1e-3); /* on its way there */
    assert_near(lasting_ratio(disc_ring), 0.644454, 1e-6);
}

/* The ellipsoid's scale: R = 0.1, mu g = 2.943 from (v0, w0) is the same motion in other units. */
static void the_scene_is_the_same_motion_in_other_units(void **state)
{
    (void)state;
    double R = 0.23, a = 1.7, unit = sqrt(a * R);
    Disc disc;
    assert_true(disc_start(&disc, disc_ellipsoid, R, a, unit, unit / R));
    assert_near(disc_stop(&disc)->time, 1.252032 * sqrt(R / a), 1e-6);
    assert_near(disc_stop(&disc)->x, 0.612245 * R, 1e-6);
}

/* RK4 with small steps in time, in SI. */
static DiscState integrate(const Disc *disc, double t)
{
    enum { STEPS = 20000 };
    double h = t / STEPS, y[6] = {0};
    for (int i = 0; i < DISC_SPEEDS; i++)
        y[i] = disc->kept[0].s[i];
    for (int n = 0; n < STEPS; n++) {
        double k[4][6], at[6], force[DISC_SPEEDS];
        for (int stage = 0; stage < 4; stage++) {
            double by = stage == 0 ? 0.0 : stage == 3 ? h : 0.5 * h;
            for (int i = 0; i < 6; i++)
                at[i] = y[i] + (stage > 0 ? by * k[stage - 1][i] : 0.0);
            disc->law(at, at[5], force);
            for (int i = 0; i < DISC_SPEEDS; i++)
                k[stage][i] = disc->friction * (i == DISC_SPIN ? 2.0 : 1.0) * force[i];
            k[stage][3] = at[DISC_VX];
            k[stage][4] = at[DISC_VZ];
            k[stage][5] = at[DISC_SPIN] / disc->radius;
        }
        for (int i = 0; i < 6; i++)
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
    return (DiscState){t, {y[0], y[1], y[2]}, y[3], y[4], y[5]};
}

static void the_state_at_a_time_is_what_small_steps_give(void **state)
{
    (void)state;
    DiscLaw *const LAWS[] = {disc_ellipsoid, disc_ring};
    for (int l = 0; l < 2; l++) {
        Disc disc;
        assert_true(disc_start(&disc, LAWS[l], 0.13, 2.3, 0.9, -11.0));
        for (int i = 1; i < 8; i++) {
            double t = 0.12 * i * disc_stop(&disc)->time;
            DiscState at, other = integrate(&disc, t);
            assert_true(disc_at(&disc, t, &at));
            /* RK4's (h w)^4 with h w = 2e-5, before the last tenth, where directions turn fast; the
             * ring's x log x where v passes r w costs a digit. */
            assert_near(at.time, t, 1e-12);
            assert_near(at.x, other.x, 1e-9);
            assert_near(at.z, other.z, 1e-9);
            assert_near(at.angle, other.angle, 1e-8);
            for (int k = 0; k < DISC_SPEEDS; k++)
                assert_near(at.s[k], other.s[k], 1e-8);
        }
    }
}

static void energy_only_falls_and_both_motions_end_together(void **state)
{
    (void)state;
    Disc disc;
    assert_true(disc_start(&disc, disc_ring, 0.1, 2.943, 1.0, 10.0));
    double before = INFINITY, stop = disc_stop(&disc)->time;
    for (int i = 0; i <= 100; i++) {
        DiscState at;
        assert_true(disc_at(&disc, stop * i / 100.0, &at));
        double v2 = at.s[DISC_VX] * at.s[DISC_VX] + at.s[DISC_VZ] * at.s[DISC_VZ];
        double energy = 0.5 * v2 + 0.25 * at.s[DISC_SPIN] * at.s[DISC_SPIN];
        assert_true(energy < before);
        before = energy;
        if (i < 100)
            assert_true(v2 > 0.0 && fabs(at.s[DISC_SPIN]) > 0.0);
    }
    assert_true(before < 1e-20);
    DiscState later;
    assert_true(disc_at(&disc, stop + 3.0, &later));
    assert_near(later.x, disc_stop(&disc)->x, 1e-15);
}

static void without_friction_it_goes_on_for_ever(void **state)
{
    (void)state;
    Disc disc;
    DiscState at;
    assert_true(disc_start(&disc, disc_ellipsoid, 0.1, 0.0, 1.3, -7.0));
    assert_true(disc_at(&disc, 2.5, &at));
    assert_near(at.x, 3.25, 1e-15);
    assert_near(at.angle, -17.5, 1e-14);
    assert_true(disc_start(&disc, disc_ellipsoid, 0.1, 3.0, 0.0, 0.0));
    assert_true(disc_at(&disc, 2.5, &at));
    assert_true(at.x == 0.0 && at.angle == 0.0);
}

/* Spin lowers friction: the way before the stop grows with it, up to the fraction that never slows it. */
static void spin_lengthens_the_way(void **state)
{
    (void)state;
    Disc still, spinning;
    assert_true(disc_start(&still, disc_ellipsoid, 0.1, 2.943, 1.0, 0.0));
    assert_true(disc_start(&spinning, disc_ellipsoid, 0.1, 2.943, 1.0, 10.0));
    assert_near(disc_stop(&still)->x, 1.0 / (2.0 * 2.943), 1e-12); /* v0^2 / (2 mu g) */
    assert_true(disc_stop(&spinning)->x > 1.02 * disc_stop(&still)->x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_closed_form_of_uniform_pressure_is_its_integral),
        cmocka_unit_test(the_closed_form_of_the_ring_is_its_integral),
        cmocka_unit_test(the_laws_have_their_reference_stops_and_ratios),
        cmocka_unit_test(the_scene_is_the_same_motion_in_other_units),
        cmocka_unit_test(the_state_at_a_time_is_what_small_steps_give),
        cmocka_unit_test(energy_only_falls_and_both_motions_end_together),
        cmocka_unit_test(without_friction_it_goes_on_for_ever),
        cmocka_unit_test(spin_lengthens_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
