#include "bench/freeze.h"

#include <string.h>

bool freeze_time(const Arguments *arguments, double *at, Status *status)
{
    const char *text = argument(arguments, OPTION_AT);
    *at = 0.0;
    if (text && (!number_parse(text, at) || !(*at >= 0.0)))
        return status_set(status, STATUS_USAGE, "--at: '%s' is not a time", text);
    return true;
}

bool freeze_choose_from(const Arguments *arguments, const Run *runs, int count, const Run *otherwise, Run *from,
                        Status *status)
{
    const char *name = argument(arguments, OPTION_FROM);
    *from = *otherwise;
    if (!name)
        return true;
    for (int i = 0; i < count; i++)
        if (strcmp(runs[i].solver->name, name) == 0) {
            *from = runs[i];
            return true;
        }
    const Solver *solver = solver_set_find(&arguments->solvers, name, status);
    if (solver)
        run_choose_solver(from, solver);
    return solver != NULL;
}

Problem *freeze_problem(const Run *from, double at, Status *status)
{
    Problem *problem = run_build_within(from, status);
    RunResult result = {0};
    if (problem && !run_fits(from, problem, at, status)) {
        problem_destroy(problem);
        return NULL;
    }
    if (!problem || at == 0.0)
        return problem;
    RunPlan plan = {from->solver, from->options, from->dt, at, from->detect};
    bool ok = run_problem(problem, &plan, &result, status);
    run_result_clear(&result);
    if (ok && result.status != RUN_OK)
        ok = status_set(status, STATUS_FAILED, "%s blew up at %g s, before %g s", from->solver->name, result.blew_up_at,
                        at);
    if (ok)
        return problem;
    problem_destroy(problem);
    return NULL;
}
