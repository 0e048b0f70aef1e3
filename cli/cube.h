/* SPDX-License-Identifier: MIT */
/* `rigor reality cube`: what brings simulated tosses nearer to the measured ones (bench/reality/cube.h). */
#ifndef RIGOR_CLI_CUBE_H
#define RIGOR_CLI_CUBE_H

#include "cli/cli.h"

/* The runs are the solvers'. */
bool cube_command(const Arguments *arguments, const Run *runs, int count, int jobs, Status *status);

#endif
