/* SPDX-License-Identifier: MIT */
/* Recorded motions of the originals (tests/originals/README.md), run again by the name that stands for each. */
#ifndef RIGOR_BENCH_VERIFY_ORIGINALS_H
#define RIGOR_BENCH_VERIFY_ORIGINALS_H

#include "bench/run/run.h"

enum { ORIGINAL_TEXT = 96 };

typedef enum OriginalVerdict { ORIGINAL_SAME, ORIGINAL_BY_DESIGN, ORIGINAL_OPEN, ORIGINAL_VERDICTS } OriginalVerdict;

/* SAME, BY DESIGN, UNEXPLAINED */
extern const char *const original_verdict_names[ORIGINAL_VERDICTS];

typedef struct OriginalResult {
    char name[ORIGINAL_TEXT], options[ORIGINAL_TEXT]; /* options: of the name, for this motion */
    char switches[ORIGINAL_TEXT];                     /* the options that explain the difference; empty: none */
    OriginalVerdict recorded, measured;
    double distance, tolerance; /* of the frame that is worst: m or rad; NaN: it blew up, or was refused */
    double switched;            /* the distance with the switch; NaN: there is none, or it was not needed */
    Status status;              /* why it could not be run */
} OriginalResult;

/* Those of the run's solver, with its options and those of each motion; they are the caller's to free. False, with a
 * message, if they cannot be read. None: count is 0. */
bool originals_measure(const Run *like, OriginalResult **results, int *count, Status *status);

#endif
