/* SPDX-License-Identifier: MIT */
/* Soft rows: springs and dampers by backward Euler, in joints and contacts. */
#include "tests/solvers/worlds.h"
#include "tests/support/check.h"

#include <string.h>

/* A particle on a line to the origin, `error` too long, with velocity v along it. */
static World *one_row(double error, double v)
{
    World *world = particle_chain(1, 1.0, 1.7, 1.0, vec3(0.6, -0.8, 0.0));
    world->gravity = VEC3_ZERO;
    world->pose[1].x = vec3_scale(1.0 + error, vec3(0.6, -0.8, 0.0));
    world->velocity[1].v = vec3_scale(v, vec3(0.6, -0.8, 0.0));
    return world;
}

/* x+ = ((1 + 2 zeta w h) x + h v)/D, v+ = (v - h w^2 x)/D, D = 1 + 2 zeta w h + w^2 h^2, whatever the warm start. */
static void a_soft_row_is_a_spring_by_backward_euler(void **state)
{
    (void)state;
    const char *const starts[] = {"true", "false"};
    const double h = 1.0 / 60, zeta = 0.37, hertz = 3.1, w = 2.0 * PI * hertz;
    for (int k = 0; k < 2; k++) {
        World *world = one_row(0.03, -0.2);
        double x = 0.03, v = -0.2, D = 1.0 + 2.0 * zeta * w * h + w * w * h * h;
        char options[160];
        Drive drive;
        snprintf(options, sizeof options,
                 "iterations=1 joint_hertz=%.17g joint_zeta=%.17g joint_cap=1000 warm_start=%s", hertz, zeta,
                 starts[k]);
        drive_begin(&drive, world, "pgs", options);
        for (int i = 0; i < 40; i++) {
            double next = ((1.0 + 2.0 * zeta * w * h) * x + h * v) / D;
            v = (v - h * w * w * x) / D;
            x = next;
            drive_frame(&drive, h);
            assert_near(vec3_norm(world->pose[1].x) - 1.0, x, 1e-14); /* 40 steps of round-off on a length of 1 */
            assert_near(vec3_dot(world->velocity[1].v, vec3(0.6, -0.8, 0.0)), v, 1e-13);
        }
        drive_end(&drive);
        world_destroy(world);
    }
}

/* A frequency above the cap is the cap's. */
static void the_cap_bounds_the_frequency(void **state)
{
    (void)state;
    World *capped = one_row(0.03, 0.1), *plain = one_row(0.03, 0.1);
    drive_run(capped, "pgs", "iterations=1 joint_hertz=1000 joint_cap=0.25", 1.0 / 60, 7);
    drive_run(plain, "pgs", "iterations=1 joint_hertz=15 joint_cap=0.25", 1.0 / 60, 7);
    assert_vec3_near(capped->pose[1].x, plain->pose[1].x, 1e-15);
    world_destroy(capped);
    world_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soft_row_is_a_spring_by_backward_euler),
        cmocka_unit_test(the_cap_bounds_the_frequency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
