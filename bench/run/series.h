/* SPDX-License-Identifier: MIT */
/* Series: metrics for every frame, as CSV.  */
#ifndef RIGOR_BENCH_RUN_SERIES_H
#define RIGOR_BENCH_RUN_SERIES_H

#include "bench/files/write_file.h"
#include "bench/run/run.h"

typedef struct Series {
    const char *path; /* NULL: no series is wanted; then every call succeeds and does nothing */
    FileWriter writer;
    FILE *file; /* the writer's, while it is open */
    bool labelled;
} Series;

/* `labels`: names of leading columns, separated by commas, or NULL for none. */
bool series_open(Series *series, const char *path, const char *labels, Status *status);

/* The frames of a run made with its series kept; `labels`: the values of the leading columns. */
void series_add(Series *series, const Run *run, const char *labels);

/* Completes the file, or, if the commands failed before, takes it away. */
bool series_close(Series *series, bool complete, Status *status);

#endif
