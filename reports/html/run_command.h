/* SPDX-License-Identifier: MIT */
/* The command that makes a run again. */
#ifndef RIGOR_REPORTS_HTML_RUN_COMMAND_H
#define RIGOR_REPORTS_HTML_RUN_COMMAND_H

#include "bench/run/solver_set.h"
#include "scenes/file/file.h"

/* Of a row of a grid: what differs from the scene's and the solver's own settings is said. */
void run_command(Text *out, const json_t *row, const SolverSet *solvers);

#endif
