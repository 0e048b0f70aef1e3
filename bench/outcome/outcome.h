/* SPDX-License-Identifier: MIT */
/* What comes of one run of an experiment, as it travels from the process that made the run to the one that stores it:
 * plain data of fixed size. */
#ifndef RIGOR_BENCH_OUTCOME_OUTCOME_H
#define RIGOR_BENCH_OUTCOME_OUTCOME_H

#include "bench/experiment/experiment.h"
#include "bench/outcome/remarks.h"
#include "bench/problems/measures.h"

typedef enum OutcomeStatus {
    OUTCOME_OK,
    OUTCOME_BLEW_UP,
    OUTCOME_FAILED,
    OUTCOME_UNSUPPORTED,
    OUTCOME_CRASHED,
    OUTCOME_TIMED_OUT,
    OUTCOME_COUNT
} OutcomeStatus;

extern const char *const outcome_names[OUTCOME_COUNT];

enum { OUTCOME_MACHINE = 192 };

typedef struct Outcome {
    int run; /* index in the experiment */
    OutcomeStatus status;
    double blew_up_at; /* s; NaN: it did not */
    Remarks said;      /* row solves, events, warnings: of the first repeat */
    /* Medians over the repeats, and the smallest and largest; NaN: never ran. */
    double us_per_frame, us_low, us_high, wall_s;
    double metrics[METRICS_MAX];    /* of the first repeat: all are the same */
    double measures[MEASURE_COUNT]; /* of a problem, medians over the repeats */
    char message[256];              /* why it failed */
    char machine[OUTCOME_MACHINE];  /* that made the run: filled by the crew */
} Outcome;

/* An outcome with nothing measured. */
Outcome outcome_empty(int run, OutcomeStatus status);

/* Makes the run, `repeats` times for its timing. */
void outcome_of_run(const Experiment *experiment, int run, Outcome *outcome);

/* The same for a run that is an attempt at a contact problem; outcome_of_run calls it. */
void outcome_of_problem(const Experiment *experiment, int run, Outcome *outcome);

#endif
