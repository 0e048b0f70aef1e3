/* SPDX-License-Identifier: MIT */
/* Whether the motion that `reference` has followed so far is the only one, as its events tell. */
#ifndef RIGOR_SOLVERS_TRUTH_UNIQUE_H
#define RIGOR_SOLVERS_TRUTH_UNIQUE_H

#include "solvers/truth/coulomb.h"
#include "solvers/truth/impact_orders.h"

#include <string.h>

static inline bool step_met(const Step *step, const char *event)
{
    for (int i = 0; i < step->event_count; i++)
        if (strcmp(step->events[i].what, event) == 0)
            return true;
    return false;
}

/* No order of impacts, and no choice of loads, that matters. */
static inline bool impacts_are_unique(const Step *step)
{
    return !step_met(step, IMPACTS_NOT_UNIQUE) && !step_met(step, IMPACTS_TOO_MANY);
}

static inline bool motion_is_unique(const Step *step)
{
    return impacts_are_unique(step) && !step_met(step, COULOMB_NOT_UNIQUE);
}

#endif
