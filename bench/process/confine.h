/* SPDX-License-Identifier: MIT */
/* A process that reads what others made gives its authority away: it keeps the descriptors that it was given and may
 * read them, write its pipe, take memory and end; nothing more can be opened, started, signalled or connected to.
 *
 * seccomp (Linux on x86-64 and arm64) answers that every other call is not permitted; landlock (Linux 5.13 and later)
 * opens nothing more of the file system; limits hold everywhere. What the kernel does not have is left out, and
 * confine_how() and `rigor version` say so. Never called in a host program: only in children of `rigor`. */
#ifndef RIGOR_BENCH_PROCESS_CONFINE_H
#define RIGOR_BENCH_PROCESS_CONFINE_H

/* Closes all descriptors but these and puts the null device where input, output and messages were (of a sanitizer's
 * build messages stay); files that are written to are of no size. Before what only this process may still open. */
void confine_descriptors(const int *kept, int count);

/* No way back. `locks`: byte ranges of open files may be locked. */
void confine_calls(int locks);

/* "seccomp and landlock", "seccomp", "landlock", or "limits alone", as this kernel has them. */
const char *confine_how(void);

#endif
