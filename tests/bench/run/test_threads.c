/* SPDX-License-Identifier: MIT */
/* Threads may change a run's time and nothing else. The scenes are large enough for every loop to be shared. */
#include "bench/run/run.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct Case {
    const char *scene, *parameter, *value, *solver, *options[3];
    double time;
} Case;

static const Case CASES[] = {
    {"pile", "spheres", "600", "pgs", {"order=colour"}, 0.4},
    {"pile", "spheres", "600", "pgs", {"order=list"}, 0.4},
    {"pile", "spheres", "600", "pgs", {"order=colour", "manifold=true"}, 0.4},
    {"pile", "spheres", "600", "pgs", {"order=colour", "position=split"}, 0.4},
    {"pile", "spheres", "600", "pgs", {"order=colour", "contact_hertz=30", "relax=1"}, 0.1},
    {"pile", "spheres", "600", "xpbd", {"substeps=2", "contact=stick"}, 0.1},
    {"pyramid", "base", "16", "pgs", {"order=colour", "position=ngs"}, 0.1},
    {"pyramid", "base", "16", "xpbd", {"substeps=2"}, 0.05},
    {"chain", "links", "1200", "pgs", {"order=colour"}, 0.05},
    {"chain", "links", "1200", "xpbd", {"substeps=4"}, 0.05},
    {"chain", "links", "1200", "xpbd", {"substeps=4", "order=colour"}, 0.05},
    {"pile", "spheres", "600", "xpbd", {"substeps=2", "order=colour"}, 0.1},
    {"pile", "spheres", "600", "xpbd", {"substeps=2", "order=colour", "contact=stick"}, 0.1},
    {"cloth", NULL, NULL, "pbd", {"order=colour"}, 0.1},
    {"cloth", NULL, NULL, "pgs", {"order=colour"}, 0.1},
};

static const Solver *solver_named(const char *name, Run *run)
{
    for (int i = 0; i < solver_count; i++)
        if (strcmp(all_solvers[i]->name, name) == 0) {
            run_choose_solver(run, all_solvers[i]);
            return all_solvers[i];
        }
    fail_msg("no solver %s", name);
    return NULL;
}

static Run run_case(const Case *c, int threads)
{
    Run run = {.dt = 1.0 / 60.0, .time = c->time, .refuses_truth = true, .threads = threads};
    Status status = {0};
    assert_true(run_choose_scene(&run, c->scene, &status));
    assert_true(!c->parameter || run_set_param(&run, c->parameter, c->value, &status));
    solver_named(c->solver, &run);
    for (int i = 0; i < 3 && c->options[i]; i++)
        if (!runs_assign_option(&run, 1, c->options[i], &status))
            fail_msg("%s: %s", c->options[i], status.message);
    if (!run_make(&run, NULL))
        fail_msg("%s with %s: %s", c->scene, c->solver, run.status.message);
    return run;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Run one = run_case(&CASES[i], 1);
        const World *alone = one.problem->world;
        for (int threads = 2; threads <= 4; threads++) {
            Run run = run_case(&CASES[i], threads);
            const World *world = run.problem->world;
            size_t bodies = (size_t)world->body_count;
            assert_int_equal(one.result.row_solves, run.result.row_solves);
            assert_memory_equal(one.result.metrics, run.result.metrics, sizeof one.result.metrics);
            assert_memory_equal(alone->pose, world->pose, sizeof *world->pose * bodies);
            assert_memory_equal(alone->velocity, world->velocity, sizeof *world->velocity * bodies);
            assert_int_equal(alone->block_count, world->block_count);
            assert_memory_equal(alone->block_impulse, world->block_impulse, sizeof(Vec3) * (size_t)world->block_count);
            assert_null(world->team);
            run_clear(&run);
        }
        run_clear(&one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
