/* SPDX-License-Identifier: MIT */
/* Impacts that `reference` locates: bounces, rows of balls, grazes, rest; and what it refuses. */
#include "model/energy.h"
#include "solvers/truth/impact_orders.h"
#include "tests/solvers/worlds.h"

#include <string.h>

static World *impact_world(double restitution)
{
    World *world = world_create();
    world->materials[0].restitution = restitution;
    world->materials[0].friction = 0.0;
    world->collide = true;
    return world;
}

static int add_ball(World *world, Vec3 position, Vec3 velocity, double radius, double density)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "ball";
    def.position = position;
    def.velocity = velocity;
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = radius};
    def.density = density;
    return build_body(world, &def);
}

static void run_to(World *world, double time)
{
    int frames = (int)ceil(time * 60 - 1e-9);
    drive_run(world, "reference", "", time / frames, frames);
}

/* Of a fall from 1 m: flight by flight, each e times as long as the one before. */
static double bounce_height(double e, double t)
{
    double g = 9.81, speed = sqrt(2 * g), since = t - sqrt(2 / g);
    if (since < 0.0)
        return 1.0 - 0.5 * g * t * t;
    for (speed *= e; since > 2 * speed / g; speed *= e) {
        since -= 2 * speed / g;
        if (speed < 1e-12)
            return 0.0;
    }
    return since * (speed - 0.5 * g * since);
}

/* Impacts at 0.451523641, 1.173961467, 1.751911727 s, rest at 4.063712769 s. */
static void a_bouncing_ball_keeps_to_the_true_times(void **state)
{
    (void)state;
    static const double TIMES[] = {0.45, 0.8, 1.173961467, 1.5, 1.751911727, 3.9, 4.1};
    for (int i = 0; i < 7; i++) {
        World *world = impact_world(0.8);
        /* the plane before and after the ball in the list: the normal is on body 1, and on body 2 */
        int ball = i % 2 ? add_ball(world, vec3(0.3, 1.13, 0.2), VEC3_ZERO, 0.13, 700) : 0;
        build_plane(world, vec3(0, 1, 0), 0);
        if (!ball)
            ball = add_ball(world, vec3(0.3, 1.13, 0.2), VEC3_ZERO, 0.13, 700);
        run_to(world, TIMES[i]);
        /* Round-off of an impact's time, 1e-16 s, grows by a factor of 1/0.8 with each of some 40 impacts; bounces
         * below 4.5e-10 length scales of 0.26 m are left out. */
        assert_near(world->pose[ball].x.y - 0.13, bounce_height(0.8, TIMES[i]), TIMES[i] < 4.0 ? 1e-12 : 1.2e-10);
        assert_near(world->pose[ball].x.x, 0.3, 1e-13);
        world_destroy(world);
    }
}

static void a_ball_at_rest_is_carried(void **state)
{
    (void)state;
    World *world = impact_world(0.5);
    build_plane(world, vec3(0, 1, 0), 0);
    int low = add_ball(world, vec3(0, 0.2, 0), VEC3_ZERO, 0.2, 700);
    int high = add_ball(world, vec3(0, 0.5, 0), VEC3_ZERO, 0.1, 900);
    double weight = 9.81 * (world->mass[low].mass + world->mass[high].mass);
    Drive drive;
    drive_begin(&drive, world, "reference", "");
    for (int f = 0; f < 30; f++)
        drive_frame(&drive, 1.0 / 60);
    assert_vec3_near(world->pose[low].x, vec3(0, 0.2, 0), 1e-12);
    assert_vec3_near(world->pose[high].x, vec3(0, 0.5, 0), 1e-12);
    assert_int_equal(world->blocks[0].kind, BLOCK_CONTACT);
    assert_vec3_near(world->block_impulse[0], vec3(0, weight / 60, 0), 1e-10 * weight);
    drive_end(&drive);
    world_destroy(world);
}

/* Three balls in a row, the first with speed 1: (0, 0, 1); with e = 0.5, pair by pair: (1/4, 3/16, 9/16) until the
 * first catches up with the second. */
static void a_row_of_balls_passes_the_impact_on(void **state)
{
    (void)state;
    for (int elastic = 0; elastic < 2; elastic++) {
        World *world = impact_world(elastic ? 1.0 : 0.5);
        world->gravity = VEC3_ZERO;
        for (int i = 0; i < 3; i++)
            add_ball(world, vec3(0.2 * i - (i == 0 ? 0.0371 : 0.0), 0, 0), vec3(i == 0, 0, 0), 0.1, 1200);
        run_to(world, 0.1);
        double e = elastic ? 1.0 : 0.5, last = 0.25 * (1 + e) * (1 + e);
        assert_near(world->velocity[3].v.x, last, 1e-12);
        /* e = 0.5: the first (1/4) is faster than the second (3/16), so that they hit again at once: 0.203125, 0.234375
         */
        double sum = 1.0 - last, gap = elastic ? 0.0 : 0.5 * (0.25 - 0.1875);
        assert_near(world->velocity[1].v.x, 0.5 * (sum - gap), 1e-12);
        assert_near(world->velocity[2].v.x, 0.5 * (sum + gap), 1e-12);
        world_destroy(world);
    }
}

/* Two spheres that overlap by a thousandth of their radius where they pass: an impact that no frame's end shows. */
static void a_graze_is_not_missed(void **state)
{
    (void)state;
    double r = 0.1, b = 2 * r - 1e-4, v = 7.3;
    World *world = impact_world(1.0);
    world->gravity = VEC3_ZERO;
    add_ball(world, vec3(-0.4, 0, 0), vec3(v, 0, 0), r, 1000);
    add_ball(world, vec3(0, b, 0), VEC3_ZERO, r, 1000);
    run_to(world, 0.2);
    /* equal masses: the second takes the part of v along the line of centres */
    Vec3 n = vec3(sqrt(4 * r * r - b * b) / (2 * r), b / (2 * r), 0);
    /* found to 1e-16 m, which turns n.x by 1e-16 / (2 r n.x) */
    assert_vec3_near(world->velocity[2].v, vec3_scale(v * n.x, n), 1e-12);
    assert_near(world_energy(world), 0.5 * world->mass[1].mass * v * v, 1e-12 * v * v);
    world_destroy(world);
}

static void a_fast_ball_does_not_pass_through(void **state)
{
    (void)state;
    World *world = impact_world(1.0);
    world->gravity = VEC3_ZERO;
    add_ball(world, vec3(-1.0, 0, 0), vec3(300, 0, 0), 0.02, 1000);
    add_ball(world, vec3(0, 0, 0), VEC3_ZERO, 0.02, 1000);
    run_to(world, 1.0 / 60);
    assert_near(world->velocity[1].v.x, 0.0, 1e-10);
    assert_near(world->velocity[2].v.x, 300.0, 1e-10);
    assert_near(world->pose[2].x.x, 300.0 / 60 - 0.96, 1e-10);
    world_destroy(world);
}

static void joints_with_friction_and_crowds_are_refused(void **state)
{
    (void)state;
    const Solver *solver = drive_find("reference");
    World *world = impact_world(0.5);
    add_ball(world, vec3(0, 0.1, 0), VEC3_ZERO, 0.1, 1000);
    build_plane(world, vec3(0, 1, 0), 0);
    JointDef joint = joint_def(JOINT_BALL, 0, 1);
    build_joint(world, &joint);
    _Alignas(16) unsigned char defaults[SETTINGS_MAX_BYTES] = {0};
    Status status = {0};
    settings_init(solver->settings, solver->setting_count, defaults);
    world->materials[0].friction = 0.1;
    assert_true(solver_supports(solver, world, &status));
    assert_null(solver->create(&(SolverTask){solver, world, defaults, 1.0 / 60.0, false}, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.message, "it has joints"));
    world_destroy(world);

    world = impact_world(0.5);
    for (int i = 0; i < 64; i++) /* 2016 pairs */
        add_ball(world, vec3(i, 0, 0), VEC3_ZERO, 0.1, 1000);
    assert_null(solver->create(&(SolverTask){solver, world, defaults, 1.0 / 60.0, false}, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.message, "more than 2000 pairs"));
    world_destroy(world);
}

/* 1,000 s of bounces without loss in one substep: some 1,100 impacts. It says so, and does not go on through the plane.
 */
static void bounces_without_end_are_not_known(void **state)
{
    (void)state;
    World *world = impact_world(1.0);
    Drive drive;
    build_plane(world, vec3(0, 1, 0), 0);
    int ball = add_ball(world, vec3(0, 1.13, 0), VEC3_ZERO, 0.13, 700);
    drive_begin(&drive, world, "reference", "");
    drive.dt = drive.step.h = 1000.0;
    stepper_frame(&drive, false);
    assert_true(drive.step.failed);
    assert_non_null(strstr(drive.step.status.message, "the motion is not known"));
    assert_non_null(strstr(drive.step.status.message, "130000 evaluations"));
    assert_true(world->pose[ball].x.y > 0.0);
    drive_end(&drive);
    world_destroy(world);
}

/* How often `reference` reports an event that begins like this, in 0.2 s. */
static long reports_of(World *world, const char *what)
{
    Drive drive;
    long count = 0;
    drive_begin(&drive, world, "reference", "");
    for (int frame = 0; frame < 12; frame++)
        drive_frame(&drive, 1.0 / 60);
    for (int i = 0; i < drive.step.event_count; i++)
        if (strcmp(drive.step.events[i].what, what) == 0)
            count += drive.step.events[i].count;
    drive_end(&drive);
    return count;
}

/* A ball strikes two at once, of which neither is before the other but in the list: the cue goes off to a side. */
static void an_outcome_that_depends_on_the_order_is_reported(void **state)
{
    (void)state;
    double aside[2];
    for (int turned = 0; turned < 2; turned++) {
        World *world = impact_world(1.0);
        world->gravity = VEC3_ZERO;
        int cue = add_ball(world, vec3(-0.3, 0, 0), vec3(1, 0, 0), 0.1, 1200);
        for (int k = 0; k < 2; k++)
            add_ball(world, vec3(0, (k == turned ? 0.1 : -0.1), 0), VEC3_ZERO, 0.1, 1200);
        assert_int_equal(reports_of(world, IMPACTS_NOT_UNIQUE), 1);
        aside[turned] = world->velocity[cue].v.y;
        world_destroy(world);
    }
    assert_near(fabs(aside[0]), 0.2165, 1e-4); /* sqrt(3)/8 */
    assert_near(aside[0], -aside[1], 1e-12);
}

/* Into a corner of two planes at this angle. */
static World *into_a_corner(double degrees)
{
    double half = 0.5 * degrees * PI / 180;
    World *world = impact_world(1.0);
    world->gravity = VEC3_ZERO;
    build_plane(world, vec3(sin(half), cos(half), 0), 0);
    build_plane(world, vec3(-sin(half), cos(half), 0), 0);
    add_ball(world, vec3(0, 0.5, 0), vec3(0.0, -2, 0), 0.1, 700);
    return world;
}

/* Where every order ends alike, nothing is said: a row of elastic balls, a right angle (normals that know nothing of
 * each other), pairs that collide at the same time, balls at rest under one that falls. */
static void an_outcome_that_does_not_depend_on_the_order_is_unique(void **state)
{
    (void)state;
    World *row = impact_world(1.0), *pairs = impact_world(1.0), *heap = impact_world(0.5);
    row->gravity = pairs->gravity = VEC3_ZERO;
    for (int i = 0; i < 4; i++) {
        add_ball(row, vec3(0.2 * i - (i == 0 ? 0.0371 : 0.0), 0, 0), vec3(i == 0, 0, 0), 0.1, 1200);
        add_ball(pairs, vec3(-0.15, i, 0), vec3(1, 0, 0), 0.1, 1200);
        add_ball(pairs, vec3(0.15, i, 0), vec3(-1, 0, 0), 0.1, 900);
    }
    build_plane(heap, vec3(0, 1, 0), 0);
    add_ball(heap, vec3(0, 0.1, 0), VEC3_ZERO, 0.1, 700);
    add_ball(heap, vec3(0, 0.35, 0), VEC3_ZERO, 0.1, 700);
    World *worlds[] = {row, pairs, heap, into_a_corner(90.0)};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(reports_of(worlds[i], IMPACTS_NOT_UNIQUE), 0);
        assert_int_equal(reports_of(worlds[i], IMPACTS_TOO_MANY), 0);
        world_destroy(worlds[i]);
    }
    World *corner = into_a_corner(100.0);
    assert_true(reports_of(corner, IMPACTS_NOT_UNIQUE) > 0);
    world_destroy(corner);
}

/* Two rows of five balls, side by side, of which a ball strikes the first two: more contacts than orders can be tried
 * for. */
static void too_many_contacts_at_one_instant_are_reported(void **state)
{
    (void)state;
    World *world = impact_world(1.0);
    world->gravity = VEC3_ZERO;
    add_ball(world, vec3(-0.3, 0, 0), vec3(1, 0, 0), 0.1, 1200);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 5; i++)
            add_ball(world, vec3(0.2 * i, k ? 0.1 : -0.1, 0), VEC3_ZERO, 0.1, 1200);
    assert_true(reports_of(world, IMPACTS_TOO_MANY) > 0);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_ball_keeps_to_the_true_times),
        cmocka_unit_test(a_ball_at_rest_is_carried),
        cmocka_unit_test(a_row_of_balls_passes_the_impact_on),
        cmocka_unit_test(a_graze_is_not_missed),
        cmocka_unit_test(a_fast_ball_does_not_pass_through),
        cmocka_unit_test(bounces_without_end_are_not_known),
        cmocka_unit_test(joints_with_friction_and_crowds_are_refused),
        cmocka_unit_test(an_outcome_that_depends_on_the_order_is_reported),
        cmocka_unit_test(an_outcome_that_does_not_depend_on_the_order_is_unique),
        cmocka_unit_test(too_many_contacts_at_one_instant_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
