/* SPDX-License-Identifier: MIT */
#include "bench/fits/resample.h"

#include "model/random.h"

#include <math.h>
#include <stdlib.h>

static const double LEVEL = 0.05;

/* How many Monte Carlo errors of p away from its level a decision is safe. */
static const double SAFE_ERRORS = 3.0;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sorted_sort(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
}

double sorted_quantile(const double *sorted, int count, double q)
{
    double place = q * (count - 1);
    int below = (int)floor(place);
    if (below + 1 >= count)
        return sorted[count - 1];
    double part = place - below;
    return part > 0.0 ? (1.0 - part) * sorted[below] + part * sorted[below + 1] : sorted[below];
}

/* Uniform in 0 .. count - 1: the high half of the product with 32 random bits (Lemire), uneven by count / 2^32. */
static int random_index(Random *random, int count)
{
    return (int)(((random_bits(random) >> 32) * (uint64_t)count) >> 32);
}

bool bootstrap_mean(const double *values, int count, int draws, uint64_t seed, Interval *interval, Status *status)
{
    *interval = (Interval){NAN, NAN};
    if (count < 1)
        return true;
    double *means = malloc(sizeof *means * (size_t)draws);
    if (!means)
        return status_set(status, STATUS_FAILED, "out of memory");
    Random random = {seed};
    for (int d = 0; d < draws; d++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++)
            sum += values[random_index(&random, count)];
        means[d] = sum / count;
    }
    sorted_sort(means, draws);
    *interval = (Interval){sorted_quantile(means, draws, 0.025), sorted_quantile(means, draws, 0.975)};
    free(means);
    return true;
}

/* A byte of random bits gives the signs of eight differences at once: the sums for all 256 are tabled. */
enum { BYTE_SIGNS = 256, WORD_BYTES = 8 };

static void signed_sums(const double *differences, int count, double sums[BYTE_SIGNS])
{
    for (int signs = 0; signs < BYTE_SIGNS; signs++) {
        sums[signs] = 0.0;
        for (int i = 0; i < 8 && i < count; i++)
            sums[signs] += signs >> i & 1 ? -differences[i] : differences[i];
    }
}

bool sign_flip(const double *differences, int count, long flips, uint64_t seed, double *p, Status *status)
{
    int bytes = (count + 7) / 8;
    double(*sums)[BYTE_SIGNS] = malloc(sizeof *sums * (size_t)(bytes + 1));
    if (!sums)
        return status_set(status, STATUS_FAILED, "out of memory");
    double seen = 0.0, size = 0.0;
    for (int i = 0; i < count; i++) {
        seen += differences[i];
        size += fabs(differences[i]);
    }
    for (int b = 0; b < bytes; b++)
        signed_sums(differences + 8 * b, count - 8 * b, sums[b]);
    double least = fabs(seen) - 1e-12 * size; /* the same sum in another order is the same: round-off */
    long as_far = 0;
    Random random = {seed};
    for (long f = 0; f < flips; f++) {
        double sum = 0.0;
        for (int b = 0; b < bytes; b += WORD_BYTES) {
            uint64_t bits = random_bits(&random);
            for (int i = b; i < b + WORD_BYTES && i < bytes; i++, bits >>= 8)
                sum += sums[i][bits & 0xff];
        }
        as_far += fabs(sum) >= least;
    }
    free(sums);
    *p = (1.0 + (double)as_far) / (1.0 + (double)flips);
    return true;
}

typedef struct Ranked {
    double p;
    int index;
} Ranked;

static int compare_ranked(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    int by_p = (x->p > y->p) - (x->p < y->p);
    return by_p ? by_p : (x->index > y->index) - (x->index < y->index);
}

bool holm_decide(const double *p, int count, long flips, Decision *decisions, Status *status)
{
    Ranked *ranked = malloc(sizeof *ranked * (size_t)(count + 1));
    if (!ranked)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; i < count; i++)
        ranked[i] = (Ranked){p[i], i};
    qsort(ranked, (size_t)count, sizeof *ranked, compare_ranked);
    Decision so_far = DECISION_DIFFERENT; /* what the smaller p allow at best */
    for (int k = 0; k < count; k++) {
        double level = LEVEL / (count - k), error = sqrt(ranked[k].p * (1.0 - ranked[k].p) / (double)flips);
        if (so_far != DECISION_TIE && fabs(ranked[k].p - level) <= SAFE_ERRORS * error)
            so_far = DECISION_UNDECIDED;
        else if (ranked[k].p > level)
            so_far = DECISION_TIE;
        decisions[ranked[k].index] = so_far;
    }
    free(ranked);
    return true;
}

/* Two ways of computing one number differ by round-off alone, and always by the same sign: that is no difference. */
static double difference_of(double a, double b)
{
    static const double ROUND_OFF = 1e-9; /* relative */
    return fabs(a - b) <= ROUND_OFF * fmax(fabs(a), fabs(b)) ? 0.0 : a - b;
}

/* The p of every pair i < j, in turn, into `list`. */
static bool pairs_test(Pairs *pairs, const double *values, int count, uint64_t seed, double *list, Status *status)
{
    double *differences = malloc(sizeof *differences * (size_t)(count + 1));
    bool ok = differences || status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0, k = 0; ok && i < pairs->rows; i++)
        for (int j = i + 1; ok && j < pairs->rows; j++, k++) {
            double sum = 0.0;
            for (int v = 0; v < count; v++)
                sum += differences[v] = difference_of(values[(size_t)i * (size_t)count + (size_t)v],
                                                      values[(size_t)j * (size_t)count + (size_t)v]);
            ok = sign_flip(differences, count, pairs->flips, seed, &list[k], status);
            pairs->difference[i * pairs->rows + j] = sum / count;
            pairs->difference[j * pairs->rows + i] = -sum / count;
        }
    free(differences);
    return ok;
}

bool pairs_compare(Pairs *pairs, const double *values, int rows, int count, uint64_t seed, Status *status)
{
    size_t cells = (size_t)rows * (size_t)rows + 1;
    int number = rows * (rows - 1) / 2;
    *pairs = (Pairs){.rows = rows, .flips = FLIPS_A_PAIR * (long)number};
    pairs->flips = pairs->flips > FLIPS_LEAST ? pairs->flips : FLIPS_LEAST;
    pairs->difference = calloc(cells, sizeof *pairs->difference);
    pairs->p = calloc(cells, sizeof *pairs->p);
    pairs->decision = calloc(cells, sizeof *pairs->decision);
    double *list = malloc(sizeof *list * cells);
    Decision *decisions = malloc(sizeof *decisions * cells);
    bool ok = (pairs->difference && pairs->p && pairs->decision && list && decisions) ||
              status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && pairs_test(pairs, values, count, seed, list, status) &&
         holm_decide(list, number, pairs->flips, decisions, status);
    for (int i = 0, k = 0; ok && i < rows; i++) {
        pairs->p[i * rows + i] = 1.0;
        for (int j = i + 1; j < rows; j++, k++) {
            pairs->p[i * rows + j] = pairs->p[j * rows + i] = list[k];
            pairs->decision[i * rows + j] = pairs->decision[j * rows + i] = decisions[k];
        }
    }
    free(decisions);
    free(list);
    return ok;
}

void pairs_clear(Pairs *pairs)
{
    free(pairs->difference);
    free(pairs->p);
    free(pairs->decision);
    *pairs = (Pairs){0};
}

/* The search of Bron and Kerbosch for the largest sets whose members are all tied. */
typedef struct TieSearch {
    const Pairs *pairs;
    void (*tie)(void *context, const int *rows, int count);
    void *context;
} TieSearch;

enum { TIE_MOST = 512 }; /* rows */

static bool tied(const TieSearch *search, int i, int j)
{
    return search->pairs->decision[i * search->pairs->rows + j] != DECISION_DIFFERENT;
}

/* `set` is tied throughout; `open` may still be added, `done` was tried before: where both are empty the set is as
 * large as it can be. */
static void ties_extend(const TieSearch *search, int *set, int size, const int *open, int open_count, const int *done,
                        int done_count)
{
    int next_open[TIE_MOST], next_done[TIE_MOST], closed[TIE_MOST], closed_count = done_count;
    if (open_count == 0 && done_count == 0 && size > 1)
        search->tie(search->context, set, size);
    for (int i = 0; i < done_count; i++)
        closed[i] = done[i];
    for (int k = 0; k < open_count; k++) {
        int row = open[k], opens = 0, dones = 0;
        for (int i = k + 1; i < open_count; i++)
            if (tied(search, row, open[i]))
                next_open[opens++] = open[i];
        for (int i = 0; i < closed_count; i++)
            if (tied(search, row, closed[i]))
                next_done[dones++] = closed[i];
        set[size] = row;
        ties_extend(search, set, size + 1, next_open, opens, next_done, dones);
        closed[closed_count++] = row;
    }
}

void pairs_each_tie(const Pairs *pairs, const int *order, void (*tie)(void *context, const int *rows, int count),
                    void *context)
{
    int set[TIE_MOST];
    TieSearch search = {pairs, tie, context};
    if (pairs->rows <= TIE_MOST)
        ties_extend(&search, set, 0, order, pairs->rows, NULL, 0);
}

double kendall_tau(const int *first, const int *second, int n)
{
    int both = 0, sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            int agree = first[i * n + j] * second[i * n + j];
            sum += (agree > 0) - (agree < 0);
            both += agree != 0;
        }
    return both > 0 ? (double)sum / both : NAN;
}
