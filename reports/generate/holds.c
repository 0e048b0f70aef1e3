/* SPDX-License-Identifier: MIT */
/* On how many of the figure's scenes each solver meets a goal with at least one of its runs. */
#include "reports/generate/generators.h"

static const char *const KEYS[] = {"goal", NULL};

/* The object of a name in a list of objects, which gets it if it is new. */
static json_t *entry_of(json_t *list, const char *name)
{
    json_t *entry = json_object_get(list, name);
    if (!entry) {
        entry = json_object();
        json_object_set_new(list, name, entry);
    }
    return entry;
}

static bool holds_generate(Node arguments, json_t *rows)
{
    Node goal = node_get(&arguments, "goal");
    if (!node_object(arguments, KEYS) || !node_required(goal) || !where_check(goal))
        return false;
    if (!rows)
        return true;
    json_t *solvers = json_object(), *row, *scenes;
    const char *name;
    size_t i;
    json_array_foreach (rows, i, row) {
        const char *solver = json_string_value(json_object_get(row, "solver"));
        const char *scene = json_string_value(json_object_get(row, "scene"));
        if (!row_is_run(row) || !solver || !scene)
            continue;
        scenes = entry_of(solvers, solver);
        if (row_matches(row, goal.value))
            json_object_set_new(scenes, scene, json_true());
    }
    json_object_foreach (solvers, name, scenes)
        json_array_append_new(rows, json_pack("{s:s,s:i}", "solver", name, "held", (int)json_object_size(scenes)));
    json_decref(solvers);
    return true;
}

const Generator generator_holds = {
    .name = "holds",
    .about = "on how many of the grid's scenes each solver meets a goal; arguments: goal (conditions as in where); "
             "fields: solver, held",
    .make = holds_generate,
};
