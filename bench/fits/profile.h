/* SPDX-License-Identifier: MIT */
/* Performance profiles (Dolan and More 2002). With t[p][s] the cost of contender s on problem p, the less the better,
 *     r[p][s] = t[p][s] / min over s of t[p][s],     rho_s(tau) = part of the problems with r[p][s] <= tau.
 * rho_s(1): how often s is the best; rho_s at large tau: how much s solves at all. A failure has r = infinity. */
#ifndef RIGOR_BENCH_FITS_PROFILE_H
#define RIGOR_BENCH_FITS_PROFILE_H

#include "model/status.h"

typedef struct Profile {
    int problems, contenders;
    double *ratio; /* for each contender its ratios in rising order, infinities and then NaN last; owned */
} Profile;

/* cost[p * contenders + s] >= 0; infinite: not solved; NaN: not run. A problem that nobody solves counts for
 * nobody. */
bool profile_make(Profile *profile, const double *cost, int problems, int contenders, Status *status);
void profile_clear(Profile *profile);

/* On how many problems it was run: those where its cost is a number or infinite; NaN is no run. */
int profile_run_count(const Profile *profile, int contender);

/* rho of a contender at tau. */
double profile_at(const Profile *profile, int contender, double tau);

/* The largest finite ratio of all; 1 if there is none. */
double profile_reach(const Profile *profile);

#endif
