/* SPDX-License-Identifier: MIT */
#include "bench/outcome/warnings.h"

#include "bench/outcome/verdict.h"
#include "solvers/truth/coulomb.h"
#include "solvers/truth/impact_orders.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Drift or overlap beyond this part of a body's size can be seen. */
static const double SIZE_DOUBTFUL = 0.1;

/* Bodies that are this many of their sizes from where they should be are elsewhere. */
static const double SIZES_ELSEWHERE = 1.0;

/* Beyond what redundant rows, whose errors neither grow nor shrink, may show by round-off. */
static const double AMPLIFIES = 1.0 + 1e-6;

/* A limit stops without a bounce; a fifth of a speed is beyond what steps and gravity leave in a frame. */
static const double REBOUND_DOUBTFUL = 0.2;

void warnings_add(Warnings *warnings, const char *format, ...)
{
    va_list arguments;
    if (warnings->count == WARNINGS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(warnings->texts[warnings->count++], WARNING_TEXT, format, arguments);
    va_end(arguments);
}

void warnings_add_amplification(Warnings *warnings, double factor)
{
    if (factor > AMPLIFIES)
        warnings_add(warnings, "warm start with Baumgarte amplifies errors by %.4g a substep", factor);
}

/* Of more substeps than one, where they are no refinement. */
static void warnings_add_per_step(Warnings *warnings, const Run *run)
{
    const char *what = run->solver->per_step ? run->solver->per_step(run->options) : NULL;
    if (what && ((const CommonOptions *)run->options)->substeps > 1)
        warnings_add(warnings, "substeps are no refinement of %.32s: %s", run->solver->name, what);
}

/* Of an end that is not the scene's, and a way that is not the true one. */
static void warnings_add_end(Warnings *warnings, double settled, double error, double size)
{
    if (settled == 0.0)
        warnings_add(warnings, "it does not end as the scene asks (settled)");
    if (error > SIZES_ELSEWHERE * size)
        warnings_add(warnings, "bodies were up to %.3g m from where they should be, %.3g of a body's size", error,
                     error / size);
}

/* Of a motion that is one of several. */
static void warnings_add_orders(Warnings *warnings, const RunResult *result)
{
    for (int i = 0; i < result->event_count; i++)
        if (strcmp(result->events[i].what, IMPACTS_NOT_UNIQUE) == 0)
            warnings_add(warnings,
                         "the motion is not unique: at %.4g s impacts end as they are ordered, the fastest first",
                         result->events[i].first_at);
        else if (strcmp(result->events[i].what, IMPACTS_TOO_MANY) == 0)
            warnings_add(warnings, "the motion may be one of several: at %.4g s more than 6 contacts collide at once",
                         result->events[i].first_at);
        else if (strcmp(result->events[i].what, COULOMB_NOT_UNIQUE) == 0)
            warnings_add(warnings, "the motion is not unique: several obey Coulomb's law from %.4g s on",
                         result->events[i].first_at);
}

/* NaN where it does not apply: no comparison with it holds. */
static double value_of(const Run *run, const char *metric)
{
    return run->result.metrics[metric_find(metric)];
}

Warnings warnings_of(const Run *run)
{
    Warnings warnings = {0};
    double size = run->problem->world->length_scale;
    double gain = value_of(run, "energy_gain_max"), drift = value_of(run, "drift_max");
    double overlap = value_of(run, "penetration_max");
    if (gain > VERDICT_ENERGY_GAIN)
        warnings_add(&warnings, "energy grew to %.3g times the scene's scale", gain);
    if (drift > SIZE_DOUBTFUL * size)
        warnings_add(&warnings, "joints came apart by %.3g m, %.3g of a body's size", drift, drift / size);
    if (overlap > SIZE_DOUBTFUL * size)
        warnings_add(&warnings, "bodies overlapped by %.3g m, %.3g of a body's size", overlap, overlap / size);
    if (run->result.limit_rebound > REBOUND_DOUBTFUL)
        warnings_add(&warnings, "limit rebound: %.60s leaves its limit at %.3g of the speed of its arrival",
                     run->problem->world->joints[run->result.rebound_joint].def.name, run->result.limit_rebound);
    warnings_add_amplification(&warnings, run->amplification);
    warnings_add_end(&warnings, value_of(run, "settled"), value_of(run, "error_max"), size);
    warnings_add_per_step(&warnings, run);
    warnings_add_orders(&warnings, &run->result);
    return warnings;
}
