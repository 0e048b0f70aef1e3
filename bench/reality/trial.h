/* SPDX-License-Identifier: MIT */
/* Solvers against a suite of measured motions: every item with every solver, in its class and with its pair of friction
 * and restitution; means with bootstrap intervals, and who differs from whom over the same items. */
#ifndef RIGOR_BENCH_REALITY_TRIAL_H
#define RIGOR_BENCH_REALITY_TRIAL_H

#include "bench/fits/resample.h"
#include "bench/reality/suite.h"

/* A solver in one class. The default class is its own options, the fine one a substep of at most 1/2960 s. */
typedef struct Entry {
    Run run;
    bool closed; /* no solver, but the suite's closed form */
    bool fine;
    bool same; /* fine, but its own options are fine already: the entry before it, which ran */
    double friction, restitution;
    bool fitted, borrowed; /* the pair; borrowed: pgs's, since an item takes longer than FIT_SLOW */
    Score *scores;         /* of the items that count, in their order; owned */
    int lost, failed;      /* items that blew up, or could not be run to their end: `status` has the first message */
    bool absent;           /* none could be run: no row */
    Status status;
    /* Over the items. */
    double mean[SUITE_MEASURES], median;
    Interval interval;
    double seconds; /* of a processor an item */
} Entry;

static const double FIT_SLOW = 0.05; /* s */

typedef struct Trial {
    const Suite *suite;
    void *data;
    int item_count; /* in the data */
    int *items;     /* those that count */
    int used;
    bool test; /* they are of the half that scores; else of both */
    int jobs;
    uint64_t seed;
    Entry *entries;
    int entry_count;
    void (*progress)(int done, int total, const char *what);
    /* What came of it: the entries that ran, best first, and all pairs of them, by their place here. */
    int *order;
    int ranked;
    Pairs pairs;
} Trial;

/* Reads the suite's data; `every` n-th item counts, of the half that scores or of both. */
bool trial_open(Trial *trial, const Suite *suite, int every, bool test, Status *status);
void trial_close(Trial *trial);

/* An entry a run and class; with the closed form, where the suite has one. */
bool trial_add(Trial *trial, const Run *runs, int run_count, bool coarse, bool fine, Status *status);

/* The pair of every entry, fitted on the training half (of the fine class, on the items for a quick fit): the least
 * mean of the first measure. */
bool trial_fit(Trial *trial, Status *status);

/* Runs everything, then compares. */
bool trial_run(Trial *trial, Status *status);

/* Part of the trial: the mean of the first measure over some items; infinite where the entry cannot run. */
bool trial_mean(const Trial *trial, const Entry *entry, const int *items, int count, double friction,
                double restitution, double *mean, double *seconds, Status *status);

#endif
