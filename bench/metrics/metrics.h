/* Metrics: what is measured at the end of every frame, and how the frames' values become one number a run.
 * A metric is a `const Metric` in one of the metric_*.c files and a line in the list of metrics.c. Its sample() adds
 * one value for each thing it looks at (a block, a body, a joint); neighbours in the list with the same sample() share
 * one evaluation. A metric that never got a value is NaN: it does not apply. */
#ifndef RIGOR_BENCH_METRICS_METRICS_H
#define RIGOR_BENCH_METRICS_METRICS_H

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

enum { METRICS_MAX = 32 };

extern const Metric *const all_metrics[];
extern const int metric_count;

/* Index in the list, or -1. */
int metric_find(const char *name);

/* Follows one run; all memory is taken at the beginning. */
typedef struct MetricRecorder MetricRecorder;

/* The world is as the run begins; traits (of Trait) say what the solver does not give. With keep_series every frame's
 * values are kept. NULL: out of memory. */
MetricRecorder *metrics_begin(const Problem *problem, double dt, int frames, unsigned traits, bool keep_series);
void metrics_destroy(MetricRecorder *recorder);

/* Around an event that changes what the world holds: its share leaves the baseline, errors made so far stay. */
void metrics_before_event(MetricRecorder *recorder);
void metrics_after_event(MetricRecorder *recorder);

/* The world is as the frame, 1 .. frames, ends. False: a metric is not finite there, and the frame was left out. */
bool metrics_record(MetricRecorder *recorder, int frame, double residual);

/* What the series has for the last frame recorded; NULL if there is none, or no series. */
const double *metrics_last(const MetricRecorder *recorder);

/* One number a metric; NaN: does not apply. */
void metrics_finish(const MetricRecorder *recorder, bool blew_up, double values[METRICS_MAX]);

/* Hands over the series: metric_count values for each frame recorded; NULL if none were kept. */
double *metrics_take_series(MetricRecorder *recorder);

#endif
