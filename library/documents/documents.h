/* SPDX-License-Identifier: MIT */
/* The parts of the generator of manual pages and completions. */
#ifndef RIGOR_LIBRARY_DOCUMENTS_H
#define RIGOR_LIBRARY_DOCUMENTS_H

#include <stdbool.h>

/* Into a folder that is there; false, with a message on standard error. */
bool manual_write(const char *folder);

void completion_print_bash(void);
void completion_print_zsh(void);

#endif
