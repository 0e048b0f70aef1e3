/* SPDX-License-Identifier: MIT */
#include "bench/fits/fit.h"

#include "bench/fits/median.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Slower than this is stagnation: no method here converges with a lower order. */
static const double LEAST_ORDER = 0.25;

/* A step towards the fine end whose own order is below this part of the median one has met the floor. */
static const double FLOOR_ORDER_PART = 0.5;

/* Errors within this factor of the floor are part floor: they would bend the fit by more than 1/10. */
static const double FLOOR_MARGIN = 10.0;

/* What falls by less than this before it rises again is scatter about the floor. */
static const double LEAST_FALL = 3.0;

/* Errors that do not fall are at their floor, unless the finest is above their median by this factor: they grow. */
static const double FLAT_FACTOR = 2.0;

/* Steps nearer than this, relative, are the same: round-off. */
static const double SAME_H = 1e-9;

/* A coarse step whose own order is off the median one by more than this part of it is not asymptotic yet. */
static const double COARSE_ORDER_PART = 0.25;

/* From so many points on the fit has a term for what follows the leading one: two degrees of freedom are then left. */
enum { CORRECTED_POINTS = 5 };

typedef struct FitPoint {
    double log_h, log_error;
    int index;
} FitPoint;

static int compare_coarse_first(const void *a, const void *b)
{
    double x = ((const FitPoint *)a)->log_h, y = ((const FitPoint *)b)->log_h;
    return (x < y) - (x > y);
}

/* The order between point i and the next finer one. */
static double local_order(const FitPoint *points, int i)
{
    return (points[i].log_error - points[i + 1].log_error) / (points[i].log_h - points[i + 1].log_h);
}

/* The run of points, first .. last, through which the error keeps falling: the one with the largest fall times steps,
 * so that a steady fall counts more than one lucky point. */
static void fit_falling_run(const FitPoint *points, int n, int *first, int *last)
{
    double most = 0.0;
    *first = *last = 0;
    for (int i = 0; i < n; i++) {
        int j = i;
        while (j + 1 < n && local_order(points, j) > LEAST_ORDER)
            j++;
        double score = (points[i].log_error - points[j].log_error) * (j - i);
        if (score > most) {
            most = score;
            *first = i;
            *last = j;
        }
        i = j;
    }
}

/* Takes the points at the floor off the fine end of the run; returns the floor, NaN if the last point is above it. */
static double fit_trim_floor(const FitPoint *points, int n, int first, int *last)
{
    double work[FIT_MAX_POINTS];
    int steps = *last - first;
    if (steps < 1)
        return NAN;
    for (int i = 0; i < steps; i++)
        work[i] = local_order(points, first + i);
    double typical = median(work, steps);
    while (*last > first + 1 && local_order(points, *last - 1) < FLOOR_ORDER_PART * typical)
        (*last)--;
    if (*last == n - 1)
        return NAN;
    for (int i = *last + 1; i < n; i++)
        work[i - *last - 1] = points[i].log_error;
    double log_floor = median(work, n - *last - 1);
    /* Three points are kept, so that there is a fit with an interval at all. */
    while (*last > first + 2 && points[*last].log_error < log_floor + log(FLOOR_MARGIN))
        (*last)--;
    return exp(log_floor);
}

/* Takes coarse points off the run whose own order is far from the typical one: the error's first term does not rule
 * there yet. */
static void fit_trim_coarse(const FitPoint *points, int *first, int last)
{
    double work[FIT_MAX_POINTS];
    for (int i = *first; i < last; i++)
        work[i - *first] = local_order(points, i);
    double typical = median(work, last - *first);
    while (last - *first >= CORRECTED_POINTS &&
           fabs(local_order(points, *first) - typical) > COARSE_ORDER_PART * fabs(typical))
        (*first)++;
}

static void fit_interval(OrderFit *fit, double variance, int freedom)
{
    double half = gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(variance);
    fit->low = fit->order - half;
    fit->high = fit->order + half;
}

/* log(error) = log(c) + p log(h) */
static void fit_line(OrderFit *fit, const FitPoint *points, int n)
{
    double x[FIT_MAX_POINTS] = {0}, y[FIT_MAX_POINTS] = {0}, c0, c1, cov00, cov01, cov11, sum_squares;
    for (int i = 0; i < n; i++) {
        x[i] = points[i].log_h;
        y[i] = points[i].log_error;
    }
    gsl_fit_linear(x, 1, y, 1, (size_t)n, &c0, &c1, &cov00, &cov01, &cov11, &sum_squares);
    fit->order = c1;
    if (n >= 3)
        fit_interval(fit, cov11, n - 2);
}

/* log(error) = log(c) + p log(h) + d h: the error is c h^p (1 + d h + ...). False when out of memory. */
static bool fit_corrected(OrderFit *fit, const FitPoint *points, int n)
{
    enum { TERMS = 3 };
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc((size_t)n, TERMS);
    gsl_matrix *X = gsl_matrix_alloc((size_t)n, TERMS), *covariance = gsl_matrix_alloc(TERMS, TERMS);
    gsl_vector *y = gsl_vector_alloc((size_t)n), *c = gsl_vector_alloc(TERMS);
    bool ok = work && X && covariance && y && c;
    double sum_squares;
    for (int i = 0; ok && i < n; i++) {
        gsl_matrix_set(X, (size_t)i, 0, 1.0);
        gsl_matrix_set(X, (size_t)i, 1, points[i].log_h - points[0].log_h);
        gsl_matrix_set(X, (size_t)i, 2, exp(points[i].log_h - points[0].log_h));
        gsl_vector_set(y, (size_t)i, points[i].log_error);
    }
    ok = ok && gsl_multifit_linear(X, y, c, covariance, &sum_squares, work) == 0;
    if (ok) {
        fit->order = gsl_vector_get(c, 1);
        fit_interval(fit, gsl_matrix_get(covariance, 1, 1), n - TERMS);
    }
    gsl_vector_free(c);
    gsl_vector_free(y);
    gsl_matrix_free(covariance);
    gsl_matrix_free(X);
    if (work)
        gsl_multifit_linear_free(work);
    return ok;
}

static void fit_points(OrderFit *fit, const FitPoint *points, int n)
{
    if (n < CORRECTED_POINTS || !fit_corrected(fit, points, n))
        fit_line(fit, points, n);
}

/* Errors of a solver are no random sample: what the fit's form leaves out shows as a drift of the order towards the
 * fine end. How far the order moves without the coarsest third widens the interval. */
static void fit_widen(OrderFit *fit, const FitPoint *points, int n)
{
    OrderFit finer = {.order = NAN};
    int coarsest = n / 3;
    if (n - coarsest < 3)
        return;
    fit_points(&finer, points + coarsest, n - coarsest);
    double drift = fabs(finer.order - fit->order);
    fit->low -= drift;
    fit->high += drift;
}

/* Whether the run is no more than scatter about a floor: something follows it, and it falls too little. */
static bool fit_is_scatter(const FitPoint *points, int n, int first, int last)
{
    return last == first || (last < n - 1 && points[first].log_error - points[last].log_error < log(LEAST_FALL));
}

/* The median of errors that do not fall; NaN if they grow instead. */
static double fit_flat_floor(const FitPoint *points, int n)
{
    double work[FIT_MAX_POINTS];
    for (int i = 0; i < n; i++)
        work[i] = points[i].log_error;
    double middle = median(work, n);
    return points[n - 1].log_error < middle + log(FLAT_FACTOR) ? exp(middle) : NAN;
}

/* Sorted, coarse first; returns how many. */
static int fit_gather(FitPoint *points, const double *h, const double *error, int n)
{
    int count = 0, kept = 0;
    for (int i = 0; i < n && count < FIT_MAX_POINTS; i++)
        if (isfinite(error[i]) && error[i] > 0.0 && h[i] > 0.0 && isfinite(h[i]))
            points[count++] = (FitPoint){log(h[i]), log(error[i]), i};
    qsort(points, (size_t)count, sizeof *points, compare_coarse_first);
    for (int i = 0; i < count; i++) {
        bool same = kept > 0 && points[kept - 1].log_h - points[i].log_h < SAME_H;
        if (!same)
            points[kept++] = points[i];
        else if (points[i].log_error < points[kept - 1].log_error)
            points[kept - 1] = points[i];
    }
    return kept;
}

OrderFit fit_order(const double *h, const double *error, int n)
{
    OrderFit fit = {.order = NAN, .low = NAN, .high = NAN, .first = -1, .last = -1, .floor = NAN};
    FitPoint points[FIT_MAX_POINTS];
    int count = fit_gather(points, h, error, n), first, last;
    if (count < 2)
        return fit;
    fit_falling_run(points, count, &first, &last);
    if (fit_is_scatter(points, count, first, last)) {
        fit.floor = fit_flat_floor(points, count);
        return fit;
    }
    fit.floor = fit_trim_floor(points, count, first, &last);
    fit_trim_coarse(points, &first, last);
    fit.used = last - first + 1;
    fit.first = points[first].index;
    fit.last = points[last].index;
    fit_points(&fit, points + first, fit.used);
    fit_widen(&fit, points + first, fit.used);
    return fit;
}

bool fit_grows(const double *h, const double *error, int n)
{
    FitPoint points[FIT_MAX_POINTS];
    int count = fit_gather(points, h, error, n), pair = count < 4 ? 0 : 1;
    if (count < 2)
        return false;
    double end = fmin(points[count - 1].log_error, points[count - 1 - pair].log_error), least = INFINITY;
    for (int i = 0; i + pair < count - 1 - pair; i++)
        least = fmin(least, fmax(points[i].log_error, points[i + pair].log_error));
    return end - least >= log(FIT_GROWS) && end > log(FIT_ROUND_OFF);
}
