/* SPDX-License-Identifier: MIT */
#include "bench/text/table.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

/* The text of a table with one column and these cells. */
static char *print_measured(const double (*cells)[2], int count)
{
    char *text = NULL;
    size_t size;
    FILE *file = tmpfile();
    assert_non_null(file);
    Table *table = table_create();
    table_add_column(table, "time", "s", BEST_LOWEST);
    for (int i = 0; i < count; i++)
        table_add_measured(table, cells[i][0], cells[i][1], true);
    table_print(table, file);
    table_destroy(table);
    size = (size_t)ftell(file);
    rewind(file);
    text = calloc(1, size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

static void what_is_within_noise_of_the_best_is_marked_with_it(void **state)
{
    (void)state;
    const double CELLS[][2] = {{10.3, 0.2}, {10.0, 0.2}, {10.9, 0.3}, {25.0, 20.0}};
    char *text = print_measured(CELLS, 4);
    assert_non_null(strstr(text, "10.3 ± 0.2*")); /* 0.3 apart, 0.4 of noise */
    assert_non_null(strstr(text, "10 ± 0.2*"));
    assert_non_null(strstr(text, "10.9 ± 0.3\n")); /* 0.9 apart, 0.5 of noise */
    assert_non_null(strstr(text, "25 ± 20*"));
    free(text);
}

static void without_a_spread_only_the_best_is_marked(void **state)
{
    (void)state;
    const double CELLS[][2] = {{10.3, NAN}, {10.0, NAN}, {NAN, NAN}};
    char *text = print_measured(CELLS, 3);
    assert_non_null(strstr(text, "10.3\n"));
    assert_non_null(strstr(text, "10*"));
    assert_non_null(strstr(text, "-\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_within_noise_of_the_best_is_marked_with_it),
        cmocka_unit_test(without_a_spread_only_the_best_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
