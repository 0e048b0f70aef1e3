/* SPDX-License-Identifier: MIT */
/* A run's clock: follows the loop of solvers/stepper.h from part to part. Costs need the accounts alone, and the clock
 * is read only where the account changes; a profile (`by_part`) has every part apart, for some more readings. */
#ifndef RIGOR_BENCH_RUN_STOPWATCH_H
#define RIGOR_BENCH_RUN_STOPWATCH_H

#include "solvers/stepper.h"

/* Who a stretch of time is charged to. */
typedef enum Account { ON_SOLVER, ON_DETECTION, ON_BOOKKEEPING, ON_JUDGE, ON_METRICS, ACCOUNTS } Account;

/* Of every account one stretch at least; of each phase its preparation and its sweeps. */
enum {
    STRETCH_BROAD = ACCOUNTS,
    STRETCH_NARROW,
    STRETCH_BLOCKS,
    STRETCH_WATCH,
    STRETCH_PHASE,
    STRETCHES = STRETCH_PHASE + 2 * SOLVER_MAX_PHASES
};

typedef struct Stopwatch {
    bool by_part;
    int stretch;               /* that the time since then belongs to */
    double since;              /* s */
    double seconds[STRETCHES]; /* so far */
} Stopwatch;

/* Time from now on belongs to this stretch (an Account is one); what went before is booked. */
void stopwatch_go_on(Stopwatch *watch, int stretch);

/* Forgets the time since the last call. */
void stopwatch_skip(Stopwatch *watch, int stretch);

/* The loop is at this part now. */
void stopwatch_part(Stopwatch *watch, StepPart part, int phase);

double stopwatch_account(const Stopwatch *watch, Account account);

enum { TIME_PART_NAME = 64 };

/* s that one part of a run took. */
typedef struct TimePart {
    char name[TIME_PART_NAME];
    double seconds;
} TimePart;

typedef struct TimeParts {
    int count; /* 0: nobody asked */
    TimePart parts[STRETCHES + 1];
    double whole; /* s, from the first frame's beginning to the last one's end, by a clock of its own */
} TimeParts;

/* The parts of a run by this solver, in the order of a frame. An engine's own time, of TRAIT_OWN_CLOCK, is a part. */
TimeParts stopwatch_parts(const Stopwatch *watch, const Stepper *stepper, double whole);

#endif
