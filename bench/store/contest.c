/* SPDX-License-Identifier: MIT */
#include "bench/store/contest.h"

#include "scenes/file/file.h"

#include "bench/outcome/verdict.h"
#include "bench/problems/measures.h"
#include "bench/store/store.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void names_clear(Names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->texts[i]);
    free(names->texts);
}

/* -1: out of memory */
static int names_number(Names *names, const char *text)
{
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->texts[i], text) == 0)
            return i;
    char **grown = realloc(names->texts, sizeof *grown * (size_t)(names->count + 1));
    if (!grown)
        return -1;
    names->texts = grown;
    grown[names->count] = strdup(text);
    return grown[names->count] ? names->count++ : -1;
}

static bool contest_add_contender(Contest *contest, const char *solver, const char *options)
{
    size_t count = (size_t)contest->described + 1;
    char **solvers = realloc(contest->solvers, sizeof *solvers * count);
    contest->solvers = solvers ? solvers : contest->solvers;
    char **sets = realloc(contest->options, sizeof *sets * count);
    contest->options = sets ? sets : contest->options;
    if (!solvers || !sets)
        return false;
    solvers[count - 1] = strdup(solver);
    sets[count - 1] = strdup(options);
    contest->described++;
    return solvers[count - 1] && sets[count - 1];
}

static const char *column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

/* Columns: scene_hash, params, dt, time, solver, options, status, metric, row_solves, events, warnings (numbers),
 * verdict. */
static bool contest_add_row(Contest *contest, sqlite3_stmt *statement)
{
    const char *solver = column_text(statement, 4), *options = column_text(statement, 5);
    char *problem = sqlite3_mprintf("%s %s dt=%s time=%s", column_text(statement, 0), column_text(statement, 1),
                                    column_text(statement, 2), column_text(statement, 3));
    char *contender = contest->by_solver ? sqlite3_mprintf("%s", solver) : sqlite3_mprintf("%s %s", solver, options);
    StoreRow *rows = realloc(contest->rows, sizeof *rows * (size_t)(contest->row_count + 1));
    contest->rows = rows ? rows : contest->rows;
    int known = contest->contenders.count;
    bool solved = strcmp(column_text(statement, 6), "ok") == 0 &&
                  strcmp(column_text(statement, 11), verdict_names[VERDICT_FALLS]) != 0;
    double value = sqlite3_column_type(statement, 7) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, 7);
    bool ok = problem && contender && rows;
    if (ok) {
        StoreRow *row = &rows[contest->row_count++];
        *row = (StoreRow){names_number(&contest->problems, problem),
                          names_number(&contest->contenders, contender),
                          solved ? value : INFINITY,
                          {sqlite3_column_int64(statement, 8), sqlite3_column_int64(statement, 9),
                           sqlite3_column_int64(statement, 10)}};
        ok = row->problem >= 0 && row->contender >= 0 &&
             (contest->contenders.count == known || contest_add_contender(contest, solver, options));
    }
    sqlite3_free(problem);
    sqlite3_free(contender);
    return ok;
}

/* What a contender paid. A goal of a problem that was never reached is no lack of a value: it was not solved. Where r =
 * 0 is good enough the cost is that of one iteration, or a microsecond: nobody is infinitely worse than nothing. */
static char *contest_cost_sql(const char *column)
{
    const char *least = strncmp(column, "seconds", 7) == 0 ? "1e-6" : "1";
    return measure_find(column) < 0
               ? sqlite3_mprintf("results.\"%w\"", column)
               : sqlite3_mprintf("CASE WHEN contacts IS NOT NULL THEN coalesce(max(results.\"%w\", %s), 9e999) END",
                                 column, least);
}

/* What newer stores have: scenes are told apart by their content, runs have events, warnings and a verdict. In a store
 * from before that was kept, by their name, and nothing is known. */
static const char *const CONTEST_COLUMNS[][2] = {
    {"scene_hash", "row_solves, json_array_length(events), json_array_length(warnings), verdict"},
    {"scene_hash", "row_solves, json_array_length(events), json_array_length(warnings), NULL"},
    {"scene_hash", "row_solves, 0, 0, NULL"},
    {"scene", "row_solves, 0, 0, NULL"},
    {"scene", "0, 0, 0, NULL"},
};
enum { CONTEST_COLUMN_SETS = sizeof CONTEST_COLUMNS / sizeof CONTEST_COLUMNS[0] };

static int contest_prepare(sqlite3 *store, const char *column, sqlite3_stmt **statement)
{
    int code = SQLITE_ERROR;
    char *cost = contest_cost_sql(column);
    for (int i = 0; i < CONTEST_COLUMN_SETS && code == SQLITE_ERROR; i++) {
        char *sql = cost ? sqlite3_mprintf("SELECT %s, params, dt, time, solver, options, status, %s, %s FROM results "
                                           "ORDER BY 1, params, dt, time, solver, options, finished_at",
                                           CONTEST_COLUMNS[i][0], cost, CONTEST_COLUMNS[i][1])
                         : NULL;
        code = sql ? sqlite3_prepare_v2(store, sql, -1, statement, NULL) : SQLITE_NOMEM;
        sqlite3_free(sql);
    }
    sqlite3_free(cost);
    return code;
}

static bool contest_read_rows(Contest *contest, const char *path, const char *column, Status *status)
{
    Status why = {0};
    Store *store = store_open_to_read(path, &why);
    sqlite3_stmt *statement = NULL;
    if (!store)
        return status_set(status, STATUS_BAD_FILE, "%s: not a store of results: %s", path,
                          access(path, F_OK) != 0 ? "there is no such file" : why.message);
    int code = contest_prepare(store_database(store), column, &statement);
    bool memory = true;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW && !(memory = contest_add_row(contest, statement)))
            break;
    }
    bool ok = code == SQLITE_DONE;
    if (!memory)
        status_set(status, STATUS_FAILED, "out of memory");
    else if (!ok)
        status_set(status, STATUS_BAD_FILE, "%s: not a store of results: %s", path,
                   sqlite3_errmsg(store_database(store)));
    sqlite3_finalize(statement);
    store_close(store);
    return ok;
}

/* A metric that had no value in a run that was made, nor in any other of its problem, does not apply to the problem. */
static bool contest_applies(const Contest *contest, int problem)
{
    bool without = false;
    for (int i = 0; i < contest->row_count; i++) {
        const StoreRow *row = &contest->rows[i];
        if (row->problem != problem)
            continue;
        if (isfinite(row->cost))
            return true;
        without = without || isnan(row->cost);
    }
    return !without;
}

/* Takes out the problems to which the metric does not apply. */
static void contest_drop(Contest *contest)
{
    size_t contenders = (size_t)contest->contenders.count;
    int kept = 0;
    for (int p = 0; p < contest->problems.count; p++) {
        char *text = contest->problems.texts[p];
        if (!contest_applies(contest, p)) {
            free(text);
            continue;
        }
        contest->problems.texts[kept] = text;
        memmove(contest->cost + (size_t)kept * contenders, contest->cost + (size_t)p * contenders,
                sizeof(double) * contenders);
        kept++;
    }
    contest->dropped = contest->problems.count - kept;
    contest->problems.count = kept;
}

/* A later run of the same thing replaces an earlier one; by solver the best of all counts. */
static bool contest_fill(Contest *contest, Status *status)
{
    size_t contenders = (size_t)contest->contenders.count, pairs = contenders * (size_t)contest->problems.count;
    contest->cost = malloc(sizeof(double) * (pairs + 1));
    if (!contest->cost)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (size_t i = 0; i < pairs; i++)
        contest->cost[i] = NAN;
    for (int i = 0; i < contest->row_count; i++) {
        const StoreRow *row = &contest->rows[i];
        double *cost = &contest->cost[(size_t)row->problem * contenders + (size_t)row->contender];
        *cost = contest->by_solver ? fmin(*cost, row->cost) : row->cost;
    }
    contest_drop(contest);
    for (size_t i = 0; i < contenders * (size_t)contest->problems.count; i++)
        contest->missing += isnan(contest->cost[i]);
    return contest->problems.count > 0 ||
           status_set(status, STATUS_USAGE, "--metric: it applies to none of the store's problems");
}

static bool contest_alone(const Contest *contest, int contender)
{
    for (int i = 0; i < contest->contenders.count; i++)
        if (i != contender && strcmp(contest->solvers[i], contest->solvers[contender]) == 0)
            return false;
    return true;
}

/* The option sets of one solver are told apart by what differs among them. */
static bool option_differs(const Contest *contest, int contender, const char *key, const json_t *value)
{
    bool differs = false;
    for (int i = 0; !differs && i < contest->contenders.count; i++) {
        if (strcmp(contest->solvers[i], contest->solvers[contender]) != 0)
            continue;
        json_t *other = json_loads(contest->options[i], 0, NULL);
        differs = !json_equal(json_object_get(other, key), value);
        json_decref(other);
    }
    return differs;
}

bool contest_read(Contest *contest, const char *path, const char *column, Status *status)
{
    return contest_read_rows(contest, path, column, status) &&
           (contest->row_count > 0 || status_set(status, STATUS_BAD_FILE, "%s: the store has no results", path)) &&
           contest_fill(contest, status);
}

ContestRemarks contest_remarks(const Contest *contest, int contender)
{
    ContestRemarks sum = {0};
    for (int i = 0; i < contest->row_count; i++) {
        const StoreRow *row = &contest->rows[i];
        if (row->contender != contender)
            continue;
        sum.row_solves += row->said.row_solves;
        sum.events += row->said.events;
        sum.warnings += row->said.warnings;
    }
    return sum;
}

void contest_clear(Contest *contest)
{
    for (int i = 0; i < contest->described; i++) {
        free(contest->solvers[i]);
        free(contest->options[i]);
    }
    free(contest->solvers);
    free(contest->options);
    names_clear(&contest->problems);
    names_clear(&contest->contenders);
    free(contest->rows);
    free(contest->cost);
}

/* text + " key=value", numbers as people write them; releases the text. NULL: out of memory. */
static char *label_extend(char *text, const char *key, const json_t *value)
{
    Text longer = {0};
    if (!text)
        return NULL;
    text_add(&longer, "%s %s=", text, key);
    if (json_is_string(value))
        text_add(&longer, "%s", json_string_value(value));
    else
        text_add_json(&longer, value);
    free(text);
    if (!longer.failed)
        return longer.data;
    free(longer.data);
    return NULL;
}

char *contest_label(const Contest *contest, int contender)
{
    char *label = strdup(contest->solvers[contender]);
    if (contest->by_solver || contest_alone(contest, contender))
        return label;
    json_t *options = json_loads(contest->options[contender], 0, NULL), *value;
    const char *key;
    json_object_foreach (options, key, value) {
        if (option_differs(contest, contender, key, value))
            label = label_extend(label, key, value);
    }
    json_decref(options);
    return label;
}
