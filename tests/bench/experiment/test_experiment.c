/* SPDX-License-Identifier: MIT */
#include "bench/outcome/outcome.h"
#include "tests/support/scratch.h"

/* An experiment of one grid entry. */
#define ENTRY(text) "{ \"rigor\": 1, \"grid\": [ {" text "} ] }"

static double param(const Experiment *experiment, int run, const char *name)
{
    const Scene *scene = experiment->runs[run].scene;
    return setting_get(settings_find(scene->settings, scene->setting_count, name), experiment->runs[run].params);
}

static double option(const Experiment *experiment, int run, const char *name)
{
    const Solver *solver = experiment->runs[run].solver;
    return setting_get(settings_find(solver->settings, solver->setting_count, name), experiment->runs[run].options);
}

static void lists_multiply_and_single_values_do_not(void **state)
{
    Experiment *e = scratch_experiment(*state, ENTRY("'scene': ['pendulum', 'chain'], 'solver': ['xpbd', 'pgs'],"
                                                     "'params': {'links': [3, 7, 5], 'gravity': 3.71},"
                                                     "'options': {'substeps': [2, 9]}, 'dt': ['1/60', 0.013]"));
    assert_int_equal(e->run_count, 2 * 2 * 3 * 2 * 2);
    assert_int_equal(e->repeats, 1);
    assert_int_equal(e->repeated, 0);
    assert_near(e->run_time_limit, 60.0, 0.0);
    assert_int_equal(e->metrics, (uint32_t)((UINT64_C(1) << metric_count) - 1));
    for (int i = 0; i < e->run_count; i++)
        assert_near(param(e, i, "gravity"), 3.71, 0.0);
    /* The last dimension moves fastest; solvers, then scenes, slowest. */
    assert_string_equal(e->runs[0].scene->name, "pendulum");
    assert_string_equal(e->runs[12].solver->name, "pgs");
    assert_string_equal(e->runs[24].scene->name, "chain");
    assert_near(param(e, 4, "links"), 7, 0.0);
    assert_near(e->runs[0].dt, 1.0 / 60.0, 0.0);
    assert_near(e->runs[2].dt, 0.013, 0.0);
    assert_near(option(e, 1, "substeps"), 9, 0.0);
    experiment_destroy(e);
}

static void variants_of_the_file_and_in_place_are_solvers_of_the_grid(void **state)
{
    Experiment *e = scratch_experiment(
        *state, "{ 'rigor': 1,"
                "  'variants': { 'pgs50': { 'of': 'pgs', 'options': { 'iterations': 50, 'warm_start': false } },"
                "                'pgs50_split': { 'of': 'pgs50', 'options': { 'position': 'split' } } },"
                "  'grid': [ { 'scene': 'pendulum', 'solver': ['pgs50', 'pgs50_split', 'pgs:beta=0.35', 'pgs_block'],"
                "              'options': { 'substeps': [2, 3], 'pgs50.relax': 7, 'pgs:beta=0.35.relax': 9 } } ] }");
    assert_int_equal(e->run_count, 4 * 2);
    assert_string_equal(e->runs[0].solver->name, "pgs50");
    assert_string_equal(e->runs[4].solver->name, "pgs:beta=0.35");
    assert_near(option(e, 0, "iterations"), 50, 0.0);
    assert_near(option(e, 0, "warm_start"), 0, 0.0);
    assert_near(option(e, 3, "iterations"), 50, 0.0);
    assert_near(option(e, 3, "position"), 1, 0.0);
    assert_near(option(e, 4, "beta"), 0.35, 0.0);
    const double relax[] = {7, 0, 9, 0};
    for (int i = 0; i < 8; i++)
        assert_near(option(e, i, "relax"), relax[i / 2], 0.0);
    experiment_destroy(e);
}

static void bad_variants_are_told_with_their_place(void **state)
{
    static const struct {
        const char *variants, *message;
    } CASES[] = {
        {"{ 'a': { 'of': 'pgx', 'options': { 'beta': 1 } } }", "variants.a.of: unknown solver 'pgx'"},
        {"{ 'a': { 'of': 'pgs', 'options': { 'bet': 1 } } }", "variants.a.options.bet: solver pgs has no option 'bet'"},
        {"{ 'a': { 'of': 'pgs', 'options': { 'beta': 9 } } }", "variants.a.options.beta: beta: 9 is outside"},
        {"{ 'a': { 'of': 'pgs', 'options': { } } }", "variants.a.options: must not be empty"},
        {"{ 'a': { 'of': 'pgs' } }", "variants.a.options: is missing"},
        {"{ 'a': { 'of': 'pgs', 'options': { 'beta': [1] } } }", "variants.a.options.beta: must be"},
        {"{ 'xpbd': { 'of': 'pgs', 'options': { 'beta': 1 } } }", "variants.xpbd: there is already a solver 'xpbd'"},
        {"{ 'a:b': { 'of': 'pgs', 'options': { 'beta': 1 } } }", "variants.a:b: 'a:b' is no name"},
        {"[ 'pgs' ]", "variants: must be"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[512];
        Status status;
        snprintf(text, sizeof text,
                 "{ 'rigor': 1, 'variants': %s, 'grid': [ { 'scene': 'pendulum', 'solver': 'pgs' } ] }",
                 CASES[i].variants);
        Experiment *e = scratch_read(*state, text, &status);
        if (e || status.code != STATUS_BAD_FILE || !strstr(status.message, CASES[i].message))
            fail_msg("%s: '%s'", CASES[i].variants, status.message);
    }
}

static void ranges_meet_both_ends(void **state)
{
    Experiment *e = scratch_experiment(
        *state, ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'params': {'gravity': {'geom': [0.7, 700, 4]}},"
                      "'options': {'substeps': {'log2': [0, 10]}, 'beta': {'linear': [0.3, 0.9, 4]}}"));
    assert_int_equal(e->run_count, 4 * 11 * 4);
    const double gravity[] = {0.7, 7, 70, 700}, beta[] = {0.3, 0.5, 0.7, 0.9};
    for (int g = 0; g < 4; g++)
        for (int k = 0; k <= 10; k++)
            for (int b = 0; b < 4; b++) {
                int run = (g * 11 + k) * 4 + b;
                /* Powers and products round off at 1e-16; what is whole is whole. */
                assert_near(param(e, run, "gravity"), gravity[g], g == 1 || g == 2 ? 1e-13 : 0.0);
                assert_near(option(e, run, "substeps"), 1 << k, 0.0);
                assert_near(option(e, run, "beta"), beta[b], b == 1 || b == 2 ? 1e-15 : 0.0);
            }
    experiment_destroy(e);
}

static void ranges_of_whole_numbers_round_and_do_not_repeat(void **state)
{
    Experiment *e = scratch_experiment(*state, ENTRY("'scene': 'pendulum', 'solver': 'pgs',"
                                                     "'params': {'links': {'geom': [1, 100, 9]}}"));
    /* 1, 1.78, 3.16, 5.62, 10, 17.8, 31.6, 56.2, 100 */
    const double links[] = {1, 2, 3, 6, 10, 18, 32, 56, 100};
    assert_int_equal(e->run_count, 9);
    for (int i = 0; i < 9; i++)
        assert_near(param(e, i, "links"), links[i], 0.0);
    experiment_destroy(e);
    e = scratch_experiment(*state, ENTRY("'scene': 'pendulum', 'solver': 'pgs',"
                                         "'params': {'links': {'linear': [1, 3, 9]}}"));
    assert_int_equal(e->run_count, 3);
    assert_int_equal(e->repeated, 6);
    experiment_destroy(e);
}

static void zipped_lists_move_together(void **state)
{
    Experiment *e =
        scratch_experiment(*state, ENTRY("'scene': 'pendulum', 'solver': ['pgs', 'xpbd'],"
                                         "'params': {'zip': {'links': [2, 5, 9], 'length': [0.7, 0.3, 0.1]}},"
                                         "'options': {'zip': {'substeps': [8, 2], 'beta': [0.4, 0.1]}},"
                                         "'zip': {'dt': ['1/60', '1/120'], 'options.pgs.iterations': [11, 23]}"));
    /* xpbd has neither beta nor the iterations meant for pgs, but the rest of both zips. */
    assert_int_equal(e->run_count, 2 * 3 * 2 * 2);
    for (int i = 0; i < 12; i++) {
        const double links[] = {2, 5, 9}, length[] = {0.7, 0.3, 0.1};
        int wide = i / 4, middle = i / 2 % 2, fast = i % 2;
        assert_near(param(e, i, "links"), links[wide], 0.0);
        assert_near(param(e, i, "length"), length[wide], 0.0);
        assert_near(option(e, i, "substeps"), middle ? 2 : 8, 0.0);
        assert_near(option(e, i, "beta"), middle ? 0.1 : 0.4, 0.0);
        assert_near(e->runs[i].dt, fast ? 1.0 / 120.0 : 1.0 / 60.0, 0.0);
        assert_near(option(e, i, "iterations"), fast ? 23 : 11, 0.0);
        assert_near(option(e, 12 + i, "iterations"), 1, 0.0);
        assert_near(e->runs[12 + i].dt, e->runs[i].dt, 0.0);
    }
    experiment_destroy(e);
}

static void dimensions_that_a_solver_lacks_are_dropped_for_it(void **state)
{
    Experiment *e = scratch_experiment(
        *state, ENTRY("'scene': 'pendulum', 'solver': ['xpbd', 'pgs'], 'options': {'beta': [0.1, 0.2, 0.3],"
                      "'iterations': [1, 2, 3, 4], 'pgs.iterations': [10, 20], 'xpbd.substeps': 5}"));
    assert_int_equal(e->run_count, 4 + 3 * 2);
    for (int i = 0; i < 4; i++) {
        assert_near(option(e, i, "iterations"), i + 1, 0.0);
        assert_near(option(e, i, "substeps"), 5, 0.0);
    }
    for (int i = 4; i < 10; i++) {
        assert_near(option(e, i, "iterations"), i % 2 ? 20 : 10, 0.0);
        assert_near(option(e, i, "substeps"), 1, 0.0);
    }
    assert_int_equal(e->repeated, 0);
    experiment_destroy(e);
}

static void parameters_that_a_scene_lacks_are_dropped_for_it(void **state)
{
    Scratch *scratch = *state;
    scratch_write(
        scratch, "ball.json",
        "{ \"rigor\": 1, \"name\": \"ball\", \"time\": 0.75, \"bodies\": [ { \"name\": \"b\", \"mass\": 2 } ] }");
    Experiment *e = scratch_experiment(scratch, ENTRY("'scene': ['projectile', 'ball.json', 'pendulum'],"
                                                      "'solver': 'xpbd', 'params': {'links': [2, 3],"
                                                      "'projectile.gravity': [1.5, 2.5, 3.5]}"));
    assert_int_equal(e->run_count, 3 + 1 + 2);
    assert_near(param(e, 2, "gravity"), 3.5, 0.0);
    assert_null(e->runs[3].scene);
    assert_string_equal(experiment_scene_name(&e->runs[3]), "ball");
    assert_near(e->runs[3].time, 0.75, 0.0);
    assert_near(param(e, 5, "gravity"), 9.81, 0.0);
    Run run;
    experiment_get(e, 3, &run);
    assert_true(run_make(&run, NULL)); /* the path starts at the experiment's folder */
    run_clear(&run);
    experiment_destroy(e);
}

static void the_key_is_the_content(void **state)
{
    Scratch *scratch = *state;
    Experiment *a = scratch_experiment(scratch, ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'dt': '1/60'"));
    Experiment *b = scratch_experiment(scratch, ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'time': 10,"
                                                      "'params': {'links': 1, 'angle': '90deg'},"
                                                      "'options': {'beta': [0.2, 0.3, '1/5'], 'warm_start': true}"));
    assert_int_equal(b->run_count, 2); /* 0.2 and 1/5 are one run */
    assert_string_equal(a->runs[0].key, b->runs[0].key);
    assert_string_not_equal(b->runs[0].key, b->runs[1].key);
    assert_string_not_equal(b->runs[0].key, b->runs[0].identity);
    experiment_destroy(a);
    experiment_destroy(b);

    static const char ball[] =
        "{ \"rigor\": 1, \"name\": \"ball\", \"bodies\": [ { \"name\": \"b\", \"mass\": %g } ] }";
    char keys[2][HASH_TEXT], text[256];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, ball, 2.5 + i);
        scratch_write(scratch, "ball.json", text);
        a = scratch_experiment(scratch, ENTRY("'scene': 'ball.json', 'solver': 'xpbd'"));
        strcpy(keys[i], a->runs[0].key);
        experiment_destroy(a);
    }
    assert_string_not_equal(keys[0], keys[1]);
}

static void scenes_that_cannot_be_built_are_runs_that_fail(void **state)
{
    Experiment *e = scratch_experiment(*state, ENTRY("'scene': 'slider_crank', 'solver': 'xpbd',"
                                                     "'params': {'rod': [0.9, 0.1], 'crank': 0.25}"));
    assert_int_equal(e->run_count, 2);
    assert_true(isnan(e->runs[1].time));
    Outcome outcome;
    outcome_of_run(e, 1, &outcome);
    assert_int_equal(outcome.status, OUTCOME_FAILED);
    assert_non_null(strstr(outcome.message, "rod: must be longer than the crank"));
    experiment_destroy(e);
}

static const struct {
    const char *text, *message;
} MISTAKES[] = {
    {"{ 'rigor': 1,\n 'grid' [] }", "experiment.json:2:"},
    {"{ 'rigor': 1, 'grid': 3 }", "grid: must be an array, not a number"},
    {"{ 'rigor': 1 }", "grid: is missing"},
    {"{ 'rigor': 2, 'grid': [] }", "rigor: this program reads version 1"},
    {"{ 'rigor': 1, 'grid': [] }", "grid: must not be empty"},
    {"{ 'rigor': 1, 'gird': [] }", "gird: unknown key"},
    {"{ 'rigor': 1, 'grid': [7] }", "grid[0]: must be an object, not a number"},
    {ENTRY("'scenes': 'pendulum'"), "grid[0].scenes: unknown key"},
    {ENTRY("'solver': 'pgs'"), "grid[0].scene: is missing"},
    {ENTRY("'scene': 'pendulum'"), "grid[0].solver: is missing"},
    {ENTRY("'scene': [], 'solver': 'pgs'"), "grid[0].scene: must not be empty"},
    {ENTRY("'scene': 'pendulun', 'solver': 'pgs'"), "grid[0].scene: unknown scene 'pendulun': did you mean 'pend"},
    {ENTRY("'scene': 'pendulum', 'solver': ['pgs', 'pgz']"), "grid[0].solver[1]: unknown solver 'pgz': did you mean"},
    {ENTRY("'scene': 'pendulum', 'solver': 3"), "grid[0].solver: must be a name or a list of names"},
    {ENTRY("'scene': 'none.json', 'solver': 'pgs'"), "none.json: No such file"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'params': {'lunks': 1}"),
     "grid[0].params.lunks: no scene here has a parameter 'lunks': did you mean 'links'?"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'params': {'chian.links': 1}"),
     "grid[0].params.chian.links: among the scenes is no 'chian'"},
    {ENTRY("'scene': 'pendulum', 'solver': ['xpbd', 'pgs'], 'options': {'betta': 1}"),
     "grid[0].options.betta: no solver here has an option 'betta': did you mean 'beta'?"},
    {ENTRY("'scene': 'pendulum', 'solver': ['xpbd', 'pgs'], 'options': {'xpbd.beta': 1}"),
     "grid[0].options.xpbd.beta: no solver here has an option 'beta'"},
    {ENTRY("'scene': 'pendulum', 'solver': ['xpbd', 'pgs'], 'options': {'pbd.substeps': 1}"),
     "grid[0].options.pbd.substeps: among the solvers is no 'pbd': did you mean 'xpbd'?"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'substeps': [4, 0]}"),
     "grid[0].options.substeps[1]: 0 is outside 1 .. 1000000"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'substeps': 2.5}"),
     "grid[0].options.substeps: 2.5 is not a whole number"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'substeps': true}"),
     "grid[0].options.substeps: must be a number"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': 'nan'}"),
     "grid[0].options.beta: 'nan' is not a number"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': 1e999}"), "experiment.json:1:"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'warm_start': 1}"),
     "grid[0].options.warm_start: must be true or false"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'position': 2}"),
     "grid[0].options.position: must be the name of a choice"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'position': 'spilt'}"),
     "grid[0].options.position: 'spilt' is not one of baumgarte, split"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': []}"), "grid[0].options.beta: must not be empty"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': [0.1, [0.2]]}"),
     "grid[0].options.beta[1]: must be a number, a string or a truth value, not an array"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': null}"), "grid[0].options.beta: must be a value"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': {'lin': [0, 1, 2]}}"),
     "grid[0].options.beta.lin: unknown key"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': {}}"), "must be one of log2, geom, linear"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': {'linear': [0, 1]}}"),
     "grid[0].options.beta.linear: must have 3 elements, not 2"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': {'linear': [0, 1, 1]}}"),
     "grid[0].options.beta.linear[2]: must be a whole number of values"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': {'geom': [0, 1, 3]}}"),
     "grid[0].options.beta.geom: a geometric range has two ends of one sign, not 0 and 1"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': {'linear': [1, 1, 3]}}"), "both ends are 1"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'substeps': {'log2': [3, 0]}}"),
     "grid[0].options.substeps.log2: runs backwards"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'substeps': {'log2': [0.5, 3]}}"),
     "grid[0].options.substeps.log2[0]: must be a whole exponent"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'substeps': {'log2': [0, 40]}}"),
     "grid[0].options.substeps: 1048576 is outside"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'params': {'zip': {'links': [1, 2], 'length': [1, 2, 3]}}"),
     "grid[0].params.zip.length: has 3 values, but 'links' has 2"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'params': {'zip': [1]}"),
     "grid[0].params.zip: must be an object of lists"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'zip': {'links': [1]}"), "grid[0].zip.links: is none of dt, time"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'dt': 0"), "grid[0].dt: must be positive"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'dt': [0.1, 'x']"), "grid[0].dt[1]: must be a number of seconds"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'time': -1"), "grid[0].time: must be positive"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'time': 0.001"), "grid[0]: time: 0.001 s is less than half a frame"},
    {ENTRY("'scene': 'pendulum', 'solver': 'pgs', 'options': {'beta': {'linear': [0, 1, 90000]},"
           "'relaxation': {'linear': [0, 1, 90000]}}"),
     "grid[0]: makes more than 1e+06 runs"},
    {"{ 'rigor': 1, 'grid': [{'scene': 'pendulum', 'solver': 'pgs'}], 'metrics': [] }", "metrics: must not be empty"},
    {"{ 'rigor': 1, 'grid': [{'scene': 'pendulum', 'solver': 'pgs'}], 'metrics': ['drift_mex'] }",
     "metrics[0]: unknown metric 'drift_mex': did you mean 'drift_max'?"},
    {"{ 'rigor': 1, 'grid': [{'scene': 'pendulum', 'solver': 'pgs'}], 'repeats': 0 }", "repeats: must be a whole"},
    {"{ 'rigor': 1, 'grid': [{'scene': 'pendulum', 'solver': 'pgs'}], 'run_time_limit': 0 }",
     "run_time_limit: must be positive"},
    {"{ 'rigor': 1, 'grid': [{'scene': 'pendulum', 'solver': 'pgs'}], 'run_time_limit': '1 h' }",
     "run_time_limit: must be a number, not a string"},
};

static void mistakes_are_told_by_their_place(void **state)
{
    for (size_t i = 0; i < sizeof MISTAKES / sizeof MISTAKES[0]; i++) {
        Status status;
        Experiment *experiment = scratch_read(*state, MISTAKES[i].text, &status);
        if (experiment || status.code != STATUS_BAD_FILE || !strstr(status.message, MISTAKES[i].message))
            fail_msg("%s: '%s', not '%s'", MISTAKES[i].text, experiment ? "accepted" : status.message,
                     MISTAKES[i].message);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_multiply_and_single_values_do_not),
        TEST(variants_of_the_file_and_in_place_are_solvers_of_the_grid),
        TEST(bad_variants_are_told_with_their_place),
        TEST(ranges_meet_both_ends),
        TEST(ranges_of_whole_numbers_round_and_do_not_repeat),
        TEST(zipped_lists_move_together),
        TEST(dimensions_that_a_solver_lacks_are_dropped_for_it),
        TEST(parameters_that_a_scene_lacks_are_dropped_for_it),
        TEST(the_key_is_the_content),
        TEST(scenes_that_cannot_be_built_are_runs_that_fail),
        TEST(mistakes_are_told_by_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
