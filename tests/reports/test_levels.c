/* SPDX-License-Identifier: MIT */
#include "reports/draw/levels.h"

#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Circles of radius 1 and 1.5, and a level that nothing has. */
static void level_curves_are_where_the_function_has_the_value(void **state)
{
    (void)state;
    Panel panel = {.levels = "x^2 + y^2", .level_values = json_pack("[f,f,f]", 1.0, 2.25, 50.0)};
    PanelDrawing drawing = {
        .panel = &panel, .x = {-2.0, 2.0, false, false}, .y = {-2.0, 2.0, false, false}, .index = 3};
    Text script = {0};
    Status status = {0};
    assert_true(levels_data(&script, &drawing, &status));
    assert_true(strncmp(script.data, "$p3l << EOD\n", 12) == 0);
    int points = 0, quarters[2][4] = {{0}, {0}};
    for (char *line = strtok(script.data + 12, "\n"); line && strcmp(line, "EOD") != 0; line = strtok(NULL, "\n")) {
        double x, y;
        assert_int_equal(sscanf(line, "%lf %lf", &x, &y), 2);
        double radius = sqrt(x * x + y * y);
        bool outer = radius > 1.25;
        /* Linear within a cell of 1/24 by 1/18: off by at most an eighth of its square over the radius. */
        assert_true(fabs(radius - (outer ? 1.5 : 1.0)) < 1e-3);
        quarters[outer][(x > 0.0) + 2 * (y > 0.0)]++;
        points++;
    }
    assert_int_equal(points % 2, 0);
    for (int i = 0; i < 8; i++)
        assert_true(quarters[i / 4][i % 4] > 20);
    free(script.data);
    json_decref(panel.level_values);
}

static void an_unknown_name_is_an_error(void **state)
{
    (void)state;
    Panel panel = {.levels = "x + z", .level_values = json_pack("[f]", 1.0)};
    PanelDrawing drawing = {.panel = &panel, .x = {0.0, 1.0, false, false}, .y = {0.0, 1.0, false, false}};
    Text script = {0};
    Status status = {0};
    assert_false(levels_data(&script, &drawing, &status));
    assert_non_null(strstr(status.message, "z"));
    free(script.data);
    json_decref(panel.level_values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_curves_are_where_the_function_has_the_value),
        cmocka_unit_test(an_unknown_name_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
