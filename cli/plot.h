/* SPDX-License-Identifier: MIT */
/* --plot: the picture of a study. The document that the command prints with --json is all that is drawn. */
#ifndef RIGOR_CLI_PLOT_H
#define RIGOR_CLI_PLOT_H

#include "cli/cli.h"

/* Before the work: can what --plot asks for be written? */
bool plot_may_be_made(const Arguments *arguments, Status *status);

/* After it: draws if --plot is given. */
bool plot_make(const Arguments *arguments, const char *command, const json_t *document, Status *status);

/* The whole end of a study: the picture, then the document on standard output (with --json) or what `print` prints. */
bool plot_and_report(const Arguments *arguments, const char *command, json_t *document,
                     void (*print)(const void *study), const void *study, Status *status);

#endif
