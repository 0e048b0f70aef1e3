/* SPDX-License-Identifier: MIT */
#include "cli/run_lengths.h"

#include "bench/outcome/quantity.h"
#include "bench/problems/measures.h"
#include "bench/run/json.h"
#include "bench/store/run_length.h"
#include "bench/text/json_rows.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --targets A:B, from the hardest to the easiest; 1e-10:1 unless given. */
static bool targets_of(const Arguments *arguments, double *easiest, double *hardest, Status *status)
{
    const char *text = argument(arguments, OPTION_TARGETS);
    Sequence sequence = {0};
    *easiest = 1.0;
    *hardest = 1e-10;
    if (!text)
        return true;
    bool ok = sequence_parse(&sequence, text, status);
    if (ok && sequence.range) {
        *hardest = sequence.values[0].number;
        *easiest = sequence.values[1].number;
    }
    ok = ok && ((sequence.range && *hardest > 0.0 && *easiest > *hardest) ||
                status_set(status, STATUS_USAGE, "--targets: '%s' is no range above 0, as 1e-6:1", text));
    sequence_clear(&sequence);
    return ok;
}

static bool lengths_open(const Arguments *arguments, RunLengths *lengths, Status *status)
{
    const char *metric = argument(arguments, OPTION_METRIC);
    double easiest, hardest;
    if (!metric)
        return status_set(status, STATUS_USAGE, "--metric is missing, as in --metric error_end");
    bool residual = strncmp(metric, "residual_", 9) == 0 && measure_find(metric) >= 0; /* of contact problems */
    int quantity = residual ? -1 : quantity_find(metric, status);
    if (quantity < 0 && !residual)
        return false;
    if (!residual && quantity_more_is_better(quantity))
        return status_set(status, STATUS_USAGE, "--metric: more %s is better; targets are errors to get below", metric);
    return targets_of(arguments, &easiest, &hardest, status) &&
           run_lengths_read(lengths, arguments->operands[0], metric, status) &&
           run_lengths_find(lengths, easiest, hardest, status);
}

/* One solver's curve: [log10 of the work, share, low, high]. */
static json_t *curve_json(const RunLengths *lengths, int solver, const double *share, const Interval *band)
{
    json_t *curve = json_array();
    (void)solver;
    for (int w = 0; w < RUN_LENGTH_WORKS; w++)
        json_array_append_new(
            curve, json_pack("[f,f,f,f]", run_lengths_work(lengths, w), share[w], band[w].low, band[w].high));
    return curve;
}

static json_t *ecdf_json(const Arguments *arguments, const RunLengths *lengths, const RunRanking *ranking,
                         Status *status)
{
    json_t *solvers = json_array();
    bool ok = true;
    for (int i = 0; ok && i < lengths->solver_count; i++) {
        double share[RUN_LENGTH_WORKS];
        Interval band[RUN_LENGTH_WORKS];
        int s = ranking->order[i];
        ok = run_lengths_band(lengths, s, share, band, status);
        if (ok)
            json_array_append_new(solvers,
                                  json_pack("{s:s,s:f,s:[f,f],s:o}", "name", lengths->solvers[s], "area",
                                            ranking->score[s], "ci", ranking->interval[s].low,
                                            ranking->interval[s].high, "ecdf", curve_json(lengths, s, share, band)));
    }
    if (ok)
        return json_pack("{s:s,s:i,s:[f,f],s:i,s:i,s:i,s:o}", "metric", argument(arguments, OPTION_METRIC), "targets",
                         RUN_LENGTH_TARGETS, "range", lengths->easiest, lengths->hardest, "problems",
                         lengths->problem_count, "groups", lengths->group_count, "draws", RUN_LENGTH_DRAWS, "solvers",
                         solvers);
    json_decref(solvers);
    return NULL;
}

/* The share at every tenfold work. */
static void ecdf_print(const void *document)
{
    Table *table = table_create();
    const json_t *solvers = json_object_get(document, "solvers"), *range = json_object_get(document, "range");
    json_t *solver, *point;
    size_t i, k;
    enum { SHOWN = 8 }; /* of the curve's points: every fifth */
    table_add_column(table, "solver", "", BEST_NONE);
    json_array_foreach (json_object_get(json_array_get(solvers, 0), "ecdf"), k, point) {
        char name[32];
        snprintf(name, sizeof name, "%.2g", pow(10.0, json_number_value(json_array_get(point, 0))));
        if (k % SHOWN == 0)
            table_add_column(table, name, "", BEST_HIGHEST);
    }
    table_add_column(table, "area", "", BEST_HIGHEST);
    table_add_column(table, "95 %", "", BEST_NONE);
    json_array_foreach (solvers, i, solver) {
        char text[64];
        const json_t *ci = json_object_get(solver, "ci");
        table_add_text(table, json_string_value(json_object_get(solver, "name")));
        json_array_foreach (json_object_get(solver, "ecdf"), k, point)
            if (k % SHOWN == 0)
                table_add_number(table, json_number_value(json_array_get(point, 1)), true);
        table_add_number(table, json_number_value(json_object_get(solver, "area")), true);
        snprintf(text, sizeof text, "%.3g .. %.3g", json_number_value(json_array_get(ci, 0)),
                 json_number_value(json_array_get(ci, 1)));
        table_add_text(table, text);
    }
    fold_line(stdout,
              "%s: the part of %" JSON_INTEGER_FORMAT
              " problems x %d targets from %g to %g that is reached within so many "
              "row solves a body (of a contact problem, a row); area under it over the logarithm",
              json_string_value(json_object_get(document, "metric")),
              json_integer_value(json_object_get(document, "problems")), RUN_LENGTH_TARGETS,
              json_number_value(json_array_get(range, 0)), json_number_value(json_array_get(range, 1)));
    printf("\n");
    table_print(table, stdout);
    table_destroy(table);
}

bool ecdf_command(const Arguments *arguments, Status *status)
{
    RunLengths lengths = {0};
    RunRanking ranking = {0};
    bool ok = plot_may_be_made(arguments, status) && lengths_open(arguments, &lengths, status) &&
              run_lengths_rank(&lengths, SEEDS_ALL, -1, &ranking, status);
    json_t *document = ok ? ecdf_json(arguments, &lengths, &ranking, status) : NULL;
    ok = document && plot_and_report(arguments, "profile", document, ecdf_print, document, status);
    run_lengths_clear(&lengths);
    return ok;
}

/* Place of each solver in an order, from 1. */
static int place_of(const RunRanking *ranking, int solvers, int solver)
{
    for (int i = 0; i < solvers; i++)
        if (ranking->order[i] == solver)
            return i + 1;
    return 0;
}

typedef struct Standings {
    RunRanking all;
    RunRanking *without; /* of each family; NULL: there is one family alone */
    double tau;
} Standings;

static bool standings_make(const RunLengths *lengths, Standings *standings, Status *status)
{
    RunRanking *halves = calloc(2, sizeof *halves);
    standings->tau = NAN;
    standings->without =
        lengths->family_count > 1 ? calloc((size_t)lengths->family_count, sizeof *standings->without) : NULL;
    bool ok = (halves && (standings->without || lengths->family_count < 2)) ||
              status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && run_lengths_rank(lengths, SEEDS_ALL, -1, &standings->all, status) &&
         run_lengths_rank(lengths, SEEDS_ODD, -1, &halves[0], status) &&
         run_lengths_rank(lengths, SEEDS_EVEN, -1, &halves[1], status);
    for (int f = 0; ok && standings->without && f < lengths->family_count; f++)
        ok = run_lengths_rank(lengths, SEEDS_ALL, f, &standings->without[f], status);
    if (ok)
        standings->tau = kendall_tau(halves[0].ahead, halves[1].ahead, lengths->solver_count);
    free(halves);
    return ok;
}

/* Pairs of neighbours in the order that are not decided. */
static json_t *standings_ties(const RunLengths *lengths, const RunRanking *ranking)
{
    json_t *ties = json_array();
    int n = lengths->solver_count;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            int a = ranking->order[i], b = ranking->order[j];
            if (ranking->ahead[a * n + b] == 0)
                json_array_append_new(ties, json_pack("[s,s]", lengths->solvers[a], lengths->solvers[b]));
        }
    return ties;
}

static json_t *standings_json(const RunLengths *lengths, const Standings *standings, const char *metric)
{
    json_t *rows = json_array();
    const RunRanking *all = &standings->all;
    for (int i = 0; i < lengths->solver_count; i++) {
        int s = all->order[i];
        json_t *row = json_pack("{s:i,s:s,s:f,s:[f,f]}", "rank", i + 1, "solver", lengths->solvers[s], "area",
                                all->score[s], "ci", all->interval[s].low, all->interval[s].high);
        for (int f = 0; standings->without && f < lengths->family_count; f++) {
            char key[160];
            snprintf(key, sizeof key, "without_%s", lengths->families[f]);
            json_object_set_new(row, key, json_integer(place_of(&standings->without[f], lengths->solver_count, s)));
        }
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s,s:o,s:i,s:o,s:o}", "metric", metric, "tau", json_number(standings->tau), "problems",
                     lengths->problem_count, "ranking", rows, "ties", standings_ties(lengths, all));
}

static void standings_print(const json_t *document)
{
    Table *table = table_create();
    const json_t *rows = json_object_get(document, "ranking");
    json_t *row, *value, *tie;
    const char *key;
    size_t i;
    json_object_foreach (json_array_get(rows, 0), key, value)
        table_add_column(table, strcmp(key, "ci") == 0 ? "95 %" : key, "", BEST_NONE);
    json_array_foreach (rows, i, row)
        json_object_foreach (row, key, value) {
            char text[64];
            snprintf(text, sizeof text, "%.3g .. %.3g", json_number_value(json_array_get(value, 0)),
                     json_number_value(json_array_get(value, 1)));
            if (json_is_number(value))
                table_add_number(table, json_number_value(value), false);
            else
                table_add_text(table, json_is_string(value) ? json_string_value(value) : text);
        }
    fold_line(stdout,
              "%s: area under the run-length distribution over %" JSON_INTEGER_FORMAT
              " problems; Kendall's tau between odd and even seeds: %.3g",
              json_string_value(json_object_get(document, "metric")),
              json_integer_value(json_object_get(document, "problems")),
              json_number_value(json_object_get(document, "tau")));
    printf("\n");
    table_print(table, stdout);
    table_destroy(table);
    printf("\n");
    json_array_foreach (json_object_get(document, "ties"), i, tie)
        printf("tie: %s, %s\n", json_string_value(json_array_get(tie, 0)), json_string_value(json_array_get(tie, 1)));
}

bool rank_command(const Arguments *arguments, Status *status)
{
    RunLengths lengths = {0};
    Standings *standings = calloc(1, sizeof *standings);
    bool ok = (standings || status_set(status, STATUS_FAILED, "out of memory")) &&
              lengths_open(arguments, &lengths, status) && standings_make(&lengths, standings, status);
    if (ok && isnan(standings->tau))
        ok = status_set(status, STATUS_FAILED,
                        "no ranking: no pair of solvers is decided by odd and by even seeds alike");
    else if (ok && standings->tau < RANKING_TAU)
        ok = status_set(status, STATUS_FAILED, "no ranking: Kendall's tau between odd and even seeds is %.3g, below %g",
                        standings->tau, RANKING_TAU);
    json_t *document = ok ? standings_json(&lengths, standings, argument(arguments, OPTION_METRIC)) : NULL;
    if (document && arguments->given[OPTION_JSON])
        ok = json_print(document, status);
    else if (document) {
        if (arguments->given[OPTION_CSV])
            json_rows_csv(json_object_get(document, "ranking"), stdout);
        else
            standings_print(document);
        json_decref(document);
    }
    if (standings)
        free(standings->without);
    free(standings);
    run_lengths_clear(&lengths);
    return ok;
}
