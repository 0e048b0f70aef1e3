#include "bench/progress.h"

#include "bench/clock.h"

#include <stdio.h>
#include <unistd.h>

/* s: until the first word, between two on a terminal; elsewhere each is twice as late as the one before. */
static const double PATIENCE = 1.0, REFRESH = 0.2;

void progress_tick(Progress *progress, const char *what, double done, double total)
{
    if (!progress)
        return;
    double now = clock_now();
    bool terminal = isatty(STDERR_FILENO);
    if (progress->began == 0.0) {
        progress->began = now;
        progress->from = done;
    }
    double next = progress->shown == 0.0 ? progress->began + PATIENCE
                  : terminal             ? progress->shown + REFRESH
                                         : progress->began + 2.0 * (progress->shown - progress->began);
    if (now < next || (!terminal && progress->terminal_only))
        return;
    progress->shown = now;
    progress->standing = terminal;
    double made = done - progress->from, left = made > 0.0 ? (now - progress->began) * (total - done) / made : 0.0;
    fprintf(stderr, "%s%s: %.4g of %.4g s", terminal ? "\r\033[K" : "", what, done, total);
    if (made > 0.0)
        fprintf(stderr, ", %.*f s more at this rate", left < 10.0, left);
    fputs(terminal ? "" : "\n", stderr);
    fflush(stderr);
}

void progress_clear(Progress *progress)
{
    if (!progress)
        return;
    if (progress->standing)
        fputs("\r\033[K", stderr);
    progress->began = progress->shown = 0.0;
    progress->standing = false;
}
