/* SPDX-License-Identifier: MIT */
/* The published contacts of the position-based solvers (Mueller et al. 2020, sections 3.5, 3.6), equation by equation.
 */
#include "solvers/position/kernels.h"
#include "tests/solvers/contact_worlds.h"

#include <string.h>

static const double H = 1.0 / 300.0;

/* A ball of radius 0.2 m over the ground, its lowest point at `gap`, with the blocks of its contact. */
static World *ball_on_ground(double mu, double e, double gap, double density)
{
    World *world = contact_world(mu, e);
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.2, vec3(0, 0.2 + gap, 0));
    ball.density = density;
    build_body(world, &ball);
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    world_begin_substep(world, H);
    assert_int_equal(world->manifold_count, 1);
    return world;
}

static long solve_positions(World *world, const PositionSolve *how, Multiplier *multipliers)
{
    PositionSweep sweep = {.world = world, .how = how, .multipliers = multipliers};
    return contact_positions_one(&sweep, 0, world->manifold_count);
}

static PositionSolve rigid(void)
{
    return (PositionSolve){.h = H, .stiffness = 1.0, .push_speed = INFINITY};
}

/* Two balls overlap by d: they part by d, each by its share of the inverse masses, and lambda_n = d / (w1 + w2). */
static void the_normal_takes_the_whole_overlap_and_counts_its_multiplier(void **state)
{
    (void)state;
    Random random = {0x0ca7};
    for (int k = 0; k < 20; k++) {
        World *world = contact_world(0.0, 0.0);
        double r1 = random_in(&random, 0.1, 0.4), r2 = random_in(&random, 0.1, 0.4), d = random_in(&random, 1e-4, 0.05);
        Vec3 n = random_unit(&random);
        BodyDef one = sphere_def("one", r1, VEC3_ZERO), two = sphere_def("two", r2, vec3_scale(r1 + r2 - d, n));
        build_body(world, &one);
        build_body(world, &two);
        assert_true(contacts_detect(world) && contacts_add_blocks(world));
        world_begin_substep(world, H);
        Multiplier multipliers[2] = {0};
        PositionSolve how = rigid();
        assert_int_equal(solve_positions(world, &how, multipliers), 1);
        double w1 = world->mass[1].inv_mass, w2 = world->mass[2].inv_mass;
        assert_near(multipliers[0].lambda.x, d / (w1 + w2), 1e-13 / (w1 + w2));
        assert_vec3_near(world->pose[1].x, vec3_scale(-d * w1 / (w1 + w2), n), 1e-14);
        assert_vec3_near(vec3_sub(world->pose[2].x, two.position), vec3_scale(d * w2 / (w1 + w2), n), 1e-14);
        /* d = 0 now: nothing more, to the bit but for its round-off */
        Pose before = world->pose[2];
        solve_positions(world, &how, multipliers);
        assert_vec3_near(world->pose[2].x, before.x, 1e-15);
        world_destroy(world);
    }
}

static void an_open_contact_is_skipped(void **state)
{
    (void)state;
    World *world = ball_on_ground(0.5, 0.5, 1e-3, 1000);
    world->pose[2].x.x += 0.01; /* and no friction holds it */
    Pose before = world->pose[2];
    Multiplier multipliers[2] = {0};
    PositionSolve how = rigid();
    assert_int_equal(solve_positions(world, &how, multipliers), 0);
    assert_memory_equal(&world->pose[2], &before, sizeof before);
    world_destroy(world);
}

/* A ball has slipped by s over the ground and overlaps by d: lambda_n = m d, the whole slip takes lambda_t = m s 2/7.
 * It goes if that is at most mu lambda_n, and stays if not. */
static void static_friction_takes_all_of_the_slip_or_nothing(void **state)
{
    (void)state;
    const double mu = 0.4, d = 1e-3, most = mu * d * 7.0 / 2.0;
    for (int k = 0; k < 2; k++) {
        World *world = ball_on_ground(mu, 0.0, -d, 700);
        double slip = (k == 0 ? 0.99 : 1.01) * most, m = world->mass[2].mass;
        world->pose[2].x.x += slip;
        Multiplier multipliers[2] = {0};
        PositionSolve how = rigid();
        assert_int_equal(solve_positions(world, &how, multipliers), 3);
        assert_near(multipliers[0].lambda.x, m * d, 1e-12 * m * d);
        assert_near(multipliers[1].lambda.x, k == 0 ? -m * slip * 2.0 / 7.0 : 0.0, 1e-3 * m * slip);
        BlockError left;
        block_error(world, &world->blocks[1], &left);
        /* a rotation by slip / 0.2 m is followed to its square */
        assert_near(left.error.x, k == 0 ? 0.0 : slip, k == 0 ? 1e-2 * slip : 1e-15);
        world_destroy(world);
    }
}

/* What the velocity pass makes of the ball, whose contact gave the normal impulse N; v~ before the position solve. */
static World *after_velocity_pass(World *world, double N, double threshold, Velocity u, Velocity predicted)
{
    Velocity before[3] = {0};
    before[2] = predicted;
    world->velocity[2] = u;
    Multiplier multipliers[2] = {{vec3(N * H, 0, 0), vec3(0, N * H, 0)}};
    world->block_impulse[0] = vec3(0, N, 0);
    world->block_impulse[1] = VEC3_ZERO;
    PositionSolve how = rigid();
    PositionSweep sweep = {
        .world = world, .how = &how, .multipliers = multipliers, .threshold = threshold, .predicted = before};
    contact_velocities_one(&sweep, 0, world->manifold_count);
    return world;
}

/* dv = -v_t/|v_t| min(h mu f_n (w1 + w2), |v_t|). As printed it lacks w1 + w2 and takes h mu f_n = mu N, an impulse,
 * for a velocity: 1,000 kg would then lose all of its slip to any load, and 1 g hardly any. */
static void dynamic_friction_is_mu_n_whatever_the_mass(void **state)
{
    (void)state;
    Random random = {0xd1f};
    for (int k = 0; k < 40; k++) {
        double mu = random_in(&random, 0.1, 0.9);
        World *world = ball_on_ground(mu, 0.0, 0.0, pow(10.0, random_in(&random, -1.0, 5.0)));
        double m = world->mass[2].mass, stop = m * 2.0 / 7.0; /* N s for 1 m/s of slip */
        double N = m * random_in(&random, 0.01, 2.0);
        Velocity u = {{random_in(&random, -3, 3), 0, random_in(&random, -3, 3)}, {0, 0, 0}};
        Vec3 slip = u.v;
        after_velocity_pass(world, N, 0.0, u, u);
        double expected = fmin(mu * N, stop * vec3_norm(slip));
        assert_vec3_near(world->block_impulse[1], vec3_scale(-expected / vec3_norm(slip), slip), 1e-12 * expected);
        assert_vec3_near(vec3_scale(m, vec3_sub(world->velocity[2].v, u.v)), world->block_impulse[1], 1e-12 * m);
        world_destroy(world);
    }
}

/* v_n -> -e v~_n, whatever the position solve has made of v_n: that goes, even by a pull. */
static void restitution_reflects_the_velocity_before_the_position_solve(void **state)
{
    (void)state;
    static const double SOLVED[] = {-1.3, -0.2, 0.2, 2.5};
    for (int k = 0; k < 4; k++) {
        World *world = ball_on_ground(0.0, 0.6, 0.0, 1000);
        Velocity u = {{0, SOLVED[k], 0}, {0, 0, 0}}, predicted = {{0, -1.7, 0}, {0, 0, 0}};
        after_velocity_pass(world, 1.0, 2.0 * 9.81 * H, u, predicted);
        assert_near(world->velocity[2].v.y, 0.6 * 1.7, 1e-14);
        assert_near(world->block_impulse[0].y, 1.0 + world->mass[2].mass * (0.6 * 1.7 - SOLVED[k]), 1e-11);
        world_destroy(world);
    }
    /* Bodies that parted before are not thrown at each other. */
    World *world = ball_on_ground(0.0, 0.6, 0.0, 1000);
    after_velocity_pass(world, 1.0, 0.0, (Velocity){{0, 0.5, 0}, {0, 0, 0}}, (Velocity){{0, 1.7, 0}, {0, 0, 0}});
    assert_near(world->velocity[2].v.y, 0.0, 1e-14);
    world_destroy(world);
}

/* |v_n| <= 2 |g| h, v_n being the velocity after the position solve, as printed. */
static void a_contact_slower_than_the_threshold_stops(void **state)
{
    (void)state;
    const double threshold = 2.0 * 9.81 * H;
    for (int k = 0; k < 2; k++) {
        World *world = ball_on_ground(0.0, 1.0, 0.0, 1000);
        double now = -(k == 0 ? 0.99 : 1.01) * threshold;
        after_velocity_pass(world, 1.0, threshold, (Velocity){{0, now, 0}, {0, 0, 0}},
                            (Velocity){{0, -1.7, 0}, {0, 0, 0}});
        assert_near(world->velocity[2].v.y, k == 0 ? 0.0 : 1.7, 1e-14);
        world_destroy(world);
    }
}

/* The whole step: from a fall of 0.1 m a ball with e = 0.8 comes back with 0.8 of its speed. The gravity of the substep
 * in which it hits is in v~: up to g h more. */
static void a_dropped_ball_bounces_with_e(void **state)
{
    (void)state;
    static const char *const SOLVERS[] = {"xpbd", "pbd"};
    for (int s = 0; s < 2; s++) {
        World *world = contact_world(0.0, 0.8);
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", 0.2, vec3(0, 0.3, 0));
        build_body(world, &ball);
        Drive drive;
        drive_begin(&drive, world, SOLVERS[s], "substeps=20");
        double up = 0.0;
        for (int f = 0; f < 20 && up == 0.0; f++) {
            drive_frame(&drive, 1.0 / 60);
            up = fmax(world->velocity[2].v.y, 0.0);
        }
        /* v at the frame's end: gravity has had up to a frame to slow it */
        assert_near(up, 0.8 * sqrt(2.0 * 9.81 * 0.1), 9.81 / 60);
        assert_true(up < 0.8 * (sqrt(2.0 * 9.81 * 0.1) + 2.0 * 9.81 / 1200));
        drive_end(&drive);
        world_destroy(world);
    }
}

/* Falls onto the ground in one substep a frame, from 40 heights. As published the bounce is lost where a substep begins
 * nearer than about 2 g h^2: what is left of v_n is below the threshold. Each is an event, and the form that tests the
 * speed before the solve loses none. */
static void bounces_are_dropped_as_published_and_counted(void **state)
{
    (void)state;
    static const char *const SOLVERS[] = {"xpbd", "pbd", "xpbd_approach", "pbd_approach"};
    for (int s = 0; s < 4; s++) {
        int lost = 0;
        long counted = 0;
        for (int k = 0; k < 40; k++) {
            World *world = contact_world(0.0, 0.9);
            add_plane(world, vec3(0, 1, 0));
            BodyDef ball = sphere_def("ball", 0.2, vec3(0, 1.2 + 0.3 * fmod(0.6180339887 * k, 1.0), 0));
            build_body(world, &ball);
            Drive drive;
            drive_begin(&drive, world, SOLVERS[s], "substeps=1 iterations=1");
            double up = 0.0;
            for (int f = 0; f < 40; f++) {
                drive_frame(&drive, 1.0 / 60);
                up = fmax(up, world->velocity[2].v.y);
            }
            lost += up < 1.0; /* e times the speed of a fall of 1 m is 4 m/s */
            for (int i = 0; i < drive.step.event_count; i++)
                if (strncmp(drive.step.events[i].what, "a bounce was dropped", 20) == 0)
                    counted += drive.step.events[i].count;
            drive_end(&drive);
            world_destroy(world);
        }
        assert_int_equal(lost, counted);
        assert_true(s < 2 ? lost > 0 : lost == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_normal_takes_the_whole_overlap_and_counts_its_multiplier),
        cmocka_unit_test(an_open_contact_is_skipped),
        cmocka_unit_test(static_friction_takes_all_of_the_slip_or_nothing),
        cmocka_unit_test(dynamic_friction_is_mu_n_whatever_the_mass),
        cmocka_unit_test(restitution_reflects_the_velocity_before_the_position_solve),
        cmocka_unit_test(a_contact_slower_than_the_threshold_stops),
        cmocka_unit_test(a_dropped_ball_bounces_with_e),
        cmocka_unit_test(bounces_are_dropped_as_published_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
