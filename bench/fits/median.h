/* SPDX-License-Identifier: MIT */
/* The median; sorts the values in place, n > 0. */
#ifndef RIGOR_BENCH_FITS_MEDIAN_H
#define RIGOR_BENCH_FITS_MEDIAN_H

double median(double *values, int n);

/* Where the median of what n values are drawn from lies, whatever its law: between two of the sorted values. */
typedef struct MedianInterval {
    double low, high, level; /* the chance that it lies there: at least 0.95, or what so few values allow */
} MedianInterval;

/* NaN: of a single value. Sorts the values. */
MedianInterval median_interval(double *values, int n);

#endif
