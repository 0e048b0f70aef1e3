/* SPDX-License-Identifier: MIT */
/* A metric, as who writes one sees it: one value for each thing it looks at, at the end of every frame, and how a run's
 * values become one number. A metric built outside the tree exports const int rigor_metric_abi = METRIC_ABI; const
 * Metric rigor_metric = {...}; and is loaded with --plugin; `rigor new metric NAME` writes one. It may call what
 * plug-ins may (solvers/solver.h). */
#ifndef RIGOR_BENCH_METRICS_METRIC_H
#define RIGOR_BENCH_METRICS_METRIC_H

#include "scenes/scene.h"

/* The values of one frame. */
typedef struct Sample {
    double largest, squares; /* NaN stays */
    long count;
} Sample;

static inline void sample_add(Sample *sample, double value)
{
    if (sample->count == 0 || isnan(value) || value > sample->largest)
        sample->largest = value;
    sample->squares += value * value;
    sample->count++;
}

typedef enum Fold {
    FOLD_MAX,      /* largest of all */
    FOLD_RMS,      /* root of the mean square of all */
    FOLD_RMS_LATE, /* the same over the last min(1 s, time) */
    FOLD_LAST,     /* largest at the last frame */
    FOLD_HOLDS,    /* a predicate, at the last frame; 0 if the run blew up */
} Fold;

/* What conserved quantities are held against. */
typedef struct Baseline {
    double energy; /* J, E - W */
    Vec3 momentum, angular_momentum;
    double momentum_scale, angular_momentum_scale; /* sums of the bodies' absolute momenta at t = 0 */
} Baseline;

/* What a metric sees at the end of a frame. */
typedef struct Frame {
    const Problem *problem;
    const World *world;
    const Baseline *baseline;
    double time, dt;      /* s, at the frame's end; its length */
    double energy_change; /* J, E - W against the baseline */
    double residual;      /* NaN: the solver has none */
    const Truth *truth;   /* at the frame's end, forces means over it; NULL: the problem has none */
} Frame;

typedef struct Metric {
    const char *name, *unit, *definition;
    Fold fold;
    bool more_is_better;
    bool of_truth;     /* held against the truth: without one it has no value */
    bool of_impulses;  /* made of the joints' impulses: a solver that does not give them has no value */
    bool of_work;      /* the same where a drive, whose work is its impulse's, is in the world */
    bool zero_if_none; /* no value means that nothing was violated: 0, where others then do not apply */
    bool (*applies)(const Problem *problem);
    void (*sample)(const Frame *frame, Sample *sample);
} Metric;

/* Raised when what is above, or what a metric reads of the problem, changes in a way that breaks one already built. */
enum { METRIC_ABI = 1 };

#endif
