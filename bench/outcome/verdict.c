/* SPDX-License-Identifier: MIT */
#include "bench/outcome/verdict.h"

#include <string.h>

const char *const verdict_names[VERDICT_COUNT] = {NULL, "holds", "drifts", "falls"};

/* Drift or overlap beyond this part of a body's size can be seen by whoever looks. */
static const double SIZE_SEEN = 0.01;

/* NaN where it does not apply: no comparison with it holds. */
static double value_of(const double metrics[METRICS_MAX], const char *name)
{
    return metrics[metric_find(name)];
}

Verdict verdict_judge(RunStatus status, const double metrics[METRICS_MAX], double length)
{
    if (status == RUN_BLEW_UP)
        return VERDICT_FALLS;
    if (status != RUN_OK)
        return VERDICT_NONE;
    if (value_of(metrics, "settled") == 0.0)
        return VERDICT_FALLS;
    double seen = SIZE_SEEN * length;
    bool drifts = value_of(metrics, "drift_max") > seen || value_of(metrics, "penetration_max") > seen ||
                  value_of(metrics, "energy_gain_max") > VERDICT_ENERGY_GAIN;
    return drifts ? VERDICT_DRIFTS : VERDICT_HOLDS;
}

Verdict verdict_of(const Run *run)
{
    return run->made ? verdict_judge(run->result.status, run->result.metrics, run->problem->world->length_scale)
                     : VERDICT_NONE;
}

Verdict verdict_find(const char *name)
{
    for (int i = VERDICT_HOLDS; name && i < VERDICT_COUNT; i++)
        if (strcmp(verdict_names[i], name) == 0)
            return (Verdict)i;
    return VERDICT_NONE;
}
