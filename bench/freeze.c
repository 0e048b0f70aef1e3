#include "bench/freeze.h"

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
