/* SPDX-License-Identifier: MIT */
/* What became of a run, in a word: the one judgement that documents, stores, tables and figures share.
 *   falls   it blew up, or ends otherwise than its scene asks for (`settled`), or joints part or bodies overlap by a
 *           body's length, or all of the scene's energy came from nowhere once more
 *   drifts  joints part or bodies overlap by more than 1 % of a body's length, or energy comes from nowhere
 *   holds   none of that
 * A run that was not made, or did not reach its end, has no verdict. */
#ifndef RIGOR_BENCH_OUTCOME_VERDICT_H
#define RIGOR_BENCH_OUTCOME_VERDICT_H

#include "bench/run/run.h"

typedef enum Verdict { VERDICT_NONE, VERDICT_HOLDS, VERDICT_DRIFTS, VERDICT_FALLS, VERDICT_COUNT } Verdict;

/* "holds", "drifts", "falls"; NULL: none. */
extern const char *const verdict_names[VERDICT_COUNT];

/* More energy than this part of the scene's scale, in a scene that nothing feeds, is no rounding of a method. */
static const double VERDICT_ENERGY_GAIN = 0.1;

/* By the metrics of a run that is over, and its scene's length scale (m). */
Verdict verdict_judge(RunStatus status, const double metrics[METRICS_MAX], double length);

Verdict verdict_of(const Run *run);

/* The verdict so named; VERDICT_NONE: NULL, or no such word. */
Verdict verdict_find(const char *name);

#endif
