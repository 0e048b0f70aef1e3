/* SPDX-License-Identifier: MIT */
/* A sweep: every run of an experiment that the store does not have yet, handed to a crew, each stored as it ends. */
#ifndef RIGOR_BENCH_EXPERIMENT_SWEEP_H
#define RIGOR_BENCH_EXPERIMENT_SWEEP_H

#include "bench/experiment/crew.h"
#include "bench/store/store.h"

typedef struct SweepCounts {
    int there; /* in the store before */
    int made;
    int pending; /* neither: the sweep was stopped */
    int by_status[OUTCOME_COUNT];
    double seconds;
} SweepCounts;

/* One of several parts of the runs: those whose place in the experiment is `at` modulo `of`. All zero: all of them. */
typedef struct Shard {
    int at, of; /* at: from 0 */
} Shard;

/* The runs to make; `force`: all of them, also those that the store has. */
typedef struct SweepPlan {
    int wanted; /* of the experiment, or of the shard */
    int count;
    int *runs;
    uint32_t *metrics; /* to keep of each: those wanted, and those that the store has of it already */
} SweepPlan;

bool sweep_plan(SweepPlan *plan, const Experiment *experiment, Store *store, bool force, Shard shard, Status *status);
void sweep_plan_clear(SweepPlan *plan);

/* The first interrupt (SIGINT, SIGTERM) lets what is in hand end, the second gives it up. False with a message if the
 * sweep did not come to its end; what was stored by then is counted and safe. */
bool sweep_make(const SweepPlan *plan, const Experiment *experiment, Store *store, Crew *crew, SweepCounts *counts,
                Status *status);

#endif
