/* SPDX-License-Identifier: MIT */
/* Stores of several machines in one: a run is known by its key, which is its content. */
#ifndef RIGOR_BENCH_STORE_MERGE_H
#define RIGOR_BENCH_STORE_MERGE_H

#include "bench/store/store.h"

typedef struct MergeCounts {
    int added, there; /* runs that were new; that the store had */
} MergeCounts;

/* Adds the runs of the store at `path`. A run that both have must have come to the same (bench/store/diff.h says how
 * far numbers may be apart); its metrics are those of both. A run that timed out in one counts as not made. False, with
 * a message that names a run and what differs: nothing of that store is in. */
bool store_merge(Store *into, const char *path, MergeCounts *counts, Status *status);

#endif
