/* Repeated runs for timing: see runs_repeat in bench/run.h. */
#include "bench/median.h"
#include "bench/run.h"

#include <stdlib.h>

/* Of a normal distribution: standard deviation over median absolute deviation. */
static const double DEVIATION_OF_MEDIAN = 1.4826;

/* wall_s and us_per_frame of one more run like this one. */
static bool timing_sample(const Run *run, double *wall_s, double *us_per_frame)
{
    Run again = *run;
    again.problem = NULL;
    again.keep_series = false;
    again.result = (RunResult){0};
    bool made = run_make(&again, NULL);
    *wall_s = again.result.wall_s;
    *us_per_frame = again.result.us_per_frame;
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

bool runs_repeat(Run *runs, int count, int repeats, Status *status)
{
    size_t samples = (size_t)count * (size_t)repeats;
    double *wall = malloc(sizeof *wall * (samples + 1)), *frame = malloc(sizeof *frame * (samples + 1));
    bool ok = (wall && frame) || status_set(status, STATUS_FAILED, "out of memory");
    for (int r = 0; ok && r < repeats; r++)
        for (int i = 0; ok && i < count; i++) {
            size_t at = (size_t)i * (size_t)repeats + (size_t)r;
            ok = !runs[i].made || timing_sample(&runs[i], &wall[at], &frame[at]) ||
                 status_set(status, STATUS_FAILED, "%s could not be repeated", runs[i].solver->name);
        }
    for (int i = 0; ok && repeats > 0 && i < count; i++) {
        RunResult *result = &runs[i].result;
        double unused;
        if (!runs[i].made)
            continue;
        result->wall_s = median_and_spread(wall + (size_t)i * (size_t)repeats, repeats, &unused);
        result->us_per_frame =
            median_and_spread(frame + (size_t)i * (size_t)repeats, repeats, &result->us_per_frame_spread);
        result->repeats = repeats;
    }
    free(wall);
    free(frame);
    return ok;
}
