/* SPDX-License-Identifier: MIT */
#include "model/math3.h"
#include "model/settings.h"
#include "tests/support/check.h"

#include <string.h>

typedef struct Options {
    double length;
    int count;
    int warm;
    int form;
    double push;
} Options;

static const char *const FORMS[] = {"cone", "pyramid", "box", NULL};

static const Setting TABLE[] = {
    {"length", "m", SETTING_REAL, offsetof(Options, length), 0.75, 0.125, 40.0, NULL, false, 0},
    {"count", "how many", SETTING_INT, offsetof(Options, count), 7, 1, 1000, NULL, false, 0},
    {"warm", "start from the last step", SETTING_BOOL, offsetof(Options, warm), 1, 0, 1, NULL, false, 0},
    {"form", "of friction", SETTING_CHOICE, offsetof(Options, form), 2, 0, 2, FORMS, false, 0},
    PARAM_REAL_OR(Options, push, "m/s", 2, 0, 9, WORD_INF | WORD_AUTO),
};
enum { TABLE_SIZE = sizeof TABLE / sizeof TABLE[0] };

static const Setting *named(const char *name)
{
    const Setting *setting = settings_find(TABLE, TABLE_SIZE, name);
    assert_non_null(setting);
    return setting;
}

static Options fresh(void)
{
    Options options = {0};
    settings_init(TABLE, TABLE_SIZE, &options);
    return options;
}

static double parsed(const char *text)
{
    double value;
    assert_true(number_parse(text, &value));
    return value;
}

static void numbers_are_read_whole_as_fractions_and_in_degrees(void **state)
{
    (void)state;
    /* One rounding in the division or the product: equal to the bit. */
    assert_near(parsed("0.0166"), 0.0166, 0.0);
    assert_near(parsed("1/60"), 1.0 / 60.0, 0.0);
    assert_near(parsed("-7/3"), -7.0 / 3.0, 0.0);
    assert_near(parsed("1e-3"), 0.001, 0.0);
    assert_near(parsed("30deg"), PI / 6.0, 1e-16);
    assert_near(parsed("-172.5deg"), -172.5 / 180.0 * PI, 1e-15);
    assert_near(parsed("90/4deg"), PI / 8.0, 1e-16);
}

static void what_is_no_number_is_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {"",    "abc", "1x",  "1/",   "1/0",   "1/x",   "/60",   "1/2/3",     "30 deg",
                                      "deg", "nan", "inf", "-inf", "1e999", "1/inf", "1/nan", "30degrees", "2deg/3"};
    double value;
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++)
        if (number_parse(BAD[i], &value))
            fail_msg("'%s' was read as %g", BAD[i], value);
}

static void defaults_fill_every_field(void **state)
{
    (void)state;
    Options options = fresh();
    assert_near(options.length, 0.75, 0.0);
    assert_int_equal(options.count, 7);
    assert_int_equal(options.warm, 1);
    assert_int_equal(options.form, 2);
    assert_null(settings_find(TABLE, TABLE_SIZE, "lengths"));
}

static void text_sets_each_type_and_is_read_back(void **state)
{
    (void)state;
    Options options = fresh();
    Status status;
    assert_true(setting_parse(named("length"), &options, "7/4", &status));
    assert_true(setting_parse(named("count"), &options, "1000", &status));
    assert_true(setting_parse(named("warm"), &options, "off", &status));
    assert_true(setting_parse(named("form"), &options, "pyramid", &status));
    assert_near(setting_get(named("length"), &options), 1.75, 0.0);
    assert_near(setting_get(named("count"), &options), 1000.0, 0.0);
    assert_near(setting_get(named("warm"), &options), 0.0, 0.0);
    assert_string_equal(setting_get_choice(named("form"), &options), "pyramid");
    assert_null(setting_get_choice(named("count"), &options));
}

static void a_bool_has_four_names_each_way(void **state)
{
    (void)state;
    static const char *const YES[] = {"true", "on", "yes", "1"}, *const NO[] = {"false", "off", "no", "0"};
    Options options = fresh();
    Status status;
    for (int i = 0; i < 4; i++) {
        assert_true(setting_parse(named("warm"), &options, NO[i], &status));
        assert_int_equal(options.warm, 0);
        assert_true(setting_parse(named("warm"), &options, YES[i], &status));
        assert_int_equal(options.warm, 1);
    }
}

static void assert_refused(const char *name, const char *text, const char *part_of_message)
{
    Options before = fresh(), options = before;
    Status status = {0};
    if (setting_parse(named(name), &options, text, &status))
        fail_msg("%s=%s was accepted", name, text);
    assert_int_equal(status.code, STATUS_USAGE);
    if (!strstr(status.message, part_of_message) || !strstr(status.message, name))
        fail_msg("the message is '%s'", status.message);
    assert_memory_equal(&before, &options, sizeof options);
}

static void bad_values_are_refused_with_a_reason_and_change_nothing(void **state)
{
    (void)state;
    assert_refused("length", "0.12", "outside 0.125 .. 40");
    assert_refused("length", "40.1", "outside");
    assert_refused("length", "long", "'long' is not a number");
    assert_refused("count", "2.5", "2.5 is not a whole number");
    assert_refused("count", "0", "outside 1 .. 1000");
    assert_refused("count", "many", "not a number");
    assert_refused("warm", "maybe", "not true or false");
    assert_refused("form", "ball", "'ball' is not one of cone, pyramid, box");
}

static void values_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    Options options = fresh();
    Status status;
    assert_false(setting_set(named("length"), &options, NAN, &status));
    assert_false(setting_set(named("count"), &options, INFINITY, &status));
    assert_non_null(strstr(status.message, "not a finite number"));
}

static void words_are_values_where_a_setting_takes_them(void **state)
{
    (void)state;
    Options options = fresh();
    Status status = {0};
    assert_true(setting_parse(named("push"), &options, "inf", &status));
    assert_true(options.push == INFINITY);
    assert_string_equal(setting_word(setting_get(named("push"), &options)), "inf");
    assert_true(setting_parse(named("push"), &options, "auto", &status));
    assert_true(isnan(options.push));
    assert_string_equal(setting_word(setting_get(named("push"), &options)), "auto");
    assert_true(setting_parse(named("push"), &options, "7.25", &status));
    assert_null(setting_word(setting_get(named("push"), &options)));
    assert_refused("push", "-inf", "'-inf' is not a number, nor inf, nor auto");
    assert_refused("push", "9.5", "outside 0 .. 9");
    assert_refused("length", "inf", "'inf' is not a number");
    assert_refused("length", "auto", "'auto' is not a number");
}

static void the_ends_of_a_range_belong_to_it(void **state)
{
    (void)state;
    Options options = fresh();
    Status status;
    assert_true(setting_set(named("length"), &options, 0.125, &status));
    assert_true(setting_set(named("length"), &options, 40.0, &status));
    assert_near(options.length, 40.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_whole_as_fractions_and_in_degrees),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(defaults_fill_every_field),
        cmocka_unit_test(text_sets_each_type_and_is_read_back),
        cmocka_unit_test(a_bool_has_four_names_each_way),
        cmocka_unit_test(bad_values_are_refused_with_a_reason_and_change_nothing),
        cmocka_unit_test(values_that_are_not_finite_are_refused),
        cmocka_unit_test(words_are_values_where_a_setting_takes_them),
        cmocka_unit_test(the_ends_of_a_range_belong_to_it),
    };
    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
