/* SPDX-License-Identifier: MIT */
/* Files of others are opened once, by the process that may: a plain file, without waiting for a pipe's other end or
 * asking a device. What is read is then the descriptor, whatever becomes of the name. */
#ifndef RIGOR_BENCH_FILES_PLAIN_FILE_H
#define RIGOR_BENCH_FILES_PLAIN_FILE_H

#include "model/status.h"

/* A descriptor to read from, closed by the caller; -1 with a message. *bytes: its size. */
int plain_file_open(const char *path, unsigned long long *bytes, Status *status);

#endif
