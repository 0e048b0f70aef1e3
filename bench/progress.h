/* Says on standard error how far something long is, once it has taken a second: on a terminal in a line that is written
 * over, elsewhere in a line of its own now and then. */
#ifndef RIGOR_BENCH_PROGRESS_H
#define RIGOR_BENCH_PROGRESS_H

#include <stdbool.h>

/* Begins as all zero. */
typedef struct Progress {
    double began, shown; /* s, by the clock; 0: not yet */
    double from;         /* what was done as it began */
    bool standing;       /* a line stands on the terminal */
    bool terminal_only;  /* nothing is said elsewhere */
} Progress;

/* `done` of `total` simulated seconds. NULL: nobody is told. */
void progress_tick(Progress *progress, const char *what, double done, double total);

/* It is over: the terminal's line goes, and the next begins anew. */
void progress_clear(Progress *progress);

#endif
