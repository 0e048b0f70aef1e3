/* SPDX-License-Identifier: MIT */
/* A child process that is spoken to through two pipes, with a limit on how long an answer may take. What it writes to
 * standard error is kept as its last words. It does not outlive this process, however that ends: a keeper
 * between the two ends it, and all that it has started, whatever their sessions. */
#ifndef RIGOR_SOLVERS_ENGINES_PROCESS_H
#define RIGOR_SOLVERS_ENGINES_PROCESS_H

#include "model/status.h"

#include <stddef.h>
#include <sys/types.h>

enum { PROCESS_LAST_WORDS = 240 };

typedef struct EngineProcess {
    pid_t pid;                          /* of its keeper; 0: none */
    int to, from, errors;               /* pipes; -1: closed */
    double limit;                       /* s, that an answer may take */
    char buffer[1 << 16];               /* read but not yet asked for */
    size_t begin, end;                  /* of what is in it */
    char words[PROCESS_LAST_WORDS + 1]; /* the end of what it wrote to standard error */
} EngineProcess;

/* Runs a command of the shell. False, with a message, if it cannot be started; one that is not there says so at the
 * first answer. */
bool process_start(EngineProcess *process, const char *command, double limit, Status *status);

bool process_write(EngineProcess *process, const void *data, size_t size, Status *status);

/* Exactly so many bytes. A child that ended, was silent for too long or closed its output fails with its last words. */
bool process_read(EngineProcess *process, void *data, size_t size, Status *status);

/* A line without its end, as text that is the caller's; NULL if none of at most so many bytes comes. */
char *process_read_line(EngineProcess *process, size_t most, Status *status);

/* Fails with this message and the child's last words. */
bool process_fail(EngineProcess *process, Status *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Closes its input, gives it a moment to end by itself, then ends it and all its own children. Copes with all zero. */
void process_end(EngineProcess *process);

#endif
