/* SPDX-License-Identifier: MIT */
/* What the files of checks share. */
#ifndef RIGOR_BENCH_VERIFY_CHECKS_H
#define RIGOR_BENCH_VERIFY_CHECKS_H

#include "bench/verify/verify.h"

/* One run of a scene with parameters "key=value key=value" by the solver under test; cleared by the caller. */
bool verify_run(const Run *like, const char *scene, const char *params, double dt, double time, const RunWatch *watch,
                Run *run, Status *status);

/* Of a run that was made; NaN: it blew up. */
double verify_metric(const Run *run, const char *name);

/* What internal forces leave alone (bench/verify/momentum.c). */
extern const VerifyCheck verify_momentum, verify_angular_momentum, verify_contact_momentum;

/* Impacts (bench/verify/impact.c). */
extern const VerifyCheck verify_oblique, verify_rebound;

#endif
