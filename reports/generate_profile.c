/* Performance profile (bench/profile.h) of the figure's own runs: a problem is a scene, a contender a solver, its cost
 * the least of its runs that end and meet the goal. Rows are the corners of the staircase rho(tau). */
#include "reports/generators.h"

#include "bench/profile.h"

#include <stdlib.h>
#include <string.h>

static const char *const KEYS[] = {"cost", "goal", "least", NULL};

/* The place of a text in a list, which gets it if it is new. */
static size_t place_of(json_t *list, const char *text)
{
    size_t i;
    json_t *known;
    json_array_foreach (list, i, known)
        if (strcmp(json_string_value(known), text) == 0)
            return i;
    json_array_append_new(list, json_string(text));
    return i;
}

/* cost[p * contenders + s]: infinite where no run of s solves p. */
static double *costs_collect(const json_t *rows, json_t *scenes, json_t *solvers, const char *expression,
                             const json_t *goal, double least)
{
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row)
        if (row_is_run(row)) {
            place_of(scenes, json_string_value(json_object_get(row, "scene")));
            place_of(solvers, json_string_value(json_object_get(row, "solver")));
        }
    size_t contenders = json_array_size(solvers), pairs = json_array_size(scenes) * contenders;
    double *cost = malloc(sizeof *cost * (pairs + 1));
    for (i = 0; cost && i < pairs; i++)
        cost[i] = INFINITY;
    json_array_foreach (rows, i, row)
        if (cost && row_is_run(row) && row_matches(row, goal)) {
            size_t p = place_of(scenes, json_string_value(json_object_get(row, "scene")));
            size_t s = place_of(solvers, json_string_value(json_object_get(row, "solver")));
            double value = row_number(row, expression); /* NaN, no value: not solved */
            cost[p * contenders + s] = fmin(cost[p * contenders + s], value < least ? least : value);
        }
    return cost;
}

static void corner_add(json_t *rows, const char *solver, const Profile *profile, int s, double tau, double rho)
{
    json_array_append_new(rows, json_pack("{s:s,s:f,s:f,s:f,s:i}", "solver", solver, "tau", tau, "rho", rho, "solved",
                                          profile_at(profile, s, INFINITY), "problems", profile->problems));
}

static void staircase_add(json_t *rows, const char *solver, const Profile *profile, int s)
{
    const double *ratio = profile->ratio + (size_t)s * (size_t)profile->problems;
    double rho = profile_at(profile, s, 1.0);
    corner_add(rows, solver, profile, s, 1.0, rho);
    for (int i = 0; i < profile->problems && isfinite(ratio[i]); i++)
        if (ratio[i] > 1.0) {
            corner_add(rows, solver, profile, s, ratio[i], rho);
            corner_add(rows, solver, profile, s, ratio[i], rho = profile_at(profile, s, ratio[i]));
        }
    corner_add(rows, solver, profile, s, profile_reach(profile), rho);
}

static bool profile_generate(Node arguments, json_t *rows)
{
    const char *expression = "row_solves";
    double least = 0.0;
    Node goal = node_get(&arguments, "goal");
    if (!node_object(arguments, KEYS) || !node_text(node_get(&arguments, "cost"), &expression) ||
        !node_at_least(node_get(&arguments, "least"), 0.0, &least) || !where_check(goal))
        return false;
    if (!rows)
        return true;
    json_t *scenes = json_array(), *solvers = json_array();
    double *cost = costs_collect(rows, scenes, solvers, expression, goal.value, least);
    int problems = (int)json_array_size(scenes), contenders = (int)json_array_size(solvers);
    Profile profile = {0};
    Status status = {0};
    bool ok = cost ? profile_make(&profile, cost, problems, contenders, &status)
                   : status_set(&status, STATUS_FAILED, "out of memory");
    if (!ok)
        node_fail(arguments, "%s", status.message);
    for (int s = 0; ok && s < contenders; s++)
        staircase_add(rows, json_string_value(json_array_get(solvers, (size_t)s)), &profile, s);
    profile_clear(&profile);
    free(cost);
    json_decref(scenes);
    json_decref(solvers);
    return ok;
}

const Generator generator_profile = {
    .name = "profile",
    .about = "performance profile of the figure's grid over its scenes; arguments: cost (an expression), goal "
             "(conditions as in where, that a run must meet), least (a cost below counts as this); fields: solver, "
             "tau, rho, solved (rho at last), problems",
    .make = profile_generate,
};
