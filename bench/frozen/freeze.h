/* SPDX-License-Identifier: MIT */
/* A scene frozen at a time, brought there by one solver. The same bits every time. */
#ifndef RIGOR_BENCH_FROZEN_FREEZE_H
#define RIGOR_BENCH_FROZEN_FREEZE_H

#include "bench/outcome/remarks.h"

/* A fresh problem of the run, at that time; NULL with a message. `said`, unless NULL, takes what the run up to there
 * says of itself. */
Problem *freeze_problem(const Run *from, double at, Remarks *said, Status *status);

/* {"solver", "row_solves", "events", "warnings"}: who brought the scene there, and what is to be said of that. */
json_t *freeze_describe(const Run *from, const Remarks *said);

#endif
