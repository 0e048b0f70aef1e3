/* SPDX-License-Identifier: MIT */
/* Messages for slips on the command line. Each sets the status and returns false where it has something to say, or
 * returns false leaving the status alone. */
#ifndef RIGOR_CLI_HINTS_H
#define RIGOR_CLI_HINTS_H

#include "cli/cli.h"

/* This name, the first operand or an option's value, is no scene. */
bool hint_unknown_scene(const Arguments *arguments, const char *name, Status *status);
bool hint_unknown_solver(const SolverSet *set, const char *name, Status *status);

/* What the name is elsewhere: a scene, solver, metric, command, list or figure. */
bool hint_elsewhere(const SolverSet *set, const char *name, Status *status);

/* Too many operands, or too few. */
bool hint_extra_operand(const Arguments *arguments, const Command *command, Status *status);
bool hint_missing_operand(const Arguments *arguments, const Command *command, Status *status);

/* A scene's or solver's name where a file belongs; true: there is none. */
bool hint_wrong_name(const Arguments *arguments, const Command *command, Status *status);

/* `--name value`, which this command does not take; value NULL: none. */
bool hint_unknown_option(const Command *command, const char *name, const char *value, Status *status);

/* The program's first argument is no command. */
bool hint_unknown_command(int argc, char **argv, Status *status);

#endif
