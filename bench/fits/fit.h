/* SPDX-License-Identifier: MIT */
/* The order of convergence: least squares of log(error) = log(c) + p log(h), from five points on with a further term d
 * h for what follows the leading one, and the 95% confidence interval of p, widened by how far p moves without the
 * coarsest third. Left out are points that are not finite or not positive, coarse ones before the errors begin to fall
 * as they later do, and those at the floor (round-off, or an error that the step does not govern), where they no longer
 * do. Of several points with the same h the best counts. */
#ifndef RIGOR_BENCH_FITS_FIT_H
#define RIGOR_BENCH_FITS_FIT_H

#include <stdbool.h>

typedef struct OrderFit {
    double order;     /* p; NaN: fewer than two points */
    double low, high; /* NaN: fewer than three points */
    int first, last;  /* indices, as given, of the coarsest and the finest point used; -1: none */
    int used;         /* points in the fit */
    bool grows;       /* set by fit_grows alone: errors grow from `first` to `last` */
    double floor;     /* median error of the points at the floor, of all if none is above it; NaN: not reached */
} OrderFit;

/* h > 0 in any order, finest is smallest. */
enum { FIT_MAX_POINTS = 4096 }; /* more are left out */
OrderFit fit_order(const double *h, const double *error, int n);

/* Whether errors grow as h shrinks: the finest is FIT_GROWS times the least before it, or more. That is a state of its
 * own: there is no order, whatever a part of the points would give. From four points on errors count in pairs, so that
 * one lucky or unlucky point decides nothing. Errors below FIT_ROUND_OFF grow by round-off, whatever the method. */
#define FIT_GROWS 2.0
#define FIT_ROUND_OFF 1e-9 /* m, rad or parts of a scale */
bool fit_grows(const double *h, const double *error, int n);

#endif
