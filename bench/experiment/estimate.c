/* SPDX-License-Identifier: MIT */
#include "bench/experiment/estimate.h"

#include "bench/experiment/crew.h"
#include "bench/process/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_PER_SOLVER = 5, PROBE_FRAMES = 10 };

/* A probe is given up after this, s; the run then counts with its time limit. */
static const double PROBE_LIMIT = 3.0;

typedef struct SampleCost {
    const Solver *solver;
    double work, seconds;
} SampleCost;

/* Processor time: on a busy machine the clock on the wall would tell of others. */
static double seconds_of(const Experiment *experiment, int index, int frames)
{
    Run run;
    experiment_get(experiment, index, &run);
    run.time = frames * run.dt;
    double begin = clock_spent();
    run_make(&run, NULL);
    run_clear(&run);
    return clock_spent() - begin;
}

/* What an attempt at a problem would take, from its first iterations. */
static double seconds_of_problem(const ExperimentRun *run)
{
    ContactProblem own;
    Attempt attempt;
    Status status = {0};
    const ContactProblem *problem = experiment_problem_open(run->file, &own, &status);
    int asked = attempt_iterations(run->solver, run->options), made = asked < PROBE_FRAMES ? asked : PROBE_FRAMES;
    if (!problem)
        return 0.0;
    bool ok = attempt_make(&attempt, problem, run->solver, run->options, made, &status) && attempt.iterations > 0;
    double seconds = ok ? attempt.seconds * asked / attempt.iterations : 0.0;
    attempt_free(&attempt);
    contact_problem_free(&own);
    return seconds;
}

/* outcome->wall_s: what the whole run would take. */
static void probe(const Experiment *experiment, int index, Outcome *outcome)
{
    const ExperimentRun *run = &experiment->runs[index];
    if (experiment_run_is_problem(run)) {
        *outcome = outcome_empty(index, OUTCOME_OK);
        outcome->wall_s = seconds_of_problem(run);
        return;
    }
    double frames = round(run->time / run->dt), first = seconds_of(experiment, index, 1), more = 0.0;
    if (frames > 1.0)
        more = seconds_of(experiment, index, 1 + PROBE_FRAMES) - first;
    *outcome = outcome_empty(index, OUTCOME_OK);
    outcome->wall_s = first + fmax(more, 0.0) / PROBE_FRAMES * (frames - 1.0);
}

/* What the cost of a run is in proportion to; NaN: it will not be made. */
static double run_work(const Experiment *experiment, int index, Problem **problem, Estimate *estimate)
{
    const ExperimentRun *given = &experiment->runs[index];
    if (experiment_run_is_problem(given)) {
        ContactProblem own;
        Status unread = {0};
        const ContactProblem *open = experiment_problem_open(given->file, &own, &unread);
        double numbers = open ? (double)cone_system_numbers(&open->system) : NAN;
        contact_problem_free(&own);
        estimate->unsupported += !given->solver->method;
        estimate->unbuildable += !open;
        if (!open && estimate->fault.code == STATUS_OK)
            estimate->fault = unread;
        return given->solver->method ? numbers * attempt_iterations(given->solver, given->options) : NAN;
    }
    Run run;
    Status status = {0};
    const ExperimentRun *now = &experiment->runs[index], *before = index > 0 ? now - 1 : NULL;
    bool same = before && before->scene == now->scene && before->file == now->file &&
                (!now->scene || memcmp(before->params, now->params, now->scene->params_size) == 0);
    experiment_get(experiment, index, &run);
    if (!same) {
        problem_destroy(*problem);
        *problem = run_build(&run, &status);
    }
    if (!*problem || !solver_supports(run.solver, (*problem)->world, &status)) {
        if (*problem)
            estimate->unsupported++;
        else
            estimate->unbuildable++;
        if (estimate->fault.code == STATUS_OK)
            estimate->fault = status;
        return NAN;
    }
    const CommonOptions *options = (const CommonOptions *)run.options;
    double size = (*problem)->world->body_count + (*problem)->world->block_count;
    int sweeps = options->iterations > 0 ? options->iterations : 1;
    return size * options->substeps * sweeps * round(run.time / run.dt);
}

/* Begins every stride-th run of a solver's; the work of each is known. */
static bool sample_solver(const Experiment *experiment, const double *work, const Solver *solver, Crew *pool,
                          SampleCost *samples, int *count, Status *status)
{
    int runs = 0, seen = 0, taken = 0;
    for (int i = 0; i < experiment->run_count; i++)
        runs += experiment->runs[i].solver == solver && !isnan(work[i]);
    for (int i = 0; i < experiment->run_count; i++) {
        if (experiment->runs[i].solver != solver || isnan(work[i]))
            continue;
        bool chosen = seen++ == (runs - 1) * taken / (SAMPLES_PER_SOLVER - 1);
        if (!chosen || taken == SAMPLES_PER_SOLVER)
            continue;
        Outcome outcome;
        int worker = -1;
        if (!pool->give(pool, 0, i, status))
            return false;
        while (worker < 0)
            if (!pool->take(pool, PROBE_LIMIT, &worker, &outcome, status))
                return false;
        bool measured = outcome.status == OUTCOME_OK;
        samples[(*count)++] = (SampleCost){solver, work[i], measured ? outcome.wall_s : experiment->run_time_limit};
        taken++;
    }
    return true;
}

static double sampled_seconds(const SampleCost *samples, int count, const Solver *solver, double work)
{
    const SampleCost *nearest = NULL;
    for (int i = 0; i < count; i++)
        if (samples[i].solver == solver &&
            (!nearest || fabs(log(samples[i].work / work)) < fabs(log(nearest->work / work))))
            nearest = &samples[i];
    return nearest ? nearest->seconds * work / nearest->work : 0.0;
}

static bool estimate_sample(const Experiment *experiment, const double *work, Crew *pool, Estimate *estimate,
                            Status *status)
{
    SampleCost samples[(256 + PLUGINS_MAX) * SAMPLES_PER_SOLVER];
    int count = 0, limit = (int)(sizeof samples / sizeof samples[0]) - SAMPLES_PER_SOLVER;
    for (int i = 0; i < experiment->run_count && count <= limit; i++) {
        bool known = isnan(work[i]);
        for (int s = 0; s < count; s++)
            known = known || samples[s].solver == experiment->runs[i].solver;
        if (!known && !sample_solver(experiment, work, experiment->runs[i].solver, pool, samples, &count, status))
            return false;
    }
    estimate->samples = count;
    for (int i = 0; i < experiment->run_count; i++)
        if (!isnan(work[i]))
            estimate->seconds +=
                experiment->repeats *
                fmin(experiment->run_time_limit, sampled_seconds(samples, count, experiment->runs[i].solver, work[i]));
    return true;
}

bool estimate_make(const Experiment *experiment, bool measured, Estimate *estimate, Status *status)
{
    *estimate = (Estimate){0};
    double *work = calloc((size_t)experiment->run_count, sizeof *work);
    if (!work)
        return status_set(status, STATUS_FAILED, "out of memory");
    Problem *problem = NULL;
    for (int i = 0; i < experiment->run_count; i++)
        work[i] = run_work(experiment, i, &problem, estimate);
    problem_destroy(problem);
    Crew *pool = measured ? crew_create(experiment, 1, probe, PROBE_LIMIT, status) : NULL;
    bool ok = measured ? pool && estimate_sample(experiment, work, pool, estimate, status) : true;
    if (!measured)
        estimate->seconds = NAN;
    if (pool)
        pool->dismiss(pool);
    free(work);
    return ok;
}
