/* SPDX-License-Identifier: MIT */
#include "bench/process/clock.h"

#include <sys/resource.h>
#include <time.h>

static double clock_read(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

double clock_thread(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

double clock_spent(void)
{
    struct rusage children = {0};
    getrusage(RUSAGE_CHILDREN, &children);
    return clock_read(CLOCK_PROCESS_CPUTIME_ID) + seconds_of(children.ru_utime) + seconds_of(children.ru_stime);
}
