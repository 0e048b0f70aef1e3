/* SPDX-License-Identifier: MIT */
#include "solvers/phases.h"

#include "solvers/option_text.h"
#include "solvers/solver.h"

#include <string.h>

/* Whether the phase is one of those that the step is taken in. */
static bool step_is_in(const PhaseStep *step, const char *phase)
{
    size_t length = strlen(phase);
    for (const char *at = step->phase; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, phase, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* The row that counts, of those of one step. */
static const PhaseStep *step_choose(const Solver *solver, const void *options, const char *phase, const PhaseStep *of)
{
    const PhaseStep *step = solver->steps;
    while (!step_is_in(step, phase) || step->when != of->when || strcmp(step->step, of->step) != 0 ||
           !option_holds(solver, options, step->option, step->value))
        if (!(++step)->phase)
            return NULL;
    return step;
}

const PhaseStep *phase_next_step(const Solver *solver, const void *options, const char *phase, const PhaseStep *last)
{
    for (const PhaseStep *step = last ? last + 1 : solver->steps; step && step->phase; step++)
        if (step_is_in(step, phase) && step->step[0] && step->text && step == step_choose(solver, options, phase, step))
            return step;
    return NULL;
}

const char *phase_purpose(const Solver *solver, const void *options, const char *phase)
{
    const PhaseStep purpose = {phase, PHASE_ENTER, "", NULL, NULL, NULL, NULL};
    const PhaseStep *step = solver->steps ? step_choose(solver, options, phase, &purpose) : NULL;
    return step ? step->text : NULL;
}
