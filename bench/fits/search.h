/* SPDX-License-Identifier: MIT */
/* The limit of stability in a range, by bisection. The range is sampled first, both ends included: between neighbours
 * of which one is stable and the other is not lies a limit, and more than one such pair means that the range is not
 * monotone. Bisection narrows the first pair that is stable below and unstable above; where there is none (more is
 * better, as for iterations), the pair that is unstable below: then the limit is the smallest stable value. */
#ifndef RIGOR_BENCH_FITS_SEARCH_H
#define RIGOR_BENCH_FITS_SEARCH_H

#include "model/status.h"

typedef struct Range {
    double low, high;
    bool whole;     /* whole numbers only */
    bool geometric; /* positive and spanning a decade or more: divided by ratios */
} Range;

Range range_of(double low, double high, bool whole);

/* The value at a fraction, 0 .. 1, of the range; its ends exactly. */
double range_at(const Range *range, double fraction);

/* Where a value lies in the range, 0 .. 1. */
double range_fraction(const Range *range, double value);

typedef struct Limit {
    double stable, unstable; /* the bracket; NaN: nothing in the range was so */
    bool smallest;           /* stable above the limit, not below */
    bool monotone;
    int probes;
} Limit;

/* True with *stable, or false with a message: the search then ends. */
typedef bool (*SearchProbe)(void *context, double value, bool *stable, Status *status);

/* `tolerance`: of the bracket's width, relative to the value; whole numbers are followed to neighbours. */
bool search_limit(const Range *range, double tolerance, SearchProbe probe, void *context, Limit *limit, Status *status);

#endif
