/* SPDX-License-Identifier: MIT */
/* The same work for all: every sweeping solver's substeps or iterations are scaled until it spends as many row solves a
 * frame as the one that spends most as it stands. Whichever of the two is larger is scaled, substeps where they are
 * equal: `xpbd` stays a solver of substeps, `pgs` one of iterations. */
#ifndef RIGOR_BENCH_STUDIES_EQUAL_WORK_H
#define RIGOR_BENCH_STUDIES_EQUAL_WORK_H

#include "bench/run/run.h"

#include <jansson.h>

enum { EQUAL_WORK_TEXT = 64 };

/* Of one run. */
typedef struct WorkShare {
    bool sweeps;        /* else nothing was scaled: it solves directly, pivots, is an engine or cannot run the scene */
    const char *option; /* "substeps" or "iterations" */
    int from, to;
    double row_solves; /* a frame, as scaled; NaN: none */
} WorkShare;

/* Sets the options of runs that are not made yet, by trial runs; *target: row solves a frame, NaN if nobody sweeps.
 * False, with a message, when out of memory. */
bool equal_work_scale(Run *runs, int count, WorkShare *shares, double *target, Status *status);

/* "substeps 20 -> 34", "substeps 20", "no sweeps". */
const char *equal_work_text(const WorkShare *share, char text[EQUAL_WORK_TEXT]);

/* {"option", "from", "to", "row_solves_per_frame"}; null: no sweeps. */
json_t *equal_work_json(const WorkShare *share);

#endif
