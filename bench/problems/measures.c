/* SPDX-License-Identifier: MIT */
#include "bench/problems/measures.h"

#include <math.h>
#include <string.h>

const char *const measure_names[MEASURE_COUNT] = {
    "contacts",        "residual_scaled", "residual_coulomb", "iterations_1e-3", "row_solves_1e-3",
    "seconds_1e-3",    "iterations_1e-4", "row_solves_1e-4",  "seconds_1e-4",    "iterations_1e-6",
    "row_solves_1e-6", "seconds_1e-6",    "iterations_1e-8",  "row_solves_1e-8", "seconds_1e-8",
};

int measure_find(const char *name)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        if (strcmp(measure_names[i], name) == 0)
            return i;
    return -1;
}

void measures_of(const ContactProblem *problem, const Attempt *attempt, double values[MEASURE_COUNT])
{
    int at = 0;
    values[at++] = problem->contacts;
    values[at++] = attempt->residual_scaled;
    values[at++] = attempt->residual_coulomb;
    for (int g = 0; g < ATTEMPT_GOALS; g++) {
        values[at++] = attempt->iterations_to[g] < 0 ? NAN : attempt->iterations_to[g];
        values[at++] = attempt->row_solves_to[g];
        values[at++] = attempt->seconds_to[g];
    }
}
