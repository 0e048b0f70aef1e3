/* SPDX-License-Identifier: MIT */
/* The part of `rigor solve` that takes published problems. */
#ifndef RIGOR_CLI_SOLVE_PROBLEM_H
#define RIGOR_CLI_SOLVE_PROBLEM_H

#include "cli/cli.h"

/* Of the files that --problem and the operands name. */
bool solve_problems(const Arguments *arguments, Status *status);

#endif
