/* SPDX-License-Identifier: MIT */
/* Those who make the runs of a sweep while its owner hands them out: worker processes here, or MPI ranks elsewhere.
 * Every worker has at most one run at a time. */
#ifndef RIGOR_BENCH_EXPERIMENT_CREW_H
#define RIGOR_BENCH_EXPERIMENT_CREW_H

#include "bench/outcome/outcome.h"

typedef struct Crew Crew;
struct Crew {
    int size;
    bool (*give)(Crew *crew, int worker, int run, Status *status);
    /* Waits at most so many seconds, or until a signal, for an outcome. *worker: whose it is; -1: none came. */
    bool (*take)(Crew *crew, double seconds, int *worker, Outcome *outcome, Status *status);
    /* Sends everybody home; a run still in hand is given up. */
    void (*dismiss)(Crew *crew);
};

/* What a worker does with a run. */
typedef void (*CrewWork)(const Experiment *experiment, int run, Outcome *outcome);

/* Worker processes on this machine, forked from this one. A run that kills its worker is an outcome (`crashed`), one
 * that takes longer than seconds_limit too (`timed_out`); the worker is replaced. NULL with a message. */
Crew *crew_create(const Experiment *experiment, int size, CrewWork work, double seconds_limit, Status *status);

#endif
