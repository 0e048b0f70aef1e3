/* SPDX-License-Identifier: MIT */
/* How much memory a run takes, told before it starts, and how much it may take. */
#ifndef RIGOR_BENCH_RUN_MEMORY_H
#define RIGOR_BENCH_RUN_MEMORY_H

#include "scenes/scene.h"
#include "solvers/solver.h"

/* Bytes: 0.8 of what the machine has, or of what its control group may use where that is less; infinite: not known. */
double memory_allowed(void);

/* "2G", "500M", "64k" or a number of bytes, above 0. */
bool memory_parse(const char *text, double *bytes);

/* Bytes of a run: the world with the contacts that its shapes may have, the solver's own by what it says of itself, and
 * what every frame keeps. */
double memory_of_run(const Problem *problem, const Solver *solver, double frames, bool keep_series);

/* False with a message if that is more than `most`. */
bool memory_fits(double bytes, double most, Status *status);

/* While this stands the process gets hardly more than so many bytes beyond what it has: allocations fail. Infinite: as
 * many as there are. memory_release ends it. */
typedef struct MemoryBound {
    bool set;
    unsigned long long before;
} MemoryBound;

MemoryBound memory_bound(double bytes);
void memory_release(MemoryBound bound);

#endif
