/* SPDX-License-Identifier: MIT */
#include "reports/page/wasm/solvers.h"

#include <string.h>

#define SOLVER(name) extern const Solver name##_solver;
#define SOLVER_NUMERIC(name)
#define LECTURE(name) /* the page runs the fast backends alone */
#define LECTURE_NUMERIC(name)
#include "solvers/list.def"
#undef SOLVER

const Solver *const all_solvers[] = {
#define SOLVER(name) &name##_solver,
#include "solvers/list.def"
};

const int solver_count = sizeof all_solvers / sizeof all_solvers[0];

Offer offer_at(int index)
{
    for (int s = 0; s < solver_count; s++) {
        if (index-- == 0)
            return (Offer){all_solvers[s], NULL};
        for (int v = 0; v < variant_count; v++)
            if (strcmp(all_variants[v].of, all_solvers[s]->name) == 0 && index-- == 0)
                return (Offer){all_solvers[s], &all_variants[v]};
    }
    return (Offer){NULL, NULL};
}

int offer_count(void)
{
    int count = 0;
    while (offer_at(count).backend)
        count++;
    return count;
}
