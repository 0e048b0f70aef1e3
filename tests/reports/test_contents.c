/* SPDX-License-Identifier: MIT */
/* The order of the page: that of the lectures, with nothing left out. */
#include "bench/files/text_file.h"
#include "reports/figure/contents.h"
#include "reports/figure/figure.h"
#include "reports/figure/list.h"

#include "tests/support/scratch.h"

static void every_figure_stands_under_a_lecture_that_it_names(void **state)
{
    (void)state;
    Status status = {0};
    unsetenv("RIGOR_FIGURES");
    Contents *contents = contents_read(&status);
    if (!contents)
        fail_msg("%s", status.message);
    int figures = 0;
    for (int i = 0; i < contents->count; i++) {
        const ContentsItem *item = &contents->items[i];
        if (!item->lecture && !item->opening)
            fail_msg("contents.json does not name %s", item->name);
        if (item->viewer)
            continue;
        char *path = figure_path(item->name, &status);
        Figure *figure = path ? figure_read(path, &status) : NULL;
        if (!figure)
            fail_msg("%s", status.message);
        if (item->lecture && !strstr(figure->slide, item->lecture))
            fail_msg("%s stands under lecture %s and is of '%s'", item->name, item->lecture, figure->slide);
        figures++;
        figure_destroy(figure);
        free(path);
    }
    json_t *names = figures_names(&status);
    assert_int_equal(figures, json_array_size(names));
    json_decref(names);
    contents_destroy(contents);
}

static void lectures_come_in_their_order(void **state)
{
    (void)state;
    Status status = {0};
    Contents *contents = contents_read(&status);
    assert_non_null(contents);
    assert_true(contents->items[0].opening);
    for (int i = 2; i < contents->count; i++)
        assert_true(strcmp(contents->items[i - 1].lecture, contents->items[i].lecture) <= 0);
    contents_destroy(contents);
}

/* reports/SLIDES.md leads from slides to figures and viewers: to all of them. */
static void the_table_of_slides_names_everything(void **state)
{
    (void)state;
    char path[4096], name[128];
    Status status = {0};
    char folder[FOLDER_TEXT];
    snprintf(path, sizeof path, "%s/../SLIDES.md", figures_folder(folder));
    char *slides = text_file_read(path);
    assert_non_null(slides);
    Contents *contents = contents_read(&status);
    assert_non_null(contents);
    for (int i = 0; i < contents->count; i++) {
        snprintf(name, sizeof name, "`%s`", contents->items[i].name);
        if (!strstr(slides, name))
            fail_msg("SLIDES.md does not name %s", name);
    }
    contents_destroy(contents);
    free(slides);
}

static void what_the_contents_do_not_name_follows_them(void **state)
{
    Scratch *scratch = *state;
    Status status = {0};
    static const char *const EXPECTED[] = {"zebra", "ape", "bear", "cat"};
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.json", EXPECTED[i]);
        scratch_write(scratch, name, "{}");
    }
    scratch_write(scratch, "contents.json",
                  "{\"rigor\": 1, \"sections\": [{\"lecture\": \"7\", \"title\": \"t\", \"contents\": "
                  "[\"zebra\", \"ape\"]}]}");
    setenv("RIGOR_FIGURES", scratch->folder, 1);
    Contents *contents = contents_read(&status);
    unsetenv("RIGOR_FIGURES");
    assert_non_null(contents);
    assert_int_equal(contents->count, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(contents->items[i].name, EXPECTED[i]);
        assert_true((contents->items[i].lecture != NULL) == (i < 2));
    }
    contents_destroy(contents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_stands_under_a_lecture_that_it_names),
        cmocka_unit_test(lectures_come_in_their_order),
        cmocka_unit_test(the_table_of_slides_names_everything),
        cmocka_unit_test_setup_teardown(what_the_contents_do_not_name_follows_them, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
