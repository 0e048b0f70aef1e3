/* SPDX-License-Identifier: MIT */
#include "bench/outcome/predicate.h"
#include "tests/support/check.h"

#include <string.h>

static RunResult result_with(const char *metric, double value)
{
    RunResult result = {.status = RUN_OK, .row_solves = 4711, .us_per_frame = 83.0};
    for (int i = 0; i < METRICS_MAX; i++)
        result.metrics[i] = NAN;
    result.metrics[metric_find(metric)] = value;
    return result;
}

static Stability judge(const char *text, const RunResult *result)
{
    Predicate predicate;
    Status status = {0};
    Stability stability = STABILITY_FAILED;
    if (!predicate_parse(&predicate, text, &status) || !predicate_judge(&predicate, result, &stability, &status))
        fail_msg("%s: %s", text ? text : "default", status.message);
    return stability;
}

static void comparisons_mean_what_they_say(void **state)
{
    (void)state;
    RunResult result = result_with("drift_max", 0.0137);
    static const struct {
        const char *text;
        Stability stability;
    } CASES[] = {
        {"ok", STABILITY_OK},
        {"drift_max<0.014", STABILITY_OK},
        {"drift_max<0.0137", STABILITY_BAD},
        {"drift_max<=0.0137", STABILITY_OK},
        {"drift_max>=0.0138", STABILITY_BAD},
        {"drift_max>0.01", STABILITY_OK},
        {"drift_max=0.0137", STABILITY_OK},
        {"drift_max == 0.01", STABILITY_BAD},
        {"  drift_max < 1/60 and row_solves<5000  ", STABILITY_OK},
        {"drift_max<1/60,us_per_frame<50", STABILITY_BAD},
        {"ok and drift_max<1/60, ok", STABILITY_OK},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        if (judge(CASES[i].text, &result) != CASES[i].stability)
            fail_msg("'%s' is not %s", CASES[i].text, stability_names[CASES[i].stability]);
}

static void blow_up_never_passes(void **state)
{
    (void)state;
    RunResult result = result_with("drift_max", 1e-9);
    result.status = RUN_BLEW_UP;
    assert_int_equal(judge("drift_max<1", &result), STABILITY_BLEW_UP);
    assert_int_equal(judge("ok", &result), STABILITY_BLEW_UP);
    assert_int_equal(judge(NULL, &result), STABILITY_BLEW_UP);
}

static void default_asks_settled_where_the_scene_has_it(void **state)
{
    (void)state;
    RunResult without = result_with("drift_max", 7.0), fallen = result_with("settled", 0.0);
    RunResult standing = result_with("settled", 1.0);
    assert_int_equal(judge(NULL, &without), STABILITY_OK);
    assert_int_equal(judge(NULL, &fallen), STABILITY_BAD);
    assert_int_equal(judge(NULL, &standing), STABILITY_OK);
}

static void metric_that_does_not_apply_is_an_error(void **state)
{
    (void)state;
    RunResult result = result_with("drift_max", 0.1);
    Predicate predicate;
    Status status = {0};
    Stability stability;
    assert_true(predicate_parse(&predicate, "error_end<1", &status));
    assert_false(predicate_judge(&predicate, &result, &stability, &status));
    assert_string_equal(status.message, "error_end does not apply to this scene");
}

static void nonsense_is_refused_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } CASES[] = {
        {"", "a comparison is missing"},
        {"drift_mx<1", "unknown metric 'drift_mx': did you mean 'drift_max'?"},
        {"drift_max", "'drift_max' is not followed by one of"},
        {"drift_max!1", "unknown metric 'drift_max!1'"},
        {"drift_max<", "compared with ''"},
        {"drift_max<small", "compared with 'small'"},
        {"drift_max<1 or ok", "'or ok' is neither `and`"},
        {"drift_max<1 and", "a comparison is missing"},
        {"drift_max<1,", "a comparison is missing"},
        {"and drift_max<1", "unknown metric 'and'"},
        {"ok ok", "'ok' is neither `and`"},
        {"ok android<1", "neither `and`"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Predicate predicate;
        Status status = {0};
        assert_false(predicate_parse(&predicate, CASES[i].text, &status));
        assert_int_equal(status.code, STATUS_USAGE);
        if (!strstr(status.message, CASES[i].reason))
            fail_msg("'%s' says '%s', not '%s'", CASES[i].text, status.message, CASES[i].reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_mean_what_they_say),
        cmocka_unit_test(blow_up_never_passes),
        cmocka_unit_test(default_asks_settled_where_the_scene_has_it),
        cmocka_unit_test(metric_that_does_not_apply_is_an_error),
        cmocka_unit_test(nonsense_is_refused_with_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
