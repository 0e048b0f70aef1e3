/* SPDX-License-Identifier: MIT */
/* What an attempt at a problem gives beside its residual: the columns that only problems have in a results store. */
#ifndef RIGOR_BENCH_PROBLEMS_MEASURES_H
#define RIGOR_BENCH_PROBLEMS_MEASURES_H

#include "bench/problems/attempt.h"

/* contacts, residual_scaled, residual_coulomb; then iterations_GOAL, row_solves_GOAL, seconds_GOAL of each goal. */
enum { MEASURE_CONTACTS, MEASURE_GOALS = 3, MEASURE_COUNT = MEASURE_GOALS + 3 * ATTEMPT_GOALS };

extern const char *const measure_names[MEASURE_COUNT];

/* -1: none of this name. */
int measure_find(const char *name);

/* NaN: the goal was never reached, or nothing was measured. */
void measures_of(const ContactProblem *problem, const Attempt *attempt, double values[MEASURE_COUNT]);

#endif
