/* SPDX-License-Identifier: MIT */
/* Whole runs against the truths of the scenes: the claims that the lectures make, as numbers. */
#include "bench/run/run.h"
#include "tests/support/check.h"
#include "tests/support/drive.h"

#include <string.h>

/* `settings`: "p:angle=0 s:substeps=20"; the metric at the end of the run. */
static double measure(const char *scene, const char *solver, const char *settings, double dt, double time,
                      const char *metric)
{
    Run run = {.dt = dt, .time = time};
    Status status = {0};
    char text[256], key[RUN_KEY];
    const char *value;
    assert_true(run_choose_scene(&run, scene, &status));
    run_choose_solver(&run, drive_find(solver));
    strcpy(text, settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        assert_true(assignment_split(word + 2, key, &value, &status));
        if (!(*word == 'p' ? run_set_param : run_set_option)(&run, key, value, &status))
            fail_msg("%s", status.message);
    }
    if (!run_make(&run, NULL))
        fail_msg("%s", run.status.message);
    assert_int_equal(run.result.status, RUN_OK);
    double result = run.result.metrics[metric_find(metric)];
    run_clear(&run);
    return result;
}

static const char *const LECTURE_SOLVERS[] = {"naive", "pgs", "pbd", "xpbd"};
enum { LECTURE_SOLVER_COUNT = 4 };

/* The fitted slope between two step sizes a factor of eight apart. */
static double order(const char *scene, const char *solver, const char *coarse, const char *fine, double time,
                    const char *metric)
{
    double few = measure(scene, solver, coarse, 1.0 / 60, time, metric);
    double many = measure(scene, solver, fine, 1.0 / 60, time, metric);
    return log(few / many) / log(8.0);
}

static void error_has_order_1_and_drift_order_2(void **state)
{
    (void)state;
    for (int k = 1; k < LECTURE_SOLVER_COUNT; k++) {
        const char *solver = LECTURE_SOLVERS[k], *coarse = "s:substeps=32", *fine = "s:substeps=256";
        assert_near(order("pendulum", solver, coarse, fine, 2, "error_end"), 1.0, 0.1);
        if (strcmp(solver, "pbd") != 0) /* 20 iterations: its drift is the fourth power, from Newton's step */
            assert_near(order("pendulum", solver, coarse, fine, 2, "drift_max"), 2.0, 0.15);
    }
}

static void joint_forces_are_right_to_a_thousandth(void **state)
{
    (void)state;
    for (int k = 0; k < LECTURE_SOLVER_COUNT; k++) {
        const char *solver = LECTURE_SOLVERS[k];
        /* just after release, and at the bottom of the swing: a quarter of 1.933939 s */
        assert_true(measure("pendulum", solver, "s:substeps=300", 1.0 / 600, 1.0 / 600, "force_error") < 1e-3);
        assert_true(measure("pendulum", solver, "s:substeps=300", 0.0005, 0.4835, "force_error") < 1e-3);
        assert_true(measure("chain", solver, "p:links=10 p:angle=0 s:substeps=20 s:iterations=200", 1.0 / 60, 1,
                            "force_error") < 1e-3);
        assert_true(measure("servo", solver, "s:substeps=20", 1.0 / 60, 1, "force_error") < 1e-3);
    }
}

static void heavy_top_converges_to_the_reference(void **state)
{
    (void)state;
    const char *const names[] = {"xpbd", "pgs"};
    for (int k = 0; k < 2; k++) {
        double coarse = measure("heavy_top", names[k], "s:substeps=1000", 1.0 / 60, 0.1, "error_end");
        double fine = measure("heavy_top", names[k], "s:substeps=4000", 1.0 / 60, 0.1, "error_end");
        assert_near(log(coarse / fine) / log(4.0), 1.0, 0.15);
        assert_true(fine < 2e-3);
    }
}

static void torque_free_body_keeps_to_the_elliptic_functions(void **state)
{
    (void)state;
    const char *const names[] = {"xpbd", "pgs"};
    for (int k = 0; k < 2; k++) {
        double coarse = measure("torque_free", names[k], "s:substeps=50", 1.0 / 60, 4, "error_angle_end");
        double fine = measure("torque_free", names[k], "s:substeps=400", 1.0 / 60, 4, "error_angle_end");
        double without =
            measure("torque_free", names[k], "s:substeps=400 s:gyroscopic=off", 1.0 / 60, 4, "error_angle_end");
        assert_near(log(coarse / fine) / log(8.0), 1.0, 0.1);
        assert_true(fine < 0.02 && without > 1.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_has_order_1_and_drift_order_2),
        cmocka_unit_test(joint_forces_are_right_to_a_thousandth),
        cmocka_unit_test(heavy_top_converges_to_the_reference),
        cmocka_unit_test(torque_free_body_keeps_to_the_elliptic_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
