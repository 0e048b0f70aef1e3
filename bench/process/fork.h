/* SPDX-License-Identifier: MIT */
/* How every child process of the program begins, and how it is awaited. */
#ifndef RIGOR_BENCH_PROCESS_FORK_H
#define RIGOR_BENCH_PROCESS_FORK_H

#include <stdbool.h>
#include <sys/types.h>

/* As fork(), for a process with stdio: what is buffered is written before, or the child would write it a second time.
 * The child leaves no core file and gets `signal` when the parent ends: SIGTERM, at which its part files are removed,
 * or SIGKILL, at once. */
pid_t fork_child(int signal);

/* In a child: from now on it gets the signal when its parent ends (on Linux). False: the parent has ended already. */
bool fork_end_with(pid_t parent, int signal);

/* Waits until the child has ended, whatever interrupts; its wait status, 0 where there is no such child. */
int fork_await(pid_t child);

#endif
