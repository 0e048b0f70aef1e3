/* SPDX-License-Identifier: MIT */
#include "bench/outcome/verdict.h"

#include <string.h>

const char *const verdict_names[VERDICT_COUNT] = {NULL, "holds", "drifts", "falls"};

/* Drift or overlap beyond this part of a body's size can be seen in a picture. */
static const double SIZE_SEEN = 0.01;

/* Joints a body's length apart hold nothing, bodies so deep have gone through each other, and with all of the scene's
 * energy once more the motion is another. */
static const double SIZE_LOST = 1.0, ENERGY_LOST = 1.0;

/* NaN where it does not apply: no comparison with it holds. */
static double value_of(const double metrics[METRICS_MAX], const char *name)
{
    return metrics[metric_find(name)];
}

static bool exceeds(const double metrics[METRICS_MAX], double size, double gain)
{
    return value_of(metrics, "drift_max") > size || value_of(metrics, "penetration_max") > size ||
           value_of(metrics, "energy_gain_max") > gain;
}

Verdict verdict_judge(RunStatus status, const double metrics[METRICS_MAX], double length)
{
    if (status == RUN_BLEW_UP)
        return VERDICT_FALLS;
    if (status != RUN_OK)
        return VERDICT_NONE;
    if (value_of(metrics, "settled") == 0.0)
        return VERDICT_FALLS;
    if (exceeds(metrics, SIZE_LOST * length, ENERGY_LOST))
        return VERDICT_FALLS;
    return exceeds(metrics, SIZE_SEEN * length, VERDICT_ENERGY_GAIN) ? VERDICT_DRIFTS : VERDICT_HOLDS;
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
