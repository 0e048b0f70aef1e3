/* SPDX-License-Identifier: MIT */
/* A crew of worker processes on this machine: a pool whose items are the runs of an experiment. */
#include "bench/experiment/crew.h"

#include "bench/process/pool.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

/* A run whose worker somebody killed (SIGKILL: an operator, a system without memory) is no crash of its own: it is
 * given again, so many times. */
enum { KILLS_FORGIVEN = 3 };

typedef struct Killed {
    int run, times;
} Killed;

typedef struct LocalCrew {
    Crew crew;
    Pool *pool;
    const Experiment *experiment;
    CrewWork work;
    double seconds_limit;
    Killed *killed; /* of each worker, its last */
    char machine[OUTCOME_MACHINE];
} LocalCrew;

/* Host, architecture and processor, as far as the system tells. */
static void machine_name(char text[OUTCOME_MACHINE])
{
    struct utsname system;
    char line[256], model[96] = "";
    if (uname(&system) != 0)
        return;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !model[0] && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(model, sizeof model, ", %.90s", strchr(line, ':') + 2);
    if (file)
        fclose(file);
    model[strcspn(model, "\n")] = '\0';
    snprintf(text, OUTCOME_MACHINE, "%.64s %.16s%s", system.nodename, system.machine, model);
}

static void crew_item(void *context, int index, void *result)
{
    const LocalCrew *local = context;
    Outcome *outcome = result;
    local->work(local->experiment, index, outcome);
    outcome->run = index;
}

static bool crew_give(Crew *crew, int worker, int run, Status *status)
{
    return pool_give(((LocalCrew *)crew)->pool, worker, run, status);
}

static void outcome_crashed(Outcome *outcome, int run, int how, const char *where)
{
    *outcome = outcome_empty(run, OUTCOME_CRASHED);
    if (WIFSIGNALED(how))
        snprintf(outcome->message, sizeof outcome->message, "killed by signal %d (%s)%.180s", WTERMSIG(how),
                 strsignal(WTERMSIG(how)), where);
    else
        snprintf(outcome->message, sizeof outcome->message, "the process ended with status %d%.180s", WEXITSTATUS(how),
                 where);
}

/* Whether the answer is a killed worker's, whose run was given again. */
static bool crew_forgives(LocalCrew *local, const PoolAnswer *answer, Status *status)
{
    Killed *killed = &local->killed[answer->worker];
    if (answer->event != POOL_DIED || !WIFSIGNALED(answer->how) || WTERMSIG(answer->how) != SIGKILL)
        return false;
    *killed = (Killed){answer->index, killed->run == answer->index ? killed->times + 1 : 1};
    return killed->times <= KILLS_FORGIVEN && pool_give(local->pool, answer->worker, answer->index, status);
}

static bool crew_take(Crew *crew, double seconds, int *worker, Outcome *outcome, Status *status)
{
    LocalCrew *local = (LocalCrew *)crew;
    PoolAnswer answer;
    bool ok = pool_take(local->pool, seconds, &answer, outcome, status);
    bool nothing = answer.event == POOL_NOTHING || (ok && crew_forgives(local, &answer, status));
    *worker = nothing ? -1 : answer.worker;
    if (nothing)
        return ok;
    if (answer.event == POOL_DIED)
        outcome_crashed(outcome, answer.index, answer.how, answer.where);
    if (answer.event == POOL_LATE) {
        *outcome = outcome_empty(answer.index, OUTCOME_TIMED_OUT);
        snprintf(outcome->message, sizeof outcome->message, "not done after %g s%.180s", local->seconds_limit,
                 answer.where);
    }
    strcpy(outcome->machine, local->machine);
    return ok;
}

static void crew_dismiss(Crew *crew)
{
    LocalCrew *local = (LocalCrew *)crew;
    pool_destroy(local->pool);
    free(local->killed);
    free(local);
}

Crew *crew_create(const Experiment *experiment, int size, CrewWork work, double seconds_limit, Status *status)
{
    LocalCrew *local = calloc(1, sizeof *local);
    if (!local || !(local->killed = calloc((size_t)size + 1, sizeof *local->killed))) {
        status_set(status, STATUS_FAILED, "out of memory");
        free(local);
        return NULL;
    }
    local->crew = (Crew){size, crew_give, crew_take, crew_dismiss};
    local->experiment = experiment;
    local->work = work;
    local->seconds_limit = seconds_limit;
    machine_name(local->machine);
    PoolWork items = {crew_item, local, sizeof(Outcome), seconds_limit};
    local->pool = pool_create(&items, size, status);
    if (local->pool)
        return &local->crew;
    free(local->killed);
    free(local);
    return NULL;
}
