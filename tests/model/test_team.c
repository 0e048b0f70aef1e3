/* SPDX-License-Identifier: MIT */
#include "model/team.h"
#include "tests/support/check.h"

enum { TURNS = 1000 };

typedef struct Tally {
    int times[TURNS]; /* each written by the one who has the turn */
    int parts;        /* only of a team of one */
} Tally;

static long tally_turns(void *context, int from, int to)
{
    Tally *tally = context;
    long sum = 0;
    for (int i = from; i < to; i++) {
        tally->times[i]++;
        sum += i;
    }
    return sum;
}

static long count_parts(void *context, int from, int to)
{
    (void)from, (void)to;
    ((Tally *)context)->parts++;
    return 0;
}

/* Many loops one after the other: members that wait awake, and, after a pause, asleep. */
static void every_turn_is_taken_once_and_counts_add_up(void **state)
{
    (void)state;
    Status status = {0};
    for (int members = 1; members <= 5; members++) {
        Team *team = team_create(members, &status);
        Tally tally = {{0}, 0};
        assert_int_equal(team_size(team), members);
        for (int round = 1; round <= 300; round++) {
            int count = TURNS - round;
            long expected = (long)count * (count - 1) / 2;
            assert_int_equal(team_share(team, count, 1, tally_turns, &tally), expected);
            assert_int_equal(tally.times[0], round);
            assert_int_equal(tally.times[count - 1], round);
        }
        team_destroy(team);
    }
}

static void few_turns_are_left_to_the_caller(void **state)
{
    (void)state;
    Status status = {0};
    Tally tally = {{0}, 0};
    Team *team = team_create(3, &status);
    assert_non_null(team);
    team_share(team, 29, 15, count_parts, &tally);
    assert_int_equal(tally.parts, 1);
    team_share(NULL, 1000, 1, count_parts, &tally);
    assert_int_equal(tally.parts, 2);
    team_destroy(team);
}

static void a_team_of_one_needs_no_thread(void **state)
{
    (void)state;
    Status status = {0};
    assert_null(team_create(1, &status));
    assert_null(team_create(0, &status));
    assert_int_equal(status.message[0], '\0');
    assert_int_equal(team_size(NULL), 1);
    team_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_turn_is_taken_once_and_counts_add_up),
        cmocka_unit_test(few_turns_are_left_to_the_caller),
        cmocka_unit_test(a_team_of_one_needs_no_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
