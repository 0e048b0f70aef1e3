/* SPDX-License-Identifier: MIT */
/* The velocity pass of the position-based solvers, called on contacts whose multipliers the test makes up. */
#include "solvers/position/kernels.h"
#include "tests/solvers/contact_worlds.h"

static const double H = 1.0 / 300.0;

/* A ball on the ground that has just been given the normal impulse N; it moves with v and w now, with `before` before
 * the substep. Runs the pass and leaves the ball's velocity in *now. */
static World *ball_after_pass(double mu, double e, double patch, double N, Velocity u, Velocity before, Velocity *now)
{
    World *world = contact_world(mu, e);
    world->materials[0].patch_radius = patch;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.2, vec3(0, 0.2, 0));
    build_body(world, &ball);
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    world_begin_substep(world, H);
    assert_int_equal(world->block_count, patch > 0.0 ? 3 : 2);
    world->velocity_before[2] = before;
    world->velocity[2] = u;
    Multiplier multipliers[3] = {{vec3(N * H, 0, 0), vec3(0, N * H, 0)}};
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = vec3_scale(1.0 / H, multipliers[b].on_body2);
    PositionSweep sweep = {.world = world, .how = &(PositionSolve){.h = H}, .multipliers = multipliers};
    stick_velocities_one(&sweep, 0, world->manifold_count);
    *now = world->velocity[2];
    return world;
}

static const Velocity STILL = {{0, 0, 0}, {0, 0, 0}};

static void sliding_friction_is_mu_n_against_the_slip_and_never_turns_it_round(void **state)
{
    (void)state;
    Random random = {0x51de};
    for (int k = 0; k < 30; k++) {
        Velocity u = {{random_in(&random, -3, 3), 0, random_in(&random, -3, 3)}, random_vec3(&random, 5.0)}, now;
        double mu = random_in(&random, 0.1, 0.9), N = random_in(&random, 0.1, 40.0);
        World *world = ball_after_pass(mu, 0.0, 0.0, N, u, STILL, &now);
        Vec3 arm = vec3(0, -0.2, 0);
        Vec3 slip = vec3_add(u.v, vec3_cross(u.w, arm)), left = vec3_add(now.v, vec3_cross(now.w, arm));
        slip.y = left.y = 0.0;
        double m = world->mass[2].mass, stop = vec3_norm(slip) * m * 2.0 / 7.0; /* 1/w = m / (1 + 5/2) */
        Vec3 f = world->block_impulse[1];
        assert_near(vec3_norm(f), fmin(mu * N, stop), 1e-12 * (mu * N + stop));
        assert_near(vec3_dot(f, slip), -vec3_norm(f) * vec3_norm(slip), 1e-12 * vec3_norm(f) * vec3_norm(slip));
        assert_vec3_near(left, vec3_scale(1.0 - vec3_norm(f) / stop, slip), 1e-12);
        assert_vec3_near(vec3_scale(m, vec3_sub(now.v, u.v)), f, 1e-11); /* 33 kg at some m/s */
        world_destroy(world);
    }
}

/* The position solve left 0.4 m/s, which the contact gave: that is its push, no bounce. */
/* The position solve gives a part of an impact's impulse and the stop the rest: friction is due of both. */
static void friction_of_an_impact_is_due_of_its_whole_impulse(void **state)
{
    (void)state;
    for (int k = 0; k <= 10; k++) {
        double part = 0.01 + 0.099 * k, v = 1.7, mu = 0.23;
        Velocity now, u = {{3.1, -(1.0 - part) * v, 0}, {0, 0, 0}}, before = {{3.1, -v, 0}, {0, 0, 0}};
        World *world = contact_world(0.0, 0.0);
        BodyDef ball = sphere_def("ball", 0.2, VEC3_ZERO);
        double m = world->mass[build_body(world, &ball)].mass;
        world_destroy(world);
        world = ball_after_pass(mu, 0.0, 0.0, part * m * v, u, before, &now);
        assert_near(now.v.y, 0.0, 1e-14);
        assert_near(now.v.x, 3.1 - mu * v, 1e-13);
        assert_near(-world->block_impulse[1].x, mu * world->block_impulse[0].y, 1e-12 * m);
        world_destroy(world);
    }
}

static void a_push_leaves_no_speed(void **state)
{
    (void)state;
    Velocity now;
    World *world = ball_after_pass(0.0, 0.7, 0.0, 1e3, (Velocity){{0, 0.4, 0}, {0, 0, 0}}, STILL, &now);
    assert_near(now.v.y, 0.0, 1e-14);
    world_destroy(world);
}

/* It may undo a push, not pull: with N small the ball keeps most of its 0.4 m/s. */
static void no_more_is_taken_back_than_was_given(void **state)
{
    (void)state;
    Velocity now;
    double N = 1.3;
    World *world = ball_after_pass(0.0, 0.0, 0.0, N, (Velocity){{0, 0.4, 0}, {0, 0, 0}}, STILL, &now);
    assert_near(now.v.y, 0.4 - N / world->mass[2].mass, 1e-15);
    assert_near(world->block_impulse[0].y, 0.0, 1e-15);
    world_destroy(world);
}

static void a_contact_without_load_does_nothing(void **state)
{
    (void)state;
    Velocity u = {{1.1, -0.2, 0.4}, {3, 1, 2}}, now;
    World *world = ball_after_pass(0.8, 0.5, 0.1, 0.0, u, u, &now);
    assert_memory_equal(&now, &u, sizeof u);
    world_destroy(world);
}

/* (f, m) = -mu N (v, a^2 w) / sqrt(v^2 + a^2 w^2), a = 2/3 R: on the ellipsoid, against both. */
static void a_patch_shares_one_friction_between_slip_and_spin(void **state)
{
    (void)state;
    Random random = {0xd15c};
    for (int k = 0; k < 20; k++) {
        const double mu = 0.4, N = 0.7, R = 0.11, a = 2.0 / 3.0 * R;
        Velocity now,
            u = {{random_in(&random, -3, 3), 0, random_in(&random, -3, 3)}, {0, random_in(&random, -60, 60), 0}};
        World *world = ball_after_pass(mu, 0.0, R, N, u, STILL, &now);
        double sigma = sqrt(vec3_dot(u.v, u.v) + a * a * u.w.y * u.w.y);
        assert_vec3_near(world->block_impulse[1], vec3_scale(-mu * N / sigma, u.v), 1e-13);
        assert_vec3_near(world->block_impulse[2], vec3(0, -mu * N * a * a * u.w.y / sigma, 0), 1e-13);
        assert_true(now.w.y * u.w.y > 0.0);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_friction_is_mu_n_against_the_slip_and_never_turns_it_round),
        cmocka_unit_test(friction_of_an_impact_is_due_of_its_whole_impulse),
        cmocka_unit_test(a_push_leaves_no_speed),
        cmocka_unit_test(no_more_is_taken_back_than_was_given),
        cmocka_unit_test(a_contact_without_load_does_nothing),
        cmocka_unit_test(a_patch_shares_one_friction_between_slip_and_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
