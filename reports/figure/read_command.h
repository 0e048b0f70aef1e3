/* SPDX-License-Identifier: MIT */
/* Commands of this program that files of ours name: figures take their data from them, claims their numbers. Such a
 * command reads and prints JSON; it writes no file and loads no code. */
#ifndef RIGOR_REPORTS_FIGURE_READ_COMMAND_H
#define RIGOR_REPORTS_FIGURE_READ_COMMAND_H

#include "cli/cli.h"

enum { COMMAND_WORDS = 64 };

/* Splits the text, which is changed, at blanks; a leading `rigor` is dropped, --json added. */
bool command_words(char *text, char *words[COMMAND_WORDS], int *count, Status *status);

/* Its arguments, without plug-ins; NULL with a message. The arguments are to be cleared either way. */
const Command *reading_command(Arguments *arguments, char **words, int count, Status *status);

/* Runs it in a child; what it prints is the file's content. */
bool command_print(const Command *command, const Arguments *arguments, const char *path, Status *status);

#endif
