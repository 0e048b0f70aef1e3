/* SPDX-License-Identifier: MIT */
/* What a solver fails of the checks of `rigor verify`, so that every table which it enters can say so. An engine is
 * checked with its own defaults at its first use, its tuning (`jolt_tuned`) at the first use of that, which takes some
 * seconds, and again when its bridge or this program is another; what came of it is kept beside the truths. */
#ifndef RIGOR_BENCH_VERIFY_GATE_H
#define RIGOR_BENCH_VERIFY_GATE_H

#include "bench/verify/verify.h"

#include <jansson.h>

enum { GATE_TEXT = 400 };

/* One object for each check: check, what, applies, passes (null: does not apply), measured, bound, message. */
json_t *gate_describe(const VerifyResult *results);

/* The same of a solver with its default options, measured or kept; NULL: it cannot run even the first of them, since it
 * is not installed. The caller's. */
json_t *gate_checks(const Solver *solver);

/* The engine of the list behind a solver's name (`jolt`, `jolt_tuned`, `jolt:substeps=4`); NULL: there is none. */
const Solver *gate_engine(const char *solver);

/* The names of the checks that the engine behind a solver's name fails: of an engine of --engine, when it was last
 * checked here. False: none, or it is no engine, or not installed. */
bool gate_failures(const char *solver, char text[GATE_TEXT]);

/* The same as a warning: "fails of rigor verify: ..."; of what is kept alone: who reads a table of runs starts nothing
 * because of a name in it. */
bool gate_kept_warning(const char *solver, char text[GATE_TEXT]);

/* The same of a solver that is at hand, which may be one of --engine. */
bool gate_solver_warning(const Solver *solver, char text[GATE_TEXT]);

#endif
