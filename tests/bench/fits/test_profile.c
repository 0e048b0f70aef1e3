/* SPDX-License-Identifier: MIT */
#include "bench/fits/profile.h"
#include "tests/support/check.h"

/* Four problems, three contenders; worked out by hand. */
static void profile_of_a_known_table(void **state)
{
    (void)state;
    const double COST[] = {
        2.0,      3.0,      20.0,     /* ratios 1, 1.5, 10 */
        7.0,      3.5,      INFINITY, /* 2, 1, inf */
        0.3,      0.3,      0.9,      /* 1, 1, 3: a tie is best for both */
        INFINITY, INFINITY, 1e-300,   /* inf, inf, 1 */
    };
    Profile profile;
    Status status = {0};
    assert_true(profile_make(&profile, COST, 4, 3, &status));
    static const struct {
        double tau, rho[3];
    } EXPECTED[] = {{1.0, {0.5, 0.5, 0.25}},   {1.49, {0.5, 0.5, 0.25}}, {1.5, {0.5, 0.75, 0.25}},
                    {2.0, {0.75, 0.75, 0.25}}, {3.0, {0.75, 0.75, 0.5}}, {16.0, {0.75, 0.75, 0.75}}};
    for (size_t i = 0; i < sizeof EXPECTED / sizeof EXPECTED[0]; i++)
        for (int s = 0; s < 3; s++)
            /* 0.9/0.3 and 3/2 are not exact quotients: a part in 1e12 decides nothing here */
            assert_near(profile_at(&profile, s, EXPECTED[i].tau * (1.0 + 1e-12)), EXPECTED[i].rho[s], 0.0);
    assert_near(profile_at(&profile, 2, INFINITY), 0.75, 0.0);
    assert_near(profile_reach(&profile), 10.0, 1e-14);
    profile_clear(&profile);
}

static void zero_beats_everything_and_ties_with_zero(void **state)
{
    (void)state;
    const double COST[] = {0.0, 0.0, 1e-12};
    Profile profile;
    Status status = {0};
    assert_true(profile_make(&profile, COST, 1, 3, &status));
    assert_near(profile_at(&profile, 0, 1.0), 1.0, 0.0);
    assert_near(profile_at(&profile, 1, 1.0), 1.0, 0.0);
    assert_near(profile_at(&profile, 2, 1e300), 0.0, 0.0);
    profile_clear(&profile);
}

static void problem_that_nobody_solves_counts_for_nobody(void **state)
{
    (void)state;
    const double COST[] = {INFINITY, INFINITY, 4.0, 5.0};
    Profile profile;
    Status status = {0};
    assert_true(profile_make(&profile, COST, 2, 2, &status));
    assert_near(profile_at(&profile, 0, INFINITY), 0.5, 0.0);
    assert_near(profile_at(&profile, 1, INFINITY), 0.5, 0.0);
    profile_clear(&profile);
}

/* Contender 0 on all three, contender 1 on two and solving one, contender 2 on none. */
static void only_problems_that_a_contender_was_run_on_count(void **state)
{
    (void)state;
    const double COST[] = {1.0, 2.0, NAN, 1.0, NAN, NAN, 1.0, INFINITY, NAN};
    Profile profile;
    Status status = {0};
    assert_true(profile_make(&profile, COST, 3, 3, &status));
    assert_int_equal(profile_run_count(&profile, 1), 2);
    assert_near(profile_at(&profile, 0, 1.0), 1.0, 0.0);
    assert_near(profile_at(&profile, 1, 1.0), 0.0, 0.0);
    assert_near(profile_at(&profile, 1, 2.0), 0.5, 0.0);
    assert_near(profile_at(&profile, 1, INFINITY), 0.5, 0.0);
    assert_true(isnan(profile_at(&profile, 2, INFINITY)));
    assert_near(profile_reach(&profile), 2.0, 0.0);
    profile_clear(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profile_of_a_known_table),
        cmocka_unit_test(zero_beats_everything_and_ties_with_zero),
        cmocka_unit_test(problem_that_nobody_solves_counts_for_nobody),
        cmocka_unit_test(only_problems_that_a_contender_was_run_on_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
