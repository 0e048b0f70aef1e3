/* SPDX-License-Identifier: MIT */
#include "bench/process/progress.h"

#include "bench/process/clock.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* s: until the first word, between two on a terminal; elsewhere each is twice as late as the one before. */
static const double PATIENCE = 1.0, REFRESH = 0.2;

const double PROGRESS_LONG = 60.0;

const char *progress_time(double seconds, char *text, size_t size)
{
    if (seconds < 60.0)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 7200.0)
        snprintf(text, size, "%.0f min", ceil(seconds / 60.0));
    else
        snprintf(text, size, "%.1f h", seconds / 3600.0);
    return text;
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
    if (left > PROGRESS_LONG && !progress->announced) {
        char text[32];
        progress->announced = true;
        fprintf(stderr, "%s%s takes about %s at this rate\n", terminal ? "\r\033[K" : "", what,
                progress_time(left, text, sizeof text));
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
        tick(progress, what, done, total, !progress->lines);
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
