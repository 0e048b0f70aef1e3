/* SPDX-License-Identifier: MIT */
#include "bench/fits/fit.h"
#include "bench/text/sequence.h"
#include "model/suggest.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <string.h>

enum { POINTS = 12 };

/* error = c h^order (1 + noise) with an error floor; h = 1/60 / 2^i */
static void synthesise(double *h, double *error, double order, double floor, double noise, uint64_t seed)
{
    Random random = {seed};
    for (int i = 0; i < POINTS; i++) {
        h[i] = ldexp(1.0 / 60.0, -i);
        error[i] = 3.7 * pow(h[i], order) * (1.0 + random_in(&random, -noise, noise));
        error[i] += floor * random_in(&random, 0.7, 1.3);
    }
}

static void fit_recovers_an_exact_order(void **state)
{
    (void)state;
    double h[POINTS], error[POINTS];
    synthesise(h, error, 1.83, 0.0, 0.0, 1);
    OrderFit fit = fit_order(h, error, POINTS);
    assert_near(fit.order, 1.83, 1e-12); /* logarithms of order 10 round off at 1e-15 */
    assert_near(fit.low, 1.83, 1e-12);
    assert_near(fit.high, 1.83, 1e-12);
    assert_int_equal(fit.used, POINTS);
    assert_int_equal(fit.first, 0);
    assert_int_equal(fit.last, POINTS - 1);
    assert_true(isnan(fit.floor));
}

static void fit_leaves_the_floor_out_and_reports_it(void **state)
{
    (void)state;
    for (int order = 1; order <= 4; order++) {
        double h[POINTS], error[POINTS];
        /* reached in the middle of the range */
        double floor = 3.7 * pow(ldexp(1.0 / 60.0, -6), order);
        synthesise(h, error, order, floor, 0.02, 40 + (uint64_t)order);
        OrderFit fit = fit_order(h, error, POINTS);
        /* at FLOOR_MARGIN the floor still bends the last points by 1/10, some 0.03 of order over these spans */
        assert_near(fit.order, order, 0.06 + 0.04 * order);
        assert_true(fit.low < fit.order && fit.order < fit.high);
        assert_true(fit.used >= 3 && fit.last < 7);
        assert_true(fit.floor > 0.5 * floor && fit.floor < 2.0 * floor);
    }
}

/* With 2% noise the 95% interval must hold the true order about 95 times in 100. */
static void interval_covers_the_order_as_often_as_it_says(void **state)
{
    (void)state;
    int covered = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        double h[POINTS], error[POINTS];
        synthesise(h, error, 2.0, 0.0, 0.02, 1000 * seed);
        OrderFit fit = fit_order(h, error, POINTS);
        covered += fit.low <= 2.0 && 2.0 <= fit.high;
    }
    assert_in_range(covered, 360, 396); /* 380 expected, standard deviation 4.4: four to five of them either way */
}

static void fit_does_not_care_for_order_nor_for_blown_up_points(void **state)
{
    (void)state;
    double h[] = {0.01, 0.16, 0.04, 0.02, 0.08, 0.32}, error[] = {1e-4, NAN, 16e-4, 4e-4, 64e-4, INFINITY};
    OrderFit fit = fit_order(h, error, 6);
    assert_near(fit.order, 2.0, 1e-12);
    assert_int_equal(fit.first, 4);
    assert_int_equal(fit.last, 0);
    assert_int_equal(fit.used, 4);
}

static void coarse_points_that_do_not_fall_yet_are_left_out(void **state)
{
    (void)state;
    double h[] = {0.8, 0.4, 0.2, 0.1, 0.05, 0.025}, error[] = {0.5, 0.7, 0.6, 0.15, 0.0375, 0.009375};
    OrderFit fit = fit_order(h, error, 6);
    assert_int_equal(fit.first, 2);
    assert_near(fit.order, 2.0, 1e-12);
}

/* e = c h^p (1 + d h): a plain line would bend away from p by several of its own intervals. */
static void second_term_of_the_error_does_not_bend_the_order(void **state)
{
    (void)state;
    static const double SECOND[] = {-20.0, -5.0, 11.0, 40.0}; /* 1/s; times the coarsest h up to 2/3 */
    for (int order = 1; order <= 4; order++)
        for (int k = 0; k < 4; k++) {
            double h[POINTS], error[POINTS];
            for (int i = 0; i < POINTS; i++) {
                h[i] = ldexp(1.0 / 60.0, -i);
                error[i] = 0.83 * pow(h[i], order) * (1.0 + SECOND[k] * h[i]);
            }
            OrderFit fit = fit_order(h, error, POINTS);
            assert_true(fit.low <= order && order <= fit.high);
            assert_true(fit.high - fit.low < 0.05); /* and the interval says something */
        }
}

/* Another error source of its own, smooth and without scatter, shows as a floor as soon as the fall slows by half. */
static void plateau_of_another_error_is_a_floor(void **state)
{
    (void)state;
    double h[POINTS], error[POINTS];
    for (int i = 0; i < POINTS; i++) {
        h[i] = ldexp(1.0 / 60.0, -i);
        error[i] = 2.9 * h[i] * h[i] + 3.1e-7;
    }
    OrderFit fit = fit_order(h, error, POINTS);
    assert_near(fit.floor, 3.1e-7, 0.1 * 3.1e-7); /* the median of what is left has at most 1/10 of the other term */
    assert_true(fit.low <= 2.0 && 2.0 <= fit.high);
    double flat[POINTS];
    Random random = {77};
    for (int i = 0; i < POINTS; i++)
        flat[i] = 4.4e-16 * random_in(&random, 0.5, 1.6);
    fit = fit_order(h, flat, POINTS);
    assert_true(isnan(fit.order));
    assert_near(fit.floor, 4.4e-16, 2.2e-16); /* the median is within the scatter */
}

/* The last step of a fall of order 2 has met the floor if its own order is below half of that. */
static void a_last_step_counts_if_its_order_is_at_least_half(void **state)
{
    (void)state;
    for (int met = 0; met < 2; met++) {
        double h[8], error[8];
        for (int i = 0; i < 8; i++) {
            h[i] = ldexp(1.0, -i);
            error[i] = i < 7 ? 0.37 * h[i] * h[i] : error[6] * pow(2.0, met ? -0.9 : -1.1);
        }
        OrderFit fit = fit_order(h, error, 8);
        assert_true(isnan(fit.floor) != met && (fit.last == 7) != met);
        if (met)
            assert_near(fit.floor, error[7], 1e-12 * error[7]);
    }
}

/* A coarse point whose own order is off by 0.3 of the others' is left out, one that is off by 0.2 is not. */
static void a_coarse_point_counts_if_its_order_is_within_a_quarter(void **state)
{
    (void)state;
    for (int out = 0; out < 2; out++) {
        double h[8], error[8];
        for (int i = 0; i < 8; i++) {
            h[i] = ldexp(1.0, -i);
            error[i] = 0.37 * h[i] * h[i];
        }
        error[0] *= pow(2.0, out ? 0.6 : 0.4);
        OrderFit fit = fit_order(h, error, 8);
        assert_int_equal(fit.first, out);
    }
}

static void one_lucky_point_does_not_hide_the_order(void **state)
{
    (void)state;
    double h[] = {1.6, 0.8, 0.4, 0.2, 0.1, 0.05, 0.025}, error[] = {0.4, 0.003, 0.08, 0.04, 0.02, 0.01, 0.005};
    OrderFit fit = fit_order(h, error, 7);
    assert_near(fit.order, 1.0, 1e-12);
    assert_int_equal(fit.first, 2);
}

static void of_equal_steps_the_best_counts(void **state)
{
    (void)state;
    double h[] = {0.4, 0.4, 0.2, 0.2, 0.1, 0.1}, error[] = {0.9, 0.16, 0.04, 0.5, 0.01, 0.01};
    OrderFit fit = fit_order(h, error, 6);
    assert_near(fit.order, 2.0, 1e-12);
    assert_int_equal(fit.used, 3);
    double same[] = {0.3, 0.3, 0.3};
    assert_true(isnan(fit_order(same, error, 3).order));
}

static void what_does_not_converge_has_no_order(void **state)
{
    (void)state;
    double h[] = {0.4, 0.2, 0.1, 0.05}, same[] = {0.3, 0.3, 0.3, 0.3}, growing[] = {0.1, 0.2, 0.4, 0.8};
    assert_true(isnan(fit_order(h, same, 4).order));
    assert_near(fit_order(h, same, 4).floor, 0.3, 1e-15);
    assert_int_equal(fit_order(h, growing, 4).used, 0);
    assert_true(isnan(fit_order(h, growing, 4).floor));
    assert_true(isnan(fit_order(h, same, 1).order));
    double two[] = {0.4, 0.1};
    assert_near(fit_order(h, two, 2).order, 2.0, 1e-12);
    assert_true(isnan(fit_order(h, two, 2).low));
}

/* Scatter about a floor is no growth, nor is one unlucky point at the end, nor round-off. */
static void errors_that_grow_under_refinement_are_told(void **state)
{
    (void)state;
    double h[POINTS], error[POINTS];
    double steps[] = {0.05, 0.4, 0.1, 0.2}, growing[] = {1.6, 0.1, 0.6, 0.25}, falling[] = {0.1, 1.6, 0.25, 0.6};
    double unlucky[] = {1.6, 0.4, 0.1, 0.2};
    assert_true(fit_grows(steps, growing, 4));
    assert_false(fit_grows(steps, falling, 4));
    assert_false(fit_grows(steps, unlucky, 4));
    assert_true(fit_grows((double[]){0.2, 0.1}, (double[]){0.004, 1.6}, 2));
    assert_false(fit_grows((double[]){0.2, 0.1}, (double[]){1e-14, 1e-11}, 2));
    double wide[] = {0.8, 0.4, 0.2, 0.1, 0.05, 0.025}, turns[] = {0.9, 0.02, 0.0044, 0.03, 0.4, 1.6};
    assert_true(fit_grows(wide, turns, 6));
    for (int order = 1; order <= 4; order++)
        for (uint64_t seed = 1; seed <= 50; seed++) {
            synthesise(h, error, order, 1e-5, 0.2, seed);
            assert_false(fit_grows(h, error, POINTS));
        }
}

static void expect_sequence(const char *text, int count, const double *expected)
{
    Sequence sequence;
    Status status = {0};
    if (!sequence_parse(&sequence, text, &status))
        fail_msg("%s: %s", text, status.message);
    assert_int_equal(sequence.count, count);
    for (int i = 0; i < count; i++)
        assert_near(sequence.values[i].number, expected[i], 1e-15 * fabs(expected[i]));
    sequence_clear(&sequence);
}

static void dots_continue_a_pattern(void **state)
{
    (void)state;
    expect_sequence("1,2,4", 3, (double[]){1, 2, 4});
    expect_sequence("1,2,4,...,64", 7, (double[]){1, 2, 4, 8, 16, 32, 64});
    expect_sequence("1,2,...,5", 5, (double[]){1, 2, 3, 4, 5});
    expect_sequence("1,10,...,1e5", 6, (double[]){1, 10, 100, 1000, 1e4, 1e5});
    expect_sequence("1,2,...,512", 10, (double[]){1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
    expect_sequence("0.5,0.4,...,0.1", 5, (double[]){0.5, 0.4, 0.3, 0.2, 0.1});
    expect_sequence("1/60,1/120,1/240,...,1/480", 4, (double[]){1.0 / 60, 1.0 / 120, 1.0 / 240, 1.0 / 480});
    expect_sequence("-3,-1,...,5", 5, (double[]){-3, -1, 1, 3, 5});
}

static void patterns_that_do_not_meet_their_end_are_refused(void **state)
{
    (void)state;
    static const char *const WRONG[] = {"1,2,4,...,9", "1,...,5", "...,5", "1,2,...", "1,2,5,...,10",
                                        "1,,2",        "",        "5:1",   "a:b",     "1,2,...,x"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        Sequence sequence;
        Status status = {0};
        assert_false(sequence_parse(&sequence, WRONG[i], &status));
        assert_int_equal(status.code, STATUS_USAGE);
        assert_true(status.message[0]);
    }
}

static void range_is_doubled_through(void **state)
{
    (void)state;
    Sequence sequence;
    Status status = {0};
    assert_true(sequence_parse(&sequence, "3:40", &status));
    assert_true(sequence.range);
    assert_true(sequence_double_through(&sequence, &status));
    assert_int_equal(sequence.count, 5);
    double expected[] = {3, 6, 12, 24, 40};
    for (int i = 0; i < 5; i++)
        assert_near(sequence.values[i].number, expected[i], 0.0);
    sequence_clear(&sequence);
}

static const char *suggest(const char *word)
{
    static const char *const NAMES[] = {"pendulum", "pgs", "xpbd", "substeps", "dt", "energy_error_max"};
    Suggestion near = suggestion_for(word);
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        suggestion_offer(&near, NAMES[i]);
    return near.best;
}

static void suggestion_is_near_or_none(void **state)
{
    (void)state;
    assert_string_equal(suggest("pendulm"), "pendulum");
    assert_string_equal(suggest("xpdb"), "xpbd");
    assert_string_equal(suggest("energy"), "energy_error_max");
    assert_string_equal(suggest("substep"), "substeps");
    assert_null(suggest("featherstone"));
    assert_null(suggest("a word longer than any name can be, so that no table of it would fit the stack of anyone"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_recovers_an_exact_order),
        cmocka_unit_test(fit_leaves_the_floor_out_and_reports_it),
        cmocka_unit_test(interval_covers_the_order_as_often_as_it_says),
        cmocka_unit_test(fit_does_not_care_for_order_nor_for_blown_up_points),
        cmocka_unit_test(coarse_points_that_do_not_fall_yet_are_left_out),
        cmocka_unit_test(second_term_of_the_error_does_not_bend_the_order),
        cmocka_unit_test(plateau_of_another_error_is_a_floor),
        cmocka_unit_test(a_last_step_counts_if_its_order_is_at_least_half),
        cmocka_unit_test(a_coarse_point_counts_if_its_order_is_within_a_quarter),
        cmocka_unit_test(one_lucky_point_does_not_hide_the_order),
        cmocka_unit_test(of_equal_steps_the_best_counts),
        cmocka_unit_test(what_does_not_converge_has_no_order),
        cmocka_unit_test(errors_that_grow_under_refinement_are_told),
        cmocka_unit_test(dots_continue_a_pattern),
        cmocka_unit_test(patterns_that_do_not_meet_their_end_are_refused),
        cmocka_unit_test(range_is_doubled_through),
        cmocka_unit_test(suggestion_is_near_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
