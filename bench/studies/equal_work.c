/* SPDX-License-Identifier: MIT */
#include "bench/studies/equal_work.h"

#include "bench/run/json.h"
#include "solvers/engines/engine.h"

#include <stdio.h>
#include <stdlib.h>

/* Contacts come and go with the step, so a trial may miss the target: it is repeated, this often at most, until the
 * work is so near. Whole numbers of sweeps allow no more. */
enum { TRIALS = 5 };
static const double NEAR_ENOUGH = 0.005;

static const CommonOptions *common(const Run *run)
{
    return (const CommonOptions *)run->options;
}

/* Row solves a frame of this run as it stands; NaN: it cannot be made, or does not count them. */
static double work_measure(const Run *run)
{
    Run trial = *run;
    trial.refuses_truth = true;
    trial.keep_series = false;
    bool made = run_make(&trial, NULL) && trial.result.frames_done > 0;
    double work = made ? trial.result.row_solves / trial.result.frames_done : NAN;
    run_clear(&trial);
    return work;
}

static bool run_sweeps(const Run *run)
{
    return !engine_of(run->solver) && run_find_option(run, "iterations") && run_find_option(run, "substeps");
}

static bool share_set(Run *run, WorkShare *share, int value, Status *status)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    share->to = value;
    return run_set_option(run, share->option, text, status);
}

static bool share_scale(Run *run, WorkShare *share, double target, Status *status)
{
    bool ok = true;
    for (int i = 0; ok && i < TRIALS && fabs(share->row_solves / target - 1.0) > NEAR_ENOUGH; i++) {
        int next = (int)fmax(1.0, round(share->to * target / share->row_solves));
        if (next == share->to)
            break;
        ok = share_set(run, share, next, status);
        share->row_solves = ok ? work_measure(run) : NAN;
        if (!(share->row_solves > 0.0))
            return ok &&
                   status_set(status, STATUS_FAILED, "%s: no run with %s=%d", run->solver->name, share->option, next);
    }
    return ok;
}

bool equal_work_scale(Run *runs, int count, WorkShare *shares, double *target, Status *status)
{
    *target = NAN;
    for (int i = 0; i < count; i++) {
        const CommonOptions *options = common(&runs[i]);
        bool iterates = options->iterations > options->substeps;
        shares[i] = (WorkShare){.option = iterates ? "iterations" : "substeps",
                                .from = iterates ? options->iterations : options->substeps,
                                .row_solves = run_sweeps(&runs[i]) ? work_measure(&runs[i]) : NAN};
        shares[i].to = shares[i].from;
        shares[i].sweeps = shares[i].row_solves > 0.0;
        if (shares[i].sweeps)
            *target = fmax(*target, shares[i].row_solves); /* of NaN and a number the number */
    }
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok = !shares[i].sweeps || share_scale(&runs[i], &shares[i], *target, status);
    return ok;
}

const char *equal_work_text(const WorkShare *share, char text[EQUAL_WORK_TEXT])
{
    if (!share->sweeps)
        snprintf(text, EQUAL_WORK_TEXT, "no sweeps");
    else if (share->from == share->to)
        snprintf(text, EQUAL_WORK_TEXT, "%s %d", share->option, share->to);
    else
        snprintf(text, EQUAL_WORK_TEXT, "%s %d -> %d", share->option, share->from, share->to);
    return text;
}

json_t *equal_work_json(const WorkShare *share)
{
    return share->sweeps ? json_pack("{s:s,s:i,s:i,s:o}", "option", share->option, "from", share->from, "to", share->to,
                                     "row_solves_per_frame", json_number(share->row_solves))
                         : json_null();
}
