/* SPDX-License-Identifier: MIT */
/* The clock of the benchmarks: this thread's own time, so that others on the machine count less; and medians. */
#ifndef RIGOR_TESTS_BENCHMARKS_TIMING_H
#define RIGOR_TESTS_BENCHMARKS_TIMING_H

#include <stdlib.h>
#include <time.h>

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts x. */
static inline double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, compare_doubles);
    return x[count / 2];
}

#endif
