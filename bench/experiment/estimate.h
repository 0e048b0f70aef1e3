/* SPDX-License-Identifier: MIT */
/* How long will an experiment take? A few runs of every solver are begun, in worker processes: one frame, then some
 * more, which gives what a run costs to set up and what a frame costs. Any other run is taken to cost what the nearest
 * of those does, in proportion to frames x substeps x iterations x (bodies + blocks). */
#ifndef RIGOR_BENCH_EXPERIMENT_ESTIMATE_H
#define RIGOR_BENCH_EXPERIMENT_ESTIMATE_H

#include "bench/experiment/experiment.h"

typedef struct Estimate {
    double seconds;  /* of one processor, for all runs and repeats */
    int samples;     /* runs begun */
    int unbuildable; /* scenes whose parameters do not go together: recorded as failed */
    int unsupported; /* pairs that are refused: recorded as such */
    Status fault;    /* the first such */
} Estimate;

/* Not `measured`: nothing is run, and the seconds stay NaN. */
bool estimate_make(const Experiment *experiment, bool measured, Estimate *estimate, Status *status);

#endif
