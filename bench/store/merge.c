/* SPDX-License-Identifier: MIT */
#include "bench/store/merge.h"

#include "bench/store/diff.h"
#include "bench/store/guard.h"
#include "scenes/file/file.h"

#include <stdlib.h>
#include <string.h>

/* A metric's column is a name of ours, and so is every other that both tables have. */
static const char NAMES[] = "SELECT name FROM pragma_table_info('runs') WHERE name IN"
                            " (SELECT name FROM pragma_table_info('runs', 'second'))";

typedef struct Merge {
    Store *into;
    sqlite3 *database;
    const char *path;
    Status *status;
} Merge;

static bool merge_execute(const Merge *merge, const char *sql, int *changed)
{
    if (sqlite3_exec(merge->database, sql, NULL, NULL, NULL) != SQLITE_OK)
        return store_fail(merge->into, "cannot be written", merge->status);
    if (changed)
        *changed = sqlite3_changes(merge->database);
    return true;
}

static bool merge_attach(const Merge *merge, const Store *second)
{
    sqlite3_stmt *statement = NULL;
    store_guard_lift(merge->database);
    bool ok = sqlite3_prepare_v2(merge->database, "ATTACH ? AS second", -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_bind_text(statement, 1, store_attached_as(second), -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return ok || store_fail(merge->into, "cannot be merged", merge->status);
}

/* "key, scene, ..." of the columns that both have. */
static bool merge_columns(const Merge *merge, Text *columns)
{
    sqlite3_stmt *names = NULL;
    int step = SQLITE_ERROR;
    if (sqlite3_prepare_v2(merge->database, NAMES, -1, &names, NULL) == SQLITE_OK)
        while ((step = sqlite3_step(names)) == SQLITE_ROW)
            text_add(columns, "%s\"%s\"", columns->length ? ", " : "", (const char *)sqlite3_column_text(names, 0));
    sqlite3_finalize(names);
    return (step == SQLITE_DONE && !columns->failed) || store_fail(merge->into, "cannot be read", merge->status);
}

/* The first run of both of which `differs` (of rows a and b) holds; true: there is none. */
static bool merge_agrees(const Merge *merge, const char *what, const char *differs)
{
    sqlite3_stmt *row = NULL;
    Text sql = {0};
    text_add(&sql,
             "SELECT a.key, a.scene, a.solver, a.\"%s\", b.\"%s\" FROM main.runs a JOIN second.runs b ON a.key = b.key"
             " WHERE a.status <> 'timed_out' AND b.status <> 'timed_out' AND (%s) ORDER BY a.key LIMIT 1",
             what, what, differs);
    int step = SQLITE_ERROR;
    if (!sql.failed && sqlite3_prepare_v2(merge->database, sql.data, -1, &row, NULL) == SQLITE_OK)
        step = sqlite3_step(row);
    if (step == SQLITE_ROW)
        status_set(merge->status, STATUS_FAILED,
                   "%s: the run %.12s (%.40s, %.40s) has another %s than in what was merged before: %.40s, there %.40s;"
                   " nothing is written",
                   merge->path, (const char *)sqlite3_column_text(row, 0), (const char *)sqlite3_column_text(row, 1),
                   (const char *)sqlite3_column_text(row, 2), what, (const char *)sqlite3_column_text(row, 4),
                   (const char *)sqlite3_column_text(row, 3));
    else if (step != SQLITE_DONE)
        store_fail(merge->into, "cannot be read", merge->status);
    sqlite3_finalize(row);
    free(sql.data);
    return step == SQLITE_DONE;
}

static bool merge_check(const Merge *merge)
{
    bool ok = merge_agrees(merge, "status", "a.status <> b.status") &&
              merge_agrees(merge, "row_solves", "a.row_solves <> b.row_solves");
    for (int m = 0; ok && m < metric_count; m++) {
        Text differs = {0};
        const char *name = all_metrics[m]->name;
        text_add(&differs, "abs(a.%s - b.%s) > max(%.17g, %.17g * max(abs(a.%s), abs(b.%s)))", name, name,
                 DIFF_ABSOLUTE, DIFF_RELATIVE, name, name);
        ok = !differs.failed && merge_agrees(merge, name, differs.data);
        free(differs.data);
    }
    return ok;
}

/* What only the other has of a run that both have. */
static bool merge_metrics(const Merge *merge)
{
    bool ok = true;
    for (int m = 0; ok && m < metric_count; m++) {
        Text sql = {0};
        const char *name = all_metrics[m]->name;
        text_add(
            &sql,
            "UPDATE main.runs SET %s = (SELECT b.%s FROM second.runs b WHERE b.key = runs.key), kept = kept || '%s,'"
            " WHERE instr(kept, ',%s,') = 0 AND key IN (SELECT key FROM second.runs WHERE instr(kept, ',%s,') > 0)",
            name, name, name, name, name);
        ok = !sql.failed && merge_execute(merge, sql.data, NULL);
        free(sql.data);
    }
    return ok;
}

static bool merge_rows(const Merge *merge, MergeCounts *counts)
{
    Text columns = {0}, sql = {0};
    int added = 0, replaced = 0;
    bool ok = merge_columns(merge, &columns) && merge_check(merge) &&
              merge_execute(merge,
                            "DELETE FROM main.runs WHERE status = 'timed_out' AND key IN"
                            " (SELECT key FROM second.runs WHERE status <> 'timed_out')",
                            &replaced) &&
              merge_metrics(merge);
    text_add(&sql, "INSERT INTO main.runs (%s) SELECT %s FROM second.runs WHERE key NOT IN (SELECT key FROM main.runs)",
             ok ? columns.data : "", ok ? columns.data : "");
    ok = ok && !sql.failed && merge_execute(merge, sql.data, &added);
    counts->added += added - replaced;
    free(columns.data);
    free(sql.data);
    return ok;
}

/* By the connection that writes: another one would have to wait for it. */
static bool merge_count(const Merge *merge, int *count)
{
    sqlite3_stmt *row = NULL;
    bool ok = sqlite3_prepare_v2(merge->database, "SELECT count(*) FROM second.runs", -1, &row, NULL) == SQLITE_OK &&
              sqlite3_step(row) == SQLITE_ROW;
    if (ok)
        *count = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    return ok || store_fail(merge->into, "cannot be read", merge->status);
}

bool store_merge(Store *into, const char *path, MergeCounts *counts, Status *status)
{
    Store *second = store_open_to_read(path, status);
    Merge merge = {into, store_database(into), path, status};
    int rows = 0;
    *counts = (MergeCounts){0};
    if (!second)
        return false;
    bool attached = merge_attach(&merge, second);
    bool ok = attached && merge_execute(&merge, "BEGIN IMMEDIATE", NULL) && merge_rows(&merge, counts) &&
              merge_count(&merge, &rows) && merge_execute(&merge, "COMMIT", NULL);
    if (!ok && !sqlite3_get_autocommit(merge.database))
        sqlite3_exec(merge.database, "ROLLBACK", NULL, NULL, NULL);
    if (attached)
        sqlite3_exec(merge.database, "DETACH second", NULL, NULL, NULL);
    store_guard(merge.database);
    store_close(second);
    counts->there = rows - counts->added;
    return ok;
}
