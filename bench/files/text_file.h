/* SPDX-License-Identifier: MIT */
/* Whole files as text. */
#ifndef RIGOR_BENCH_FILES_TEXT_FILE_H
#define RIGOR_BENCH_FILES_TEXT_FILE_H

#include "model/status.h"

/* To be freed; NULL: it cannot be read. */
char *text_file_read(const char *path);

#endif
