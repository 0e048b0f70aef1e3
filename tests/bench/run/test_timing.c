/* SPDX-License-Identifier: MIT */
#include "bench/run/run.h"
#include "tests/support/check.h"
#include "tests/support/flight.h"

#include <string.h>
#include <time.h>

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
    assert_true(run.result.us_interval.low <= run.result.us_per_frame);
    assert_true(run.result.us_interval.high >= run.result.us_per_frame);
    assert_near(run.result.us_interval.level, 0.9375, 1e-12); /* the least and the most of five */
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

static void sleep_10_ms(void *self, Step *step)
{
    (void)self, (void)step;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static int sleeper_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "sleep", .iterations = 1, .iterate = sleep_10_ms};
    return 1;
}

/* Who waits 10 ms in each of 15 frames and does nothing has cost nothing, and the row says that it waited. */
static void waiting_costs_wall_time_alone(void **state)
{
    (void)state;
    Solver sleeper = FLIGHT;
    sleeper.plan = sleeper_plan;
    Run run = flight_run("projectile", NULL);
    run.solver = &sleeper;
    assert_true(run_make(&run, NULL));
    assert_true(run.result.wall_s >= 0.15);
    assert_true(run.result.cpu_s < 0.1 * run.result.wall_s);
    assert_true(run.result.us_per_frame < 1000.0);
    assert_true(run.result.frame_us < 1000.0);
    assert_true(run.result.contended);
    run_clear(&run);
}

/* Of the binomial tables: with 6 values the least and the most are sure to 1 - 2/64, with 9 the second ones to
 * 1 - 2 (1 + 9)/512, with 5 nothing is sure to 0.95. */
static void the_median_lies_between_sorted_values(void **state)
{
    (void)state;
    double values[] = {9, 2, 7, 4, 5, 6, 3, 8, 1};
    static const struct {
        int n;
        double low, high, level;
    } CASES[] = {{2, 2, 9, 0.5}, {5, 2, 9, 1 - 2.0 / 32}, {6, 2, 9, 1 - 2.0 / 64}, {9, 2, 8, 1 - 20.0 / 512}};
    for (int i = 0; i < 4; i++) {
        double sample[9];
        memcpy(sample, values, sizeof values);
        MedianInterval between = median_interval(sample, CASES[i].n);
        assert_near(between.low, CASES[i].low, 0.0);
        assert_near(between.high, CASES[i].high, 0.0);
        assert_near(between.level, CASES[i].level, 1e-12);
    }
    assert_true(isnan(median_interval(values, 1).low));
}

/* Own seconds of the next runs: an engine's clock says what it likes. */
static const double OWN_SECONDS[] = {7, 1, 2, 3, 4, 10};
static int own_runs;

static void own_clock(void *self, Step *step)
{
    (void)self;
    step->own_seconds += step->time == 0.0 ? OWN_SECONDS[own_runs++] : OWN_SECONDS[own_runs - 1];
}

static int own_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "own", .iterations = 1, .iterate = own_clock};
    return 1;
}

static unsigned own_traits(const void *self)
{
    (void)self;
    return TRAIT_OWN_CLOCK;
}

/* Of 1, 2, 3, 4, 10 s the median is 3, the deviations' 1: of a normal distribution 0.6745 of its standard deviation. */
static void the_spread_is_a_standard_deviation_that_one_outlier_does_not_move(void **state)
{
    (void)state;
    Status status = {0};
    Solver engine = FLIGHT;
    engine.plan = own_plan;
    engine.traits = own_traits;
    Run run = flight_run("projectile", NULL);
    run.solver = &engine;
    double substeps = ((const CommonOptions *)run.options)->substeps;
    own_runs = 0;
    assert_true(run_make(&run, NULL));
    assert_true(runs_repeat(&run, 1, 5, &status));
    assert_near(run.result.us_per_frame, 3e6 * substeps, 1e-3);
    assert_near(run.result.us_per_frame_spread, 1e6 * substeps / 0.6744897501960817, 30.0); /* 1.4826 has five digits */
    assert_near(run.result.us_interval.low, 1e6 * substeps, 1e-3);
    assert_near(run.result.us_interval.high, 1e7 * substeps, 1e-3);
    assert_false(run.result.contended);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_change_times_and_nothing_else),
        cmocka_unit_test(one_repeat_has_no_spread_and_none_changes_nothing),
        cmocka_unit_test(the_spread_is_a_standard_deviation_that_one_outlier_does_not_move),
        cmocka_unit_test(waiting_costs_wall_time_alone),
        cmocka_unit_test(the_median_lies_between_sorted_values),
        cmocka_unit_test(runs_take_turns_and_those_not_made_stay_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
