/* SPDX-License-Identifier: MIT */
/* What can be compared between runs: the metrics, and the costs row_solves, us_per_frame and wall_s. */
#ifndef RIGOR_BENCH_OUTCOME_QUANTITY_H
#define RIGOR_BENCH_OUTCOME_QUANTITY_H

#include "bench/run/runner.h"

/* 0 .. metric_count - 1 are the metrics; -1 with a message for an unknown name. A store has more: see profile. */
int quantity_find(const char *name, Status *status);
const char *quantity_name(int quantity);
bool quantity_more_is_better(int quantity);

/* NaN: does not apply. */
double quantity_of(const RunResult *result, int quantity);

#endif
