/* SPDX-License-Identifier: MIT */
/* Input files as text: read whole, up to a bound, from a file or a pipe; a pipe that says nothing for INPUT_SECONDS is
 * an error. What a file names is opened here, under its folder, and read as a descriptor. */
#ifndef RIGOR_SCENES_FILE_INPUT_H
#define RIGOR_SCENES_FILE_INPUT_H

#include "model/status.h"

#include <stddef.h>

enum { INPUT_SECONDS = 10 };

/* Bytes of a JSON document (a body takes about 250: a quarter of a million bodies; parsed it takes up to 20 times as
 * much) and of a Wavefront OBJ. */
static const size_t INPUT_JSON_BYTES = (size_t)64 << 20, INPUT_OBJ_BYTES = (size_t)256 << 20;

/* The content with a zero behind it, to be freed; NULL with a message. */
char *input_read(const char *path, size_t most, size_t *size, Status *status);

/* The same of a descriptor; messages begin with the path. */
char *input_read_open(int fd, const char *path, size_t most, size_t *size, Status *status);

/* A descriptor, closed by the caller, of a plain file that another file names: it lies in that file's folder or below
 * it, and no link leads there; -1 with a message. */
int input_open_beside(const char *file, const char *name, Status *status);

#endif
