/* SPDX-License-Identifier: MIT */
/* Work that a library might choke on, in a child: a file made to harm makes HDF5 loop, crash or ask for all memory
 * there, a full disk or missing memory make it abort there, and become a message here. A child that reads is confined
 * (bench/process/confine.h): the file is opened here, and its descriptor is all that it has. */
#ifndef RIGOR_BENCH_PROCESS_CHILD_H
#define RIGOR_BENCH_PROCESS_CHILD_H

#include "model/status.h"

#include <stdio.h>

/* A reading child's bounds: seconds of processor time, and as long without giving anything; bytes beyond what it begins
 * with, and as many that it gives. */
enum { READ_SECONDS = 10 };
static const unsigned long long READ_BYTES = 4ull << 30;

/* Reads `in`, the file's descriptor (-1: it writes one), and may write to `out`; false with a message. */
typedef bool ChildWork(FILE *out, int in, void *context, Status *status);

/* What `read` writes in the child goes to `out` here. False with its message, with one that says how the child ended,
 * or because the path names no plain file. What comes is the child's word: the caller checks it. */
bool read_in_child(FILE *out, ChildWork *read, void *context, const char *path, Status *status);

/* The same with descriptors that are open already, those of -1 left out; the first of them is `in`. `bytes`: of memory,
 * beyond what every reader may take. */
bool read_descriptors_in_child(FILE *out, ChildWork *read, void *context, const char *path, const int *descriptors,
                               int count, unsigned long long bytes, Status *status);

/* `write` makes the file at `path`, and leaves its `out` alone. */
bool write_in_child(ChildWork *write, void *context, const char *path, Status *status);

#endif
