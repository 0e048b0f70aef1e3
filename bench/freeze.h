/* A scene frozen at a time, brought there by one solver. The same bits every time. */
#ifndef RIGOR_BENCH_FREEZE_H
#define RIGOR_BENCH_FREEZE_H

#include "bench/cli/cli.h"

/* --at, 0 if it is not given. */
bool freeze_time(const Arguments *arguments, double *at, Status *status);

/* The run that brings the scene there: --from with the options it has in `runs`, or its defaults; else `otherwise`. */
bool freeze_choose_from(const Arguments *arguments, const Run *runs, int count, const Run *otherwise, Run *from,
                        Status *status);

/* A fresh problem of the run, at that time; NULL with a message. */
Problem *freeze_problem(const Run *from, double at, Status *status);

#endif
