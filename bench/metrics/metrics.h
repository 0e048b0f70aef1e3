/* SPDX-License-Identifier: MIT */
/* Metrics: what is measured at the end of every frame, and how the frames' values become one number a run.
 * A metric is a `const Metric` in one of the metric_*.c files and a line in the list of metrics.c. Its sample() adds
 * one value for each thing it looks at (a block, a body, a joint); neighbours in the list with the same sample() share
 * one evaluation. A metric that never got a value is NaN: it does not apply. */
#ifndef RIGOR_BENCH_METRICS_METRICS_H
#define RIGOR_BENCH_METRICS_METRICS_H

#include "bench/metrics/metric.h"

enum { METRICS_MAX = 32 };

/* Those of the list, and after them what --plugin brought. */
extern const Metric *all_metrics[METRICS_MAX];
extern int metric_count;

/* Adds the metric of a plug-in, before anything is run. *found: the file exports one. False with a message: it cannot
 * be taken. */
bool metrics_load(const char *path, bool *found, Status *status);

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
