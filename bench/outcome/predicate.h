/* SPDX-License-Identifier: MIT */
/* What counts as stable: `ok`, or comparisons of metrics and costs, joined by `and` or commas:
 *     drift_max<0.01 and energy_gain_max <= 1e-3, settled=1
 * A blow-up never counts. The default is: no blow-up, and the scene's own `settled` where it has one. */
#ifndef RIGOR_BENCH_OUTCOME_PREDICATE_H
#define RIGOR_BENCH_OUTCOME_PREDICATE_H

#include "bench/run/runner.h"

typedef enum Comparator { LESS, LESS_EQUAL, EQUAL, GREATER_EQUAL, GREATER } Comparator;

typedef struct Comparison {
    int quantity;
    Comparator comparator;
    double bound;
    bool where_it_applies; /* else a metric that does not apply is an error */
} Comparison;

enum { PREDICATE_MAX = 16, PREDICATE_TEXT = 512 };

typedef struct Predicate {
    int count;
    Comparison comparisons[PREDICATE_MAX];
    char text[PREDICATE_TEXT]; /* as a reader should see it */
} Predicate;

/* NULL: the default. */
bool predicate_parse(Predicate *predicate, const char *text, Status *status);

/* Whether it asks for an error against the truth. */
bool predicate_reads_truth(const Predicate *predicate);

typedef enum Stability { STABILITY_OK, STABILITY_BAD, STABILITY_BLEW_UP, STABILITY_FAILED } Stability;

extern const char *const stability_names[]; /* "ok", "bad", "blew_up", "failed" */

/* False with a message if a metric asked for does not apply to the scene. Never STABILITY_FAILED: that is a run which
 * was not made. */
bool predicate_judge(const Predicate *predicate, const RunResult *result, Stability *stability, Status *status);

#endif
