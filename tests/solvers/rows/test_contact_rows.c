/* SPDX-License-Identifier: MIT */
/* Contacts at velocity level: bounds of friction, bias of overlaps and gaps, the cache that survives a turned basis. */
#include "solvers/rows/contact_rows.h"
#include "tests/solvers/contact_worlds.h"

static const double DT = 1.0 / 60.0;

/* Speed down the slope after half a second. */
static double slope_speed(double angle, double mu, const char *options)
{
    World *world = block_on_slope(angle, mu);
    drive_run(world, "pgs", options, DT, 30);
    double speed = vec3_dot(world->velocity[2].v, vec3(cos(angle), -sin(angle), 0));
    world_destroy(world);
    return speed;
}

/* mu m g is no bound on a slope: it slips at sin(angle) = mu, not at tan (erratum 4). */
static void the_box_bound_holds_at_40_degrees_where_the_cone_slips(void **state)
{
    (void)state;
    double angle = 40.0 * PI / 180.0, g = 9.81;
    assert_near(slope_speed(angle, 0.7, "friction=box"), 0.0, 1e-9);
    double a = g * (sin(angle) - 0.7 * cos(angle)); /* 1.0456 m/s^2 */
    assert_near(slope_speed(angle, 0.7, "friction=cone"), 0.5 * a, 1e-6);
    assert_near(slope_speed(angle, 0.7, "friction=pyramid"), 0.5 * a, 1e-6);
    /* and beyond sin = mu it slips with g (sin - mu) */
    assert_near(slope_speed(50.0 * PI / 180.0, 0.7, "friction=box"), 0.5 * g * (sin(50.0 * PI / 180.0) - 0.7), 1e-6);
}

/* The cached impulse is a vector in the world: the rows' basis is not part of it (erratum 5). */
static void warm_start_is_unchanged_when_the_tangents_turn(void **state)
{
    (void)state;
    Random random = {0xba515};
    World *world = block_on_slope(0.35, 0.6);
    Drive drive;
    drive_begin(&drive, world, "pgs", "");
    for (int f = 0; f < 5; f++)
        drive_frame(&drive, DT);
    RowSystem system;
    assert_true(row_system_init(&system, world));
    RowSetup setup = warm_setup();
    Velocity first = {0};
    for (int k = 0; k < 6; k++) {
        Velocity velocity[3] = {0};
        row_system_prepare(&system, world, &setup);
        row_system_apply(&system, velocity);
        if (k == 0)
            first = velocity[2];
        assert_true(vec3_norm(first.v) > 0.1); /* 9.81/60: it carries the block */
        assert_vec3_near(velocity[2].v, first.v, 1e-15);
        assert_vec3_near(velocity[2].w, first.w, 1e-14); /* times 0.5 m over 0.08 m^2 */
        for (int b = 0; b < world->block_count; b += 2) {
            Vec3 n = contact_impulse(world);
            Quat turn = quat_axis_angle(vec3_unit(n), random_in(&random, 0.3, 1.5));
            for (int i = 0; i < 2; i++)
                world->blocks[b + i].seat->normal[1] = quat_rotate(turn, world->blocks[b + i].seat->normal[1]);
        }
    }
    row_system_free(&system);
    drive_end(&drive);
    world_destroy(world);
}

static double overlap_after_one_step(double overlap, const char *options)
{
    World *world = contact_world(0.0, 0.0);
    world->gravity = VEC3_ZERO;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.3, vec3(0, 0.3 - overlap, 0));
    build_body(world, &ball);
    drive_run(world, "pgs", options, DT, 1);
    double C = world->pose[2].x.y - 0.3;
    world_destroy(world);
    return C;
}

/* C+ = (1 - beta) C, our beta being the lecture's times dt: beyond 1 it overshoots, beyond 2 by more than it was
 * (erratum 6). */
static void baumgarte_leaves_one_minus_beta_of_an_overlap(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        double beta;
    } CASES[] = {{"beta=0.5 slop=0 push_speed=1e6", 0.5},
                 {"beta=1 slop=0 push_speed=1e6", 1.0},
                 {"beta=1.5 slop=0 push_speed=1e6", 1.5},
                 {"beta=2.1 slop=0 push_speed=1e6", 2.1}};
    for (int i = 0; i < 4; i++) {
        double C = overlap_after_one_step(0.017, CASES[i].options);
        assert_near(C, -(1.0 - CASES[i].beta) * 0.017, 1e-15);
        assert_true((fabs(C) > 0.017) == (CASES[i].beta > 2.0));
    }
}

static void overlap_within_the_slop_stays_and_the_push_is_bounded(void **state)
{
    (void)state;
    assert_near(overlap_after_one_step(0.004, "slop=0.005"), -0.004, 1e-16);
    /* beta (0.011 - 0.005) of the overlap beyond the slop */
    assert_near(overlap_after_one_step(0.011, "slop=0.005 beta=0.3"), -0.011 + 0.3 * 0.006, 1e-15);
    static const char *const BOUNDED[] = {"push_speed=0.7 beta=1 slop=0", "push_speed=0.7 beta=1 slop=0 position=split",
                                          "push_speed=0.7 slop=0 position=ngs position_iterations=1"};
    for (int i = 0; i < 3; i++)
        assert_near(overlap_after_one_step(0.2, BOUNDED[i]), -0.2 + 0.7 * DT, 1e-15);
}

static void slow_impacts_do_not_bounce(void **state)
{
    (void)state;
    static const double SPEED[] = {0.29, 0.31};
    for (int i = 0; i < 2; i++) {
        World *world = contact_world(0.0, 0.8);
        world->gravity = VEC3_ZERO;
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", 0.3, vec3(0, 0.3, 0));
        ball.velocity = vec3(0, -SPEED[i], 0);
        build_body(world, &ball);
        drive_run(world, "pgs", "restitution_threshold=0.3", DT, 1);
        assert_near(world->velocity[2].v.y, i ? 0.8 * 0.31 : 0.0, 1e-15);
        world_destroy(world);
    }
}

/* Restitution is asked of the velocity, not of the position: relaxing leaves it. */
static void relaxing_leaves_a_bounce_and_takes_a_push_back(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        World *world = contact_world(0.3, deep ? 0.0 : 0.6);
        world->gravity = VEC3_ZERO;
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", 0.2, vec3(0, deep ? 0.15 : 0.2001, 0));
        ball.velocity = vec3(0, deep ? 0.0 : -1.3, 0);
        int body = build_body(world, &ball);
        drive_run(world, "pgs", "relax=3", DT, 1);
        assert_near(world->velocity[body].v.y, deep ? 0.0 : 0.6 * 1.3, 1e-14);
        /* the overlap beyond the slop, taken back by beta */
        if (deep)
            assert_near(world->pose[body].x.y, 0.15 + 0.2 * (0.05 - 0.005), 1e-14);
        world_destroy(world);
    }
}

/* A stack's lowest box carries all: pgs with few iterations can only because it starts from the last substep's. */
static void warm_starting_carries_a_stack_that_a_cold_start_lets_sink(void **state)
{
    (void)state;
    double deepest[2];
    for (int warm = 0; warm < 2; warm++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        for (int i = 0; i < 8; i++) {
            char name[2] = {(char)('a' + i), 0};
            BodyDef box = box_def(name, vec3(1, 1, 1), vec3(0, i + 0.5, 0));
            build_body(world, &box);
        }
        drive_run(world, "pgs", warm ? "iterations=5" : "iterations=5 warm_start=false", DT, 120);
        deepest[warm] = 0.0;
        for (int i = 0; i < 8; i++)
            deepest[warm] = fmax(deepest[warm], i + 0.5 - world->pose[2 + i].x.y);
        world_destroy(world);
    }
    assert_true(deepest[1] < 0.02); /* 8 overlaps of no more than the slop, 5 mm, and what the start took */
    assert_true(deepest[0] > 3.0 * deepest[1]);
}

/* A normal that has turned may leave a cached impulse that pulls. */
static void a_cached_impulse_that_pulls_begins_at_zero(void **state)
{
    (void)state;
    World *world = block_on_slope(0.2, 0.5);
    Drive drive;
    drive_begin(&drive, world, "pgs_block", "");
    drive_frame(&drive, DT);
    RowSystem system;
    RowSetup setup = warm_setup();
    assert_true(row_system_init(&system, world));
    for (int b = 0; b < world->block_count; b += 2)
        world->block_impulse[b] = vec3_negate(world->block_impulse[b]);
    row_system_prepare(&system, world, &setup);
    for (int b = 0; b < world->block_count; b += 2)
        assert_true(system.blocks[b].lambda[0] == 0.0);
    row_system_free(&system);
    drive_end(&drive);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_box_bound_holds_at_40_degrees_where_the_cone_slips),
        cmocka_unit_test(warm_start_is_unchanged_when_the_tangents_turn),
        cmocka_unit_test(baumgarte_leaves_one_minus_beta_of_an_overlap),
        cmocka_unit_test(overlap_within_the_slop_stays_and_the_push_is_bounded),
        cmocka_unit_test(slow_impacts_do_not_bounce),
        cmocka_unit_test(relaxing_leaves_a_bounce_and_takes_a_push_back),
        cmocka_unit_test(warm_starting_carries_a_stack_that_a_cold_start_lets_sink),
        cmocka_unit_test(a_cached_impulse_that_pulls_begins_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
