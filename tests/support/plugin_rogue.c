/* SPDX-License-Identifier: MIT */
/* A solver that behaves (it leaves everything where it is), calls abort, follows a null pointer, divides by zero, ends
 * its process, never comes back, or does not get beyond its creation, as its option says. */
#include "solvers/solver.h"

#include <stdlib.h>
#include <unistd.h>

typedef enum Act { ACT_BEHAVE, ACT_ABORT, ACT_FAULT, ACT_EXIT, ACT_LOOP, ACT_DIVIDE, ACT_CREATE } Act;

static const char *const act_names[] = {"behave", "abort", "fault", "exit", "loop", "divide", "create", NULL};

typedef struct RogueOptions {
    CommonOptions common;
    int act;
} RogueOptions;

static const Setting ROGUE_SETTINGS[] = {
    COMMON_SETTINGS(1, 1),
    {"act", "what it does", SETTING_CHOICE, offsetof(RogueOptions, act), ACT_BEHAVE, 0, ACT_CREATE, act_names},
};

static void *rogue_create(const SolverTask *task, Status *status)
{
    RogueOptions *rogue = malloc(sizeof *rogue);
    if (((const RogueOptions *)task->options)->act == ACT_CREATE)
        abort();
    if (rogue)
        *rogue = *(const RogueOptions *)task->options;
    else
        status_set(status, STATUS_FAILED, "out of memory");
    return rogue;
}

static void rogue_iterate(void *self, Step *step)
{
    volatile int *volatile nowhere = NULL;
    volatile int zero = 0;
    (void)step;
    switch (((const RogueOptions *)self)->act) {
    case ACT_ABORT:
        abort();
    case ACT_FAULT:
        *nowhere = 1;
        break;
    case ACT_EXIT:
        _exit(7);
    case ACT_DIVIDE:
        zero = 7 / zero;
        break;
    case ACT_LOOP:
        for (;;)
            pause();
    }
}

static int rogue_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "rogue", .iterations = 1, .iterate = rogue_iterate};
    return 1;
}

const Solver rigor_solver = {
    .abi = SOLVER_ABI,
    .name = "rogue",
    .summary = "misbehaves when told to",
    .reference = "the tests",
    .capabilities = CAN_PARTICLES,
    .settings = ROGUE_SETTINGS,
    .setting_count = sizeof ROGUE_SETTINGS / sizeof ROGUE_SETTINGS[0],
    .options_size = sizeof(RogueOptions),
    .create = rogue_create,
    .destroy = free,
    .plan = rogue_plan,
};
