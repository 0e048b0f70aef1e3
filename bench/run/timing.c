/* SPDX-License-Identifier: MIT */
/* Repeated runs for timing: see runs_repeat in bench/run/run.h. */
#include "bench/fits/median.h"
#include "bench/run/run.h"

#include <stdlib.h>

/* Of a normal distribution: standard deviation over median absolute deviation. */
static const double DEVIATION_OF_MEDIAN = 1.4826;

/* Times of all runs, `repeats` of each after another. */
typedef struct TimingSamples {
    double *wall, *cpu, *frame;
    bool *contended;
} TimingSamples;

/* One more run like this one. */
static bool timing_sample(const Run *run, TimingSamples *samples, size_t at)
{
    Run again = *run;
    again.problem = NULL;
    again.keep_series = false;
    again.result = (RunResult){0};
    bool made = run_make(&again, NULL);
    samples->wall[at] = again.result.wall_s;
    samples->cpu[at] = again.result.cpu_s;
    samples->frame[at] = again.result.us_per_frame;
    samples->contended[at] = again.result.contended;
    run_clear(&again);
    return made;
}

/* Sorts the samples, then turns them into their deviations. */
static double median_and_spread(double *samples, int n, double *spread)
{
    double middle = median(samples, n);
    for (int i = 0; i < n; i++)
        samples[i] = fabs(samples[i] - middle);
    *spread = n > 1 ? DEVIATION_OF_MEDIAN * median(samples, n) : NAN;
    return middle;
}

/* The medians of the samples from `at` on; contended: most of them were. */
static void timing_conclude(RunResult *result, TimingSamples *samples, size_t at, int repeats)
{
    int contended = 0;
    for (int r = 0; r < repeats; r++)
        contended += samples->contended[at + (size_t)r];
    result->wall_s = median(samples->wall + at, repeats);
    result->cpu_s = median(samples->cpu + at, repeats);
    result->us_interval = median_interval(samples->frame + at, repeats);
    result->us_per_frame = median_and_spread(samples->frame + at, repeats, &result->us_per_frame_spread);
    result->contended = 2 * contended > repeats;
    result->repeats = repeats;
}

bool runs_repeat(Run *runs, int count, int repeats, Status *status)
{
    size_t samples = (size_t)count * (size_t)repeats;
    TimingSamples times = {calloc(samples + 1, sizeof(double)), calloc(samples + 1, sizeof(double)),
                           calloc(samples + 1, sizeof(double)), calloc(samples + 1, sizeof(bool))};
    bool ok = (times.wall && times.cpu && times.frame && times.contended) ||
              status_set(status, STATUS_FAILED, "out of memory");
    for (int r = 0; ok && r < repeats; r++)
        for (int i = 0; ok && i < count; i++) {
            size_t at = (size_t)i * (size_t)repeats + (size_t)r;
            ok = !runs[i].made || timing_sample(&runs[i], &times, at) ||
                 status_set(status, STATUS_FAILED, "%s could not be repeated", runs[i].solver->name);
        }
    for (int i = 0; ok && repeats > 0 && i < count; i++)
        if (runs[i].made)
            timing_conclude(&runs[i].result, &times, (size_t)i * (size_t)repeats, repeats);
    free(times.wall);
    free(times.cpu);
    free(times.frame);
    free(times.contended);
    return ok;
}
