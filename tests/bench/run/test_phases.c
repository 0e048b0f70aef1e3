/* SPDX-License-Identifier: MIT */
/* The words about phases (solvers/phases.h): every phase that a plan gives has some, and every word is about a phase
 * that some options give. */
#include "bench/run/solver_set.h"
#include "scenes/scene.h"
#include "solvers/option_text.h"
#include "solvers/stepper.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1024 };

/* The phases that the solver's plan gives with these options, on the first scene that it runs; 0: it runs none. */
static int phases_of(const Solver *solver, const void *options, Phase phases[SOLVER_MAX_PHASES])
{
    for (int i = 0, count = 0; i < scene_count; i++) {
        Status status = {0};
        Stepper stepper;
        _Alignas(16) unsigned char params[SETTINGS_MAX_BYTES] = {0};
        settings_init(all_scenes[i]->settings, all_scenes[i]->setting_count, params);
        Problem *problem = scene_build(all_scenes[i], params, &status);
        assert_non_null(problem);
        if (stepper_begin(&stepper, solver, options, problem->world, 1.0 / 60.0, DETECT_SUBSTEP, &status)) {
            memcpy(phases, stepper.phases, sizeof stepper.phases);
            count = stepper.phase_count;
            stepper_end(&stepper);
        }
        problem_destroy(problem);
        if (count > 0)
            return count;
    }
    return 0;
}

/* The backend whose words a solver has: a lecture text has those of its namesake. */
static const Solver *worded(const Solver *solver)
{
    for (int i = 0; solver->text_of && i < solver_count; i++)
        if (strcmp(all_solvers[i]->name, solver->text_of) == 0)
            return all_solvers[i];
    return solver;
}

static void check_filled(const Solver *solver, const void *options, const char *from)
{
    char text[TEXT];
    option_fill(solver, options, from, text, sizeof text);
    if (strchr(text, '?') || strlen(text) + 1 == sizeof text)
        fail_msg("%s: '%s' names an option that there is none of, or is too long", solver->name, text);
}

static void check_phase(const Solver *solver, const void *options, const Phase *phase)
{
    const Solver *words = worded(solver);
    const char *purpose = phase_purpose(words, options, phase->name);
    int steps[2] = {0};
    if (!purpose)
        fail_msg("%s: nothing is said about the phase %s", solver->name, phase->name);
    if (words != solver) /* the text itself tells the rest */
        return;
    check_filled(words, options, purpose);
    for (const PhaseStep *step = NULL; (step = phase_next_step(words, options, phase->name, step));) {
        steps[step->when]++;
        check_filled(words, options, step->text);
        if (step->formula)
            check_filled(words, options, step->formula);
    }
    if ((phase->enter && steps[PHASE_ENTER] == 0) || (phase->iterations > 0 && steps[PHASE_SWEEP] == 0))
        fail_msg("%s: nothing is said about what the phase %s does", solver->name, phase->name);
}

static void every_phase_of_every_solver_has_words(void **state)
{
    SolverSet set;
    Status status = {0};
    int checked = 0;
    (void)state;
    assert_true(solver_set_open(&set, &status));
    for (int i = 0; i < set.count; i++) {
        const Solver *solver = set.solvers[i];
        _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
        Phase phases[SOLVER_MAX_PHASES];
        if (!worded(solver)->steps)
            continue; /* an engine */
        settings_init(solver->settings, solver->setting_count, options);
        int count = phases_of(solver, options, phases);
        assert_true(count > 0);
        for (int p = 0; p < count; p++)
            check_phase(solver, options, &phases[p]);
        checked++;
    }
    for (int i = 0; i < solver_count; i++)
        assert_non_null(worded(all_solvers[i])->steps);
    assert_true(checked >= solver_count);
    solver_set_close(&set);
}

/* Sets the option to its k-th value; false: it has no more. Of a number 1 will do, which turns it on. */
static bool option_vary(const Setting *setting, void *options, int k)
{
    Status status = {0};
    if (setting->type == SETTING_CHOICE)
        return setting->choices[k] && setting_parse(setting, options, setting->choices[k], &status);
    if (setting->type == SETTING_BOOL)
        return k < 2 && setting_parse(setting, options, k == 0 ? "false" : "true", &status);
    return k < 1 && setting->min <= 1.0 && setting->max >= 1.0 && setting_parse(setting, options, "1", &status);
}

/* Notes which words of `about` the phases of a solver use, with each option turned each way. */
static void note_used(const Solver *solver, const Solver *about, bool *used)
{
    for (int s = -1; s < solver->setting_count; s++)
        for (int k = 0; s >= 0 || k < 1; k++) {
            _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
            Phase phases[SOLVER_MAX_PHASES];
            settings_init(solver->settings, solver->setting_count, options);
            if (s >= 0 && !option_vary(&solver->settings[s], options, k))
                break;
            int count = phases_of(solver, options, phases);
            for (int p = 0; p < count; p++) {
                if (solver == about)
                    check_phase(solver, options, &phases[p]);
                for (const PhaseStep *step = about->steps; step->phase; step++) {
                    char list[64], name[64];
                    snprintf(list, sizeof list, ",%s,", step->phase);
                    snprintf(name, sizeof name, ",%s,", phases[p].name);
                    used[step - about->steps] |= strstr(list, name) != NULL;
                }
            }
        }
}

static void every_word_is_about_a_phase_that_some_options_give(void **state)
{
    (void)state;
    for (int i = 0; i < solver_count; i++) {
        const Solver *solver = all_solvers[i];
        bool used[128] = {0};
        if (solver->text_of)
            continue;
        note_used(solver, solver, used);
        for (int t = 0; t < solver_count; t++)
            if (all_solvers[t]->text_of && worded(all_solvers[t]) == solver)
                note_used(all_solvers[t], solver, used);
        for (const PhaseStep *step = solver->steps; step->phase; step++)
            if (!used[step - solver->steps])
                fail_msg("%s: no options give the phase '%s'", solver->name, step->phase);
    }
}

static void every_condition_names_an_option_and_a_value_that_it_can_have(void **state)
{
    (void)state;
    for (int i = 0; i < solver_count; i++) {
        const Solver *solver = all_solvers[i];
        for (const PhaseStep *step = solver->steps; step && step->phase; step++) {
            _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
            Status status = {0};
            if (!step->option || strcmp(step->value, "!?") == 0)
                continue;
            const Setting *setting = settings_find(solver->settings, solver->setting_count, step->option);
            /* pbd and xpbd share their words, not their options */
            if (!setting && strcmp(solver->name, "pbd") == 0 && strcmp(step->option, "block") == 0)
                continue;
            if (!setting || !setting_parse(setting, options, step->value + (step->value[0] == '!'), &status))
                fail_msg("%s: '%s' is never '%s'", solver->name, step->option, step->value);
        }
    }
}

static void a_variant_is_told_with_its_own_values(void **state)
{
    SolverSet set;
    Status status = {0};
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    char text[TEXT];
    const PhaseStep *step = NULL;
    (void)state;
    assert_true(solver_set_open(&set, &status));
    const Solver *soft = solver_set_find(&set, "tgs_soft", &status);
    settings_init(soft->settings, soft->setting_count, options);
    while ((step = phase_next_step(soft, options, "velocity", step)) && strcmp(step->step, "errors of joints") != 0)
        ;
    assert_non_null(step);
    option_fill(soft, options, step->formula, text, sizeof text);
    assert_non_null(strstr(text, "f = min(60, 0.125/h)"));
    assert_null(strstr(text, "C/h"));

    const Solver *plain = solver_set_find(&set, "pgs", &status);
    settings_init(plain->settings, plain->setting_count, options);
    for (step = NULL;
         (step = phase_next_step(plain, options, "velocity", step)) && strcmp(step->step, "errors of joints") != 0;)
        ;
    option_fill(plain, options, step->formula, text, sizeof text);
    assert_string_equal(text, "bias = 0.2 C/h");
    solver_set_close(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_phase_of_every_solver_has_words),
        cmocka_unit_test(every_word_is_about_a_phase_that_some_options_give),
        cmocka_unit_test(every_condition_names_an_option_and_a_value_that_it_can_have),
        cmocka_unit_test(a_variant_is_told_with_its_own_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
