/* SPDX-License-Identifier: MIT */
/* Suites of `rigor reality`: sets of measured motions, and how near a solver comes to one of them. A suite is a
 * `const Suite` at the end of its file and a line in the list of suites.c. */
#ifndef RIGOR_BENCH_REALITY_SUITE_H
#define RIGOR_BENCH_REALITY_SUITE_H

#include "bench/run/run.h"
#include "bench/text/table.h"

enum { SUITE_MEASURES = 16, SUITE_CURVE = 148 };

/* What a run of one item is off by. */
typedef struct Score {
    bool lost;                    /* it blew up: the suite says what that counts */
    double value[SUITE_MEASURES]; /* of the suite's measures, in its units; NaN: the item has none */
    float curve[SUITE_CURVE + 1]; /* of suites that have one: the first measure at frame 0, 1 ..; NaN: it is shorter */
    double seconds;               /* of this processor, for the run */
} Score;

typedef struct Measure {
    const char *name;  /* in JSON, a mean over the items */
    const char *title; /* in tables; NULL: only in JSON */
    const char *unit;
    TableBest best;
} Measure;

typedef struct Suite {
    const char *name;
    const char *item;             /* "toss" */
    const char *about;            /* for `rigor help reality` */
    double frame;                 /* s */
    double friction, restitution; /* the published pair */
    double fit_friction[8];       /* where a fit looks first; 0 ends the list */
    double fit_restitution[8];    /* negative ends the list */
    int measure_count;
    const Measure *measures; /* the first is what is compared and fitted */
    bool median;             /* the median of the first measure is printed, too */
    bool curve;              /* of the first measure against time */
    /* Finds and reads the data; false with what is missing and how to get it, or what is wrong in a file. */
    bool (*open)(void **data, int *count, Status *status);
    void (*close)(void *data);
    /* The item's number in the data; whether it is of the half that scores, and of those for a quick fit. */
    int (*number)(const void *data, int item, bool *test, bool *quick);
    /* Runs one item with the run's solver and options. False with a message: the solver cannot. */
    bool (*score)(const void *data, int item, const Run *run, double friction, double restitution, Score *score,
                  Status *status);
    /* What a run that came to no end counts. */
    void (*lose)(const void *data, int item, Score *score);
    /* What is measured against, in closed form, beside the solvers; NULL: nothing. */
    const char *closed_form;
    bool (*score_closed)(const void *data, int item, double friction, double restitution, Score *score);
} Suite;

extern const Suite *const all_suites[];
extern const int suite_count;

/* NULL with a message. */
const Suite *suite_find(const char *name, Status *status);

/* s of this process's processor time. */
double suite_cpu_now(void);

#endif
