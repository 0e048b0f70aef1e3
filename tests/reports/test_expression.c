/* SPDX-License-Identifier: MIT */
#include "reports/figure/expression.h"

#include "tests/support/check.h"

#include <math.h>
#include <string.h>

static bool test_name(const Scope *scope, const char *name, double *value)
{
    (void)scope;
    *value = strcmp(name, "options.substeps") == 0 ? 7.0 : 2.625;
    return strcmp(name, "nothing") != 0;
}

static double value_of(const char *text)
{
    Status status = {0};
    double value;
    return expression_evaluate(text, &(Scope){.name = test_name}, &value, &status) ? value : NAN;
}

static void check_value(const char *text, double expected)
{
    /* The same operations in the same order: the same bits, but for the library's functions. */
    double value = value_of(text);
    if (!(fabs(value - expected) <= 1e-15 * fabs(expected)))
        fail_msg("%s is %.17g, not %.17g", text, value, expected);
}

static void arithmetic_follows_its_rules(void **state)
{
    (void)state;
    check_value("1 + 2 * 3.5", 8.0);
    check_value("(1 + 2) * 3.5", 10.5);
    check_value("10 - 4 - 3", 3.0);
    check_value("64 / 4 / 2", 8.0);
    check_value("2 ^ 3 ^ 2", 512.0);
    check_value("-3 ^ 2", -9.0);
    check_value("2 ^ -2", 0.25);
    check_value("1.5e-3 * 1e3", 1.5);
    check_value(".5 + 0.25", 0.75);
}

static void names_and_functions_are_known(void **state)
{
    (void)state;
    check_value("options.substeps * 3", 21.0);
    check_value("box10.y - 1", 1.625);
    check_value("sqrt(options.substeps + 2)", 3.0);
    check_value("max(2, min(9, options.substeps))", 7.0);
    check_value("atan2(1, 1) * 4 / pi", 1.0);
    check_value("log2(2^options.substeps)", 7.0);
}

static void errors_say_what_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } CASES[] = {
        {"1 +", "a number or a name is missing"}, {"(1 + 2", "a ')' is missing"},
        {"1 2", "something is left over"},        {"nothing + 1", "there is no 'nothing'"},
        {"sine(1)", "no function 'sine'"},        {"sqrt(1, 2)", "too many arguments"},
        {"atan2(1)", "too few arguments"},        {"", "is missing"},
        {"sqrt(1", "a ')' is missing"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Status status = {0};
        double value;
        assert_false(expression_evaluate(CASES[i].text, &(Scope){.name = test_name}, &value, &status));
        if (!strstr(status.message, CASES[i].message))
            fail_msg("'%s' says '%s', not '%s'", CASES[i].text, status.message, CASES[i].message);
    }
}

static void deep_nesting_is_refused_not_crashed_on(void **state)
{
    (void)state;
    char text[4096];
    memset(text, '-', sizeof text - 2);
    strcpy(text + sizeof text - 2, "1");
    Status status = {0};
    assert_false(expression_check(text, &status));
}

static void parts_split_outside_parentheses_only(void **state)
{
    (void)state;
    char part[EXPRESSION_TEXT];
    const char *rest = " a(b; c) ; d ;";
    assert_true(expression_next_part(&rest, ';', part));
    assert_string_equal(part, "a(b; c)");
    assert_true(expression_next_part(&rest, ';', part));
    assert_string_equal(part, "d");
    assert_true(expression_next_part(&rest, ';', part));
    assert_string_equal(part, "");
    assert_false(expression_next_part(&rest, ';', part));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_follows_its_rules),
        cmocka_unit_test(names_and_functions_are_known),
        cmocka_unit_test(errors_say_what_and_where),
        cmocka_unit_test(deep_nesting_is_refused_not_crashed_on),
        cmocka_unit_test(parts_split_outside_parentheses_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
