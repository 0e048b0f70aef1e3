/* SPDX-License-Identifier: MIT */
#include "reports/ledger/claims.h"

#include "bench/files/text_file.h"
#include "tests/support/scratch.h"

#include <sys/stat.h>

/* A ledger of one lecture of three lines and one claim; ' stands for ". */
#define VERDICT "its string keeps its length to {number} in 0.25 s, a particle falls at {g}"
#define GIVEN ""
#define FALL "-9.81"
#define BOUND "1e-9 - drift"
#define LINES "[2, 3]"

static void write_ledger(Scratch *scratch, const char *verdict, const char *given, const char *fall, const char *bound,
                         const char *lines)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{ 'rigor': 1, 'lecture': '007', 'title': 't', 'author': 'a', 'lines': 3, 'sha256': 's', 'entries': ["
             "{ 'lines': [1, 1], 'no_claim': 'title' },"
             "{ 'lines': %s, 'slide': 's', 'claim': 'c', 'finding': 'confirmed', 'verdict': '%s', %s"
             "'let': { 'drift': ['run pendulum direct -p kind=particle --time 0.25 --truth none', 'metrics.drift_max'],"
             "         'v': ['run projectile kkt -p gravity=9.81 --time 1 --state', 'bodies.0.velocity.1'],"
             "         'w': ['run projectile kkt -p gravity=9.81 --time 0.5 --state', 'bodies.0.velocity.1'] },"
             "'holds': ['%s'], 'shows': 'drift', 'number': 0, 'unit': 'm', 'rough': true,"
             "'numbers': { 'g': { 'shows': '2 * (v - w)', 'number': %s, 'unit': 'm/s²' } } } ] }",
             lines, verdict, given, bound, fall);
    for (char *c = text; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    scratch_write(scratch, "007.json", text);
    scratch_write(scratch, "slides.txt",
                  "# lecture, line, title\n007   1 t\n007   2 s\n006   1 other\n007   3 s later\n");
}

/* The message of a ledger that cannot be read. */
static const char *refusal(Scratch *scratch, Status *status)
{
    Ledger ledger;
    *status = (Status){0};
    assert_false(ledger_read_folder(&ledger, scratch->folder, status));
    ledger_free(&ledger);
    return status->message;
}

static ClaimCheck check_ledger(Scratch *scratch)
{
    Ledger ledger;
    Status status = {0};
    ClaimCheck checks[2] = {0};
    if (!ledger_read_folder(&ledger, scratch->folder, &status) ||
        !ledger_check(&ledger, NULL, 1, checks, NULL, &status))
        fail_msg("%s", status.message);
    ledger_free(&ledger);
    return checks[1];
}

static void a_true_ledger_is_supported(void **state)
{
    write_ledger(*state, VERDICT, GIVEN, FALL, BOUND, LINES);
    ClaimCheck check = check_ledger(*state);
    assert_true(check.supported);
    /* The frames of half a second at 9.81 m/s^2, to round-off of sums of 30 steps. */
    assert_near(check.numbers[1], -9.81, 1e-9);
}

/* Three digits are printed: 1 % off is another number. */
static void a_false_number_in_the_words_is_found(void **state)
{
    write_ledger(*state, VERDICT, GIVEN, "-9.91", BOUND, LINES);
    ClaimCheck check = check_ledger(*state);
    assert_false(check.supported);
    assert_non_null(strstr(check.why, "{g}"));
}

static void a_false_bound_is_found(void **state)
{
    write_ledger(*state, VERDICT, GIVEN, FALL, "drift - 0.01", LINES);
    ClaimCheck check = check_ledger(*state);
    assert_false(check.supported);
    assert_non_null(strstr(check.why, "drift - 0.01"));
}

/* What a run does not print is no number, and supports nothing. */
static void a_bound_on_nothing_is_found(void **state)
{
    write_ledger(*state, VERDICT, GIVEN, FALL, "1 - lost", LINES);
    assert_false(check_ledger(*state).supported);
}

/* Nor is a rough number that has gone: what is not there has no order of magnitude. */
static void a_rough_number_that_has_gone_is_found(void **state)
{
    write_ledger(*state, VERDICT, "'code': 'x',", FALL, "v - v + 1", LINES);
    ClaimCheck check = check_ledger(*state);
    assert_true(check.supported);
    char *text = text_file_read(scratch_path(*state, "007.json")), *path = strstr(text, "drift_max");
    memcpy(path, "drift_min", strlen("drift_min"));
    scratch_write(*state, "007.json", text);
    free(text);
    check = check_ledger(*state);
    assert_false(check.supported);
    assert_non_null(strstr(check.why, "{number}"));
}

/* A scene of the report's is found beside the claims, wherever they lie: here `reports/` is the folder's own parent. */
static void a_scene_of_the_report_is_found_beside_the_claims(void **state)
{
    Scratch *scratch = *state;
    write_ledger(scratch, VERDICT, "'code': 'x',", FALL, "0.001 - abs(v + 9.81)", LINES);
    assert_int_equal(mkdir(scratch_path(scratch, "scenes"), 0700), 0);
    scratch_write(scratch, "scenes/fall.json",
                  "{\"rigor\": 1, \"name\": \"fall\", \"gravity\": [0, -9.81, 0], \"time\": 1, \"energy_scale\": 1,"
                  " \"speed_scale\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 1}]}");
    char *text = text_file_read(scratch_path(scratch, "007.json"));
    Text moved = {0};
    const char *rest = text;
    for (const char *scene; (scene = strstr(rest, "projectile"));
         rest = scene + strlen("projectile kkt -p gravity=9.81"))
        text_add(&moved, "%.*sreports/%s/scenes/fall.json kkt", (int)(scene - rest), rest,
                 strrchr(scratch->folder, '/') + 1);
    text_add(&moved, "%s", rest);
    scratch_write(scratch, "007.json", moved.data);
    free(moved.data);
    free(text);
    ClaimCheck check = check_ledger(scratch);
    if (!check.supported)
        fail_msg("%s", check.why);
}

/* A title of another lecture, none at all, and one that comes after the claim. */
static void slides_that_are_not_listed_are_refused(void **state)
{
    static const char *const LISTS[] = {"006   2 s\n", "007   2 so\n007   2 S\n", "007   4 s\n", ""};
    Status status;
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
        write_ledger(*state, VERDICT, GIVEN, FALL, BOUND, LINES);
        scratch_write(*state, "slides.txt", LISTS[i]);
        assert_non_null(strstr(refusal(*state, &status), "no slide of lecture 007 up to line 3 is called 's'"));
        assert_int_equal(status.code, STATUS_BAD_FILE);
    }
}

static void bare_numbers_in_words_are_refused(void **state)
{
    static const char *const WORDS[] = {
        "kept to {number}, 57 mm/s at rest",    "kept to {number}, a hundredth of it",
        "kept to {number}, millions of times",  "kept to {number}, 7 % less",
        "kept to {number}, half as much",       "kept to {number}, 1.39 J",
        "kept to {number} in 0.2 s, not 0.251", "kept to {nothing}, {number}",
    };
    Status status;
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        write_ledger(*state, WORDS[i], GIVEN, FALL, BOUND, LINES);
        assert_non_null(strstr(refusal(*state, &status), "entries[1].verdict"));
    }
    write_ledger(*state, "no number is shown", GIVEN, FALL, BOUND, LINES);
    assert_non_null(strstr(refusal(*state, &status), "{number}"));
}

/* Settings of the commands, digits of symbols, and what is given with its source. */
static void backed_numbers_in_words_are_read(void **state)
{
    static const char *const WORDS[][2] = {
        {"{number} in 0.25 s, V_2 = R^-1 by RK4 with 9.81", ""},
        {"{number}, and 2/5 of a ball", "'given': { '2/5': 'a closed form' },"},
        {"{number}, a tenth", "'given': { 'tenth': 'the slide' },"},
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        write_ledger(*state, WORDS[i][0], WORDS[i][1], FALL, BOUND, LINES);
        assert_true(check_ledger(*state).supported);
    }
    Status status;
    write_ledger(*state, "{number}, and 2/5", "'given': { '2/5': '' },", FALL, BOUND, LINES);
    assert_non_null(strstr(refusal(*state, &status), "given.2/5"));
}

static void skipped_lines_are_refused(void **state)
{
    Status status;
    write_ledger(*state, VERDICT, GIVEN, FALL, BOUND, "[3, 3]");
    assert_non_null(strstr(refusal(*state, &status), "must begin at 2"));
    write_ledger(*state, VERDICT, GIVEN, FALL, BOUND, "[2, 2]");
    assert_non_null(strstr(refusal(*state, &status), "lines 3 to 3 are not covered"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_true_ledger_is_supported, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_false_number_in_the_words_is_found, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_false_bound_is_found, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_bound_on_nothing_is_found, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_rough_number_that_has_gone_is_found, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_scene_of_the_report_is_found_beside_the_claims, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(slides_that_are_not_listed_are_refused, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(bare_numbers_in_words_are_refused, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(backed_numbers_in_words_are_read, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(skipped_lines_are_refused, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
