/* SPDX-License-Identifier: MIT */
/* rigor solve --problem: frictional contact problems of others, the same for every solver that needs no bodies. */
#include "cli/solve_problem.h"

#include "bench/outcome/remarks.h"
#include "bench/problems/attempt.h"
#include "bench/run/json.h"
#include "bench/text/table.h"

#include <stdlib.h>
#include <string.h>

typedef struct Contest {
    const Arguments *arguments;
    int solver_count;
    Run *runs;
    int problem_count;
    int (*solved)[ATTEMPT_GOALS]; /* problems that each solver brought below each goal */
    int *tried;
    json_t *document; /* array of problems */
    Table *all;       /* of all problems, in a form that is not for readers; NULL: one after the other */
} Contest;

static const char *law_name(ConeLaw law)
{
    return law == CONE_CONVEX ? "convex relaxation" : "Coulomb's cone";
}

static json_t *attempt_json(const Run *run, const Attempt *attempt)
{
    json_t *document = json_pack("{s:s}", "solver", run->solver->name), *residuals = json_array();
    char name[64];
    for (int i = 0; i < attempt->iterations; i++)
        json_array_append_new(residuals, json_number(attempt->residuals[i]));
    json_object_set_new(document, "residuals", residuals);
    json_object_set_new(document, "residual", json_number(attempt->residual));
    json_object_set_new(document, "residual_scaled", json_number(attempt->residual_scaled));
    json_object_set_new(document, "residual_coulomb", json_number(attempt->residual_coulomb));
    json_object_set_new(document, "iterations", json_integer(attempt->iterations));
    Remarks said = {.row_solves = (double)attempt->row_solves};
    json_set_remarks(document, &said);
    json_object_set_new(document, "seconds", json_number(attempt->seconds));
    for (int g = 0; g < ATTEMPT_GOALS; g++) {
        int made = attempt->iterations_to[g];
        snprintf(name, sizeof name, "iterations_%s", attempt_goal_names[g]);
        json_object_set_new(document, name, made < 0 ? json_null() : json_integer(made));
        snprintf(name, sizeof name, "row_solves_%s", attempt_goal_names[g]);
        json_object_set_new(document, name, json_number(attempt->row_solves_to[g]));
    }
    json_object_set_new(document, "law", json_string(law_name(attempt->law)));
    if (attempt->status.code != STATUS_OK)
        json_object_set_new(document, "message", json_string(attempt->status.message));
    return document;
}

/* Of one problem, or with a column that names them. */
static Table *contest_table(bool of_all)
{
    Table *table = table_create();
    char name[64];
    if (of_all)
        table_add_column(table, "problem", "", BEST_NONE);
    table_add_column(table, "solver", "", BEST_NONE);
    table_key(table);
    table_add_column(table, "residual", "", BEST_LOWEST);
    table_add_column(table, "scaled", "", BEST_LOWEST);
    table_add_column(table, "by Coulomb's law", "", BEST_NONE);
    table_add_column(table, "iterations", "", BEST_NONE);
    for (int g = 0; g < ATTEMPT_GOALS; g++) {
        snprintf(name, sizeof name, "to %s", attempt_goal_names[g]);
        table_add_column(table, name, "", BEST_LOWEST);
    }
    table_add_column(table, "row solves", "", BEST_NONE);
    return table;
}

static void attempt_row(Table *table, const char *problem, const Run *run, const Attempt *attempt)
{
    bool ran = attempt->status.code == STATUS_OK;
    if (problem)
        table_add_text(table, problem);
    table_add_text(table, run->solver->name);
    table_add_number(table, attempt->residual, ran);
    table_add_number(table, attempt->residual_scaled, ran);
    table_add_number(table, attempt->residual_coulomb, false);
    table_add_number(table, ran ? attempt->iterations : NAN, false);
    for (int g = 0; g < ATTEMPT_GOALS; g++)
        table_add_number(table, attempt->iterations_to[g] < 0 ? NAN : attempt->iterations_to[g], true);
    table_add_number(table, ran ? (double)attempt->row_solves : NAN, false);
}

/* A readable table a problem, or rows of the one for all. */
static bool contest_print(const Contest *contest, const ContactProblem *problem, const Attempt *attempts,
                          Status *status)
{
    FILE *beside = form_beside(contest->arguments);
    Table *table = contest->all ? contest->all : contest_table(false);
    fprintf(beside, "%s: %d contacts in %dD%s, W %s\n\n", problem->name, problem->contacts, problem->dimension,
            problem->global ? ", given by M and H" : "", problem->asymmetry > 1e-12 ? "unsymmetric" : "symmetric");
    for (int i = 0; i < contest->solver_count; i++)
        attempt_row(table, contest->all ? problem->name : NULL, &contest->runs[i], &attempts[i]);
    bool ok = contest->all || form_print(contest->arguments, table, status);
    if (!contest->all)
        table_destroy(table);
    for (int i = 0; i < contest->solver_count; i++)
        if (attempts[i].status.code != STATUS_OK)
            fprintf(beside, "%s: n/a, %s\n", contest->runs[i].solver->name, attempts[i].status.message);
    fputs("\n", beside);
    return ok;
}

/* Makes every attempt at one problem and tells of it: in the document, or as a table. */
static bool contest_problem(Contest *contest, const char *path, Status *status)
{
    ContactProblem problem;
    if (!contact_problem_read(&problem, path, status))
        return false;
    Attempt *attempts = calloc((size_t)contest->solver_count, sizeof *attempts);
    bool ok = attempts || status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; ok && i < contest->solver_count; i++) {
        const Run *run = &contest->runs[i];
        progress_show(i, contest->solver_count, run->solver->name);
        ok = attempt_make(&attempts[i], &problem, run->solver, run->options,
                          attempt_iterations(run->solver, run->options), status);
        contest->tried[i] += attempts[i].status.code == STATUS_OK;
        for (int g = 0; g < ATTEMPT_GOALS; g++)
            contest->solved[i][g] += attempts[i].iterations_to[g] >= 0;
    }
    progress_end();
    if (ok && contest->document) {
        json_t *solvers = json_array();
        for (int i = 0; i < contest->solver_count; i++)
            json_array_append_new(solvers, attempt_json(&contest->runs[i], &attempts[i]));
        json_array_append_new(contest->document,
                              json_pack("{s:s,s:i,s:i,s:i,s:o,s:o}", "problem", path, "contacts", problem.contacts,
                                        "dimension", problem.dimension, "equalities", problem.equalities, "asymmetry",
                                        json_number(problem.asymmetry), "solvers", solvers));
    } else if (ok) {
        ok = contest_print(contest, &problem, attempts, status);
    }
    for (int i = 0; attempts && i < contest->solver_count; i++)
        attempt_free(&attempts[i]);
    free(attempts);
    contact_problem_free(&problem);
    return ok;
}

/* How many problems each solver brought below each goal. */
static void contest_print_shares(const Contest *contest)
{
    Table *table = table_create();
    char text[64];
    table_add_column(table, "solved to", "", BEST_NONE);
    for (int g = 0; g < ATTEMPT_GOALS; g++)
        table_add_column(table, attempt_goal_names[g], "", BEST_HIGHEST);
    table_add_column(table, "problems", "", BEST_NONE);
    for (int i = 0; i < contest->solver_count; i++) {
        table_add_text(table, contest->runs[i].solver->name);
        for (int g = 0; g < ATTEMPT_GOALS; g++)
            table_add_number(table, contest->solved[i][g], true);
        snprintf(text, sizeof text, "%d of %d", contest->tried[i], contest->problem_count);
        table_add_text(table, text);
    }
    table_print(table, stdout);
    table_destroy(table);
}

static bool contest_run(Contest *contest, Status *status)
{
    const Arguments *arguments = contest->arguments;
    bool ok = true;
    for (int i = 0; ok && i < arguments->given[OPTION_PROBLEM]; i++)
        ok = contest_problem(contest, arguments->values[OPTION_PROBLEM][i], status);
    for (int i = 0; ok && i < arguments->operand_count; i++)
        ok = contest_problem(contest, arguments->operands[i], status);
    if (ok && contest->document)
        return json_print(json_pack("{s:O}", "problems", contest->document), status);
    if (ok && contest->all)
        return form_print(arguments, contest->all, status);
    if (ok && contest->problem_count > 1)
        contest_print_shares(contest);
    return ok;
}

bool solve_problems(const Arguments *arguments, Status *status)
{
    Contest contest = {.arguments = arguments,
                       .problem_count = arguments->given[OPTION_PROBLEM] + arguments->operand_count,
                       .document = arguments->given[OPTION_JSON] ? json_array() : NULL,
                       .all = form_beside(arguments) == stdout ? NULL : contest_table(true)};
    const char *names = argument(arguments, OPTION_SOLVERS);
    contest.runs = arguments_solver_runs(arguments, names ? names : "pgs", &contest.solver_count, status);
    for (int i = 0; contest.runs && i < contest.solver_count; i++)
        attempt_choose_iterations(contest.runs[i].solver, contest.runs[i].options);
    bool ok = contest.runs && runs_assign_options(arguments, contest.runs, contest.solver_count, status);
    if (ok) {
        contest.solved = calloc((size_t)contest.solver_count, sizeof *contest.solved);
        contest.tried = calloc((size_t)contest.solver_count, sizeof *contest.tried);
        ok = contest.solved && contest.tried ? contest_run(&contest, status)
                                             : status_set(status, STATUS_FAILED, "out of memory");
    }
    json_decref(contest.document);
    table_destroy(contest.all);
    free(contest.solved);
    free(contest.tried);
    free(contest.runs);
    return ok;
}
