/* SPDX-License-Identifier: MIT */
/* The command that makes a run again. */
#ifndef RIGOR_REPORTS_HTML_RUN_COMMAND_H
#define RIGOR_REPORTS_HTML_RUN_COMMAND_H

#include "bench/run/solver_set.h"
#include "scenes/file/file.h"

/* A row's scene, solver, params, options and dt, of which the last three only as far as they are not the scene's and
 * the solver's own; NULL: the row is of no run. */
json_t *run_described(const json_t *row, const SolverSet *solvers);

/* Of a row of a grid: with what `run_described` tells. */
void run_command(Text *out, const json_t *row, const SolverSet *solvers);

#endif
