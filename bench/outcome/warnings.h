/* SPDX-License-Identifier: MIT */
/* What makes a run doubtful that looks fine: energy from nowhere, joints apart, bodies inside each other. */
#ifndef RIGOR_BENCH_OUTCOME_WARNINGS_H
#define RIGOR_BENCH_OUTCOME_WARNINGS_H

#include "bench/run/run.h"

enum { WARNINGS_MAX = 10, WARNING_TEXT = 128 };

typedef struct Warnings {
    int count;
    char texts[WARNINGS_MAX][WARNING_TEXT];
} Warnings;

/* Of a run that was made, whatever its status. */
Warnings warnings_of(const Run *run);

/* One more; beyond WARNINGS_MAX it is left out. */
void warnings_add(Warnings *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* If an error grows by this factor in a substep, of warm start with Baumgarte; NaN, 0: nobody knows. */
void warnings_add_amplification(Warnings *warnings, double factor);

#endif
