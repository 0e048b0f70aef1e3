/* SPDX-License-Identifier: MIT */
#include "bench/experiment/sweep.h"

#include "bench/process/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often the progress is printed, s: on a terminal, where the line is overwritten, and elsewhere. */
static const double TERMINAL_INTERVAL = 0.2, LOG_INTERVAL = 15.0;

/* How long one wait may last, s: interrupts and the progress line are looked after in between. */
static const double WAIT = 0.2;

/* A signal handler can leave word nowhere else. */
static volatile sig_atomic_t interrupts;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupts++;
}

typedef struct Handlers {
    struct sigaction interrupt, terminate, file_size;
} Handlers;

/* write() reports a file size limit as it does a full disk. */
static void handlers_set(Handlers *before)
{
    struct sigaction action = {.sa_handler = on_interrupt}, ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&action.sa_mask);
    sigemptyset(&ignore.sa_mask);
    interrupts = 0;
    sigaction(SIGINT, &action, &before->interrupt);
    sigaction(SIGTERM, &action, &before->terminate);
    sigaction(SIGXFSZ, &ignore, &before->file_size);
}

static void handlers_restore(const Handlers *before)
{
    sigaction(SIGINT, &before->interrupt, NULL);
    sigaction(SIGTERM, &before->terminate, NULL);
    sigaction(SIGXFSZ, &before->file_size, NULL);
}

bool sweep_plan(SweepPlan *plan, const Experiment *experiment, Store *store, bool force, Shard shard, Status *status)
{
    size_t count = (size_t)experiment->run_count;
    *plan = (SweepPlan){.runs = malloc(sizeof *plan->runs * count), .metrics = malloc(sizeof *plan->metrics * count)};
    if (!plan->runs || !plan->metrics)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; i < experiment->run_count; i++) {
        bool has;
        uint32_t kept;
        if (shard.of > 0 && i % shard.of != shard.at)
            continue;
        plan->wanted++;
        if (!store_has(store, experiment, i, &has, &kept, status))
            return false;
        if (has && !force)
            continue;
        plan->runs[plan->count] = i;
        plan->metrics[plan->count++] = experiment->metrics | kept;
    }
    return true;
}

void sweep_plan_clear(SweepPlan *plan)
{
    free(plan->runs);
    free(plan->metrics);
    *plan = (SweepPlan){0};
}

typedef struct Sweep {
    const SweepPlan *plan;
    const Experiment *experiment;
    Store *store;
    Crew *crew;
    SweepCounts *counts;
    int next; /* of the plan */
    int workers;
    int *in_hand; /* each worker's place in the plan; -1: none */
    int busy;
    double begun, told;
    bool terminal;
} Sweep;

static void duration_text(double seconds, char *text, size_t size)
{
    if (seconds < 100.0)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000.0)
        snprintf(text, size, "%.0f min", seconds / 60.0);
    else
        snprintf(text, size, "%.1f h", seconds / 3600.0);
}

static void sweep_tell(Sweep *sweep)
{
    double time = clock_now(), rate = sweep->counts->made / (time - sweep->begun);
    if (time - sweep->told < (sweep->terminal ? TERMINAL_INTERVAL : LOG_INTERVAL))
        return;
    sweep->told = time;
    char left[32] = "?";
    if (rate > 0.0)
        duration_text((sweep->plan->count - sweep->counts->made) / rate, left, sizeof left);
    fprintf(stderr, "%s[%d/%d] %.3g runs/s, %s left", sweep->terminal ? "\r\033[K" : "", sweep->counts->made,
            sweep->plan->count, rate, left);
    for (int i = OUTCOME_BLEW_UP; i < OUTCOME_COUNT; i++)
        if (sweep->counts->by_status[i])
            fprintf(stderr, ", %d %s", sweep->counts->by_status[i], outcome_names[i]);
    fputs(interrupts ? "; finishing what is in hand" : "", stderr);
    fputs(sweep->terminal ? "" : "\n", stderr);
}

static bool sweep_give(Sweep *sweep, Status *status)
{
    for (int w = 0; !interrupts && w < sweep->workers && sweep->next < sweep->plan->count; w++) {
        if (sweep->in_hand[w] >= 0)
            continue;
        if (!sweep->crew->give(sweep->crew, w, sweep->plan->runs[sweep->next], status))
            return false;
        sweep->in_hand[w] = sweep->next++;
        sweep->busy++;
    }
    return true;
}

/* The worker gets its next run before the last one is stored: it need not wait for the disk. */
static bool sweep_take(Sweep *sweep, Status *status)
{
    Outcome outcome;
    int worker;
    if (!sweep->crew->take(sweep->crew, WAIT, &worker, &outcome, status))
        return false;
    if (worker < 0)
        return true;
    int at = sweep->in_hand[worker];
    sweep->in_hand[worker] = -1;
    sweep->busy--;
    bool given = sweep_give(sweep, status);
    if (!store_put(sweep->store, sweep->experiment, &outcome, sweep->plan->metrics[at], status))
        return false;
    sweep->counts->made++;
    sweep->counts->by_status[outcome.status]++;
    return given;
}

static bool sweep_loop(Sweep *sweep, Status *status)
{
    if (!sweep_give(sweep, status))
        return false;
    while (sweep->busy > 0 && interrupts < 2) {
        if (!sweep_take(sweep, status))
            return false;
        sweep_tell(sweep);
    }
    return true;
}

bool sweep_make(const SweepPlan *plan, const Experiment *experiment, Store *store, Crew *crew, SweepCounts *counts,
                Status *status)
{
    *counts = (SweepCounts){.there = plan->wanted - plan->count};
    Sweep sweep = {.plan = plan, .experiment = experiment, .store = store, .crew = crew, .counts = counts};
    sweep.terminal = isatty(STDERR_FILENO);
    sweep.begun = sweep.told = clock_now();
    sweep.workers = crew->size;
    sweep.in_hand = malloc(sizeof *sweep.in_hand * (size_t)sweep.workers);
    if (!sweep.in_hand)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int w = 0; w < sweep.workers; w++)
        sweep.in_hand[w] = -1;
    Handlers before;
    handlers_set(&before);
    bool ok = sweep_loop(&sweep, status);
    handlers_restore(&before);
    if (sweep.terminal)
        fputs("\r\033[K", stderr);
    free(sweep.in_hand);
    counts->pending = plan->count - counts->made;
    counts->seconds = clock_now() - sweep.begun;
    if (ok && counts->pending > 0)
        return status_set(status, STATUS_FAILED, "stopped: %d of %d runs are stored; the same command makes the rest",
                          counts->there + counts->made, plan->wanted);
    return ok;
}
