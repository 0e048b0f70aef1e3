/* SPDX-License-Identifier: MIT */
/* Performance profile (bench/fits/profile.h) of the figure's own runs: a problem is a scene, a contender a solver, its
 * cost the least of its runs that end and meet the goal. Rows are the corners of the staircase rho(tau); or its values
 * at given tau, for maps, the solvers that solve most first. */
#include "reports/generate/generators.h"

#include "bench/fits/profile.h"

#include <stdlib.h>
#include <string.h>

static const char *const KEYS[] = {"cost", "goal", "least", "at", NULL};

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

static void staircases_add(json_t *rows, const json_t *solvers, const Profile *profile)
{
    for (int s = 0; s < profile->contenders; s++)
        staircase_add(rows, json_string_value(json_array_get(solvers, (size_t)s)), profile, s);
}

/* The next solver by the share that it solves, the most first, those of equal share as they came; -1: none is left. */
static int next_by_share(const Profile *profile, const bool *done)
{
    int best = -1;
    for (int s = 0; s < profile->contenders; s++)
        if (!done[s] && (best < 0 || profile_at(profile, s, INFINITY) > profile_at(profile, best, INFINITY)))
            best = s;
    return best;
}

static bool values_add(json_t *rows, const json_t *solvers, const Profile *profile, const json_t *at)
{
    bool *done = calloc((size_t)profile->contenders + 1, sizeof *done);
    size_t i;
    json_t *tau;
    if (!done)
        return false;
    for (int s; (s = next_by_share(profile, done)) >= 0; done[s] = true)
        json_array_foreach (at, i, tau)
            corner_add(rows, json_string_value(json_array_get(solvers, (size_t)s)), profile, s, json_number_value(tau),
                       profile_at(profile, s, json_number_value(tau)));
    free(done);
    return true;
}

/* Factors of the cheapest: none is below 1. */
static bool factors_check(Node at)
{
    if (!at.value)
        return true;
    if (!node_array(at))
        return false;
    double tau;
    for (size_t i = 0; i < json_array_size(at.value); i++)
        if (!node_at_least(node_at(&at, i), 1.0, &tau))
            return false;
    return true;
}

static bool profile_generate(Node arguments, json_t *rows)
{
    const char *expression = "row_solves";
    double least = 0.0;
    Node goal = node_get(&arguments, "goal"), at = node_get(&arguments, "at");
    if (!node_object(arguments, KEYS) || !factors_check(at) || !node_text(node_get(&arguments, "cost"), &expression) ||
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
    if (ok && at.value)
        ok = values_add(rows, solvers, &profile, at.value) || status_set(&status, STATUS_FAILED, "out of memory");
    else if (ok)
        staircases_add(rows, solvers, &profile);
    if (!ok)
        node_fail(arguments, "%s", status.message);
    profile_clear(&profile);
    free(cost);
    json_decref(scenes);
    json_decref(solvers);
    return ok;
}

const Generator generator_profile = {
    .name = "profile",
    .about = "performance profile of the figure's grid over its scenes; arguments: cost (an expression), goal "
             "(conditions as in where, that a run must meet), least (a cost below counts as this), at (a list of tau: "
             "rho there in place of the staircase's corners, who solves most first); fields: solver, tau, rho, solved "
             "(rho at last), problems",
    .make = profile_generate,
};
