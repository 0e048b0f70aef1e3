/* SPDX-License-Identifier: MIT */
/* The error that `reference` states of itself, against every closed form there is: of places, of turns, of energy.
 * `RIGOR_TABLE=1 test_bench_stated_errors` prints scene, true error, stated error, horizons. */
#include "bench/run/run.h"
#include "tests/support/check.h"
#include "tests/support/drive.h"
#include "tests/support/scratch.h"

#include <stdlib.h>
#include <string.h>

/* Beside every scene as it is by default, some with other numbers, and with frames so long that they end all steps. */
static const struct {
    const char *scene, *params;
    double dt, time; /* s; time 0: the scene's */
} MORE[] = {
    {"torque_free", "wx=0.31 wy=7.13 wz=1.97", 1.0 / 60, 3},
    {"torque_free", "wx=2.3 wy=0.07 wz=-3.1 Ix=0.7", 1.0 / 7, 5},
    {"torque_free", "wx=0.31 wy=17.13 wz=1.97", 1.0 / 70, 10},
    {"tumbling_box", "", 1.0 / 37, 10},
    {"pendulum", "angle=1.3", 1.0 / 11, 10},
    {"heavy_top", "", 1.0 / 240, 4},
    {"orbit", "", 1.0 / 9, 20},
    {"four_bar", "", 1.0 / 240, 10},
    {"slider_crank", "", 1.0 / 13, 20},
    {"bounce", "restitution=0.83", 1.0 / 60, 0},
    {"oblique", "spin=37 restitution=0.31 mu=0.07", 1.0 / 60, 0},
    {"rolling", "", 1.0 / 17, 0},
    {"asteroids", "spheres=8", 1.0 / 60, 2},
};

/* Larger scenes take a minute. */
enum { MOST_BODIES = 50 };

/* Energy is off by no more than this times the error of the state, over its scales. */
static const double ENERGY_FACTOR = 10.0;

static void print_row(const Run *run, double place, double turn)
{
    char known[HORIZON_TEXT];
    if (!getenv("RIGOR_TABLE"))
        return;
    horizons_text(&run->result.horizons, run->result.frames_done * run->dt, known);
    printf("%-14s dt %.4f, %5.2f s   true %.1e m, %.1e L   stated %.1e m   %s\n", run->scene->name, run->dt, run->time,
           place, turn, run->result.error_estimate, known[0] ? known : "known to 1e-09 m to its end");
}

/* Whether it is small, has a closed form to its end, and `reference` can run it. */
static bool is_within(const Scene *scene, const char *params, double dt, double time)
{
    Run run = {.dt = dt, .time = time > 0.0 ? time : NAN, .without_truth = true};
    Status status = {0};
    char text[256], key[RUN_KEY];
    const char *value;
    assert_true(run_choose_scene(&run, scene->name, &status));
    run_choose_solver(&run, drive_find("reference"));
    strcpy(text, params);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        if (!assignment_split(word, key, &value, &status) || !run_set_param(&run, key, value, &status))
            fail_msg("%s", status.message);
    Problem *problem = run_build(&run, &status);
    assert_non_null(problem);
    bool closed = problem->truth && !problem_needs_reference(problem, isnan(run.time) ? problem->time : run.time) &&
                  solver_supports(run.solver, problem->world, &status);
    bool large = problem->world->body_count > MOST_BODIES;
    double L = problem->world->length_scale;
    problem_destroy(problem);
    if (!closed || large || !run_make(&run, NULL)) {
        run_clear(&run);
        return false;
    }
    const double *metrics = run.result.metrics;
    double place = metrics[metric_find("error_max")], turn = L * metrics[metric_find("error_angle_max")];
    double energy = metrics[metric_find("energy_error_max")], stated = run.result.error_estimate;
    print_row(&run, place, turn);
    if (place > stated || turn > stated || energy > ENERGY_FACTOR * stated / L)
        fail_msg("%s %s: off by %g m, by turns of %g m, energy by %g; stated: %g m", scene->name, params, place, turn,
                 energy, stated);
    run_clear(&run);
    return true;
}

static void no_closed_form_is_further_off_than_stated(void **state)
{
    (void)state;
    int within = 0;
    for (int i = 0; i < scene_count; i++)
        within += is_within(all_scenes[i], "", 1.0 / 60, 0.0);
    assert_true(within >= 23);
}

static void nor_with_other_numbers_and_frames(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof MORE / sizeof MORE[0]; i++)
        assert_true(is_within(scene_find(MORE[i].scene), MORE[i].params, MORE[i].dt, MORE[i].time));
}

/* A ball strikes two at once at 0.1634 s: from there on the motion is one of several, however well it is followed. */
static const char *const THREE_BALLS =
    "{\"rigor\": 1, \"gravity\": [0, 0, 0], \"materials\": {\"default\": {\"friction\": 0, \"restitution\": 1}},"
    "\"bodies\": ["
    "{\"name\": \"cue\", \"position\": [-0.5, 0, 0], \"velocity\": [2, 0, 0], \"shape\": {\"sphere\": {\"radius\": "
    "0.1}},"
    " \"mass\": 1},"
    "{\"name\": \"one\", \"position\": [0, 0.1, 0], \"shape\": {\"sphere\": {\"radius\": 0.1}}, \"mass\": 1},"
    "{\"name\": \"two\", \"position\": [0, -0.1, 0], \"shape\": {\"sphere\": {\"radius\": 0.1}}, \"mass\": 1}]}";

static void horizons_end_where_the_motion_is_not_the_only_one(void **state)
{
    const char *path = scratch_path(*state, "three.json");
    FILE *file = fopen(path, "w");
    assert_true(file && fputs(THREE_BALLS, file) >= 0 && fclose(file) == 0);
    double meet = (0.5 - sqrt(3.0) * 0.1) / 2.0;
    Run run = {.dt = 1.0 / 60, .time = 0.5, .without_truth = true};
    Status status = {0};
    assert_true(run_choose_scene(&run, path, &status));
    run_choose_solver(&run, drive_find("reference"));
    assert_true(run_make(&run, NULL));
    assert_true(run.result.error_estimate < 1e-11);
    for (int i = 0; i < HORIZON_COUNT; i++)
        assert_true(run.result.horizons.until[i] < meet && run.result.horizons.until[i] > meet - run.dt);
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_closed_form_is_further_off_than_stated),
        cmocka_unit_test(nor_with_other_numbers_and_frames),
        cmocka_unit_test_setup_teardown(horizons_end_where_the_motion_is_not_the_only_one, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
