/* SPDX-License-Identifier: MIT */
/* Programs of others, started without a shell: an argument is an argument, whatever characters it has. */
#ifndef RIGOR_BENCH_PROCESS_PROGRAM_H
#define RIGOR_BENCH_PROCESS_PROGRAM_H

#include "model/status.h"

#include <stdio.h>
#include <sys/types.h>

/* Where PATH has it; false: nowhere. */
bool program_find(const char *name, char *place, size_t size);

/* A program that reads what is written to `in`. It ends when this one does. */
typedef struct Program {
    FILE *in;
    pid_t pid;
} Program;

/* `words` are the program's name and its arguments, NULL at the end. False with a message. */
bool program_start(Program *program, const char *place, char *const *words, Status *status);

/* Closes its input and waits; did it end well? One that never started may be ended. */
bool program_end(Program *program);

#endif
