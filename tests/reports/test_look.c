/* SPDX-License-Identifier: MIT */
/* The looks of curves and cells can be told from their ground, on paper and in the dark. */
#include "reports/draw/look.h"
#include "reports/html/colours.h"

#include "tests/support/check.h"

#include <string.h>

static const Colour WHITE = {255, 255, 255}, DARK = {22, 24, 27};

static Colour colour_of(const char *text)
{
    Colour colour;
    assert_true(colour_read(text, &colour));
    return colour;
}

static json_t *palette(void)
{
    Status status = {0};
    json_t *read = palette_read(&status);
    assert_non_null(read);
    return read;
}

static void contrast_is_that_of_the_standard(void **state)
{
    (void)state;
    /* Black on white is 21; the grey 118 has (1 + 0.05) / (0.1812 + 0.05) = 4.54, the limit of WCAG's AA. */
    assert_true(fabs(colour_contrast((Colour){0, 0, 0}, WHITE) - 21.0) < 1e-12);
    assert_true(fabs(colour_contrast((Colour){118, 118, 118}, WHITE) - 4.5422) < 1e-3);
}

static void variants_of_every_solver_are_seen(void **state)
{
    (void)state;
    json_t *read = palette(), *entry;
    const char *solver;
    json_object_foreach (json_object_get(read, "solvers"), solver, entry)
        for (int variant = 1; variant < 4; variant++) {
            Look own = look_of_solver(read, solver, 0), other = look_of_solver(read, solver, variant);
            char ink[8];
            look_ink(&other, ink);
            assert_true(colour_contrast(colour_of(other.colour), WHITE) >= 2.2);
            assert_true(colour_contrast(colour_of(ink), WHITE) >= 3.5);
            assert_true(strcmp(other.colour, own.colour) != 0 || strcmp(solver, "reference") == 0);
        }
    json_decref(read);
}

static void the_worst_cell_stands_out_on_either_ground(void **state)
{
    (void)state;
    static const char *const CELLS[] = {"#BFD9EA", "#D55E00", "#4A1030"};
    json_t *read = palette();
    double light = 1.0, dark = 1.0;
    for (int i = 0; i < 3; i++) {
        Colour cell = colour_of(CELLS[i]), there;
        assert_true(colour_on_dark(read, cell, &there));
        assert_true(colour_contrast(cell, WHITE) > 1.2 * light);
        assert_true(colour_contrast(there, DARK) > 1.2 * dark);
        light = colour_contrast(cell, WHITE);
        dark = colour_contrast(there, DARK);
    }
    json_decref(read);
}

/* More is lighter, on either ground: no colour between two stops is taken for a line's, and lightened alone. */
static void the_ramp_grows_lighter_on_either_ground(void **state)
{
    (void)state;
    json_t *read = palette();
    double before = 1.0;
    for (int i = 0; i + 1 < RAMP_STOPS; i++)
        for (int k = 0; k < 16; k++) {
            Colour colour = colour_mix(colour_of(RAMP[i]), colour_of(RAMP[i + 1]), k / 16.0), there;
            double light = colour_contrast(colour, (Colour){0, 0, 0});
            assert_false(colour_on_dark(read, colour, &there));
            assert_true(light >= before);
            before = light;
        }
    json_decref(read);
}

static void every_solver_is_seen_on_a_dark_ground(void **state)
{
    (void)state;
    json_t *read = palette(), *entry;
    const char *solver;
    json_object_foreach (json_object_get(read, "solvers"), solver, entry) {
        Colour there;
        colour_on_dark(read, colour_of(look_of_solver(read, solver, 0).colour), &there);
        if (strcmp(solver, "others") != 0 && colour_contrast(there, DARK) < 3.5) /* others keep in the background */
            fail_msg("%s: %g", solver, colour_contrast(there, DARK));
    }
    json_decref(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contrast_is_that_of_the_standard),
        cmocka_unit_test(variants_of_every_solver_are_seen),
        cmocka_unit_test(the_worst_cell_stands_out_on_either_ground),
        cmocka_unit_test(the_ramp_grows_lighter_on_either_ground),
        cmocka_unit_test(every_solver_is_seen_on_a_dark_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
