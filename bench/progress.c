#include "bench/progress.h"

#include "bench/clock.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* s: until the first word, between two on a terminal; elsewhere each is twice as late as the one before. */
static const double PATIENCE = 1.0, REFRESH = 0.2;

/* Longer than this, s, and a reader should know before. */
static const double LONG = 60.0;

/* "3 min", "2.5 h". */
static void print_long(double seconds)
{
    if (seconds < 7200.0)
        fprintf(stderr, "%.0f min", ceil(seconds / 60.0));
    else
        fprintf(stderr, "%.1f h", seconds / 3600.0);
}

static void tick(Progress *progress, const char *what, double done, double total, bool quiet)
{
    double now = clock_now();
    bool terminal = isatty(STDERR_FILENO);
    if (progress->began == 0.0) {
        progress->began = now;
        progress->from = done;
    }
    double next = progress->shown == 0.0 ? progress->began + PATIENCE
                  : terminal             ? progress->shown + REFRESH
                                         : progress->began + 2.0 * (progress->shown - progress->began);
    if (now < next)
        return;
    progress->shown = now;
    double made = done - progress->from, left = made > 0.0 ? (now - progress->began) * (total - done) / made : 0.0;
    if (left > LONG && !progress->announced) {
        progress->announced = true;
        fprintf(stderr, "%s%s takes about ", terminal ? "\r\033[K" : "", what);
        print_long(left);
        fputs(" at this rate\n", stderr);
    }
    if (!terminal && quiet)
        return;
    progress->standing = terminal;
    fprintf(stderr, "%s%s: %.4g of %.4g s", terminal ? "\r\033[K" : "", what, done, total);
    if (made > 0.0)
        fprintf(stderr, ", %.*f s more at this rate", left < 10.0, left);
    fputs(terminal ? "" : "\n", stderr);
    fflush(stderr);
}

void progress_tick(Progress *progress, const char *what, double done, double total)
{
    if (progress)
        tick(progress, what, done, total, false);
}

void progress_tick_run(Progress *progress, const char *what, double done, double total)
{
    if (progress)
        tick(progress, what, done, total, true);
}

void progress_say(Progress *progress, const char *what)
{
    if (!progress || !isatty(STDERR_FILENO))
        return;
    progress->standing = true;
    fprintf(stderr, "\r\033[K%s ...", what);
}

void progress_clear(Progress *progress)
{
    if (!progress)
        return;
    if (progress->standing)
        fputs("\r\033[K", stderr);
    progress->began = progress->shown = 0.0;
    progress->standing = progress->announced = false;
}
