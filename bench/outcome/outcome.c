/* SPDX-License-Identifier: MIT */
#include "bench/outcome/outcome.h"

#include "bench/fits/median.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const outcome_names[OUTCOME_COUNT] = {"ok", "blew_up", "failed", "unsupported", "crashed", "timed_out"};

Outcome outcome_empty(int run, OutcomeStatus status)
{
    Outcome outcome = {.run = run, .status = status, .blew_up_at = NAN, .said = remarks_none()};
    outcome.us_per_frame = outcome.us_low = outcome.us_high = outcome.wall_s = NAN;
    for (int i = 0; i < METRICS_MAX; i++)
        outcome.metrics[i] = NAN;
    for (int i = 0; i < MEASURE_COUNT; i++)
        outcome.measures[i] = NAN;
    return outcome;
}

static void outcome_set_results(Outcome *outcome, const Run *run)
{
    const RunResult *result = &run->result;
    outcome->status = result->status == RUN_OK        ? OUTCOME_OK
                      : result->status == RUN_BLEW_UP ? OUTCOME_BLEW_UP
                                                      : OUTCOME_FAILED;
    outcome->blew_up_at = result->blew_up_at;
    outcome->said = remarks_of(run);
    memcpy(outcome->metrics, result->metrics, sizeof outcome->metrics);
}

/* How far a run came that ran out of work is kept: whether it would do with more goes by that. */
static void outcome_set_failure(Outcome *outcome, const Run *run)
{
    bool timed_out = run->result.status == RUN_TIMED_OUT;
    outcome->status = timed_out                                ? OUTCOME_TIMED_OUT
                      : run->status.code == STATUS_UNSUPPORTED ? OUTCOME_UNSUPPORTED
                                                               : OUTCOME_FAILED;
    if (timed_out)
        outcome->said.row_solves = run->result.row_solves;
    snprintf(outcome->message, sizeof outcome->message, "%.255s", run->status.message);
}

static void outcome_set_times(Outcome *outcome, double *us, double *wall, int count)
{
    outcome->us_per_frame = median(us, count);
    outcome->us_low = us[0]; /* the median has sorted them */
    outcome->us_high = us[count - 1];
    outcome->wall_s = median(wall, count);
}

static void outcome_of_motion(const Experiment *experiment, int index, Outcome *outcome)
{
    double *times = malloc(2 * sizeof *times * (size_t)experiment->repeats), *wall = times + experiment->repeats;
    *outcome = outcome_empty(index, OUTCOME_FAILED);
    ReferenceTruths *truths = reference_truths_create();
    bool made = times && truths;
    if (!made)
        snprintf(outcome->message, sizeof outcome->message, "out of memory");
    for (int i = 0; made && i < experiment->repeats; i++) {
        Run run;
        experiment_get(experiment, index, &run);
        run.truths = truths;
        run.threads = experiment->threads;
        made = run_make(&run, NULL);
        if (made) {
            times[i] = run.result.us_per_frame;
            wall[i] = run.result.wall_s;
            if (i == 0)
                outcome_set_results(outcome, &run);
        } else {
            outcome_set_failure(outcome, &run);
        }
        run_clear(&run);
    }
    if (made)
        outcome_set_times(outcome, times, wall, experiment->repeats);
    reference_truths_destroy(truths);
    free(times);
}

void outcome_of_run(const Experiment *experiment, int index, Outcome *outcome)
{
    if (experiment_run_is_problem(&experiment->runs[index]))
        outcome_of_problem(experiment, index, outcome);
    else
        outcome_of_motion(experiment, index, outcome);
}
