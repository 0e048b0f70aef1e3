/* SPDX-License-Identifier: MIT */
/* A run in a child process: a plug-in, or a library that writes a recording, may crash there, and that becomes the
 * outcome `crashed` here, with the phase it was in. */
#ifndef RIGOR_BENCH_RUN_CHILD_H
#define RIGOR_BENCH_RUN_CHILD_H

#include "bench/run/run.h"

/* Makes the run, whose problem is built; leaves the outcome in the run and returns made. */
typedef bool RunWork(Run *run, void *context);

/* `work` is called in the child; its outcome, with the world's final state, is brought back. */
bool run_in_child(Run *run, RunWork *work, void *context);

#endif
