/* SPDX-License-Identifier: MIT */
/* rigor profile: a performance profile of the solvers over the problems of a results store (bench/store/contest.h). */
#include "bench/fits/profile.h"
#include "bench/outcome/quantity.h"
#include "bench/problems/measures.h"
#include "bench/run/json.h"
#include "bench/store/contest.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "bench/verify/gate.h"
#include "cli/run_lengths.h"

#include <stdlib.h>
#include <string.h>

/* The part of the problems that each contender solves to each goal; NULL with a message. Freed by the caller. */
static double (*shares_read(const Contest *contest, const char *path, Status *status))[ATTEMPT_GOALS]
{
    double(*shares)[ATTEMPT_GOALS] = calloc((size_t)contest->contenders.count + 1, sizeof *shares);
    bool ok = shares || status_set(status, STATUS_FAILED, "out of memory");
    for (int g = 0; ok && g < ATTEMPT_GOALS; g++) {
        Contest goal = {.by_solver = contest->by_solver};
        Profile profile = {0};
        ok = contest_read(&goal, path, measure_names[MEASURE_GOALS + 3 * g], status) &&
             profile_make(&profile, goal.cost, goal.problems.count, goal.contenders.count, status);
        for (int s = 0; ok && s < contest->contenders.count; s++)
            shares[s][g] = profile_at(&profile, s, INFINITY);
        profile_clear(&profile);
        contest_clear(&goal);
    }
    if (ok)
        return shares;
    free(shares);
    return NULL;
}

static void shares_print(const Contest *contest, const double (*shares)[ATTEMPT_GOALS])
{
    Table *table = table_create();
    table_add_column(table, "solved to", "", BEST_NONE);
    for (int g = 0; g < ATTEMPT_GOALS; g++)
        table_add_column(table, attempt_goal_names[g], "", BEST_HIGHEST);
    for (int s = 0; s < contest->contenders.count; s++) {
        char *label = contest_label(contest, s);
        table_add_text(table, label ? label : contest->solvers[s]);
        free(label);
        for (int g = 0; g < ATTEMPT_GOALS; g++)
            table_add_number(table, shares[s][g], true);
    }
    printf("\n");
    table_print(table, stdout);
    table_destroy(table);
}

static json_t *shares_json(const double shares[ATTEMPT_GOALS])
{
    json_t *object = json_object();
    for (int g = 0; g < ATTEMPT_GOALS; g++)
        json_object_set_new(object, attempt_goal_names[g], json_number(shares[g]));
    return object;
}

static bool profile_print(const Arguments *arguments, const Contest *contest, const Profile *profile,
                          const char *metric, Status *status)
{
    FILE *beside = form_beside(arguments);
    /* Powers of two until everything solved is in; more would only repeat the last column. */
    enum { MOST_DOUBLINGS = 10 };
    Table *table = table_create();
    table_add_column(table, "solver", "", BEST_NONE);
    double reach = profile_reach(profile);
    int doublings = 0;
    while (doublings < MOST_DOUBLINGS && ldexp(1.0, doublings) < reach)
        doublings++;
    for (int k = 0; k <= doublings; k++) {
        char name[32];
        snprintf(name, sizeof name, "%g", ldexp(1.0, k));
        table_add_column(table, name, "", BEST_HIGHEST);
    }
    table_add_column(table, "solved", "", BEST_HIGHEST);
    for (int s = 0; s < profile->contenders; s++) {
        char *label = contest_label(contest, s);
        table_add_text(table, label ? label : contest->solvers[s]);
        free(label);
        for (int k = 0; k <= doublings; k++)
            table_add_number(table, profile_at(profile, s, ldexp(1.0, k)), true);
        table_add_number(table, profile_at(profile, s, INFINITY), true);
    }
    fold_line(
        beside,
        "%s over %d problem%s: the part of them on which a solver is within tau of the best; * best of its column",
        metric, profile->problems, profile->problems == 1 ? "" : "s");
    fputs("\n", beside);
    bool ok = form_print(arguments, table, status);
    table_destroy(table);
    if (contest->missing > 0)
        fold_line(beside,
                  "note: %d pairs of problem and solver have no value in the store; a solver's part is of those it was "
                  "run on",
                  contest->missing);
    if (contest->dropped > 0)
        fold_line(beside, "note: %d problem%s to which %s does not apply: left out", contest->dropped,
                  contest->dropped == 1 ? "" : "s", metric);
    char fails[GATE_TEXT];
    for (int s = 0; s < profile->contenders; s++)
        if (gate_kept_warning(contest->solvers[s], fails))
            fold_line(beside, "warning: %s: %s", contest->solvers[s], fails);
    return ok;
}

/* The steps of rho: [tau, rho] wherever it rises. */
static json_t *profile_steps(const Profile *profile, int contender)
{
    json_t *steps = json_array();
    const double *ratio = profile->ratio + (size_t)contender * (size_t)profile->problems;
    int run = profile_run_count(profile, contender);
    for (int i = 0; i < run && isfinite(ratio[i]); i++)
        if (i + 1 == run || ratio[i + 1] > ratio[i])
            json_array_append_new(steps, json_pack("[f,f]", ratio[i], (i + 1.0) / run));
    return steps;
}

static bool profile_print_json(const Contest *contest, const Profile *profile, const char *metric,
                               const double (*shares)[ATTEMPT_GOALS], Status *status)
{
    json_t *array = json_array(), *problems = json_array();
    for (int s = 0; s < profile->contenders; s++) {
        char *label = contest_label(contest, s);
        json_t *options = contest->by_solver ? json_null() : json_loads(contest->options[s], 0, NULL);
        json_array_append_new(array, json_pack("{s:s,s:s,s:o,s:f,s:f,s:o}", "name", label, "solver",
                                               contest->solvers[s], "options", options ? options : json_null(), "best",
                                               profile_at(profile, s, 1.0), "solved", profile_at(profile, s, INFINITY),
                                               "steps", profile_steps(profile, s)));
        free(label);
        ContestRemarks said = contest_remarks(contest, s);
        json_t *sums = json_pack("{s:I,s:I,s:I}", "row_solves", (json_int_t)said.row_solves, "events",
                                 (json_int_t)said.events, "warnings", (json_int_t)said.warnings);
        json_object_update_new(json_array_get(array, (size_t)s), sums);
        if (shares)
            json_object_set_new(json_array_get(array, (size_t)s), "solved_to", shares_json(shares[s]));
    }
    for (int p = 0; p < profile->problems; p++)
        json_array_append_new(problems, json_string(contest->problems.texts[p]));
    return json_print(json_pack("{s:s,s:s,s:o,s:i,s:i,s:o}", "metric", metric, "by",
                                contest->by_solver ? "solver" : "options", "problems", problems, "missing",
                                contest->missing, "dropped", contest->dropped, "solvers", array),
                      status);
}

static bool profile_choose(const Arguments *arguments, Contest *contest, Status *status)
{
    const char *metric = argument(arguments, OPTION_METRIC), *by = argument(arguments, OPTION_BY);
    if (!metric)
        return status_set(status, STATUS_USAGE, "--metric is missing, as in --metric error_end");
    if (by && strcmp(by, "solver") != 0 && strcmp(by, "options") != 0)
        return status_set(status, STATUS_USAGE, "--by: '%s' is neither solver nor options", by);
    contest->by_solver = by && strcmp(by, "solver") == 0;
    if (measure_find(metric) >= MEASURE_GOALS)
        return true;
    int quantity = quantity_find(metric, status);
    if (quantity < 0)
        return false;
    return !quantity_more_is_better(quantity) ||
           status_set(status, STATUS_USAGE, "--metric: more %s is better; a profile compares costs and errors", metric);
}

static bool profile_command(const Arguments *arguments, Status *status)
{
    Contest contest = {0};
    Profile profile = {0};
    const char *metric = argument(arguments, OPTION_METRIC);
    if (arguments->given[OPTION_ECDF])
        return ecdf_command(arguments, status);
    if (arguments->given[OPTION_TARGETS] || arguments->given[OPTION_PLOT])
        return status_set(status, STATUS_USAGE, "--targets and --plot go with --ecdf");
    bool ok = form_check(arguments, NULL, status) && profile_choose(arguments, &contest, status) &&
              contest_read(&contest, arguments->operands[0], metric, status) &&
              profile_make(&profile, contest.cost, contest.problems.count, contest.contenders.count, status);
    double(*shares)[ATTEMPT_GOALS] = NULL;
    if (ok && measure_find(metric) >= 0)
        ok = (shares = shares_read(&contest, arguments->operands[0], status)) != NULL;
    if (ok && arguments->given[OPTION_JSON])
        ok = profile_print_json(&contest, &profile, metric, shares, status);
    else if (ok)
        ok = profile_print(arguments, &contest, &profile, metric, status);
    if (ok && shares && !arguments->given[OPTION_JSON] && form_beside(arguments) == stdout)
        shares_print(&contest, shares);
    free(shares);
    profile_clear(&profile);
    contest_clear(&contest);
    return ok;
}

static const OptionNote NOTES[] = {
    {OPTION_METRIC, "which metric, cost or goal the solvers are compared by; needed"},
    {OPTION_METRICS, "only these columns of the table, as 1,2,4,solved"},
    {OPTION_HELP, NULL},
};

const Command command_profile = {
    .notes = NOTES,
    .name = "profile",
    .operands = "DB",
    .summary = "performance profile of the solvers over the problems of a results store",
    .help =
        "A problem is a scene with its parameters, dt and time. For every solver: the part of the problems on which\n"
        "its metric is within a factor tau of the best (Dolan and More). A run that failed or fell (its verdict) is\n"
        "infinitely bad. A solver with several option sets has a row for each; --by solver takes the best of them.\n"
        "Contact problems have iterations_GOAL, row_solves_GOAL and seconds_GOAL, GOAL one of 1e-3, 1e-4, 1e-6, 1e-8:\n"
        "what it took to bring the residual there. The part of the problems solved to each goal stands beside it.\n\n"
        "--ecdf: the part of all pairs of problem and target (51, log-uniform, --targets A:B) that a solver reaches\n"
        "within so many row solves a body (n of the scene; of a contact problem, a row), after COCO. A solver's runs "
        "of\n"
        "a problem with other options are a ladder: one reaches a target if its metric is below it, and that of every\n"
        "run with up to four times its work. Bands: instances (`seed`) drawn with replacement, 1,000 times. The area\n"
        "under the curve over the logarithm of work is the score; --plot draws it.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_JSON) | TAKES(OPTION_METRIC) | TAKES(OPTION_BY) | TAKES(OPTION_ECDF) |
               TAKES(OPTION_TARGETS) | TAKES(OPTION_PLOT) | TAKES(OPTION_FORCE) | TAKES_FORM,
    .only_reads = true,
    .run = profile_command,
};
