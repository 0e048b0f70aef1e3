/* SPDX-License-Identifier: MIT */
/* What became of a run: one judgement, by the scene's predicate and scales. */
#include "bench/outcome/verdict.h"

#include "tests/support/check.h"

/* m: of a body */
static const double LENGTH = 0.37;

static Verdict judge(RunStatus status, const char *metric, double value)
{
    double metrics[METRICS_MAX];
    for (int i = 0; i < METRICS_MAX; i++)
        metrics[i] = NAN;
    if (metric)
        metrics[metric_find(metric)] = value;
    return verdict_judge(status, metrics, LENGTH);
}

static void what_blew_up_or_is_not_as_asked_falls(void **state)
{
    (void)state;
    assert_int_equal(judge(RUN_BLEW_UP, NULL, 0.0), VERDICT_FALLS);
    assert_int_equal(judge(RUN_OK, "settled", 0.0), VERDICT_FALLS);
    assert_int_equal(judge(RUN_OK, "settled", 1.0), VERDICT_HOLDS);
}

static void what_parts_overlaps_or_gains_energy_drifts(void **state)
{
    (void)state;
    static const char *const LENGTHS[] = {"drift_max", "penetration_max"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(judge(RUN_OK, LENGTHS[i], 0.0099 * LENGTH), VERDICT_HOLDS);
        assert_int_equal(judge(RUN_OK, LENGTHS[i], 0.0101 * LENGTH), VERDICT_DRIFTS);
    }
    assert_int_equal(judge(RUN_OK, "energy_gain_max", 0.0999), VERDICT_HOLDS);
    assert_int_equal(judge(RUN_OK, "energy_gain_max", 0.1001), VERDICT_DRIFTS);
    assert_int_equal(judge(RUN_OK, "error_end", 1e3), VERDICT_HOLDS); /* chaos is no fault */
}

static void what_comes_apart_or_doubles_its_energy_falls(void **state)
{
    (void)state;
    static const char *const LENGTHS[] = {"drift_max", "penetration_max"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(judge(RUN_OK, LENGTHS[i], 0.99 * LENGTH), VERDICT_DRIFTS);
        assert_int_equal(judge(RUN_OK, LENGTHS[i], 1.01 * LENGTH), VERDICT_FALLS);
    }
    assert_int_equal(judge(RUN_OK, "energy_gain_max", 0.99), VERDICT_DRIFTS);
    assert_int_equal(judge(RUN_OK, "energy_gain_max", 1.01), VERDICT_FALLS);
}

static void what_did_not_end_has_none(void **state)
{
    (void)state;
    static const RunStatus ENDS[] = {RUN_FAILED, RUN_CRASHED, RUN_TIMED_OUT};
    for (int i = 0; i < 3; i++)
        assert_int_equal(judge(ENDS[i], "settled", 0.0), VERDICT_NONE);
    Run run = {.made = false, .result = {.status = RUN_BLEW_UP}};
    assert_int_equal(verdict_of(&run), VERDICT_NONE);
}

static void words_are_found_again(void **state)
{
    (void)state;
    for (int i = VERDICT_HOLDS; i < VERDICT_COUNT; i++)
        assert_int_equal(verdict_find(verdict_names[i]), i);
    assert_int_equal(verdict_find("stands"), VERDICT_NONE);
    assert_int_equal(verdict_find(NULL), VERDICT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_blew_up_or_is_not_as_asked_falls),
        cmocka_unit_test(what_parts_overlaps_or_gains_energy_drifts),
        cmocka_unit_test(what_comes_apart_or_doubles_its_energy_falls),
        cmocka_unit_test(what_did_not_end_has_none),
        cmocka_unit_test(words_are_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
