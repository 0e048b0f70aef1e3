/* SPDX-License-Identifier: MIT */
#include "bench/run/stopwatch.h"

#include "bench/process/clock.h"

#include <stdio.h>

/* What a part of the loop is charged to, and its own stretch; a phase's are counted from STRETCH_PHASE. */
static const struct PartPlace {
    Account account;
    int stretch;
} PART_PLACE[STEP_PARTS] = {
    [STEP_BETWEEN] = {ON_BOOKKEEPING, ON_BOOKKEEPING},
    [STEP_BROAD] = {ON_DETECTION, STRETCH_BROAD},
    [STEP_NARROW] = {ON_DETECTION, STRETCH_NARROW},
    [STEP_BLOCKS] = {ON_DETECTION, STRETCH_BLOCKS},
    [STEP_ENTER] = {ON_SOLVER, STRETCH_PHASE},
    [STEP_SWEEP] = {ON_SOLVER, STRETCH_PHASE + 1},
    [STEP_JUDGE] = {ON_JUDGE, ON_JUDGE},
};

void stopwatch_go_on(Stopwatch *watch, int stretch)
{
    double now = clock_now();
    watch->seconds[watch->stretch] += now - watch->since;
    watch->stretch = stretch;
    watch->since = now;
}

void stopwatch_skip(Stopwatch *watch, int stretch)
{
    watch->stretch = stretch;
    watch->since = clock_now();
}

void stopwatch_part(Stopwatch *watch, StepPart part, int phase)
{
    int stretch = PART_PLACE[part].account;
    if (watch->by_part)
        stretch = PART_PLACE[part].stretch + (PART_PLACE[part].stretch >= STRETCH_PHASE ? 2 * phase : 0);
    if (stretch != watch->stretch)
        stopwatch_go_on(watch, stretch);
}

static double seconds_between(const Stopwatch *watch, int from, int to)
{
    double sum = 0.0;
    for (int i = from; i < to; i++)
        sum += watch->seconds[i];
    return sum;
}

double stopwatch_account(const Stopwatch *watch, Account account)
{
    double seconds = watch->seconds[account];
    if (account == ON_SOLVER)
        seconds += seconds_between(watch, STRETCH_PHASE, STRETCHES);
    if (account == ON_DETECTION)
        seconds += seconds_between(watch, STRETCH_BROAD, STRETCH_BLOCKS + 1);
    return seconds;
}

static void parts_add(TimeParts *parts, double seconds, const char *name, const char *what)
{
    TimePart *part = &parts->parts[parts->count++];
    part->seconds = seconds;
    snprintf(part->name, sizeof part->name, "%s%s", name, what);
}

/* A phase that does not iterate is one part. */
static void parts_add_phase(TimeParts *parts, const Stopwatch *watch, const Stepper *stepper, int phase)
{
    const Phase *p = &stepper->phases[phase];
    double enter = watch->seconds[STRETCH_PHASE + 2 * phase], sweeps = watch->seconds[STRETCH_PHASE + 2 * phase + 1];
    if (p->iterations > 0) {
        parts_add(parts, enter, p->name, ", preparation");
        parts_add(parts, sweeps, p->name, ", sweeps");
    } else if (stepper->traits & TRAIT_OWN_CLOCK) {
        parts_add(parts, stepper->step.own_seconds, p->name, ", by its own clock");
        parts_add(parts, enter + sweeps - stepper->step.own_seconds, p->name, ", exchange");
    } else {
        parts_add(parts, enter + sweeps, p->name, "");
    }
}

TimeParts stopwatch_parts(const Stopwatch *watch, const Stepper *stepper, double whole)
{
    TimeParts parts = {.whole = whole};
    if (!watch->by_part)
        return parts;
    if (stepper->step.world->collide) {
        parts_add(&parts, watch->seconds[STRETCH_BROAD], "broad phase", "");
        parts_add(&parts, watch->seconds[STRETCH_NARROW], "narrow phase", "");
        parts_add(&parts, watch->seconds[STRETCH_BLOCKS], "blocks", "");
    }
    for (int i = 0; i < stepper->phase_count; i++)
        parts_add_phase(&parts, watch, stepper, i);
    parts_add(&parts, watch->seconds[ON_BOOKKEEPING], "bookkeeping", "");
    parts_add(&parts, watch->seconds[ON_JUDGE], "residual", "");
    parts_add(&parts, watch->seconds[ON_METRICS], "metrics", "");
    if (watch->seconds[STRETCH_WATCH] > 0.0)
        parts_add(&parts, watch->seconds[STRETCH_WATCH], "recording", "");
    return parts;
}
