/* SPDX-License-Identifier: MIT */
/* What a trial found, as the document of `rigor reality --json`. */
#ifndef RIGOR_BENCH_REALITY_TRIAL_JSON_H
#define RIGOR_BENCH_REALITY_TRIAL_JSON_H

#include "bench/reality/trial.h"

#include <jansson.h>

enum { ENTRY_NAME = 224 };

/* "pgs", or "pgs fine". */
const char *entry_name(const Trial *trial, const Entry *entry, char name[ENTRY_NAME]);
const char *entry_solver(const Trial *trial, const Entry *entry);

/* Rows in the order of the ranking; what could not run has a `message` in place of numbers, at the end. `ties` are the
 * largest sets of which no two differ, `undecided` pairs that are too near their level. */
json_t *trial_json(const Trial *trial);

#endif
