/* SPDX-License-Identifier: MIT */
/* What `rigor show` says of contacts, over every solver that a user can name. */
#include "bench/run/run.h"
#include "bench/run/solver_set.h"
#include "tests/support/check.h"

#include <string.h>

/* The texts of one solver: every topic, with the options as they come, no name that it lacks, no line cut off. */
static void check_texts(const Solver *solver)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    settings_init(solver->settings, solver->setting_count, options);
    for (ConventionTopic topic = 0; topic < CONVENTION_COUNT; topic++) {
        char text[256];
        if (!convention_text(solver, options, topic, text, sizeof text) || !text[0] || strpbrk(text, "?{}"))
            fail_msg("%s, %s: '%s'", solver->name, convention_names[topic], text);
        assert_true(strlen(text) < sizeof text - 1);
    }
    for (int k = 0; k < solver->convention_count; k++)
        if (solver->conventions[k].option)
            assert_non_null(settings_find(solver->settings, solver->setting_count, solver->conventions[k].option));
}

/* Whether some text of the solver has this value of an option. */
static bool texts_have(const Solver *solver, const void *options, const char *value)
{
    for (ConventionTopic topic = 0; topic < CONVENTION_COUNT; topic++) {
        char text[256];
        if (convention_text(solver, options, topic, text, sizeof text) && strstr(text, value))
            return true;
    }
    return false;
}

/* The options that all contacts have in common stand in the table as they are set, not as a solver's habit. */
static void the_table_follows_the_options(void **state)
{
    (void)state;
    static const char *const KEYS[] = {"slop", "push_speed", "restitution_threshold"}, *const VALUE = "0.0777";
    SolverSet set;
    Status status = {0};
    assert_true(solver_set_open(&set, &status));
    for (int i = 0; i < set.count; i++)
        for (int k = 0; k < 3 && set.solvers[i]->conventions; k++) {
            const Solver *solver = set.solvers[i];
            Run run = {0};
            run_choose_solver(&run, solver);
            if (!run_find_option(&run, KEYS[k]))
                continue;
            assert_true(run_set_option(&run, KEYS[k], VALUE, &status));
            if (!texts_have(solver, run.options, VALUE))
                fail_msg("%s does not say what its %s is", solver->name, KEYS[k]);
        }
    solver_set_close(&set);
}

static void everyone_with_contacts_says_how_it_treats_them(void **state)
{
    (void)state;
    SolverSet set;
    Status status = {0};
    assert_true(solver_set_open(&set, &status));
    int with_contacts = 0;
    for (int i = 0; i < set.count; i++) {
        if (set.solvers[i]->text_of) /* it treats them as its backend does by default, and is read itself */
            continue;
        if (!(set.solvers[i]->capabilities & CAN_CONTACTS)) {
            assert_null(set.solvers[i]->conventions);
            continue;
        }
        with_contacts++;
        check_texts(set.solvers[i]);
    }
    assert_true(with_contacts > solver_count);
    solver_set_close(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyone_with_contacts_says_how_it_treats_them),
        cmocka_unit_test(the_table_follows_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
