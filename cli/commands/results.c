/* SPDX-License-Identifier: MIT */
/* rigor results: what sweeps stored, as a table, CSV or JSON; and what changed between two stores. */
#include "bench/experiment/experiment.h"
#include "bench/run/json.h"
#include "bench/store/diff.h"
#include "bench/store/results_group.h"
#include "bench/store/results_table.h"
#include "bench/text/table.h"
#include "bench/verify/gate.h"
#include "cli/cli.h"
#include "cli/run_lengths.h"
#include "scenes/file/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Text with numbers in it, the numbers by their size: 2 before 16. */
static int compare_natural(void *unused, int left_size, const void *left, int right_size, const void *right)
{
    const char *a = left, *b = right, *a_end = a + left_size, *b_end = b + right_size;
    (void)unused;
    while (a < a_end && b < b_end) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *a_next, *b_next;
            double x = strtod(a, &a_next), y = strtod(b, &b_next);
            if (x != y)
                return x < y ? -1 : 1;
            a = a_next;
            b = b_next;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (a < a_end) - (b < b_end);
}

static sqlite3_stmt *results_select(const Store *store, const char *condition, Status *status)
{
    sqlite3 *database = store_database(store);
    sqlite3_stmt *rows = NULL;
    Text sql = {0};
    sqlite3_create_collation(database, "natural_order", SQLITE_UTF8, NULL, compare_natural);
    text_add(&sql,
             "SELECT * FROM results WHERE (%s\n) ORDER BY scene, params COLLATE natural_order, solver, "
             "options COLLATE natural_order, dt, time, version",
             condition ? condition : "1");
    const char *rest = "";
    int code = sql.failed ? SQLITE_NOMEM : sqlite3_prepare_v2(database, sql.data, -1, &rows, &rest);
    if (code == SQLITE_OK && rows && !rest[0]) {
        free(sql.data);
        return rows;
    }
    status_set(status, condition ? STATUS_USAGE : STATUS_FAILED, "%s%s", condition ? "--where: " : "",
               code != SQLITE_OK ? sqlite3_errmsg(database) : "not one condition");
    free(sql.data);
    sqlite3_finalize(rows);
    return NULL;
}

static void csv_quoted(const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

/* Control characters as \x1b: a terminal shows what a store holds, and does not obey it. */
static void csv_text(const char *given)
{
    size_t size = 4 * strlen(given) + 9; /* \x1b is four characters; the end is kept for two of them */
    char *text = malloc(size);
    if (text)
        text_make_printable(given, text, size);
    csv_quoted(text ? text : "");
    free(text);
}

static void csv_value(sqlite3_stmt *row, int column)
{
    int type = sqlite3_column_type(row, column);
    if (type == SQLITE_FLOAT)
        printf("%.17g", sqlite3_column_double(row, column));
    else if (type != SQLITE_NULL)
        csv_text((const char *)sqlite3_column_text(row, column));
}

static int results_csv(sqlite3_stmt *rows)
{
    int step, columns = sqlite3_column_count(rows);
    for (int c = 0; c < columns; c++) {
        fputs(c ? "," : "", stdout);
        csv_text(sqlite3_column_name(rows, c));
    }
    putchar('\n');
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        for (int c = 0; c < columns; c++) {
            fputs(c ? "," : "", stdout);
            csv_value(rows, c);
        }
        putchar('\n');
    }
    return step;
}

static json_t *value_json(sqlite3_stmt *row, int column)
{
    const char *name = sqlite3_column_name(row, column), *text;
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return json_number(sqlite3_column_double(row, column));
    case SQLITE_TEXT:
        text = (const char *)sqlite3_column_text(row, column);
        return results_is_json(name) ? json_loads(text, 0, NULL) : json_string(text);
    default:
        return json_null();
    }
}

/* An engine's row is doubtful too where the engine fails a check. */
static void row_add_gate(json_t *row)
{
    const char *solver = json_string_value(json_object_get(row, "solver"));
    json_t *warnings = json_object_get(row, "warnings");
    char fails[GATE_TEXT];
    if (solver && json_is_array(warnings) && gate_kept_warning(solver, fails))
        json_array_append_new(warnings, json_string(fails));
}

static int results_json(sqlite3_stmt *rows, Status *status)
{
    int step, columns = sqlite3_column_count(rows);
    json_t *array = json_array();
    while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
        json_t *object = json_object();
        for (int c = 0; c < columns; c++)
            json_object_set_new(object, sqlite3_column_name(rows, c), value_json(rows, c));
        row_add_gate(object);
        json_array_append_new(array, object);
    }
    if (step == SQLITE_DONE)
        return json_print(array, status) ? step : SQLITE_OK;
    json_decref(array);
    return step;
}

/* The table of the rows, or of their groups; NULL with a message. */
static Table *results_make_table(const Arguments *arguments, const ResultRows *rows, Status *status)
{
    int seed;
    Grouping grouping = {.by = argument(arguments, OPTION_GROUP),
                         .pivot = argument(arguments, OPTION_PIVOT),
                         .metrics = argument(arguments, OPTION_METRICS),
                         .aggregates = argument(arguments, OPTION_AGG)};
    if (!argument_whole(arguments, OPTION_SEED, 0, 1, &seed, status))
        return NULL;
    grouping.seed = (unsigned)seed;
    Table *table = grouping.by ? results_group(rows->rows, &grouping, status) : results_table(rows);
    if (table && grouping.by && grouping_resamples(&grouping))
        fprintf(form_beside(arguments),
                "ci95: of %d resamples of the runs of a group (bootstrap, percentiles), seed %d\n\n", GROUP_RESAMPLES,
                seed);
    return table;
}

/* Groups have chosen their metrics. */
static bool results_print_table(const Arguments *arguments, Table *table, Status *status)
{
    return arguments->given[OPTION_GROUP] ? form_print_whole(arguments, table, status)
                                          : form_print(arguments, table, status);
}

/* SQLITE_OK: it failed with a message. */
static int results_print(const Arguments *arguments, sqlite3_stmt *from, Status *status)
{
    ResultRows rows;
    int step = results_read(&rows, from);
    bool any = json_array_size(rows.rows) > 0, ok = true;
    Table *table = NULL;
    if (step == SQLITE_DONE && any)
        ok = (table = results_make_table(arguments, &rows, status)) && results_print_table(arguments, table, status);
    if (step == SQLITE_DONE && ok)
        results_print_beside(&rows, !arguments->given[OPTION_GROUP], form_beside(arguments));
    table_destroy(table);
    results_clear(&rows);
    return ok ? step : SQLITE_OK;
}

static bool results_show(const Arguments *arguments, Status *status)
{
    Store *store = store_open_to_read(arguments->operands[0], status);
    sqlite3_stmt *rows = store ? results_select(store, argument(arguments, OPTION_WHERE), status) : NULL;
    bool ok = rows != NULL, whole = !arguments->given[OPTION_METRICS] && !arguments->given[OPTION_GROUP];
    bool raw = arguments->given[OPTION_CSV] && whole && !arguments->given[OPTION_DIGITS]; /* every column of the view */
    if (ok) {
        int step = arguments->given[OPTION_JSON] ? results_json(rows, status)
                   : raw                         ? results_csv(rows)
                                                 : results_print(arguments, rows, status);
        ok = step == SQLITE_DONE || (step != SQLITE_OK && store_fail(store, "cannot be read", status));
    }
    sqlite3_finalize(rows);
    store_close(store);
    return ok;
}

static json_t *diff_json(const StoreDiff *diff)
{
    json_t *list = json_array();
    for (int i = 0; i < diff->count; i++) {
        const StoreDifference *d = &diff->differences[i];
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:o,s:b}", "scene", d->scene, "solver",
                                              d->solver, "params", d->params, "options", d->options, "what", d->what,
                                              "before", d->before, "after", d->after, "change", json_number(d->change),
                                              "timing", d->timing));
    }
    return json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:f,s:f,s:o}", "common", diff->common, "only_first", diff->only_first,
                     "only_second", diff->only_second, "changed", diff->changed, "round_off", diff->round_off, "timed",
                     diff->timed, "relative", DIFF_RELATIVE, "absolute", DIFF_ABSOLUTE, "differences", list);
}

static void diff_print(const StoreDiff *diff)
{
    Table *table = table_create();
    static const char *const names[] = {"scene", "solver", "what", "before", "after", "change", "params", "options"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        table_add_column(table, names[i], "", BEST_NONE);
    for (int i = 0; i < diff->count; i++) {
        const StoreDifference *d = &diff->differences[i];
        table_add_text(table, d->scene);
        table_add_text(table, d->solver);
        table_add_text(table, d->what);
        table_add_text(table, d->before);
        table_add_text(table, d->after);
        table_add_number(table, d->change, false);
        table_add_text(table, d->params);
        table_add_text(table, d->options);
    }
    if (diff->count > 0) {
        table_print(table, stdout);
        printf("\n");
    }
    table_destroy(table);
    printf("%d runs in both stores, %d only in the first, %d only in the second\n"
           "results: %d the same to the bit, %d but for round-off, %d changed by more than %g (relative; %g where both "
           "are round-off)\n"
           "times: %d compared (%d or more repeats, same machine)\n",
           diff->common, diff->only_first, diff->only_second, diff->common - diff->round_off - diff->changed,
           diff->round_off, diff->changed, DIFF_RELATIVE, DIFF_ABSOLUTE, diff->timed, DIFF_REPEATS);
}

static bool results_diff(const Arguments *arguments, Status *status)
{
    StoreDiff diff;
    bool ok = store_diff(arguments->operands[0], arguments->operands[1], &diff, status);
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(diff_json(&diff), status);
    else if (ok)
        diff_print(&diff);
    if (ok && diff.common == 0)
        ok = status_set(status, STATUS_FAILED, "the stores have no run in common");
    else if (ok && diff.changed > 0)
        ok = status_set(status, STATUS_FAILED, "%d of %d runs changed", diff.changed, diff.common);
    store_diff_clear(&diff);
    return ok;
}

/* --- How far a sweep is --- */

typedef struct Progressed {
    int rows, by_status[OUTCOME_COUNT];
    int wanted, there; /* of an experiment; wanted 0: none was named */
    double rate;       /* runs a second over the last of them; NaN: too few */
    char last[32];     /* when the last was stored */
} Progressed;

static bool progress_counts(const Store *store, Progressed *progress, Status *status)
{
    sqlite3_stmt *row = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(store_database(store), "SELECT status, count(*) FROM runs GROUP BY status", -1, &row,
                           NULL) == SQLITE_OK)
        while ((step = sqlite3_step(row)) == SQLITE_ROW)
            for (int i = 0; i < OUTCOME_COUNT; i++)
                if (strcmp((const char *)sqlite3_column_text(row, 0), outcome_names[i]) == 0)
                    progress->rows += progress->by_status[i] = sqlite3_column_int(row, 1);
    sqlite3_finalize(row);
    return step == SQLITE_DONE || store_fail(store, "cannot be read", status);
}

/* By the times of the last runs: a sweep that was stopped and went on has pauses. */
static bool progress_rate(const Store *store, Progressed *progress, Status *status)
{
    static const char LAST[] = "SELECT count(*), max(finished_at), 86400 * (max(julianday(finished_at)) -"
                               " min(julianday(finished_at))) FROM (SELECT finished_at FROM runs ORDER BY finished_at"
                               " DESC LIMIT 100)";
    sqlite3_stmt *row = NULL;
    progress->rate = NAN;
    bool ok =
        sqlite3_prepare_v2(store_database(store), LAST, -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW;
    if (ok && sqlite3_column_int(row, 0) > 1 && sqlite3_column_double(row, 2) > 0.0)
        progress->rate = (sqlite3_column_int(row, 0) - 1) / sqlite3_column_double(row, 2);
    if (ok && sqlite3_column_text(row, 1))
        snprintf(progress->last, sizeof progress->last, "%s", (const char *)sqlite3_column_text(row, 1));
    sqlite3_finalize(row);
    return ok || store_fail(store, "cannot be read", status);
}

/* Runs of the experiment, and those of them that the store has. */
static bool progress_experiment(const Arguments *arguments, const Store *store, Progressed *progress, Status *status)
{
    Experiment *experiment =
        experiment_read(arguments->operands[1], &arguments->solvers, arguments->values[OPTION_PLUGIN], status);
    sqlite3_stmt *find = NULL;
    bool ok = experiment && (sqlite3_prepare_v2(store_database(store), "SELECT 1 FROM runs WHERE key = ?", -1, &find,
                                                NULL) == SQLITE_OK ||
                             store_fail(store, "cannot be read", status));
    for (int i = 0; ok && i < experiment->run_count; i++) {
        sqlite3_reset(find);
        sqlite3_bind_text(find, 1, experiment->runs[i].key, -1, SQLITE_STATIC);
        progress->there += sqlite3_step(find) == SQLITE_ROW;
    }
    if (ok)
        progress->wanted = experiment->run_count;
    sqlite3_finalize(find);
    experiment_destroy(experiment);
    return ok;
}

static void progress_print(const Progressed *progress)
{
    char left[32];
    if (progress->wanted > 0)
        printf("%d of %d runs (%.0f %%)", progress->there, progress->wanted,
               100.0 * progress->there / progress->wanted);
    else
        printf("%d runs", progress->rows);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (progress->by_status[i])
            printf(", %d %s", progress->by_status[i], outcome_names[i]);
    printf("\n");
    if (progress->rows > 0)
        printf("last stored %s", progress->last);
    if (isfinite(progress->rate))
        printf(", %.3g runs/s then", progress->rate);
    if (isfinite(progress->rate) && progress->there < progress->wanted)
        printf(", %s left", progress_time((progress->wanted - progress->there) / progress->rate, left, sizeof left));
    printf("%s", progress->rows > 0 ? "\n" : "");
}

static bool results_progress(const Arguments *arguments, Status *status)
{
    Progressed progress = {0};
    Store *store = store_open_to_read(arguments->operands[0], status);
    bool ok = store && progress_counts(store, &progress, status) && progress_rate(store, &progress, status) &&
              (arguments->operand_count < 2 || progress_experiment(arguments, store, &progress, status));
    store_close(store);
    if (ok)
        progress_print(&progress);
    return ok;
}

static bool results_command(const Arguments *arguments, Status *status)
{
    bool diff = arguments->given[OPTION_DIFF] > 0;
    if (arguments->given[OPTION_PROGRESS])
        return results_progress(arguments, status);
    if (arguments->operand_count != (diff ? 2 : 1))
        return status_set(status, STATUS_USAGE, diff ? "--diff takes two stores" : "one store at a time, or --diff");
    bool rank = arguments->given[OPTION_RANK];
    if (rank && (diff || arguments->given[OPTION_WHERE]))
        return status_set(status, STATUS_USAGE, "--rank goes with neither --diff nor --where");
    if (!rank && (arguments->given[OPTION_METRIC] || arguments->given[OPTION_TARGETS]))
        return status_set(status, STATUS_USAGE, "--metric and --targets go with --rank");
    if (rank)
        return rank_command(arguments, status);
    if (!form_check(arguments, NULL, status))
        return false;
    if (!arguments->given[OPTION_GROUP] && (arguments->given[OPTION_PIVOT] || arguments->given[OPTION_AGG]))
        return status_set(status, STATUS_USAGE, "--pivot and --agg are of groups: --group says by which columns");
    if (arguments->given[OPTION_GROUP] && arguments->given[OPTION_JSON])
        return status_set(status, STATUS_USAGE, "--group makes a table; --json has the runs themselves");
    for (OptionId option = 0; diff && option < OPTION_COUNT; option++)
        if (arguments->given[option] && option != OPTION_DIFF && option != OPTION_JSON)
            return status_set(status, STATUS_USAGE, "--%s does not go with --diff", all_options[option].name);
    return diff ? results_diff(arguments, status) : results_show(arguments, status);
}

const Command command_results = {
    .name = "results",
    .operands = "DB [DB2|EXPERIMENT.json]",
    .summary = "what a sweep stored; with --diff, what changed between two stores",
    .help =
        "The store is a SQLite file; any program may read it, also while a sweep writes. Its view `results` has one\n"
        "row a run: key, scene, solver, params (JSON), options (JSON), dt, time, status, blew_up_at, row_solves,\n"
        "us_per_frame, wall_s, version, machine, finished_at, scene_file, scene_hash (of its content), events and\n"
        "warnings (JSON; the table counts them), verdict, and a column for each metric (NULL: does not apply).\n"
        "The table `runs` has besides: identity (the key without the version), message (why a run failed), us_low\n"
        "and us_high (least and most over the repeats), repeats, time_limit, kept (the metrics kept).\n"
        "--where json_extract(options, '$.substeps') = 4 reaches into params and options.\n\n"
        "--group scene,solver has a row for all runs that agree there (columns, parameters, options); of each metric, "
        "or of\n"
        "those of --metrics, it has what --agg says: count, mean, median (default), min, max, sd, ci95 (the 95 % "
        "interval of\n"
        "the median, or of the mean where that is asked for, by resampling the runs; --seed). Runs without a value do "
        "not\n"
        "count. --pivot solver puts the solvers side by side.\n\n"
        "--progress says how far a sweep is: runs by their status, and with the experiment's file how many are "
        "left.\n\n"
        "--diff compares runs of the same content, whatever version made them. Status, row_solves and metrics must\n"
        "agree within 1e-9, relative (1e-12 where both are round-off); if any does not, the exit status is 1. The "
        "end\n"
        "says how many are the same to the bit, and how many but for round-off.\n"
        "Times are compared where both stores have 3 or more repeats from the same machine: a difference beyond\n"
        "both ranges and 5 percent is shown, and does not change the exit status.\n\n"
        "--rank --metric M: the solvers by the area under their run-length distributions (profile --ecdf). One is "
        "ahead\n"
        "of another if it is in 95 % of 1,000 draws of instances; pairs that are not decided are ties. Beside it the\n"
        "ranks without each family, and Kendall's tau between odd and even seeds over decided pairs: below 0.9 there\n"
        "is no ranking, and the exit status is 1.",
    .least_operands = 1,
    .most_operands = 2,
    .options = TAKES(OPTION_WHERE) | TAKES_FORM | TAKES(OPTION_JSON) | TAKES(OPTION_DIFF) | TAKES(OPTION_GROUP) |
               TAKES(OPTION_PIVOT) | TAKES(OPTION_AGG) | TAKES(OPTION_SEED) | TAKES(OPTION_PROGRESS) |
               TAKES(OPTION_PLUGIN) | TAKES(OPTION_RANK) | TAKES(OPTION_METRIC) | TAKES(OPTION_TARGETS),
    .only_reads = true,
    .run = results_command,
};
