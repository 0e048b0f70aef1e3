/* SPDX-License-Identifier: MIT */
/* Runs of a store in groups: what many runs give together, with intervals by resampling them (the bootstrap's
 * percentiles). */
#ifndef RIGOR_BENCH_STORE_RESULTS_GROUP_H
#define RIGOR_BENCH_STORE_RESULTS_GROUP_H

#include "bench/text/table.h"

#include <jansson.h>

/* How many times a group is resampled for an interval. */
enum { GROUP_RESAMPLES = 2000 };

/* Comma lists. Each row is a group: runs that agree in the columns `by` have one; or, where one of them is `pivot`, the
 * values of that one stand beside each other. Of each of `metrics` there are the columns `aggregates`: count, mean,
 * median, min, max, sd, ci95 (two: the interval of the median where that is asked for, else of the mean). NULL: every
 * metric that the rows have; the median. */
typedef struct Grouping {
    const char *by, *pivot, *metrics, *aggregates;
    unsigned seed;
} Grouping;

/* Of rows as objects, column -> value. NULL with a message. */
Table *results_group(const json_t *rows, const Grouping *grouping, Status *status);

/* Whether some aggregate is an interval, whose seed a reader wants to know. */
bool grouping_resamples(const Grouping *grouping);

#endif
