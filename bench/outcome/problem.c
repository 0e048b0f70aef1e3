/* SPDX-License-Identifier: MIT */
/* The outcome of a run that is an attempt at a contact problem. */
#include "bench/fits/median.h"
#include "bench/outcome/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The repeats differ in their times alone: the median of each measure. */
static void outcome_set_measures(Outcome *outcome, const double (*measures)[MEASURE_COUNT], double *scratch, int count)
{
    for (int m = 0; m < MEASURE_COUNT; m++) {
        for (int i = 0; i < count; i++)
            scratch[i] = measures[i][m];
        outcome->measures[m] = isnan(scratch[0]) ? NAN : median(scratch, count);
    }
}

/* False with a message; what the method refuses is an outcome. */
static bool outcome_attempt(Outcome *outcome, const ContactProblem *problem, const ExperimentRun *run,
                            double measures[MEASURE_COUNT], double *seconds, Status *status)
{
    Attempt attempt;
    bool ok = attempt_make(&attempt, problem, run->solver, run->options, attempt_iterations(run->solver, run->options),
                           status);
    bool refused = attempt.status.code != STATUS_OK;
    measures_of(problem, &attempt, measures);
    *seconds = attempt.seconds;
    outcome->status = !ok                                         ? OUTCOME_FAILED
                      : attempt.status.code == STATUS_UNSUPPORTED ? OUTCOME_UNSUPPORTED
                      : refused                                   ? OUTCOME_FAILED
                      : isfinite(attempt.residual)                ? OUTCOME_OK
                                                                  : OUTCOME_BLEW_UP;
    outcome->metrics[metric_find("residual")] = attempt.residual;
    if (!refused)
        outcome->said.row_solves = (double)attempt.row_solves;
    else
        *status = attempt.status;
    attempt_free(&attempt);
    return ok && !refused;
}

void outcome_of_problem(const Experiment *experiment, int index, Outcome *outcome)
{
    const ExperimentRun *run = &experiment->runs[index];
    int repeats = experiment->repeats, made = 0;
    double(*measures)[MEASURE_COUNT] = malloc(sizeof *measures * (size_t)repeats);
    double *seconds = malloc(2 * sizeof *seconds * (size_t)repeats);
    ContactProblem own = {0};
    const ContactProblem *problem = NULL;
    Status status = {0};
    *outcome = outcome_empty(index, OUTCOME_FAILED);
    bool ok = measures && seconds ? (problem = experiment_problem_open(run->file, &own, &status)) != NULL
                                  : status_set(&status, STATUS_FAILED, "out of memory");
    for (; ok && made < repeats; made++)
        ok = outcome_attempt(outcome, problem, run, measures[made], &seconds[made], &status);
    if (ok) {
        outcome_set_measures(outcome, measures, seconds + repeats, repeats);
        outcome->wall_s = median(seconds, repeats);
    } else {
        snprintf(outcome->message, sizeof outcome->message, "%.255s", status.message);
    }
    contact_problem_free(&own);
    free(measures);
    free(seconds);
}
