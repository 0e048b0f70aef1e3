/* SPDX-License-Identifier: MIT */
/* Runs of a store made once more: whether it says what comes of them. A random share is taken, which whoever falsified
 * a row could not foresee, so that k false rows of it stay unseen with the probability (1 - share)^k. */
#ifndef RIGOR_BENCH_EXPERIMENT_AUDIT_H
#define RIGOR_BENCH_EXPERIMENT_AUDIT_H

#include "bench/store/store.h"

typedef struct AuditRow {
    char key[HASH_TEXT], scene[64], solver[64], what[64];
    char stored[32], found[32];
} AuditRow;

typedef struct Audit {
    int rows;            /* of the store */
    int checked;         /* made again */
    int same, round_off; /* to the bit; within DIFF_RELATIVE and DIFF_ABSOLUTE */
    int left_out; /* chosen, but not to be made again here: engines, problems, files that are not there or others */
    int count;    /* of those that differ */
    AuditRow *different;
} Audit;

/* `share`: of the rows, in (0, 1]; one at least. */
bool audit_make(Audit *audit, const char *path, double share, int jobs, const SolverSet *solvers, Status *status);
void audit_clear(Audit *audit);

#endif
