/* SPDX-License-Identifier: MIT */
/* What a run says of itself, whatever its metrics look like: its row solves, its events, its warnings, its verdict.
 * Plain data of fixed size, so that it travels between processes; every JSON document that tells of runs has these
 * three keys. */
#ifndef RIGOR_BENCH_OUTCOME_REMARKS_H
#define RIGOR_BENCH_OUTCOME_REMARKS_H

#include "bench/outcome/verdict.h"
#include "bench/outcome/warnings.h"

#include <jansson.h>

typedef struct Remarks {
    double row_solves; /* NaN: not counted */
    int event_count;
    StepEvent events[STEP_MAX_EVENTS];
    Warnings warnings;
    Verdict verdict;
} Remarks;

/* Of a run that was made. */
Remarks remarks_of(const Run *run);

/* Of a run of which nothing is known: it was not made, or died. */
Remarks remarks_none(void);

json_t *json_row_solves(double row_solves);                   /* null: not counted */
json_t *json_events(const StepEvent *events, int count);      /* [{"what", "count", "first_at"}] */
json_t *json_warnings(const Warnings *warnings);              /* texts */
json_t *json_verdict(Verdict verdict);                        /* its word; null: none */
void json_set_remarks(json_t *document, const Remarks *said); /* "row_solves", "events", "warnings" */

#endif
