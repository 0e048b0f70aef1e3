/* SPDX-License-Identifier: MIT */
#include "bench/metrics/metrics.h"

#include "bench/truth/truth.h"
#include "model/energy.h"
#include "solvers/solver.h"

#include <stdlib.h>
#include <string.h>

#define METRIC(file, name) extern const Metric metric_##name;
#include "bench/metrics/list.def"
#undef METRIC

const Metric *all_metrics[METRICS_MAX] = {
#define METRIC(file, name) &metric_##name,
#include "bench/metrics/list.def"
#undef METRIC
};

enum {
    BUILT_IN = 0
#define METRIC(file, name) +1
#include "bench/metrics/list.def"
};
_Static_assert((int)BUILT_IN < (int)METRICS_MAX, "raise METRICS_MAX: plug-ins need room");
int metric_count = BUILT_IN;

int metric_find(const char *name)
{
    for (int i = 0; i < metric_count; i++)
        if (strcmp(all_metrics[i]->name, name) == 0)
            return i;
    return -1;
}

struct MetricRecorder {
    Frame frame;
    Baseline baseline, before_event;
    TruthBuffer *truth; /* NULL: the problem has none */
    int late_from;      /* first frame of FOLD_RMS_LATE */
    bool applies[METRICS_MAX];
    Sample total[METRICS_MAX], last[METRICS_MAX];
    int recorded;
    double *series; /* metric_count values a frame, or NULL */
};

static Baseline baseline_now(const World *world)
{
    return (Baseline){
        .energy = world_energy(world) - world->actuator_work,
        .momentum = world_momentum(world),
        .angular_momentum = world_angular_momentum(world),
        .momentum_scale = world_momentum_scale(world),
        .angular_momentum_scale = world_angular_momentum_scale(world),
    };
}

/* Whether some drive's work can only be told from its impulse. */
static bool world_has_drive(const World *world)
{
    for (int b = 0; b < world->joint_block_count; b++)
        if (block_is_drive(&world->blocks[b]))
            return true;
    return false;
}

/* Whether a run of so many frames, which is their time rounded, is too short for the scene's predicate. */
static bool run_is_too_short(const Problem *problem, double dt, int frames)
{
    return (frames + 0.5) * dt <= problem->settled_time;
}

static bool metric_applies(const Metric *metric, const Problem *problem, unsigned traits)
{
    bool needs_impulses = metric->of_impulses || (metric->of_work && world_has_drive(problem->world));
    return metric->applies(problem) && !(needs_impulses && (traits & TRAIT_NO_JOINT_IMPULSES));
}

MetricRecorder *metrics_begin(const Problem *problem, double dt, int frames, unsigned traits, bool keep_series)
{
    MetricRecorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return NULL;
    recorder->baseline = baseline_now(problem->world);
    recorder->frame = (Frame){
        .problem = problem,
        .world = problem->world,
        .baseline = &recorder->baseline,
        .dt = dt,
    };
    /* The last min(1 s, time), in whole frames and at least one. */
    int late = (int)fmin(fmax(round(1.0 / dt), 1.0), frames);
    recorder->late_from = frames - late + 1;
    for (int i = 0; i < metric_count; i++)
        recorder->applies[i] = metric_applies(all_metrics[i], problem, traits) &&
                               !(all_metrics[i]->fold == FOLD_HOLDS && run_is_too_short(problem, dt, frames));
    bool ok = true;
    if (problem->truth || problem->reference) {
        recorder->truth = truth_create(problem->world);
        ok = recorder->truth != NULL;
    }
    if (ok && keep_series) {
        recorder->series = malloc(sizeof(double) * (size_t)metric_count * (size_t)frames);
        ok = recorder->series != NULL;
    }
    if (!ok) {
        metrics_destroy(recorder);
        return NULL;
    }
    return recorder;
}

void metrics_destroy(MetricRecorder *recorder)
{
    if (!recorder)
        return;
    truth_destroy(recorder->truth);
    free(recorder->series);
    free(recorder);
}

void metrics_before_event(MetricRecorder *recorder)
{
    recorder->before_event = baseline_now(recorder->frame.world);
}

void metrics_after_event(MetricRecorder *recorder)
{
    Baseline *baseline = &recorder->baseline, *before = &recorder->before_event;
    Baseline after = baseline_now(recorder->frame.world);
    baseline->energy += after.energy - before->energy;
    baseline->momentum = vec3_add(baseline->momentum, vec3_sub(after.momentum, before->momentum));
    baseline->angular_momentum =
        vec3_add(baseline->angular_momentum, vec3_sub(after.angular_momentum, before->angular_momentum));
}

static bool fold_is_rms(Fold fold)
{
    return fold == FOLD_RMS || fold == FOLD_RMS_LATE;
}

static double sample_value(const Sample *sample, const Metric *metric)
{
    if (sample->count == 0)
        return metric->zero_if_none ? 0.0 : NAN;
    return fold_is_rms(metric->fold) ? sqrt(sample->squares / (double)sample->count) : sample->largest;
}

static void sample_merge(Sample *total, const Sample *frame)
{
    if (frame->count == 0)
        return;
    if (total->count == 0 || isnan(frame->largest) || frame->largest > total->largest)
        total->largest = frame->largest;
    total->squares += frame->squares;
    total->count += frame->count;
}

static void frame_look(MetricRecorder *recorder, int number, double residual)
{
    Frame *frame = &recorder->frame;
    frame->time = number * frame->dt;
    frame->residual = residual;
    frame->energy_change = world_energy(frame->world) - frame->world->actuator_work - recorder->baseline.energy;
    if (recorder->truth)
        frame->truth = truth_of_frame(recorder->truth, frame->problem, number, frame->dt);
}

/* What every metric that applies has in the frame at hand; metrics beside each other may share their sample. */
static void frame_sample(const MetricRecorder *recorder, Sample samples[METRICS_MAX])
{
    for (int i = 0; i < metric_count; i++) {
        const Metric *metric = all_metrics[i];
        samples[i] = (Sample){0};
        if (!recorder->applies[i])
            continue;
        if (i > 0 && recorder->applies[i - 1] && all_metrics[i - 1]->sample == metric->sample)
            samples[i] = samples[i - 1];
        else
            metric->sample(&recorder->frame, &samples[i]);
    }
}

/* A sum of squares overflows before its largest value does. */
static bool sample_is_finite(const Sample *sample, const Metric *metric)
{
    return isfinite(fold_is_rms(metric->fold) ? sample->squares : sample->largest);
}

bool metrics_record(MetricRecorder *recorder, int number, double residual)
{
    Sample samples[METRICS_MAX], totals[METRICS_MAX];
    frame_look(recorder, number, residual);
    frame_sample(recorder, samples);
    memcpy(totals, recorder->total, sizeof totals);
    for (int i = 0; i < metric_count; i++) {
        const Metric *metric = all_metrics[i];
        if (metric->fold != FOLD_RMS_LATE || number >= recorder->late_from)
            sample_merge(&totals[i], &samples[i]);
        if (!sample_is_finite(&samples[i], metric) || !sample_is_finite(&totals[i], metric))
            return false;
    }
    memcpy(recorder->last, samples, sizeof samples);
    memcpy(recorder->total, totals, sizeof totals);
    double *row = recorder->series ? recorder->series + (size_t)recorder->recorded * (size_t)metric_count : NULL;
    for (int i = 0; row && i < metric_count; i++)
        row[i] = recorder->applies[i] ? sample_value(&samples[i], all_metrics[i]) : NAN;
    recorder->recorded++;
    return true;
}

const double *metrics_last(const MetricRecorder *recorder)
{
    return recorder->series && recorder->recorded > 0
               ? recorder->series + (size_t)(recorder->recorded - 1) * (size_t)metric_count
               : NULL;
}

void metrics_finish(const MetricRecorder *recorder, bool blew_up, double values[METRICS_MAX])
{
    for (int i = 0; i < metric_count; i++) {
        const Metric *metric = all_metrics[i];
        bool at_end = metric->fold == FOLD_LAST || metric->fold == FOLD_HOLDS;
        values[i] = NAN;
        if (!recorder->applies[i])
            continue;
        if (recorder->recorded > 0)
            values[i] = sample_value(at_end ? &recorder->last[i] : &recorder->total[i], metric);
        if (metric->fold == FOLD_HOLDS && blew_up)
            values[i] = 0.0;
    }
}

double *metrics_take_series(MetricRecorder *recorder)
{
    double *series = recorder->series;
    recorder->series = NULL;
    return series;
}
