/* SPDX-License-Identifier: MIT */
/* What a backend must do to be believed: checks of the contract in solvers/solver.h, each one number with its bound, on
 * small scenes whose answer is known. Any backend, variant or plug-in goes through the same list. */
#ifndef RIGOR_BENCH_VERIFY_VERIFY_H
#define RIGOR_BENCH_VERIFY_VERIFY_H

#include "bench/run/run.h"

typedef struct VerifyResult {
    bool applies;    /* the backend has the capabilities that the check needs, and does not refuse its scene */
    bool passes;     /* measured <= bound */
    double measured; /* NaN: it could not be run, or blew up */
    double bound;
    char detail[96]; /* more about what was measured; empty: nothing */
    Status status;   /* why it could not be run */
} VerifyResult;

typedef struct VerifyCheck {
    const char *name;
    const char *what; /* is measured, with its unit */
    unsigned needs;   /* of Capability */
    /* Fills measured and bound; false, with a message, if a run could not be made. */
    bool (*measure)(const Run *like, VerifyResult *result, Status *status);
} VerifyCheck;

extern const VerifyCheck *const all_verify_checks[];
extern const int verify_check_count;

/* One check of a run's solver with its options. */
VerifyResult verify_run_check(const VerifyCheck *check, const Run *like);

#endif
