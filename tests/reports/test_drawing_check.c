/* SPDX-License-Identifier: MIT */
#include "reports/draw/check.h"
#include "reports/draw/text_width.h"

#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

/* A drawing of 200 x 100 px with two texts, as gnuplot writes them. */
static const char DRAWING[] =
    "<svg viewBox=\"0 0 200 100\">"
    "<g transform=\"translate(%g,30.0)\" font-family=\"sans-serif\" font-size=\"16.00\"  text-anchor=\"start\">"
    "<text><tspan font-family=\"%s\" >a &lt; b</tspan></text></g>"
    "<g transform=\"translate(%g,80.0) rotate(%g)\" font-size=\"16.00\"  text-anchor=\"middle\">"
    "<text><tspan font-family=\"sans-serif\" >10</tspan><tspan font-family=\"sans-serif\"  font-size=\"12.8\" "
    "dy=\"-8.00px\">4</tspan><tspan font-size=\"16.0\" dy=\"8.00\"></tspan></text></g></svg>";

static bool looks_right(double x1, const char *family, double x2, double angle, const char *label, const char *says)
{
    char svg[2048];
    Status status = {0};
    snprintf(svg, sizeof svg, DRAWING, x1, family, x2, angle);
    bool ok = drawing_check(svg, &label, 1, &status);
    assert_true(ok == (says == NULL));
    if (says)
        assert_non_null(strstr(status.message, says));
    return ok;
}

static void a_drawing_is_read(void **state)
{
    (void)state;
    looks_right(10, "sans-serif", 100, 0, "a < b", NULL);
    looks_right(10, "sans-serif", 100, -90, "*a* < b", NULL);
}

static void a_text_over_the_edge_is_found(void **state)
{
    (void)state;
    /* 'a < b' is 45 px wide in this font. */
    looks_right(150, "sans-serif", 100, 0, "a < b", NULL);
    looks_right(160, "sans-serif", 100, 0, "a < b", "'a < b' reaches over the edge");
    looks_right(10, "sans-serif", 3, 0, "a < b", "'104' reaches over the edge");
}

static void texts_that_overlap_are_found(void **state)
{
    (void)state;
    /* Upright the second text reaches from y = 80 up by half its width, 14 px, which leaves the first at y = 30 clear;
     * at 30 degrees beside it neither touches. Raised by its exponent alone it would not. */
    looks_right(90, "sans-serif", 100, -90, "a < b", NULL);
    char svg[2048];
    Status status = {0};
    snprintf(svg, sizeof svg, DRAWING, 90.0, "sans-serif", 100.0, 0.0);
    memcpy(strstr(svg, ",80.0"), ",34.0", 5);
    assert_false(drawing_check(svg, NULL, 0, &status));
    assert_non_null(strstr(status.message, "'a < b' and '104' overlap"));
    memcpy(strstr(svg, ",34.0"), ",56.0", 5);
    assert_true(drawing_check(svg, NULL, 0, &status));
}

static void another_font_is_found(void **state)
{
    (void)state;
    looks_right(10, "", 100, 0, "a < b", "'a < b' is not in sans-serif");
    looks_right(10, "Times", 100, 0, "a < b", "'a < b' is not in sans-serif");
}

static void a_label_that_is_missing_is_found(void **state)
{
    (void)state;
    looks_right(10, "sans-serif", 100, 0, "pgs\\_block", "no legend names 'pgs_block'");
}

/* The text is there, but as something else: a title, a mark, a tic, a turned name. */
static void a_label_elsewhere_does_not_count(void **state)
{
    (void)state;
    static const char ALONE[] =
        "<svg viewBox=\"0 0 200 100\"><g transform=\"translate(90,50)%s\" font-size=\"%s\"  text-anchor=\"%s\">"
        "<text><tspan font-family=\"sans-serif\" %s>pgs</tspan></text></g></svg>";
    static const struct {
        const char *turn, *size, *anchor, *weight;
    } FORMS[] = {{"", "16.00", "start", ""}, {"", "16.00", "start", " font-weight=\"bold\" "},
                 {"", "14.00", "start", ""}, {"", "16.00", "middle", ""},
                 {"", "16.00", "end", ""},   {" rotate(25.00)", "16.00", "start", ""}};
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
        char svg[512];
        const char *label = "pgs";
        Status status = {0};
        snprintf(svg, sizeof svg, ALONE, FORMS[i].turn, FORMS[i].size, FORMS[i].anchor, FORMS[i].weight);
        assert_true(drawing_check(svg, &label, 1, &status) == (i == 0));
        assert_true(i == 0 || strstr(status.message, "no legend names 'pgs'"));
    }
}

static void widths_are_those_of_the_font(void **state)
{
    (void)state;
    /* DejaVu Sans, thousandths: x 592, p 635, b 635, d 635, 2 636. */
    assert_true(fabs(label_width("xpbd", 1000.0) - 2497.0) < 1e-9);
    assert_true(fabs(label_width("*x*_{p}b", 1000.0) - (592.0 + 0.8 * 635.0 + 635.0)) < 1e-9);
    assert_true(fabs(label_width("x^2d", 1000.0) - (592.0 + 0.8 * 636.0 + 635.0)) < 1e-9);
    assert_true(fabs(label_width("x\\_d", 1000.0) - text_width("x_d", 1000.0)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drawing_is_read),
        cmocka_unit_test(a_text_over_the_edge_is_found),
        cmocka_unit_test(texts_that_overlap_are_found),
        cmocka_unit_test(another_font_is_found),
        cmocka_unit_test(a_label_that_is_missing_is_found),
        cmocka_unit_test(a_label_elsewhere_does_not_count),
        cmocka_unit_test(widths_are_those_of_the_font),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
