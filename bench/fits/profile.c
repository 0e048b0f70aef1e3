/* SPDX-License-Identifier: MIT */
#include "bench/fits/profile.h"

#include <math.h>
#include <stdlib.h>

static int compare_ratios(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) /* last */
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* Where the best is exactly zero, zero is as good and anything else infinitely worse. */
static double ratio_to(double best, double cost)
{
    if (isnan(cost)) /* not run */
        return NAN;
    if (!isfinite(cost))
        return INFINITY;
    return cost == best ? 1.0 : cost / best;
}

bool profile_make(Profile *profile, const double *cost, int problems, int contenders, Status *status)
{
    size_t n = (size_t)problems, m = (size_t)contenders;
    *profile = (Profile){.problems = problems, .contenders = contenders, .ratio = malloc(sizeof(double) * (n * m + 1))};
    if (!profile->ratio)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (size_t p = 0; p < n; p++) {
        double best = INFINITY;
        for (size_t s = 0; s < m; s++)
            best = isfinite(cost[p * m + s]) ? fmin(best, cost[p * m + s]) : best;
        for (size_t s = 0; s < m; s++)
            profile->ratio[s * n + p] = ratio_to(best, cost[p * m + s]);
    }
    for (size_t s = 0; s < m; s++)
        qsort(profile->ratio + s * n, n, sizeof(double), compare_ratios);
    return true;
}

void profile_clear(Profile *profile)
{
    free(profile->ratio);
    profile->ratio = NULL;
}

int profile_run_count(const Profile *profile, int contender)
{
    const double *ratio = profile->ratio + (size_t)contender * (size_t)profile->problems;
    int run = 0;
    while (run < profile->problems && !isnan(ratio[run]))
        run++;
    return run;
}

double profile_at(const Profile *profile, int contender, double tau)
{
    const double *ratio = profile->ratio + (size_t)contender * (size_t)profile->problems;
    int within = 0, run = profile_run_count(profile, contender);
    while (within < run && ratio[within] <= tau && isfinite(ratio[within]))
        within++;
    return run > 0 ? (double)within / run : NAN;
}

double profile_reach(const Profile *profile)
{
    double reach = 1.0;
    for (int i = 0; i < profile->problems * profile->contenders; i++)
        reach = isfinite(profile->ratio[i]) ? fmax(reach, profile->ratio[i]) : reach;
    return reach;
}
