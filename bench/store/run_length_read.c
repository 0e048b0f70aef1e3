/* SPDX-License-Identifier: MIT */
/* The runs of a store as ladders: who did how much work on which instance, and what was left. */
#include "bench/store/run_length.h"

#include "bench/outcome/verdict.h"
#include "bench/store/store.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of the text in a list that grows; -1: out of memory. */
static int name_number(char ***names, int *count, const char *text)
{
    for (int i = 0; i < *count; i++)
        if (strcmp((*names)[i], text) == 0)
            return i;
    char **grown = realloc(*names, sizeof *grown * (size_t)(*count + 1));
    if (!grown)
        return -1;
    *names = grown;
    grown[*count] = strdup(text);
    return grown[*count] ? (*count)++ : -1;
}

/* What tells instances apart, cut out of a text: `seed=3` of a frozen step's name, "seed": 3 of parameters. Returns the
 * number behind it, or -1. */
static long key_cut(char *text, const char *key, bool cut)
{
    size_t length = strlen(key);
    for (char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
        char *value = at + length, *end;
        value += strspn(value, "\"=: ");
        long number = strtol(value, &end, 10);
        bool whole = (at == text || strchr(" \"{,", at[-1])) && value > at + length && end > value;
        if (!whole)
            continue;
        if (cut)
            memmove(at, end, strlen(end) + 1);
        return number;
    }
    return -1;
}

/* Columns: scene_hash or name, params, dt, time, solver, status, verdict, metric, row_solves, contacts,
 * scene_hash. */
static bool run_add(RunLengths *lengths, sqlite3_stmt *row)
{
    const char *scene = (const char *)sqlite3_column_text(row, 0), *params = (const char *)sqlite3_column_text(row, 1);
    char *group = sqlite3_mprintf("%s %s dt=%s time=%s", scene ? scene : "", params ? params : "",
                                  sqlite3_column_text(row, 2), sqlite3_column_text(row, 3));
    char *problem = group ? sqlite3_mprintf("%s %s", group, sqlite3_column_text(row, 10)) : NULL, family[128];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(scene ? scene : "", " "), scene ? scene : "");
    LadderRun *runs = realloc(lengths->runs, sizeof *runs * (size_t)(lengths->run_count + 1));
    lengths->runs = runs ? runs : lengths->runs;
    bool ok = problem && group && runs;
    if (ok) {
        const char *verdict = (const char *)sqlite3_column_text(row, 6);
        bool made = strcmp((const char *)sqlite3_column_text(row, 5), "ok") == 0 &&
                    !(verdict && strcmp(verdict, verdict_names[VERDICT_FALLS]) == 0);
        double bodies = sqlite3_column_type(row, 9) != SQLITE_NULL ? 3.0 * sqlite3_column_double(row, 9)
                                                                   : (double)key_cut(group, "n", false);
        long seed = key_cut(group, "seed", true);
        int before = lengths->problem_count;
        LadderRun *run = &runs[lengths->run_count++];
        *run = (LadderRun){
            .problem = name_number(&lengths->problems, &lengths->problem_count, problem),
            .solver = name_number(&lengths->solvers, &lengths->solver_count, (const char *)sqlite3_column_text(row, 4)),
            .work = sqlite3_column_double(row, 8) / (bodies > 0.0 ? bodies : 1.0),
            .error = made && sqlite3_column_type(row, 7) != SQLITE_NULL ? sqlite3_column_double(row, 7) : INFINITY};
        Instance instance = {name_number(&lengths->groups, &lengths->group_count, group),
                             name_number(&lengths->families, &lengths->family_count, family), seed};
        ok = run->problem >= 0 && run->solver >= 0 && instance.group >= 0 && instance.family >= 0;
        Instance *grown = ok && lengths->problem_count > before
                              ? realloc(lengths->instances, sizeof *grown * (size_t)lengths->problem_count)
                              : lengths->instances;
        if (ok && (ok = grown != NULL)) {
            lengths->instances = grown;
            grown[run->problem] = instance;
        }
    }
    sqlite3_free(problem);
    sqlite3_free(group);
    return ok;
}

/* Runs whose work is not counted say nothing here, nor do scenes that have no such metric. */
static char *lengths_sql(const char *metric)
{
    return sqlite3_mprintf(
        "SELECT scene, params, dt, time, solver, status, verdict, results.\"%w\", row_solves, contacts, "
        "scene_hash FROM results WHERE row_solves > 0 AND scene IN (SELECT scene FROM results WHERE "
        "results.\"%w\" IS NOT NULL) ORDER BY scene, params, dt, time, solver, options, finished_at",
        metric, metric);
}

static bool lengths_bound(RunLengths *lengths, const char *path, const char *metric, Status *status)
{
    bool any = false;
    lengths->least_work = INFINITY;
    for (int i = 0; i < lengths->run_count; i++) {
        lengths->least_work = fmin(lengths->least_work, lengths->runs[i].work);
        lengths->most_work = fmax(lengths->most_work, lengths->runs[i].work);
        any = any || isfinite(lengths->runs[i].error);
    }
    if (lengths->solver_count > RUN_LENGTH_MOST)
        return status_set(status, STATUS_FAILED, "%d solvers are more than %d", lengths->solver_count, RUN_LENGTH_MOST);
    return any ||
           status_set(status, STATUS_BAD_FILE, "%s: no run that counts its work has a value of %s", path, metric);
}

bool run_lengths_read(RunLengths *lengths, const char *path, const char *metric, Status *status)
{
    *lengths = (RunLengths){0};
    Store *store = store_open_to_read(path, status);
    if (!store)
        return false;
    sqlite3_stmt *rows = NULL;
    char *sql = lengths_sql(metric);
    int code = sql ? sqlite3_prepare_v2(store_database(store), sql, -1, &rows, NULL) : SQLITE_NOMEM;
    bool memory = true;
    while (memory && (code == SQLITE_OK || code == SQLITE_ROW)) {
        code = sqlite3_step(rows);
        memory = code != SQLITE_ROW || run_add(lengths, rows);
    }
    bool ok = code == SQLITE_DONE ||
              (memory ? status_set(status, STATUS_BAD_FILE, "%s: %s", path, sqlite3_errmsg(store_database(store)))
                      : status_set(status, STATUS_FAILED, "out of memory"));
    sqlite3_finalize(rows);
    sqlite3_free(sql);
    store_close(store);
    return ok && lengths_bound(lengths, path, metric, status);
}

static void names_free(char **names, int count)
{
    for (int i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

void run_lengths_clear(RunLengths *lengths)
{
    names_free(lengths->solvers, lengths->solver_count);
    names_free(lengths->families, lengths->family_count);
    names_free(lengths->groups, lengths->group_count);
    names_free(lengths->problems, lengths->problem_count);
    free(lengths->instances);
    free(lengths->runs);
    free(lengths->length);
    free(lengths->score);
    *lengths = (RunLengths){0};
}
