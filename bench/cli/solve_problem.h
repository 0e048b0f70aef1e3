/* SPDX-License-Identifier: MIT */
/* The part of `rigor solve` that takes published problems. */
#ifndef RIGOR_BENCH_CLI_SOLVE_PROBLEM_H
#define RIGOR_BENCH_CLI_SOLVE_PROBLEM_H

#include "bench/cli/cli.h"

/* Of the files that --problem and the operands name. */
bool solve_problems(const Arguments *arguments, Status *status);

#endif
