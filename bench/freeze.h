/* A scene frozen at a time, brought there by one solver. The same bits every time. */
#ifndef RIGOR_BENCH_FREEZE_H
#define RIGOR_BENCH_FREEZE_H

#include "bench/run.h"

/* A fresh problem of the run, at that time; NULL with a message. */
Problem *freeze_problem(const Run *from, double at, Status *status);

#endif
