/* SPDX-License-Identifier: MIT */
/* The `variants` of an experiment or figure file. */
#ifndef RIGOR_BENCH_RUN_SOLVER_SET_FILE_H
#define RIGOR_BENCH_RUN_SOLVER_SET_FILE_H

#include "bench/run/solver_set.h"
#include "scenes/file/file.h"

/* Adds those of the node (none, if the file has no such key); false, with the place in the message. */
bool solver_set_read(SolverSet *set, Node variants);

#endif
