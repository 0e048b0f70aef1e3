/* SPDX-License-Identifier: MIT */
/* Why do simulated cubes miss the measured ones? Stated variants of the cube, of its contact and of how a solver treats
 * it: the numbers of each are fitted on the training half, beside friction and restitution, and the other half says
 * whether it comes nearer than the cube as published does with a fitted pair. */
#ifndef RIGOR_BENCH_REALITY_CUBE_H
#define RIGOR_BENCH_REALITY_CUBE_H

#include "bench/fits/resample.h"
#include "bench/fits/simplex.h"
#include "bench/reality/tosses.h"

enum { CUBE_NUMBERS = 3 };

/* A number that is fitted: of the cube, or an option of the solver. */
typedef struct CubeNumber {
    const char *name, *unit;
    double shown;       /* of the unit: times the number's own */
    size_t place;       /* in TossCube, if `option` is NULL */
    const char *option; /* of the solver */
    double start, step, least, most;
} CubeNumber;

typedef struct CubeVariant {
    const char *name;
    const char *about;
    const char *option, *value; /* an option that the solver gets; NULL: none */
    int count;
    CubeNumber numbers[CUBE_NUMBERS];
} CubeVariant;

/* The first is the cube as published, with a fitted pair. */
extern const CubeVariant all_cube_variants[];
extern const int cube_variant_count;

/* A solver with a variant. */
typedef struct CubeTrial {
    Run run;
    const CubeVariant *variant;
    bool absent; /* the solver has no such option, or cannot run it: `status` says which */
    Status status;
    double friction, restitution, found[CUBE_NUMBERS];
    double train; /* %: the mean over the training half */
    double *pos;  /* %: of each toss of the other half; owned */
    int lost;     /* of them blew up */
    double mean;
    Interval interval;
    /* Against the same solver with the first variant, toss by toss. */
    double change;
    Interval change_interval;
    double p;
    Decision decision;
} CubeTrial;

typedef struct CubeStudy {
    Tosses tosses;
    int *train, *test; /* tosses */
    int train_count, test_count;
    int jobs;
    uint64_t seed;
    long flips;
    CubeTrial *trials; /* solver by solver, every variant */
    int trial_count;
    void (*progress)(int done, int total, const char *what);
} CubeStudy;

/* Reads the tosses, of which every n-th counts; to be closed in any case. */
bool cube_open(CubeStudy *study, int every, Status *status);
bool cube_run(CubeStudy *study, const Run *runs, int run_count, Status *status);
void cube_close(CubeStudy *study);

#endif
