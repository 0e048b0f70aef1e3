/* SPDX-License-Identifier: MIT */
/* Who met which problem, and how it went: what a performance profile is made of, read from a results store. A problem
 * is a scene with its parameters, dt and time, or a contact problem; a contender is a solver, or a solver with one set
 * of options. */
#ifndef RIGOR_BENCH_STORE_CONTEST_H
#define RIGOR_BENCH_STORE_CONTEST_H

#include "model/status.h"

/* Different texts, numbered as they come. */
typedef struct Names {
    int count;
    char **texts; /* owned */
} Names;

/* How much runs say of themselves. */
typedef struct ContestRemarks {
    long long row_solves, events, warnings; /* those that were not counted, or kept, add nothing */
} ContestRemarks;

typedef struct StoreRow {
    int problem, contender;
    double cost; /* infinite: not solved; NaN: ran, but the metric has no value */
    ContestRemarks said;
} StoreRow;

typedef struct Contest {
    bool by_solver; /* the best of a solver's option sets */
    Names problems, contenders;
    int described;             /* contenders that have the next two */
    char **solvers, **options; /* owned */
    int row_count;
    StoreRow *rows;
    double *cost; /* problem by problem; NaN: no value */
    int missing;  /* pairs without a value */
    int dropped;  /* problems to which the metric does not apply */
} Contest;

/* Reads a metric or cost of every run. by_solver is set before; on failure too there is something to clear. */
bool contest_read(Contest *contest, const char *path, const char *column, Status *status);
void contest_clear(Contest *contest);

/* Of all runs of a contender that are in the store, together. */
ContestRemarks contest_remarks(const Contest *contest, int contender);

/* "xpbd", or "xpbd substeps=20" where the solver has several option sets that differ in that; freed with free(). */
char *contest_label(const Contest *contest, int contender);

#endif
