#include "bench/warnings.h"

#include <stdarg.h>
#include <stdio.h>

/* More energy than this part of the scene's scale, in a scene that nothing feeds, is no rounding of a method. */
static const double ENERGY_GAIN_DOUBTFUL = 0.1;

/* Drift or overlap beyond this part of a body's size can be seen. */
static const double SIZE_DOUBTFUL = 0.1;

/* Beyond what redundant rows, whose errors neither grow nor shrink, may show by round-off. */
static const double AMPLIFIES = 1.0 + 1e-6;

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
    if (gain > ENERGY_GAIN_DOUBTFUL)
        warnings_add(&warnings, "energy grew to %.3g times the scene's scale", gain);
    if (drift > SIZE_DOUBTFUL * size)
        warnings_add(&warnings, "joints came apart by %.3g m, %.3g of a body's size", drift, drift / size);
    if (overlap > SIZE_DOUBTFUL * size)
        warnings_add(&warnings, "bodies overlapped by %.3g m, %.3g of a body's size", overlap, overlap / size);
    warnings_add_amplification(&warnings, run->amplification);
    return warnings;
}
