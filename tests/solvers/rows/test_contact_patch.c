/* SPDX-License-Identifier: MIT */
/* Patches at velocity level: how they brake spin and slip, and when they are solved. */
#include "solvers/rows/contact_rows.h"
#include "tests/solvers/contact_worlds.h"

static const double DT = 1.0 / 60.0;

/* (f / mu N)^2 + (m / m_max)^2 <= 1 with m_max = 2/3 mu N R; a ball that only spins is braked with m_max itself. */
static void a_patch_brakes_spin_with_two_thirds_mu_n_r(void **state)
{
    (void)state;
    const double mu = 0.3, R = 0.08, h = DT / 10;
    for (int k = 0; k < 12; k++) {
        Random random = {(uint64_t)(9 + k)};
        World *world = contact_world(mu, 0.0);
        world->materials[0].patch_radius = R;
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", 0.1, vec3(0, 0.1, 0));
        ball.angular_velocity = vec3(0, random_in(&random, 20, 50), 0);
        ball.velocity = k % 2 ? random_across(&random, 1, 4, 0) : VEC3_ZERO;
        build_body(world, &ball);
        drive_run(world, "pgs", "iterations=100", h, 2);
        PointImpulse p = point_impulse(world, 0);
        double f = vec3_norm(p.tangent) / (mu * p.normal);
        double m = vec3_norm(world->block_impulse[2]) / (2.0 / 3.0 * mu * p.normal * R);
        assert_near(p.normal, world->mass[2].mass * 9.81 * h, 1e-9);
        assert_near(f * f + m * m, 1.0, 1e-9); /* it slides or spins: on the ellipsoid */
        if (k % 2 == 0)
            assert_near(m, 1.0, 1e-12);
        world_destroy(world);
    }
}

/* Pressed in by d, and left there, a ball of radius r loses 5/2 (2/3 mu g sqrt(2 r d)) / r^2 of its spin a second. */
static void a_patch_from_overlap_brakes_spin_by_the_circle_of_the_overlap(void **state)
{
    (void)state;
    const double mu = 0.3, r = 0.1, d = 2e-4, time = 0.2;
    World *world = contact_world(mu, 0.0);
    world->materials[0].patch_radius = NAN;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", r, vec3(0, r - d, 0));
    ball.angular_velocity = vec3(0, 40, 0);
    build_body(world, &ball);
    drive_run(world, "pgs", "position=none iterations=50", DT, 12);
    double slowed = time * 2.5 * (2.0 / 3.0) * mu * 9.81 * sqrt(2 * r * d) / (r * r);
    assert_true(slowed > 0.5);
    assert_near(world->velocity[2].w.y, 40 - slowed, 1e-9);
    world_destroy(world);
}

/* A disc that slides and spins on a patch, or rests on it. */
static World *disc_on_patch(Random *random, double speed)
{
    World *world = contact_world(0.3, 0.0);
    world->materials[0].patch_radius = 0.1;
    add_plane(world, vec3(0, 1, 0));
    BodyDef disc = box_def("disc", vec3(0.2, 0.04, 0.2), vec3(0, 0.02, 0));
    disc.velocity = vec3_scale(speed, random_across(random, -1, 1, 0));
    disc.angular_velocity = vec3(0, 10.0 * speed * random_in(random, -1, 1), 0);
    build_body(world, &disc);
    return world;
}

/* Sliding, a patch's torque is at the ellipsoid's bound and its spin is not zero: that is no error. A torque that is
 * off is one, of as much as it would change the spin. */
static void a_patch_that_slides_or_sticks_has_no_residual_when_solved(void **state)
{
    (void)state;
    Random random = {0xe111};
    for (int k = 0; k < 12; k++) {
        World *world = disc_on_patch(&random, k % 2 ? 1.5 : 0.0);
        Drive drive;
        drive_begin(&drive, world, "pgs", "iterations=2000");
        for (int f = 0; f < 2; f++)
            drive_frame(&drive, DT);
        assert_true(drive.phases[0].residual(drive.self, &drive.step) < 1e-12);
        world->velocity[2].w.y += 0.3 + world->velocity[2].w.y;
        assert_true(drive.phases[0].residual(drive.self, &drive.step) > 1e-3);
        drive_end(&drive);
        world_destroy(world);
    }
}

/* Points that rub against each other use up the bound: in pure spin their forces add up to nothing. */
static void the_friction_of_a_patch_is_bounded_point_by_point(void **state)
{
    (void)state;
    Random random = {0x5b1};
    const double mu = 0.3, arm = 2.0 / 3.0 * 0.1;
    for (int k = 0; k < 10; k++) {
        World *world = disc_on_patch(&random, 0.0);
        world->velocity[2].w.y = random_in(&random, 5.0, 20.0);
        drive_run(world, "pgs", "iterations=200", DT, 2);
        double rubs = 0.0, load = 0.0, torque = 0.0;
        for (int b = 0; b < world->block_count; b++) {
            double size = vec3_norm(world->block_impulse[b]);
            BlockKind kind = world->blocks[b].kind;
            load += kind == BLOCK_CONTACT ? size : 0.0;
            rubs += kind == BLOCK_FRICTION ? size : 0.0;
            torque += kind == BLOCK_TORSION ? size : 0.0;
        }
        assert_true(torque > 0.1 * arm * mu * load && rubs > 0.1 * mu * load);
        assert_near(hypot(rubs, torque / arm), mu * load, 1e-9 * load);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_patch_brakes_spin_with_two_thirds_mu_n_r),
        cmocka_unit_test(a_patch_from_overlap_brakes_spin_by_the_circle_of_the_overlap),
        cmocka_unit_test(a_patch_that_slides_or_sticks_has_no_residual_when_solved),
        cmocka_unit_test(the_friction_of_a_patch_is_bounded_point_by_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
