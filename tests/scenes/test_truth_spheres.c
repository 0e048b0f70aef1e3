/* SPDX-License-Identifier: MIT */
/* The event-driven truth of elastic spheres: conservation, no overlap ever, and a second route by small steps. */
#include "scenes/truth/spheres.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <stdlib.h>

enum { COUNT = 24 };
static const double RADIUS = 0.31;

/* A loose cube of spheres that fly towards its middle. */
static Spheres *crowd(uint64_t seed, Vec3 x[COUNT], Vec3 v[COUNT])
{
    Random random = {seed};
    for (int i = 0; i < COUNT; i++) {
        x[i] = vec3_add(vec3_scale(1.3, vec3(i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0)), random_vec3(&random, 0.3));
        v[i] = vec3_add_scaled(random_vec3(&random, 0.4), -0.7, x[i]);
    }
    Spheres *spheres = spheres_create(COUNT, RADIUS, x, v);
    assert_non_null(spheres);
    return spheres;
}

static void two_spheres_meet_and_exchange_their_normal_velocities(void **state)
{
    (void)state;
    /* Head on in x with an offset of 0.3 in y: they meet at a distance of sqrt(1 - 0.09) in x. */
    Vec3 x[2] = {{0, 0, 0}, {3, 0.3, 0}}, v[2] = {{1, 0, 0}, {-0.5, 0, 0}};
    Spheres *spheres = spheres_create(2, 0.5, x, v);
    double meet = (3.0 - sqrt(0.91)) / 1.5;
    spheres_run(spheres, meet - 1e-9);
    assert_int_equal(spheres->impacts, 0);
    spheres_run(spheres, meet + 1.0);
    assert_int_equal(spheres->impacts, 1);
    Vec3 n = vec3(sqrt(0.91), 0.3, 0);
    Vec3 gained = vec3_scale(-1.5 * n.x, n);
    Vec3 expected = vec3_add(vec3(meet, 0, 0), vec3_add(v[0], gained));
    assert_vec3_near(sphere_at(spheres, 0, meet + 1.0), expected, 1e-14);
    free(spheres);
}

static void energy_and_momenta_are_kept_through_many_impacts(void **state)
{
    (void)state;
    Vec3 x[COUNT], v[COUNT];
    Spheres *spheres = crowd(71, x, v);
    spheres_run(spheres, 5.0);
    assert_true(spheres->impacts > 20);
    double energy = 0.0;
    Vec3 momentum = VEC3_ZERO, turning = VEC3_ZERO;
    for (int i = 0; i < COUNT; i++) {
        const Sphere *now = &spheres->now[i];
        energy += vec3_dot(now->v, now->v) - vec3_dot(v[i], v[i]);
        momentum = vec3_add(momentum, vec3_sub(now->v, v[i]));
        Vec3 at = sphere_at(spheres, i, 5.0);
        turning = vec3_add(turning, vec3_sub(vec3_cross(at, now->v), vec3_cross(x[i], v[i])));
    }
    /* Round-off of some forty impacts; the angular momentum also moves by the round-off of the impacts' places. */
    assert_near(energy, 0.0, 1e-12);
    assert_vec3_near(momentum, VEC3_ZERO, 1e-13);
    assert_vec3_near(turning, VEC3_ZERO, 1e-12);
    free(spheres);
}

static void spheres_never_overlap(void **state)
{
    (void)state;
    Vec3 x[COUNT], v[COUNT];
    Spheres *spheres = crowd(72, x, v);
    for (int step = 0; step <= 1000; step++) {
        double t = 0.005 * step;
        spheres_run(spheres, t);
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < i; j++)
                assert_true(vec3_norm(vec3_sub(sphere_at(spheres, i, t), sphere_at(spheres, j, t))) >
                            2.0 * RADIUS - 1e-12);
    }
    free(spheres);
}

static void answers_do_not_depend_on_what_was_asked_before(void **state)
{
    (void)state;
    Vec3 x[COUNT], v[COUNT];
    Spheres *once = crowd(73, x, v), *often = crowd(73, x, v);
    for (int i = 0; i < 50; i++)
        spheres_run(often, 0.07 * i);
    spheres_run(often, 1.1);
    spheres_run(once, 1.1);
    for (int i = 0; i < COUNT; i++)
        assert_vec3_near(sphere_at(often, i, 1.1), sphere_at(once, i, 1.1), 0.0);
    free(once);
    free(often);
}

/* Moves all spheres on by tiny steps and exchanges velocities wherever two have come closer than 2 radius. */
static void small_steps(Vec3 x[COUNT], Vec3 v[COUNT], double t, int steps)
{
    double h = t / steps;
    for (int n = 0; n < steps; n++) {
        for (int i = 0; i < COUNT; i++)
            x[i] = vec3_add_scaled(x[i], h, v[i]);
        for (int i = 0; i < COUNT; i++)
            for (int j = 0; j < i; j++) {
                Vec3 r = vec3_sub(x[j], x[i]);
                double apart = vec3_norm(r);
                if (apart >= 2.0 * RADIUS)
                    continue;
                Vec3 normal = vec3_scale(1.0 / apart, r);
                double approach = vec3_dot(normal, vec3_sub(v[j], v[i]));
                if (approach >= 0.0)
                    continue;
                v[i] = vec3_add_scaled(v[i], approach, normal);
                v[j] = vec3_add_scaled(v[j], -approach, normal);
            }
    }
}

static void small_steps_converge_to_it(void **state)
{
    (void)state;
    double worst[2] = {0.0, 0.0};
    long impacts = 0;
    for (int level = 0; level < 2; level++) {
        Vec3 x[COUNT], v[COUNT];
        Spheres *spheres = crowd(74, x, v);
        spheres_run(spheres, 1.0);
        small_steps(x, v, 1.0, level == 0 ? 2000 : 40000);
        for (int i = 0; i < COUNT; i++)
            worst[level] = fmax(worst[level], vec3_norm(vec3_sub(sphere_at(spheres, i, 1.0), x[i])));
        impacts = spheres->impacts;
        free(spheres);
    }
    assert_true(impacts >= 10);
    /* First order in the step, as an impact is late by half a step on average. */
    assert_true(worst[1] < worst[0] / 5.0);
    assert_true(worst[1] < 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_spheres_meet_and_exchange_their_normal_velocities),
        cmocka_unit_test(energy_and_momenta_are_kept_through_many_impacts),
        cmocka_unit_test(spheres_never_overlap),
        cmocka_unit_test(answers_do_not_depend_on_what_was_asked_before),
        cmocka_unit_test(small_steps_converge_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
