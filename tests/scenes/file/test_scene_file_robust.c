/* SPDX-License-Identifier: MIT */
/* Scene files that were damaged: cut short, changed at random, absurdly deep or large. Nothing may crash or hang. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scenes/files.h"
#include "tests/support/random.h"

#include <ctype.h>
#include <time.h>

static void a_file_cut_short_anywhere_is_refused(void **state)
{
    (void)state;
    char *text = read_rich_text();
    size_t size = strlen(text);
    while (isspace((unsigned char)text[size - 1]))
        size--;
    for (size_t cut = 0; cut < size; cut++) {
        Status status = {0};
        scratch_write(&scratch, text, cut);
        assert_null(problem_read(scratch.path, &status));
        assert_int_equal(status.code, STATUS_BAD_FILE);
        assert_memory_equal(status.message, scratch.path, strlen(scratch.path));
    }
    Status status = {0};
    scratch_write(&scratch, text, size);
    Problem *whole = problem_read(scratch.path, &status);
    assert_non_null(whole);
    problem_destroy(whole);
    free(text);
}

/* Replaces a number by something that is likely to be in the way, or any byte by any other. */
static char *mutate(const char *text, Random *random)
{
    static const char *const words[] = {"0",   "-1",   "1e300", "1e-300", "-0.0", "2",
                                        "0.5", "3e-9", "null",  "[]",     "\"a\""};
    static const char number[] = "+-.0123456789eE";
    size_t size = strlen(text), at = random_bits(random) % size;
    char *changed = calloc(1, size + 16);
    assert_non_null(changed);
    if (random_bits(random) % 4 == 0) {
        memcpy(changed, text, size);
        changed[at] = (char)(1 + random_bits(random) % 255);
        return changed;
    }
    at += strcspn(text + at, ": ,[");
    at += strcspn(text + at, number);
    const char *word = words[random_bits(random) % (sizeof words / sizeof words[0])];
    snprintf(changed, size + 16, "%.*s%s%s", (int)at, text, word, text + at + strspn(text + at, number));
    return changed;
}

/* What a damaged file still says must survive writing like anything else. */
static void assert_reads_back(const Problem *problem)
{
    Status status = {0};
    char *text = problem_write(problem);
    assert_non_null(text);
    scratch_write(&scratch, text, strlen(text));
    Problem *again = problem_read(scratch.path, &status);
    if (!again)
        fail_msg("%s\n%s", status.message, text);
    char *same = problem_write(again);
    assert_string_equal(text, same);
    assert_memory_equal(problem->world->mass, again->world->mass,
                        sizeof *again->world->mass * (size_t)again->world->body_count);
    assert_memory_equal(problem->world->pose, again->world->pose,
                        sizeof *again->world->pose * (size_t)again->world->body_count);
    problem_destroy(again);
    free(same);
    free(text);
}

static void a_file_changed_at_random_is_refused_or_read_but_never_crashes(void **state)
{
    (void)state;
    Random random = {20240817};
    char *text = read_rich_text();
    int accepted = 0, refused = 0;
    for (int i = 0; i < 2000; i++) {
        Status status = {0};
        char *changed = mutate(text, &random);
        scratch_write(&scratch, changed, strlen(changed));
        Problem *problem = problem_read(scratch.path, &status);
        if (problem) {
            accepted++;
            assert_reads_back(problem);
        } else {
            refused++;
            assert_int_equal(status.code, STATUS_BAD_FILE);
            assert_memory_equal(status.message, scratch.path, strlen(scratch.path));
        }
        problem_destroy(problem);
        free(changed);
    }
    /* Both ways are walked. */
    assert_true(accepted > 300 && refused > 300);
    free(text);
}

/* A file of one character over and over; returns the CPU time of refusing it. */
static double refuse_filled(char fill, size_t size, Status *status)
{
    char *bytes = malloc(size);
    memset(bytes, fill, size);
    scratch_write(&scratch, bytes, size);
    free(bytes);
    clock_t start = clock();
    assert_null(problem_read(scratch.path, status));
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void a_hundred_megabytes_of_brackets_are_refused_at_once(void **state)
{
    (void)state;
    Status status = {0};
    /* Reading stops at the bound, after 0.05 s; a sanitizer takes some times as long. */
    assert_true(refuse_filled('[', 100000000, &status) < 1.0);
    assert_non_null(strstr(status.message, "larger than 64 MB"));
    assert_int_equal(status.code, STATUS_BAD_FILE);
}

static void a_file_larger_than_any_scene_is_refused(void **state)
{
    (void)state;
    Status status = {0};
    refuse_filled(' ', (64u << 20) + 4097, &status);
    assert_non_null(strstr(status.message, "scene.json: larger than 64 MB"));
    assert_int_equal(status.code, STATUS_BAD_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_cut_short_anywhere_is_refused),
        cmocka_unit_test(a_file_changed_at_random_is_refused_or_read_but_never_crashes),
        cmocka_unit_test(a_hundred_megabytes_of_brackets_are_refused_at_once),
        cmocka_unit_test(a_file_larger_than_any_scene_is_refused),
    };
    return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
