/* Reading what a library might choke on, in a child: a file made to harm makes the library loop, crash or ask for all
 * memory there, and becomes a message here. */
#ifndef RIGOR_REPORTS_READ_CHILD_H
#define RIGOR_REPORTS_READ_CHILD_H

#include "model/status.h"

#include <stdio.h>

/* The child's bounds: seconds of processor time, and as long without giving anything; bytes beyond what it begins
 * with. */
enum { READ_SECONDS = 10 };
static const unsigned long long READ_BYTES = 4ull << 30;

/* Writes to `out`; false with a message. */
typedef bool ReadFile(FILE *out, void *context, Status *status);

/* What `read` writes in the child goes to `out` here. False with its message, or with one that says how the child
 * ended. */
bool read_in_child(FILE *out, ReadFile *read, void *context, const char *path, Status *status);

#endif
