/* SPDX-License-Identifier: MIT */
/* What is said of limits that throw back, against the spins that a run has. */
#include "bench/run/run.h"
#include "tests/support/drive.h"
#include "tests/support/scratch.h"

#include <stdio.h>

/* Of the last body about z: rad/s. */
typedef struct Spins {
    double most, least;
} Spins;

static bool note_spin(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    (void)frame, (void)metrics, (void)status;
    Spins *spins = context;
    double w = problem->world->velocity[problem->world->body_count - 1].w.z;
    spins->most = fmax(spins->most, w);
    spins->least = fmin(spins->least, w);
    return true;
}

static double rebound_of(const char *scene, const char *solver, const char *iterations, Spins *spins)
{
    Run run = {.dt = 1.0 / 60, .time = 1.0, .without_truth = true};
    Status status = {0};
    RunWatch watch = {note_spin, spins};
    *spins = (Spins){0};
    assert_true(run_choose_scene(&run, scene, &status));
    run_choose_solver(&run, drive_find(solver));
    assert_true(!iterations || run_set_option(&run, "iterations", iterations, &status));
    assert_true(run_make(&run, &watch));
    assert_true((run.result.rebound_joint >= 0) == (run.result.limit_rebound > 0.0));
    double share = run.result.limit_rebound;
    run_clear(&run);
    return share;
}

/* It falls about -z. */
static void a_limit_throws_back_as_fast_as_is_said(void **state)
{
    (void)state;
    static const char *const THROWN[] = {"xpbd", "penalty"}, *const HELD[] = {"lcp", "direct", "kkt"};
    Spins spins;
    for (int i = 0; i < 2; i++) {
        double share = rebound_of("hinge_limit", THROWN[i], NULL, &spins);
        assert_true(share > 0.3);
        assert_near(share, spins.most / -spins.least, 0.1 * share); /* it falls on a little before it arrives */
    }
    for (int i = 0; i < 3; i++)
        assert_true(rebound_of("hinge_limit", HELD[i], NULL, &spins) < 1e-6);
}

/* A rod on a hinge at its end runs into the hinge's limit; one sweep of pgs leaves it standing there, its joint open.
 */
static const char *const ROD =
    "{\"rigor\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"rod\", \"position\": [0.5, 0, 0], \"mass\": 1,"
    "\"velocity\": [0, 5.45, 0], \"angular_velocity\": [0, 0, 10.9], \"shape\": {\"box\": {\"size\": [1, 0.1, 0.1]}}}],"
    "\"joints\": [{\"type\": \"hinge\", \"bodies\": [\"world\", \"rod\"], \"anchor\": [0, 0, 0], \"axis\": [0, 0, 1],"
    "\"angle_min\": -3, \"angle_max\": 1}], \"collide\": \"none\"}";

static void what_a_stop_stores_and_gives_back_is_a_rebound(void **state)
{
    const char *path = scratch_path(*state, "rod.json");
    FILE *file = fopen(path, "w");
    assert_true(file && fputs(ROD, file) >= 0 && fclose(file) == 0);
    Spins spins;
    double share = rebound_of(path, "pgs", "1", &spins);
    assert_true(spins.least < -5.0);
    assert_near(share, -spins.least / spins.most, 0.1 * share);
    assert_true(rebound_of(path, "lcp", NULL, &spins) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_throws_back_as_fast_as_is_said),
        cmocka_unit_test_setup_teardown(what_a_stop_stores_and_gives_back_is_a_rebound, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
