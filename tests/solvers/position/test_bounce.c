/* SPDX-License-Identifier: MIT */
/* Newton's law at all contacts of an impact at once, in the position-based solvers. */
#include "solvers/position/bounce.h"
#include "tests/solvers/contact_worlds.h"

static const char *const SOLVERS[] = {"xpbd_stick", "pbd_stick"};
enum { SOLVER_COUNT = 2 };

#define FOR_EACH_SOLVER(solver)                                                                                        \
    for (int solver_index = 0; solver_index < SOLVER_COUNT; solver_index++)                                            \
        for (const char *solver = SOLVERS[solver_index]; solver; solver = NULL)

/* n equal balls in touch along x, the first flies at the others; created from the last one if asked. */
static World *row_of_balls(int n, double e, bool backwards)
{
    static const char *const NAMES[] = {"a", "b", "c", "d", "e", "f", "g"};
    World *world = contact_world(0.0, e);
    world->gravity = VEC3_ZERO;
    for (int k = 0; k < n; k++) {
        int i = backwards ? n - 1 - k : k;
        BodyDef ball = sphere_def(NAMES[i], 0.1, vec3(0.2 * i, 0, 0));
        ball.velocity = vec3(i == 0 ? 1.7 : 0.0, 0, 0);
        build_body(world, &ball);
    }
    return world;
}

/* With e = 1 all balls but the first leave together with 2/n of its speed, it flies back with the rest. Whatever the
 * order of the contacts. */
static void balls_in_a_row_leave_as_the_simultaneous_law_says(void **state)
{
    (void)state;
    FOR_EACH_SOLVER(solver)
    for (int n = 2; n <= 7; n++)
        for (int backwards = 0; backwards < 2; backwards++) {
            World *world = row_of_balls(n, 1.0, backwards);
            drive_run(world, solver, "substeps=1 velocity_iterations=1000", 1.0 / 1200, 1);
            for (int i = 0; i < n; i++) {
                double expected = 1.7 * (2.0 / n - (i == 0));
                int body = 1 + (backwards ? n - 1 - i : i);
                /* swept until 1e-6 of the impact is left; the slowest error of seven is 20 times what a row shows */
                assert_near(world->velocity[body].v.x, expected, 4e-5);
            }
            world_destroy(world);
        }
}

static void count_events(World *world, const char *options, long *capped, long long *rows)
{
    Drive drive;
    drive_begin(&drive, world, "xpbd_stick", options);
    drive_frame(&drive, 1.0 / 60);
    *capped = 0;
    for (int i = 0; i < drive.step.event_count; i++)
        *capped += drive.step.events[i].count;
    *rows = drive.step.row_solves;
    drive_end(&drive);
    world_destroy(world);
}

static void sweeps_that_do_not_suffice_are_reported(void **state)
{
    (void)state;
    long enough, few;
    long long rows_enough, rows_few;
    count_events(row_of_balls(5, 1.0, false), "substeps=1", &enough, &rows_enough);
    count_events(row_of_balls(5, 1.0, false), "substeps=1 velocity_iterations=3", &few, &rows_few);
    assert_int_equal(enough, 0);
    assert_int_equal(few, 1);
    assert_true(rows_enough > rows_few);
}

/* Slower than the threshold nothing bounces, and nothing is swept. */
static void what_does_not_bounce_costs_nothing(void **state)
{
    (void)state;
    long events;
    long long plain, slow, fast;
    count_events(row_of_balls(3, 0.0, false), "substeps=1", &events, &plain);
    count_events(row_of_balls(3, 1.0, false), "substeps=1 restitution_threshold=2", &events, &slow);
    count_events(row_of_balls(3, 1.0, false), "substeps=1", &events, &fast);
    assert_int_equal(slow, plain);
    assert_true(fast > plain);
}

/* A ball hits the end of a rod that hangs on a joint at its other end, which answers in the same instant:
 * angular momentum about the joint is kept, e of the approach is turned round, the joint holds. */
static void joints_answer_in_the_same_instant(void **state)
{
    (void)state;
    Random random = {0x9a11};
    FOR_EACH_SOLVER(solver)
    for (int k = 0; k < 20; k++) {
        double e = random_in(&random, 0.2, 1.0), speed = random_in(&random, 0.5, 3.0),
               hit = random_in(&random, 0.3, 0.9);
        World *world = contact_world(0.0, e);
        world->gravity = VEC3_ZERO;
        BodyDef rod = box_def("rod", vec3(0.1, 1.0, 0.1), vec3(0, -0.5, 0));
        int bar = build_body(world, &rod);
        JointDef joint = joint_def(JOINT_BALL, 0, bar);
        build_joint(world, &joint);
        BodyDef def = sphere_def("ball", 0.1, vec3(-0.15, -hit, 0));
        def.velocity = vec3(speed, 0, 0);
        int ball = build_body(world, &def);
        drive_run(world, solver, "substeps=1 velocity_iterations=1000", 1e-4, 1);
        double m = world->mass[ball].mass,
               inertia = world->mass[bar].mass * (1.0 + 0.01) / 12 + world->mass[bar].mass / 4;
        double w = (1.0 + e) * speed * hit * m / (inertia + m * hit * hit); /* of the rod, about +z */
        /* the contact is where the bodies are after the step, 1e-4 of a metre away; 1e-6 is the sweeps' */
        assert_vec3_near(world->velocity[bar].w, vec3(0, 0, w), 2e-3 * w);
        assert_near(world->velocity[ball].v.x, w * hit - e * speed, 2e-3 * speed);
        Vec3 pivot = world_point_velocity(world, bar, quat_rotate(world->pose[bar].q, vec3(0, 0.5, 0)));
        /* poses are settled afterwards: by 1e-4 m of travel at most */
        assert_vec3_near(pivot, VEC3_ZERO, 1e-4 * speed);
        world_destroy(world);
    }
}

/* Of XPBD: PBD's single large step may add energy before anything bounces, when it pushes overlaps apart. */
static void no_impact_adds_energy_whatever_friction_and_restitution(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        Random random = {(uint64_t)(110 + k)}; /* 137 would gain 0.6 % if it were let */
        double mu = random_in(&random, 0.0, 1.2), e = random_in(&random, 0.3, 1.0);
        World *world = colliding_cluster(&random, k % 2, mu, e);
        Drive drive;
        double start = world_energy(world), least = start;
        drive_begin(&drive, world, "xpbd_stick", "");
        for (int f = 0; f < 60; f++) {
            drive_frame(&drive, 1.0 / 60);
            double now = world_energy(world);
            /* turning without a contact may add 1e-6; a rise may follow a fall only by as much */
            if (now > least + 1e-6 * start)
                fail_msg("adds %g of the energy in frame %d of cluster %d", (now - least) / start, f, k);
            least = fmin(least, now);
        }
        assert_true(least < start); /* something met */
        drive_end(&drive);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_in_a_row_leave_as_the_simultaneous_law_says),
        cmocka_unit_test(sweeps_that_do_not_suffice_are_reported),
        cmocka_unit_test(what_does_not_bounce_costs_nothing),
        cmocka_unit_test(joints_answer_in_the_same_instant),
        cmocka_unit_test(no_impact_adds_energy_whatever_friction_and_restitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
