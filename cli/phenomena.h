/* SPDX-License-Identifier: MIT */
/* `rigor reality phenomena`: who shows which phenomenon (bench/reality/phenomena/phenomena.h). */
#ifndef RIGOR_CLI_PHENOMENA_H
#define RIGOR_CLI_PHENOMENA_H

#include "cli/cli.h"

/* The runs are the solvers'. */
bool phenomena_command(const Arguments *arguments, const Run *runs, int count, int jobs, Status *status);

#endif
