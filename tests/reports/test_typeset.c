/* SPDX-License-Identifier: MIT */
#include "reports/draw/typeset.h"

#include "tests/support/check.h"

#include <stdlib.h>

static void check(void (*typeset)(Text *, const char *), const char *label, const char *expected)
{
    Text out = {0};
    typeset(&out, label);
    assert_string_equal(out.data, expected);
    free(out.data);
}

static void markup_becomes_html(void **state)
{
    (void)state;
    check(typeset_html, "*x*_{max} < 10^{*k*}", "<em>x</em><sub>max</sub> &lt; 10<sup><em>k</em></sup>");
    check(typeset_html, "pgs\\_dense & \"co\"", "pgs_dense &amp; &quot;co&quot;");
    check(typeset_html, "v_µ2", "v<sub>µ</sub>2");
    check(typeset_plain, "*x*_{max}", "x_max");
    check(typeset_html, "`a_b *c* <d>`*x*", "<code>a_b *c* &lt;d&gt;</code><em>x</em>");
    check(typeset_html, "a ` b_i", "a ` b<sub>i</sub>");
    check(typeset_html, "^{`}`", "<sup>`</sup>`");
}

static void markup_becomes_enhanced_text(void **state)
{
    (void)state;
    check(typeset_gnuplot, "*h*^2", "{/:Italic h}^{2}");
    check(typeset_gnuplot, "pgs\\_dense", "pgs\\_dense");
    check(typeset_gnuplot, "a \"b\" `c` 'd'", "a \"b\" `c` ’d’");
    check(typeset_gnuplot, "a\nb\x1b", "a b ");
    check(typeset_gnuplot, "5 %", "5 %");
    check(typeset_gnuplot_tic, "5 % of 'a'", "5 %% of ’a’");
}

static void html_has_no_markup_of_a_text(void **state)
{
    (void)state;
    check(html_escape, "*a*_1 <b> & \"c\" 'd'", "*a*_1 &lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
    check(html_escape, "", "");
}

static void names_stand_as_they_are(void **state)
{
    (void)state;
    Text name = {0};
    typeset_name(&name, "pgs_dense*{2}`x`");
    check(typeset_html, name.data, "pgs_dense*{2}`x`");
    free(name.data);
}

static void check_number(double value, int digits, const char *expected)
{
    Text out = {0};
    typeset_number(&out, value, digits);
    assert_string_equal(out.data, expected);
    free(out.data);
}

static void numbers_read_well(void **state)
{
    (void)state;
    check_number(1.0004, 3, "1.00");
    check_number(64.0, 3, "64");
    check_number(-0.012345, 3, "−0.0123");
    check_number(1.23456e-7, 3, "1.23 × 10^{−7}");
    check_number(399.7, 3, "400");
    check_number(999.7, 3, "1000");
    check_number(-18761.3, 3, "−18800");
    check_number(123456.7, 3, "1.23 × 10^{5}");
    check_number(5.4321e11, 2, "5.4 × 10^{11}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_becomes_html),
        cmocka_unit_test(markup_becomes_enhanced_text),
        cmocka_unit_test(html_has_no_markup_of_a_text),
        cmocka_unit_test(names_stand_as_they_are),
        cmocka_unit_test(numbers_read_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
