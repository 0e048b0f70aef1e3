/* SPDX-License-Identifier: MIT */
/* Statistics by resampling: percentile bootstrap of a mean, sign-flip permutation tests of paired differences with
 * Holm's correction over all pairs, groups of what is tied, and Kendall's tau of two orders. Every draw comes from a
 * seed (splitmix64), so that the same values give the same interval everywhere. */
#ifndef RIGOR_BENCH_FITS_RESAMPLE_H
#define RIGOR_BENCH_FITS_RESAMPLE_H

#include "model/status.h"

#include <stdint.h>

typedef struct Interval {
    double low, high;
} Interval;

/* Draws of a bootstrap, and least number of flips of a test; with more pairs each is flipped FLIPS_A_PAIR x pairs
 * times, since Holm's first level is 5 % / pairs. */
enum { BOOTSTRAP_DRAWS = 10000, FLIPS_LEAST = 100000, FLIPS_A_PAIR = 200 };
static const uint64_t RESAMPLE_SEED = 1;

/* From the least on. */
void sorted_sort(double *values, int count);

/* The value below which the part q of the sorted values lies, between neighbours by the line through them. */
double sorted_quantile(const double *sorted, int count, double q);

/* 95 % of the means of as many values, drawn with replacement. False when out of memory. */
bool bootstrap_mean(const double *values, int count, int draws, uint64_t seed, Interval *interval, Status *status);

/* How often, of flips + 1, signs of the differences drawn at random give a sum as far from zero: the two-sided p of
 * "the mean difference is zero". False when out of memory. */
bool sign_flip(const double *differences, int count, long flips, uint64_t seed, double *p, Status *status);

typedef enum Decision {
    DECISION_TIE,       /* no significant difference */
    DECISION_DIFFERENT, /* significant at 5 % after Holm */
    DECISION_UNDECIDED  /* p is within three Monte Carlo errors of its level, or the decision hangs on such a p */
} Decision;

/* Holm's step-down at 5 % over all p; `decisions` has as many elements. False when out of memory. */
bool holm_decide(const double *p, int count, long flips, Decision *decisions, Status *status);

/* All pairs of `rows` rows of `count` values each, row by row. */
typedef struct Pairs {
    int rows;
    long flips;
    double *difference; /* mean of row i - row j, at i rows + j */
    double *p;
    Decision *decision;
} Pairs;

/* False with a message; to be cleared in any case. */
bool pairs_compare(Pairs *pairs, const double *values, int rows, int count, uint64_t seed, Status *status);
void pairs_clear(Pairs *pairs);

/* The largest sets of rows of which no two are known to differ (two rows at least), each in the order of `order`,
 * called in turn. */
void pairs_each_tie(const Pairs *pairs, const int *order, void (*tie)(void *context, const int *rows, int count),
                    void *context);

/* (concordant - discordant) / both over pairs of items for which first and second have an order: the sign of
 * first[i n + j] says who is ahead, 0: not decided. NaN: no pair is decided in both. */
double kendall_tau(const int *first, const int *second, int n);

#endif
