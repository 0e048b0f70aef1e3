/* SPDX-License-Identifier: MIT */
/* Says on standard error how far something long is, once it has taken a second: on a terminal in a line that is written
 * over, elsewhere in a line of its own now and then. */
#ifndef RIGOR_BENCH_PROCESS_PROGRESS_H
#define RIGOR_BENCH_PROCESS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Begins as all zero. */
typedef struct Progress {
    double began, shown; /* s, by the clock; 0: not yet */
    double from;         /* what was done as it began */
    bool standing;       /* a line stands on the terminal */
    bool announced;      /* that it takes minutes */
    bool lines;          /* runs have a line outside of a terminal, too: one of several */
} Progress;

/* `done` of `total` simulated seconds. What will take minutes is announced in a line that stays. NULL: nothing is
 * shown.
 */
void progress_tick(Progress *progress, const char *what, double done, double total);

/* The same of what says nothing outside of a terminal but how many minutes it will take. */
void progress_tick_run(Progress *progress, const char *what, double done, double total);

/* s: longer than this, and a reader should know before. */
extern const double PROGRESS_LONG;

/* "20 s", "3 min", "2.5 h". */
const char *progress_time(double seconds, char *text, size_t size);

/* What has no steps to count, and may take long: a line on a terminal until it is cleared, and nothing elsewhere. */
void progress_say(Progress *progress, const char *what);

/* It is over: the terminal's line goes, and the next begins anew. */
void progress_clear(Progress *progress);

#endif
