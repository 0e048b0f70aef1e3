/* SPDX-License-Identifier: MIT */
#include "bench/fits/median.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static const double MEDIAN_LEVEL = 0.95;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/* The k-th smallest and the k-th largest have the median between them but where fewer than k of n lie to one side of
 * it: 1 - 2 P(B < k), B binomial with 1/2. The largest k that is sure enough, else 1. */
MedianInterval median_interval(double *values, int n)
{
    if (n < 2)
        return (MedianInterval){NAN, NAN, NAN};
    int k = 1;
    while (2 * (k + 1) <= n && 2.0 * gsl_cdf_binomial_P((unsigned)k, 0.5, (unsigned)n) <= 1.0 - MEDIAN_LEVEL)
        k++;
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    return (MedianInterval){values[k - 1], values[n - k],
                            1.0 - 2.0 * gsl_cdf_binomial_P((unsigned)k - 1, 0.5, (unsigned)n)};
}
