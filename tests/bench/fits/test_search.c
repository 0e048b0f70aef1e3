/* SPDX-License-Identifier: MIT */
#include "bench/fits/search.h"
#include "tests/support/check.h"

/* Stable between two thresholds (reversed: outside them); counts and bounds what is asked. */
typedef struct Synthetic {
    double above, below;
    bool reversed;
    double least, most;
    int asked;
} Synthetic;

static bool synthetic_probe(void *context, double value, bool *stable, Status *status)
{
    (void)status;
    Synthetic *synthetic = context;
    *stable = (value >= synthetic->above && value <= synthetic->below) != synthetic->reversed;
    synthetic->least = synthetic->asked == 0 ? value : fmin(value, synthetic->least);
    synthetic->most = synthetic->asked == 0 ? value : fmax(value, synthetic->most);
    synthetic->asked++;
    return true;
}

static Limit search(Synthetic *synthetic, double low, double high, bool whole, double tolerance)
{
    Range range = range_of(low, high, whole);
    Limit limit;
    Status status = {0};
    assert_true(search_limit(&range, tolerance, synthetic_probe, synthetic, &limit, &status));
    assert_int_equal(limit.probes, synthetic->asked);
    return limit;
}

static void largest_stable_value_is_bracketed(void **state)
{
    (void)state;
    static const double LIMITS[] = {1.0000001, 3.7, 10.0, 99.3, 31415.9, 999999.0};
    for (int i = 0; i < 6; i++) {
        Synthetic synthetic = {.above = -INFINITY, .below = LIMITS[i]};
        Limit limit = search(&synthetic, 1.0, 1e6, false, 0.003);
        assert_true(limit.monotone && !limit.smallest);
        assert_true(limit.stable <= LIMITS[i] && LIMITS[i] < limit.unstable);
        assert_true(limit.unstable / limit.stable <= 1.003);
        assert_near(synthetic.least, 1.0, 0.0); /* both ends were run */
        assert_near(synthetic.most, 1e6, 0.0);
        assert_true(synthetic.asked <= 7 + 10); /* a decade is halved to 0.3% in log2(log(10)/log(1.003)) = 9.6 steps */
    }
}

static void linear_range_may_hold_zero_and_negative_values(void **state)
{
    (void)state;
    Synthetic synthetic = {.above = -INFINITY, .below = -0.0371};
    Limit limit = search(&synthetic, -2.0, 3.0, false, 0.01);
    assert_true(limit.stable <= -0.0371 && limit.unstable > -0.0371);
    assert_true(limit.unstable - limit.stable <= 5e-4); /* 1% of 1% of the range */
}

static void whole_numbers_end_at_neighbours(void **state)
{
    (void)state;
    for (int at = 3; at < 60; at++) {
        Synthetic synthetic = {.above = -INFINITY, .below = at};
        Limit limit = search(&synthetic, 3, 60, true, 0.5);
        assert_near(limit.stable, at, 0.0);
        assert_near(limit.unstable, at + 1.0, 0.0);
    }
    Synthetic two = {.above = -INFINITY, .below = 4};
    assert_near(search(&two, 4, 5, true, 0.01).unstable, 5.0, 0.0);
    assert_int_equal(two.asked, 2);
}

static void more_is_better_gives_the_smallest(void **state)
{
    (void)state;
    Synthetic synthetic = {.above = 17.0, .below = INFINITY};
    Limit limit = search(&synthetic, 1, 400, true, 0.01);
    assert_true(limit.smallest && limit.monotone);
    assert_near(limit.stable, 17.0, 0.0);
    assert_near(limit.unstable, 16.0, 0.0);
}

static void range_without_a_limit_has_half_a_bracket(void **state)
{
    (void)state;
    Synthetic always = {.above = -INFINITY, .below = INFINITY}, never = {.above = 1.0, .below = -1.0};
    Limit limit = search(&always, 0.5, 2.0, false, 0.01);
    assert_near(limit.stable, 2.0, 0.0);
    assert_true(isnan(limit.unstable) && limit.monotone);
    limit = search(&never, 0.5, 2.0, false, 0.01);
    assert_near(limit.unstable, 0.5, 0.0);
    assert_true(isnan(limit.stable) && limit.monotone);
}

static void range_that_is_not_monotone_is_said(void **state)
{
    (void)state;
    Synthetic window = {.above = 40.0, .below = 3000.0}, gap = {.above = 40.0, .below = 3000.0, .reversed = true};
    Limit limit = search(&window, 1.0, 1e6, false, 0.01); /* bad, ok, bad: the upper edge */
    assert_true(!limit.monotone && !limit.smallest);
    assert_true(limit.stable <= 3000.0 && limit.unstable > 3000.0 && limit.unstable < 3100.0);
    limit = search(&gap, 1.0, 1e6, false, 0.01); /* ok, bad, ok: stable up to the lower edge, and no further */
    assert_true(!limit.monotone && !limit.smallest);
    assert_true(limit.stable < 40.0 && limit.unstable >= 40.0 && limit.unstable < 41.0);
}

static bool failing_probe(void *context, double value, bool *stable, Status *status)
{
    (void)context;
    *stable = true;
    return value < 5.0 || status_set(status, STATUS_USAGE, "%g is too much", value);
}

static void probe_that_fails_ends_the_search(void **state)
{
    (void)state;
    Range range = range_of(1.0, 9.0, false);
    Limit limit;
    Status status = {0};
    assert_false(search_limit(&range, 0.01, failing_probe, NULL, &limit, &status));
    assert_string_equal(status.message, "9 is too much");
    assert_int_equal(limit.probes, 2); /* the ends come first */
}

static void fractions_of_a_range_go_both_ways(void **state)
{
    (void)state;
    Range ranges[] = {range_of(0.013, 870.0, false), range_of(-3.0, 9.0, false), range_of(2.0, 11.0, false)};
    assert_true(ranges[0].geometric && !ranges[1].geometric && !ranges[2].geometric);
    for (int r = 0; r < 3; r++) {
        assert_near(range_at(&ranges[r], 1.0), ranges[r].high, 0.0);
        for (double f = 0.0; f <= 1.0; f += 0.0731)
            assert_near(range_fraction(&ranges[r], range_at(&ranges[r], f)), f, 1e-14); /* round-off */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_stable_value_is_bracketed),
        cmocka_unit_test(linear_range_may_hold_zero_and_negative_values),
        cmocka_unit_test(whole_numbers_end_at_neighbours),
        cmocka_unit_test(more_is_better_gives_the_smallest),
        cmocka_unit_test(range_without_a_limit_has_half_a_bracket),
        cmocka_unit_test(range_that_is_not_monotone_is_said),
        cmocka_unit_test(probe_that_fails_ends_the_search),
        cmocka_unit_test(fractions_of_a_range_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
