/* SPDX-License-Identifier: MIT */
/* The last words of a process that a fault ends: which fault, and where in which solver. */
#ifndef RIGOR_BENCH_PROCESS_CRASH_H
#define RIGOR_BENCH_PROCESS_CRASH_H

/* From now on this process ends with exit status 1 and a message at a fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT);
 * its children end by the fault. Part files are removed. Does nothing under a sanitizer, which tells more. */
void crash_watch(void);

#endif
