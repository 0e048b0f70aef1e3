/* SPDX-License-Identifier: MIT */
#include "bench/fits/search.h"

#include <math.h>

/* Both ends and five between: over six decades one sample each. */
enum { SAMPLES = 7 };

/* From this ratio on a range is divided by ratios. */
static const double DECADE = 10.0;

Range range_of(double low, double high, bool whole)
{
    return (Range){.low = low, .high = high, .whole = whole, .geometric = low > 0.0 && high / low >= DECADE};
}

double range_at(const Range *range, double fraction)
{
    if (fraction <= 0.0)
        return range->low;
    if (fraction >= 1.0)
        return range->high;
    double value = range->geometric ? range->low * pow(range->high / range->low, fraction)
                                    : range->low + fraction * (range->high - range->low);
    return range->whole ? round(value) : value;
}

double range_fraction(const Range *range, double value)
{
    return range->geometric ? log(value / range->low) / log(range->high / range->low)
                            : (value - range->low) / (range->high - range->low);
}

typedef struct Samples {
    int count;
    double value[SAMPLES];
    bool stable[SAMPLES];
} Samples;

static bool search_probe(SearchProbe probe, void *context, double value, bool *stable, Limit *limit, Status *status)
{
    limit->probes++;
    return probe(context, value, stable, status);
}

/* Both ends first: a wrong end of the range is an error before time is spent. */
static bool search_sample(const Range *range, SearchProbe probe, void *context, Samples *samples, Limit *limit,
                          Status *status)
{
    *samples = (Samples){0};
    for (int i = 0; i < SAMPLES; i++) {
        double value = range_at(range, (double)i / (SAMPLES - 1));
        if (samples->count == 0 || value > samples->value[samples->count - 1])
            samples->value[samples->count++] = value;
    }
    int last = samples->count - 1;
    if (!search_probe(probe, context, samples->value[0], &samples->stable[0], limit, status) ||
        !search_probe(probe, context, samples->value[last], &samples->stable[last], limit, status))
        return false;
    for (int i = 1; i < last; i++)
        if (!search_probe(probe, context, samples->value[i], &samples->stable[i], limit, status))
            return false;
    return true;
}

/* The pair i, i + 1 to bisect; -1: there is none. */
static int search_pair(const Samples *samples, Limit *limit)
{
    int changes = 0, falling = -1, rising = -1;
    for (int i = 0; i + 1 < samples->count; i++) {
        if (samples->stable[i] == samples->stable[i + 1])
            continue;
        changes++;
        if (samples->stable[i] && falling < 0)
            falling = i;
        if (samples->stable[i + 1])
            rising = i;
    }
    limit->monotone = changes <= 1;
    limit->smallest = falling < 0 && rising >= 0;
    return falling >= 0 ? falling : rising;
}

/* Width at which the bracket is narrow enough. A range that is not geometric may hold zero, where no relative width is
 * small: there a part of the range will do. */
static double search_width(const Range *range, double tolerance, double a, double b)
{
    if (range->whole)
        return 1.0;
    double relative = tolerance * fmin(fabs(a), fabs(b));
    return range->geometric ? relative : fmax(relative, tolerance * tolerance * (range->high - range->low));
}

static double search_middle(const Range *range, double a, double b)
{
    double middle = range->geometric ? sqrt(a * b) : 0.5 * (a + b);
    if (!range->whole)
        return middle;
    double low = fmin(a, b), high = fmax(a, b);
    return fmin(fmax(round(middle), low + 1.0), high - 1.0);
}

bool search_limit(const Range *range, double tolerance, SearchProbe probe, void *context, Limit *limit, Status *status)
{
    Samples samples;
    *limit = (Limit){.stable = NAN, .unstable = NAN};
    if (!search_sample(range, probe, context, &samples, limit, status))
        return false;
    int pair = search_pair(&samples, limit);
    if (pair < 0) {
        *(samples.stable[0] ? &limit->stable : &limit->unstable) =
            samples.value[samples.stable[0] ? samples.count - 1 : 0];
        return true;
    }
    limit->stable = samples.value[pair + limit->smallest];
    limit->unstable = samples.value[pair + !limit->smallest];
    while (fabs(limit->stable - limit->unstable) > search_width(range, tolerance, limit->stable, limit->unstable)) {
        double middle = search_middle(range, limit->stable, limit->unstable);
        if (middle == limit->stable || middle == limit->unstable)
            break; /* neighbouring numbers */
        bool stable;
        if (!search_probe(probe, context, middle, &stable, limit, status))
            return false;
        *(stable ? &limit->stable : &limit->unstable) = middle;
    }
    return true;
}
