/* SPDX-License-Identifier: MIT */
/* What a goal costs: of each solver's runs of the figure's grid the cheapest that ends and meets the goal, at each
 * value of a field. A solver that never meets it at a value has no row there. */
#include "reports/generate/generators.h"

#include <string.h>

static const char *const KEYS[] = {"cost", "goal", "over", NULL};

/* The row of a solver at a value, which is made if there is none. */
static json_t *cheapest_at(json_t *found, const char *solver, double at)
{
    size_t i;
    json_t *row;
    json_array_foreach (found, i, row)
        if (strcmp(json_string_value(json_object_get(row, "solver")), solver) == 0 && row_number(row, "at") == at)
            return row;
    row = json_pack("{s:s,s:f}", "solver", solver, "at", at);
    json_array_append_new(found, row);
    return row;
}

static bool cheapest_generate(Node arguments, json_t *rows)
{
    const char *expression = "row_solves", *over = NULL;
    Node goal = node_get(&arguments, "goal"), field = node_get(&arguments, "over");
    if (!node_object(arguments, KEYS) || !node_text(node_get(&arguments, "cost"), &expression) ||
        !node_required(field) || !node_text(field, &over) || !where_check(goal))
        return false;
    if (!rows)
        return true;
    size_t i;
    json_t *run, *found = json_array();
    json_array_foreach (rows, i, run)
        if (row_is_run(run) && row_matches(run, goal.value)) {
            double at = row_number(run, over), cost = row_number(run, expression);
            if (isnan(at) || isnan(cost))
                continue;
            json_t *row = cheapest_at(found, json_string_value(json_object_get(run, "solver")), at);
            double least = row_number(row, "cost");
            if (isnan(least) || cost < least)
                json_object_set_new(row, "cost", json_real(cost));
        }
    json_array_extend(rows, found);
    json_decref(found);
    return true;
}

const Generator generator_cheapest = {
    .name = "cheapest",
    .about = "what a goal costs: each solver's cheapest run of the figure's grid that meets it; arguments: cost (an "
             "expression), goal (conditions as in where), over (an expression, one row at each value); fields: solver, "
             "at, cost",
    .make = cheapest_generate,
};
