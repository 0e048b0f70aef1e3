/* SPDX-License-Identifier: MIT */
/* The memory of a run is estimated before it starts: what it then takes is no more. */
#include "bench/process/sanitized.h"
#include "bench/run/memory.h"
#include "bench/run/run.h"
#include "bench/run/solver_set.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes that a process takes beyond what it asks for: pages half filled, and of libraries first touched by a run. */
static const double SLACK = 4e6;

static const struct {
    const char *scene, *param, *value;
    int frames;
    const char *solvers[9];
} RUNS[] = {
    {"chain", "links", "3000", 2, {"pgs", "xpbd", "direct", "featherstone", "nncg", "mujoco_newton", "avbd"}},
    {"chain", "links", "300", 2, {"kkt", "rattle", "pgs_dense"}},
    {"pile", "spheres", "400", 45, {"pgs", "xpbd", "avbd", "penalty", "nncg", "apgd", "jacobi_split", "mujoco_newton"}},
    {"pyramid", "base", "10", 1, {"pgs", "xpbd", "newton", "pgs_dense", "lcp"}},
};

enum { RUN_COUNT = sizeof RUNS / sizeof RUNS[0] };

/* In a child: bytes at its peak, over the estimate and the slack. */
static int run_in_child(int index, const char *solver)
{
    Run run = {.refuses_truth = true, .dt = RUN_DEFAULT_DT, .time = RUNS[index].frames * RUN_DEFAULT_DT};
    Status status = {0};
    struct rusage before, after;
    SolverSet set;
    getrusage(RUSAGE_SELF, &before);
    if (!solver_set_open(&set, &status) || !run_choose_scene(&run, RUNS[index].scene, &status) ||
        !run_set_param(&run, RUNS[index].param, RUNS[index].value, &status))
        return 2;
    run_choose_solver(&run, solver_set_find(&set, solver, &status));
    Problem *problem = run_build(&run, &status);
    double estimate = problem ? memory_of_run(problem, run.solver, RUNS[index].frames, false) : 0.0;
    problem_destroy(problem);
    if (!run_make(&run, NULL))
        return 2;
    getrusage(RUSAGE_SELF, &after);
    double taken = 1024.0 * (double)(after.ru_maxrss - before.ru_maxrss);
    printf("%-8s %-13s estimate %6.1f MB, taken %6.1f MB\n", RUNS[index].scene, solver, 1e-6 * estimate, 1e-6 * taken);
    fflush(stdout);
    return taken > estimate + SLACK;
}

static void run_takes_no_more_than_estimated(void **state)
{
    (void)state;
    if (SANITIZED)
        skip(); /* takes memory of its own for every byte */
    for (int i = 0; i < RUN_COUNT; i++)
        for (int k = 0; RUNS[i].solvers[k]; k++) {
            int end = 0;
            fflush(NULL);
            pid_t child = fork();
            if (child == 0)
                _exit(run_in_child(i, RUNS[i].solvers[k]));
            assert_true(child > 0 && waitpid(child, &end, 0) == child);
            if (!WIFEXITED(end) || WEXITSTATUS(end) != 0)
                fail_msg("%s %s takes more than its estimate, or does not run", RUNS[i].scene, RUNS[i].solvers[k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(run_takes_no_more_than_estimated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
