/* SPDX-License-Identifier: MIT */
/* Resampling against what is known in closed form. */
#include "bench/fits/resample.h"
#include "tests/support/check.h"

#include <string.h>

/* A hundred values of two kinds, 0 and 1: the mean of a draw is binomial, with a standard deviation of 0.05 about 1/2;
 * 95 % are within 1.96 of them, to the binomial's steps of 0.01. */
static void interval_of_a_coin_is_binomial(void **state)
{
    (void)state;
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = i % 2;
    Interval interval, again;
    Status status = {0};
    assert_true(bootstrap_mean(values, 100, BOOTSTRAP_DRAWS, 7, &interval, &status));
    assert_near(interval.low, 0.5 - 1.96 * 0.05, 0.01);
    assert_near(interval.high, 0.5 + 1.96 * 0.05, 0.01);
    assert_true(bootstrap_mean(values, 100, BOOTSTRAP_DRAWS, 7, &again, &status));
    assert_memory_equal(&interval, &again, sizeof interval);
}

/* Of n equal differences only the two choices of all signs alike are as far from zero: p = 2 / 2^n = 1/512 for n = 10;
 * its Monte Carlo error over 1e5 flips is 1.4e-4. */
static void p_of_equal_differences_is_known(void **state)
{
    (void)state;
    double differences[10], p;
    Status status = {0};
    for (int i = 0; i < 10; i++)
        differences[i] = 0.37;
    assert_true(sign_flip(differences, 10, FLIPS_LEAST, 3, &p, &status));
    assert_near(p, 1.0 / 512.0, 4.0 * 1.4e-4);
    memset(differences, 0, sizeof differences);
    assert_true(sign_flip(differences, 10, 1000, 3, &p, &status));
    assert_near(p, 1.0, 0.0);
}

/* Holm: 0.01 < 0.05/3, 0.02 < 0.05/2, 0.06 > 0.05; then 0.03 > 0.05/2 stops all that follow. */
static void holm_steps_down_and_stops(void **state)
{
    (void)state;
    Status status = {0};
    Decision found[3];
    assert_true(holm_decide((double[]){0.02, 0.06, 0.01}, 3, 10000000, found, &status));
    assert_int_equal(found[0], DECISION_DIFFERENT);
    assert_int_equal(found[1], DECISION_TIE);
    assert_int_equal(found[2], DECISION_DIFFERENT);
    assert_true(holm_decide((double[]){0.03, 0.04, 0.01}, 3, 10000000, found, &status));
    assert_int_equal(found[0], DECISION_TIE);
    assert_int_equal(found[1], DECISION_TIE); /* 0.04 < 0.05/1, but the second stopped it */
    assert_int_equal(found[2], DECISION_DIFFERENT);
    /* 0.05/3 = 0.01667; with 10,000 flips three errors of p = 0.0165 are 0.0038. */
    assert_true(holm_decide((double[]){0.9, 0.0165, 0.02}, 3, 10000, found, &status));
    assert_int_equal(found[1], DECISION_UNDECIDED);
    assert_int_equal(found[2], DECISION_UNDECIDED);
    assert_int_equal(found[0], DECISION_TIE);
}

static void tie_note(void *context, const int *rows, int count)
{
    char *text = context;
    for (int i = 0; i < count; i++)
        text[strlen(text)] = (char)('0' + rows[i]);
    text[strlen(text)] = ' ';
}

/* Row 0 near row 1, row 1 near row 2, row 0 far from row 2; row 3 far from all; row 4 is row 3 but for round-off. */
static void ties_are_largest_sets(void **state)
{
    (void)state;
    enum { ROWS = 5, N = 60 };
    static double values[ROWS][N];
    char text[64] = "";
    Pairs pairs;
    Status status = {0};
    for (int i = 0; i < N; i++) {
        double scatter = i % 3 - 1.0;
        values[0][i] = 5.0;
        values[1][i] = 5.07 + 0.37 * scatter;
        values[2][i] = 5.13;
        values[3][i] = 9.0 + 0.1 * scatter;
        values[4][i] = values[3][i] * (1.0 + 1e-13);
    }
    assert_true(pairs_compare(&pairs, values[0], ROWS, N, RESAMPLE_SEED, &status));
    assert_near(pairs.difference[1], -0.07, 1e-12);
    assert_int_equal(pairs.decision[0 * ROWS + 2], DECISION_DIFFERENT);
    assert_int_equal(pairs.decision[3 * ROWS + 4], DECISION_TIE);
    pairs_each_tie(&pairs, (int[]){0, 1, 2, 3, 4}, tie_note, text);
    assert_string_equal(text, "01 12 34 ");
    pairs_clear(&pairs);
}

/* Three items, of which 0 is ahead of 1 and 2 in both; on 1 against 2 they disagree: (2 - 1)/3. */
static void tau_counts_agreement(void **state)
{
    (void)state;
    const int FIRST[9] = {0, 1, 1, -1, 0, 1, -1, -1, 0}, SECOND[9] = {0, 1, 1, -1, 0, -1, -1, 1, 0}, NONE[9] = {0};
    assert_near(kendall_tau(FIRST, SECOND, 3), 1.0 / 3.0, 1e-15);
    assert_near(kendall_tau(FIRST, FIRST, 3), 1.0, 0.0);
    assert_true(isnan(kendall_tau(FIRST, NONE, 3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval_of_a_coin_is_binomial), cmocka_unit_test(p_of_equal_differences_is_known),
        cmocka_unit_test(holm_steps_down_and_stops),      cmocka_unit_test(ties_are_largest_sets),
        cmocka_unit_test(tau_counts_agreement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
