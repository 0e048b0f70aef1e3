/* SPDX-License-Identifier: MIT */
#include "reports/figure/figure.h"

#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

/* Errors of order 1.5 (a) and 2 (b), and a run that blew up. */
static json_t *example_rows(void)
{
    json_t *rows = json_array();
    for (int i = 0; i < 6; i++) {
        double h = 0.125 / (1 << i);
        json_array_append_new(rows,
                              json_pack("{s:s,s:s,s:i,s:f,s:f,s:s}", "from", "grid", "solver", "a", "options.substeps",
                                        1 << i, "dt", 0.125, "error", 3.0 * pow(h, 1.5), "status", "ok"));
        json_array_append_new(rows,
                              json_pack("{s:s,s:s,s:i,s:f,s:f,s:s}", "from", "grid", "solver", "b", "options.substeps",
                                        1 << i, "dt", 0.125, "error", 7.0 * h * h, "status", "ok"));
    }
    json_array_append_new(rows, json_pack("{s:s,s:s,s:i,s:f,s:f,s:s}", "from", "grid", "solver", "a",
                                          "options.substeps", 1, "dt", 1.0, "error", 1e9, "status", "blew_up"));
    return rows;
}

static void check_value(const char *expression, double expected)
{
    Status status = {0};
    json_t *rows = example_rows();
    double value = NAN;
    if (!figure_value(rows, expression, NAN, &value, &status))
        fail_msg("%s: %s", expression, status.message);
    /* Exact data: what remains is round-off in the logarithms of the fits. */
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%s is %.17g, not %.17g", expression, value, expected);
    json_decref(rows);
}

static void functions_go_through_the_matching_rows(void **state)
{
    (void)state;
    check_value("count(error; solver=a)", 6.0);
    check_value("count(error; solver=a, options.substeps>=4)", 4.0);
    check_value("count(error; solver!=a)", 6.0);
    check_value("count(error; solver=a, status=blew_up)", 1.0);
    check_value("max(error; solver=b)", 7.0 / 64.0);
    check_value("min(error; solver=b, options.substeps<=4)", 7.0 / 1024.0);
    check_value("value(error; solver=b, options.substeps=8)", 7.0 / 4096.0);
    check_value("first(options.substeps)", 1.0);
    check_value("last(options.substeps)", 32.0);
    check_value("mean(options.substeps; solver=a)", 63.0 / 6.0);
    check_value("median(options.substeps; solver=a)", 6.0);
    check_value("at_min(options.substeps; error; solver=b)", 32.0);
}

static void fits_find_the_order(void **state)
{
    (void)state;
    check_value("fit(error; solver=a)", 1.5);
    check_value("fit(error; solver=b)", 2.0);
    check_value("slope(error, options.substeps; solver=a)", -1.5);
    check_value("slope(error; solver=b)", 2.0);
}

static void expressions_nest(void **state)
{
    (void)state;
    check_value("ratio(max(error; solver=b); min(error; solver=b))", 1024.0);
    check_value("max(error; solver=b) / min(error; solver=b) - 24", 1000.0);
    check_value("max(2, 3)", 3.0);
    check_value("count(error; solver=b, error>=[value(error; solver=b, options.substeps=4)])", 3.0);
    check_value("sqrt(value(error*0 + 16; solver=b))", 4.0);
}

static char *told(const char *caption, Status *status)
{
    Figure figure = {.path = "f.json", .finding = "", .caption = caption, .data = example_rows()};
    bool ok = figure_tell(&figure, status);
    json_decref(figure.data);
    free(figure.told_finding);
    return ok ? figure.told_caption : NULL;
}

static void check_told(const char *caption, const char *expected)
{
    Status status = {0};
    char *text = told(caption, &status);
    if (!text || strcmp(text, expected) != 0)
        fail_msg("'%s' is told as '%s', not '%s'", caption, text ? text : status.message, expected);
    free(text);
}

static void captions_are_told_with_their_numbers(void **state)
{
    (void)state;
    check_told("order {fit(error; solver=a)}, of {count(error; solver=a)} runs", "order 1.50, of 6 runs");
    check_told("{value(error; solver=b, options.substeps=32):5} m", "1.0681 × 10^{−4} m");
    check_told("{value(error; solver=b, options.substeps=1):%}", "10.9 %");
    check_told("best is {at_min(solver; error)}", "best is b");
    check_told("10^{3} and *x*_{max} stay", "10^{3} and *x*_{max} stay");
}

static void captions_that_cannot_be_told_say_why(void **state)
{
    (void)state;
    static const struct {
        const char *caption, *message;
    } CASES[] = {
        {"{value(error; solver=a)}", "6 rows match, with different values"},
        {"{max(error; solver=c)}", "no row matches"},
        {"{max(mistake)}", "no row matches"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Status status = {0};
        assert_null(told(CASES[i].caption, &status));
        if (!strstr(status.message, CASES[i].message))
            fail_msg("'%s' says '%s'", CASES[i].caption, status.message);
    }
    Status status = {0};
    assert_false(caption_check("{maximum(error)}", &status));
    assert_non_null(strstr(status.message, "no function 'maximum'"));
    assert_false(caption_check("open {max(error)", &status));
    assert_false(caption_check("{error}", &status));
    assert_true(caption_check("fine {fit(error; solver=a):2}", &status));
}

static void findings_are_one_short_sentence_with_a_number(void **state)
{
    (void)state;
    static const struct {
        const char *finding, *message;
    } CASES[] = {
        {"b errs by {max(error; solver=b)} m.", NULL},
        {"b errs by 1.5 m (at most {max(error; solver=b)} m, with *h* = 0.1 s).", NULL},
        {"b errs by 0.1 m.", "no number that is computed"},
        {"b errs by {max(error; solver=b)} m", "one sentence"},
        {"b errs. It errs by {max(error; solver=b)} m.", "one sentence"},
        {"{max(error) m.", "'}' is missing"},
        {"b errs by {max(error)} m, and this is a sentence that goes on and on, so that nobody who only wants to know "
         "the result ever comes to its end, which is what a caption is for, if it is for anything.",
         "longer than"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Status status = {0};
        bool ok = finding_check(CASES[i].finding, &status);
        if (ok == (CASES[i].message != NULL) || (!ok && !strstr(status.message, CASES[i].message)))
            fail_msg("'%s' says '%s'", CASES[i].finding, status.message);
    }
}

/* The last error of b is 1024 times smaller than its first. */
static void a_finding_that_the_runs_refute_says_so(void **state)
{
    (void)state;
    static const char *const HOLDS[] = {"max(error; solver=b) - 1000*min(error; solver=b)",
                                        "max(error; solver=b)/min(error; solver=b) - 1030"};
    Figure figure = {.path = "f.json", .finding = "The best is {at_min(solver; error)}.", .caption = ""};
    Status status = {0};
    figure.data = example_rows();
    for (int i = 0; i < 2; i++) {
        figure.holds = json_pack("[s,s]", "1", HOLDS[i]);
        assert_true(figure_tell(&figure, &status));
        assert_int_equal(figure.refuted, i);
        assert_string_equal(figure.told_finding, i == 0 ? "The best is b."
                                                        : "The finding is not true of these runs: max(error; "
                                                          "solver=b)/min(error; solver=b) - 1030 should be "
                                                          "positive, and is −6.");
        json_decref(figure.holds);
    }
    figure.holds = json_pack("[s]", "value(error; solver=a)");
    assert_false(figure_tell(&figure, &status));
    assert_non_null(strstr(status.message, "f.json: holds[0]: "));
    json_decref(figure.holds);
    json_decref(figure.data);
    free(figure.told_finding);
    free(figure.told_caption);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_go_through_the_matching_rows),
        cmocka_unit_test(fits_find_the_order),
        cmocka_unit_test(expressions_nest),
        cmocka_unit_test(captions_are_told_with_their_numbers),
        cmocka_unit_test(captions_that_cannot_be_told_say_why),
        cmocka_unit_test(findings_are_one_short_sentence_with_a_number),
        cmocka_unit_test(a_finding_that_the_runs_refute_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
