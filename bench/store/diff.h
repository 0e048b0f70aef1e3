/* SPDX-License-Identifier: MIT */
/* What changed between two stores: runs of the same content, whatever the version of the program that made them.
 * Where a store has several versions of a run, its last one counts. */
#ifndef RIGOR_BENCH_STORE_DIFF_H
#define RIGOR_BENCH_STORE_DIFF_H

#include "bench/store/store.h"

typedef struct StoreDifference {
    char scene[64], solver[64], params[256], options[256], what[64];
    char before[32], after[32];
    double change; /* relative to the larger of the two; NaN: no numbers */
    bool timing;   /* of us_per_frame, beyond the spread of both: told, but no change of results */
} StoreDifference;

typedef struct StoreDiff {
    int common, only_first, only_second; /* runs */
    int changed;                         /* runs whose results differ */
    int round_off;                       /* runs whose results differ, but by round-off alone */
    int timed;                           /* runs whose times could be compared */
    int count;
    StoreDifference *differences;
} StoreDiff;

/* Results are equal within DIFF_RELATIVE, or where both are below round-off, DIFF_ABSOLUTE. Times are compared where
 * both stores have at least DIFF_REPEATS repeats on the same machine; they differ if their ranges over the repeats do
 * not overlap and their medians are further apart than DIFF_TIME. */
static const double DIFF_RELATIVE = 1e-9, DIFF_ABSOLUTE = 1e-12, DIFF_TIME = 0.05;
enum { DIFF_REPEATS = 3 };

bool store_diff(const char *first_path, const char *second_path, StoreDiff *diff, Status *status);
void store_diff_clear(StoreDiff *diff);

#endif
