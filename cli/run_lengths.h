/* SPDX-License-Identifier: MIT */
/* What `profile --ecdf` and `results --rank` print of a store's run lengths (bench/store/run_length.h). */
#ifndef RIGOR_CLI_RUN_LENGTHS_H
#define RIGOR_CLI_RUN_LENGTHS_H

#include "cli/cli.h"

bool ecdf_command(const Arguments *arguments, Status *status);
bool rank_command(const Arguments *arguments, Status *status);

#endif
