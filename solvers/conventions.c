/* SPDX-License-Identifier: MIT */
#include "solvers/conventions.h"

#include "solvers/option_text.h"
#include "solvers/solver.h"

const char *const convention_names[CONVENTION_COUNT] = {
    [CONVENTION_LAW] = "friction_law",        [CONVENTION_NORMALS] = "normals",
    [CONVENTION_ORDER] = "friction_order",    [CONVENTION_SLOP] = "slop",
    [CONVENTION_PUSH] = "overlap_taken_back", [CONVENTION_RESTITUTION] = "restitution",
    [CONVENTION_WARM_START] = "warm_start"};

bool convention_text(const Solver *solver, const void *options, ConventionTopic topic, char *text, size_t size)
{
    for (int i = 0; i < solver->convention_count; i++) {
        const Convention *convention = &solver->conventions[i];
        if (convention->topic != topic || !option_holds(solver, options, convention->option, convention->value))
            continue;
        option_fill(solver, options, convention->text, text, size);
        return true;
    }
    return false;
}
