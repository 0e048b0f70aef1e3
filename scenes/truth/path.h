/* SPDX-License-Identifier: MIT */
/* The solution of an ordinary differential equation as a function of time, by GSL's rk8pd at a tolerance of 1e-13.
 * It is kept at multiples of a stride, and a value in between is always integrated on from the last multiple: calls at
 * rising times are cheap, and the value at t does not depend on which times were asked before. */
#ifndef RIGOR_SCENES_TRUTH_PATH_H
#define RIGOR_SCENES_TRUTH_PATH_H

#include <stdbool.h>

enum { PATH_MAX_VARIABLES = 8 };

/* y' = rate(t, y); returns 0 (GSL_SUCCESS). */
typedef int PathRate(double t, const double y[], double dydt[], void *data);

typedef struct Path {
    PathRate *rate;
    void *data;
    int variables;
    double stride; /* s */
    double start[PATH_MAX_VARIABLES];
    /* Kept by path_at; zero at first. */
    long strides;
    double kept[PATH_MAX_VARIABLES];
} Path;

/* y at time t >= 0; false if the integrator could not keep its tolerance. */
bool path_at(Path *path, double t, double y[]);

#endif
