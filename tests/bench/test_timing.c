#include "bench/run.h"
#include "tests/bench/flight.h"
#include "tests/check.h"

#include <string.h>

static const Solver FLIGHT = FLIGHT_SOLVER(SOLVER_ABI);

static Run flight_run(const char *scene, FlightCounts *counts)
{
    Run run = {.dt = 0.02, .time = 0.3};
    Status status = {0};
    assert_true(run_choose_scene(&run, scene, &status));
    run_choose_solver(&run, &FLIGHT);
    ((FlightOptions *)run.options)->counts = counts;
    return run;
}

static void repeats_change_times_and_nothing_else(void **state)
{
    (void)state;
    FlightCounts counts = {0};
    Status status = {0};
    Run run = flight_run("projectile", &counts);
    assert_true(run_make(&run, NULL));
    RunResult before = run.result;
    int once = counts.enters;
    assert_int_equal(before.repeats, 1);
    assert_true(isnan(before.us_per_frame_spread));
    assert_true(runs_repeat(&run, 1, 5, &status));
    assert_int_equal(counts.enters, 6 * once); /* the first was the warm-up */
    assert_int_equal(run.result.repeats, 5);
    assert_true(run.result.us_per_frame > 0.0 && run.result.wall_s > 0.0);
    assert_true(run.result.us_per_frame_spread >= 0.0);
    assert_int_equal(run.result.row_solves, before.row_solves);
    assert_memory_equal(run.result.metrics, before.metrics, sizeof before.metrics);
    run_clear(&run);
}

static void one_repeat_has_no_spread_and_none_changes_nothing(void **state)
{
    (void)state;
    Status status = {0};
    Run run = flight_run("projectile", NULL);
    assert_true(run_make(&run, NULL));
    RunResult before = run.result;
    assert_true(runs_repeat(&run, 1, 0, &status));
    assert_memory_equal(&run.result, &before, sizeof before);
    assert_true(runs_repeat(&run, 1, 1, &status));
    assert_true(isnan(run.result.us_per_frame_spread));
    run_clear(&run);
}

static void runs_take_turns_and_those_not_made_stay_out(void **state)
{
    (void)state;
    FlightCounts counts[3] = {{0}};
    Status status = {0};
    Run runs[3] = {flight_run("projectile", &counts[0]), flight_run("pendulum", &counts[1]),
                   flight_run("projectile", &counts[2])};
    assert_true(run_make(&runs[0], NULL));
    assert_false(run_make(&runs[1], NULL)); /* joints are more than it can do */
    assert_true(run_make(&runs[2], NULL));
    assert_true(runs_repeat(runs, 3, 2, &status));
    assert_int_equal(counts[0].enters, counts[2].enters);
    assert_int_equal(counts[1].enters, 0);
    assert_int_equal(runs[0].result.repeats, 2);
    assert_int_equal(runs[1].result.repeats, 0);
    for (int i = 0; i < 3; i++)
        run_clear(&runs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_change_times_and_nothing_else),
        cmocka_unit_test(one_repeat_has_no_spread_and_none_changes_nothing),
        cmocka_unit_test(runs_take_turns_and_those_not_made_stay_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
