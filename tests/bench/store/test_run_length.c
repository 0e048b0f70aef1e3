/* SPDX-License-Identifier: MIT */
/* Run lengths of a table that can be worked out by hand. */
#include "bench/store/run_length.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 8, SOLVERS = 3, RUNGS = 3 };
static const double WORK[RUNGS] = {10.0, 20.0, 1000.0};

/* Eight instances of one group. Solver 0 gets to 1e-5 at work 10; solver 1 at 1000; solver 2 is like 0 or like 1, by
 * whether half the seed is odd: then odd and even seeds see the same mixture. */
static RunLengths lengths_make(bool turned)
{
    RunLengths lengths = {.solver_count = SOLVERS,
                          .family_count = 1,
                          .group_count = 1,
                          .problem_count = PROBLEMS,
                          .least_work = WORK[0],
                          .most_work = WORK[RUNGS - 1]};
    Status status = {0};
    lengths.instances = calloc(PROBLEMS, sizeof *lengths.instances);
    lengths.runs = calloc(PROBLEMS * SOLVERS * RUNGS, sizeof *lengths.runs);
    assert_true(lengths.instances && lengths.runs);
    for (int p = 0; p < PROBLEMS; p++) {
        lengths.instances[p] = (Instance){0, 0, p + 1};
        for (int s = 0; s < SOLVERS; s++)
            for (int r = 0; r < RUNGS; r++) {
                bool good = s == 0 || (s == 2 && (p + 1) / 2 % 2 == 1);
                if (turned && s < 2 && p % 2 == 0)
                    good = !good; /* odd seeds find the opposite */
                lengths.runs[lengths.run_count++] =
                    (LadderRun){p, s, WORK[r], good || WORK[r] > 500.0 ? 0.99e-5 : INFINITY};
            }
    }
    assert_true(run_lengths_find(&lengths, 1.0, 1e-10, &status));
    return lengths;
}

/* Of the 51 targets 26 are 1e-5 or easier. */
static void shares_and_areas_are_known(void **state)
{
    (void)state;
    RunLengths lengths = lengths_make(false);
    RunRanking ranking = {0};
    Status status = {0};
    assert_near(run_lengths_share(&lengths, 0, 1.0, NULL), 26.0 / 51.0, 1e-12);
    assert_near(run_lengths_share(&lengths, 0, 0.9, NULL), 0.0, 0.0);
    assert_near(run_lengths_share(&lengths, 1, 2.9, NULL), 0.0, 0.0);
    assert_near(run_lengths_share(&lengths, 1, 3.0, NULL), 26.0 / 51.0, 1e-12);
    assert_near(run_lengths_share(&lengths, 2, 1.0, NULL), 13.0 / 51.0, 1e-12);
    assert_true(run_lengths_rank(&lengths, SEEDS_ALL, -1, &ranking, &status));
    assert_near(ranking.score[0], 26.0 / 51.0, 1e-12);
    assert_near(ranking.score[1], 0.0, 1e-12);
    assert_near(ranking.score[2], 13.0 / 51.0, 1e-12);
    assert_int_equal(ranking.order[0], 0);
    assert_int_equal(ranking.order[1], 2);
    assert_int_equal(ranking.ahead[0 * SOLVERS + 1], 1);
    assert_int_equal(ranking.ahead[1 * SOLVERS + 0], -1);
    assert_int_equal(ranking.ahead[1 * SOLVERS + 1], 0);
    /* The mean of eight coins of 26/51: a standard deviation of 0.177 of that. */
    assert_near(ranking.interval[2].low, 26.0 / 51.0 * (0.5 - 1.96 * 0.177), 0.07);
    assert_near(ranking.interval[2].high, 26.0 / 51.0 * (0.5 + 1.96 * 0.177), 0.07);
    run_lengths_clear(&lengths);
}

/* What a run reaches and one with twice its work loses was luck: it counts only from where it is kept. */
static void what_is_not_kept_is_not_reached(void **state)
{
    (void)state;
    RunLengths lengths = {.solver_count = 1,
                          .family_count = 1,
                          .group_count = 1,
                          .problem_count = 1,
                          .run_count = 4,
                          .least_work = 1.0,
                          .most_work = 100.0};
    const double ERROR[4] = {0.99e-3, 0.99e-1, 0.99e-3, 0.99e-3}, LADDER[4] = {1.0, 2.0, 4.0, 100.0};
    Status status = {0};
    lengths.instances = calloc(1, sizeof *lengths.instances);
    lengths.runs = calloc(4, sizeof *lengths.runs);
    assert_true(lengths.instances && lengths.runs);
    for (int r = 0; r < 4; r++)
        lengths.runs[r] = (LadderRun){0, 0, LADDER[r], ERROR[r]};
    assert_true(run_lengths_find(&lengths, 1.0, 1e-10, &status));
    assert_near(run_lengths_share(&lengths, 0, log10(2.0), NULL), 6.0 / 51.0, 1e-12);  /* 1 to 1e-1 */
    assert_near(run_lengths_share(&lengths, 0, log10(4.0), NULL), 16.0 / 51.0, 1e-12); /* to 1e-3 */
    run_lengths_clear(&lengths);
}

static void halves_that_disagree_have_no_tau(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        RunLengths lengths = lengths_make(turned);
        RunRanking odd = {0}, even = {0};
        Status status = {0};
        assert_true(run_lengths_rank(&lengths, SEEDS_ODD, -1, &odd, &status));
        assert_true(run_lengths_rank(&lengths, SEEDS_EVEN, -1, &even, &status));
        double tau = kendall_tau(odd.ahead, even.ahead, SOLVERS);
        assert_true(turned ? tau < RANKING_TAU : tau == 1.0);
        run_lengths_clear(&lengths);
    }
    RunLengths lengths = lengths_make(false);
    RunRanking none = {0};
    Status status = {0};
    assert_false(run_lengths_rank(&lengths, SEEDS_ALL, 0, &none, &status));
    run_lengths_clear(&lengths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_and_areas_are_known),
        cmocka_unit_test(what_is_not_kept_is_not_reached),
        cmocka_unit_test(halves_that_disagree_have_no_tau),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
