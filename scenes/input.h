/* Input files as text: read whole, up to a bound, from a file or a pipe; a pipe that says nothing for INPUT_SECONDS is
 * an error. */
#ifndef RIGOR_SCENES_INPUT_H
#define RIGOR_SCENES_INPUT_H

#include "model/status.h"

#include <stddef.h>

enum { INPUT_SECONDS = 10 };

/* Bytes of a JSON document (a body takes about 250: a quarter of a million bodies; parsed it takes up to 20 times as
 * much) and of a Wavefront OBJ. */
static const size_t INPUT_JSON_BYTES = (size_t)64 << 20, INPUT_OBJ_BYTES = (size_t)256 << 20;

/* The content with a zero behind it, to be freed; NULL with a message. */
char *input_read(const char *path, size_t most, size_t *size, Status *status);

#endif
