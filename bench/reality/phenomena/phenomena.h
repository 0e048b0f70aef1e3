/* SPDX-License-Identifier: MIT */
/* Phenomena with a closed form or a published band: each a small scene, one number, and the band that it must lie in.
 */
#ifndef RIGOR_BENCH_REALITY_PHENOMENA_PHENOMENA_H
#define RIGOR_BENCH_REALITY_PHENOMENA_PHENOMENA_H

#include "bench/run/run.h"

typedef struct Phenomenon {
    const char *name;
    const char *unit;
    const char *about; /* scene, number, source */
    double low, high;  /* of the number */
    /* False with a message: the solver cannot. A run that blows up has no number: infinite. */
    bool (*measure)(const Run *run, double *value, Status *status);
} Phenomenon;

extern const Phenomenon all_phenomena[];
extern const int phenomenon_count;

#endif
