/* SPDX-License-Identifier: MIT */
#include "bench/frozen/freeze.h"

/* Of a run of nothing, at t = 0. */
static const Remarks NOTHING_DONE = {0};

static Remarks freeze_remarks(const Run *from, Problem *problem, const RunResult *result)
{
    Run run = *from;
    run.problem = problem;
    run.result = *result;
    return remarks_of(&run);
}

Problem *freeze_problem(const Run *from, double at, Remarks *said, Status *status)
{
    if (said)
        *said = NOTHING_DONE;
    Problem *problem = run_build_within(from, status);
    RunResult result = {0};
    if (problem && !run_fits(from, problem, at, status)) {
        problem_destroy(problem);
        return NULL;
    }
    if (!problem || at == 0.0)
        return problem;
    RunPlan plan = {from->solver, from->options, from->dt, at, from->detect, .progress = from->progress};
    bool ok = run_problem(problem, &plan, &result, status);
    run_result_clear(&result);
    if (ok && said)
        *said = freeze_remarks(from, problem, &result);
    if (ok && result.status != RUN_OK)
        ok = status_set(status, STATUS_FAILED, "%s blew up at %g s, before %g s", from->solver->name, result.blew_up_at,
                        at);
    if (ok)
        return problem;
    problem_destroy(problem);
    return NULL;
}

json_t *freeze_describe(const Run *from, const Remarks *said)
{
    json_t *document = json_pack("{s:s}", "solver", from->solver->name);
    json_set_remarks(document, said);
    return document;
}
