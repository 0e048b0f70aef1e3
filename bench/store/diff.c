/* SPDX-License-Identifier: MIT */
#include "bench/store/diff.h"

#include "bench/store/guard.h"
#include "scenes/file/file.h"

#include <stdlib.h>
#include <string.h>

/* The last version of every run in a store, whose schema's name is to be filled in. */
#define LATEST "(SELECT *, max(finished_at) FROM %s.runs GROUP BY identity)"

typedef enum PairColumn { PAIR_SCENE, PAIR_SOLVER, PAIR_PARAMS, PAIR_OPTIONS, PAIR_COMPARED } PairColumn;

/* A store of another version may lack a metric, or have it: both_keep() then passes over it. */
static void query_metric(Text *sql, sqlite3 *database, const char *schema, char alias, const char *metric)
{
    if (sqlite3_table_column_metadata(database, schema, "runs", metric, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK)
        text_add(sql, ", %c.%s", alias, metric);
    else
        text_add(sql, ", NULL");
}

/* From PAIR_COMPARED on two columns each: status, row_solves, the metrics; then what compares times. */
static void diff_query(Text *sql, sqlite3 *database)
{
    text_add(sql, "SELECT a.scene, a.solver, a.params, a.options, a.status, b.status, a.row_solves, b.row_solves");
    for (int i = 0; i < metric_count; i++) {
        query_metric(sql, database, "main", 'a', all_metrics[i]->name);
        query_metric(sql, database, "second", 'b', all_metrics[i]->name);
    }
    text_add(sql, ", a.us_per_frame, b.us_per_frame, a.us_low, b.us_low, a.us_high, b.us_high, "
                  "min(a.repeats, b.repeats), a.machine = b.machine, a.kept, b.kept");
    text_add(sql, " FROM " LATEST " a JOIN " LATEST " b USING (identity)", "main", "second");
    text_add(sql, " ORDER BY a.scene, a.solver, a.params, a.options, a.dt, a.time");
}

static void copy_text(char *to, size_t size, const unsigned char *text)
{
    snprintf(to, size, "%s", text ? (const char *)text : "-");
}

static bool diff_add(StoreDiff *diff, sqlite3_stmt *row, const char *what, int column, double change, bool timing)
{
    StoreDifference *grown = realloc(diff->differences, sizeof *grown * (size_t)(diff->count + 1));
    if (!grown)
        return false;
    diff->differences = grown;
    StoreDifference *difference = &grown[diff->count++];
    *difference = (StoreDifference){.change = change, .timing = timing};
    copy_text(difference->scene, sizeof difference->scene, sqlite3_column_text(row, PAIR_SCENE));
    copy_text(difference->solver, sizeof difference->solver, sqlite3_column_text(row, PAIR_SOLVER));
    copy_text(difference->params, sizeof difference->params, sqlite3_column_text(row, PAIR_PARAMS));
    copy_text(difference->options, sizeof difference->options, sqlite3_column_text(row, PAIR_OPTIONS));
    snprintf(difference->what, sizeof difference->what, "%s", what);
    copy_text(difference->before, sizeof difference->before, sqlite3_column_text(row, column));
    copy_text(difference->after, sizeof difference->after, sqlite3_column_text(row, column + 1));
    return true;
}

static double relative(double a, double b)
{
    double scale = fmax(fabs(a), fabs(b));
    return scale > 0.0 ? (b - a) / scale : 0.0;
}

static bool is_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}

/* Do the values of two neighbouring columns differ? NULL is a value of its own; infinities equal themselves. */
static bool values_differ(sqlite3_stmt *row, int column, double *change, bool *round_off)
{
    *change = NAN;
    if (is_null(row, column) || is_null(row, column + 1))
        return is_null(row, column) != is_null(row, column + 1);
    double a = sqlite3_column_double(row, column), b = sqlite3_column_double(row, column + 1);
    *change = relative(a, b);
    if (a == b)
        return false;
    bool within = fmax(fabs(a), fabs(b)) <= DIFF_ABSOLUTE || fabs(*change) <= DIFF_RELATIVE;
    *round_off = *round_off || within;
    return !within;
}

/* Metrics that one of the two did not keep cannot be compared. */
static bool both_keep(sqlite3_stmt *row, int kept, const char *metric)
{
    char name[64];
    snprintf(name, sizeof name, ",%s,", metric);
    return strstr((const char *)sqlite3_column_text(row, kept), name) &&
           strstr((const char *)sqlite3_column_text(row, kept + 1), name);
}

static bool diff_times(StoreDiff *diff, sqlite3_stmt *row, int column)
{
    if (sqlite3_column_int(row, column + 6) < DIFF_REPEATS || !sqlite3_column_int(row, column + 7) ||
        is_null(row, column) || is_null(row, column + 1))
        return true;
    diff->timed++;
    double change = relative(sqlite3_column_double(row, column), sqlite3_column_double(row, column + 1));
    double low_a = sqlite3_column_double(row, column + 2), low_b = sqlite3_column_double(row, column + 3);
    double high_a = sqlite3_column_double(row, column + 4), high_b = sqlite3_column_double(row, column + 5);
    bool apart = low_a > high_b || low_b > high_a;
    return !apart || fabs(change) <= DIFF_TIME || diff_add(diff, row, "us_per_frame", column, change, true);
}

static bool diff_row(StoreDiff *diff, sqlite3_stmt *row)
{
    int before = diff->count, column = PAIR_COMPARED, times = PAIR_COMPARED + 4 + 2 * metric_count, kept = times + 8;
    double change;
    bool round_off = false;
    diff->common++;
    if (strcmp((const char *)sqlite3_column_text(row, column), (const char *)sqlite3_column_text(row, column + 1)) !=
            0 &&
        !diff_add(diff, row, "status", column, NAN, false))
        return false;
    if (values_differ(row, column + 2, &change, &round_off) &&
        !diff_add(diff, row, "row_solves", column + 2, change, false))
        return false;
    for (int i = 0; i < metric_count; i++) {
        int at = column + 4 + 2 * i;
        if (both_keep(row, kept, all_metrics[i]->name) && values_differ(row, at, &change, &round_off) &&
            !diff_add(diff, row, all_metrics[i]->name, at, change, false))
            return false;
    }
    diff->changed += diff->count > before;
    diff->round_off += diff->count == before && round_off;
    return diff_times(diff, row, times);
}

static bool count_runs(sqlite3 *database, const char *sql, int *count)
{
    sqlite3_stmt *statement = NULL;
    bool ok =
        sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW;
    if (ok)
        *count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return ok;
}

static bool attach(Store *store, const char *path)
{
    sqlite3_stmt *statement = NULL;
    bool ok = sqlite3_prepare_v2(store_database(store), "ATTACH ? AS second", -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return ok;
}

static bool diff_stores(Store *store, const Store *second, StoreDiff *diff, Status *status)
{
    sqlite3 *database = store_database(store);
    sqlite3_stmt *row = NULL;
    Text sql = {0};
    store_guard_lift(database);
    bool ok = attach(store, store_attached_as(second));
    store_guard_reading(database);
    if (ok)
        diff_query(&sql, database);
    ok = ok && !sql.failed && sqlite3_prepare_v2(database, sql.data, -1, &row, NULL) == SQLITE_OK;
    int step = ok ? SQLITE_ROW : SQLITE_ERROR;
    while (ok && (step = sqlite3_step(row)) == SQLITE_ROW)
        ok = diff_row(diff, row);
    ok = ok && step == SQLITE_DONE &&
         count_runs(database, "SELECT count(DISTINCT identity) FROM main.runs", &diff->only_first) &&
         count_runs(database, "SELECT count(DISTINCT identity) FROM second.runs", &diff->only_second);
    if (!ok)
        store_fail(store, "cannot be compared", status);
    diff->only_first -= diff->common;
    diff->only_second -= diff->common;
    sqlite3_finalize(row);
    free(sql.data);
    return ok;
}

bool store_diff(const char *first_path, const char *second_path, StoreDiff *diff, Status *status)
{
    *diff = (StoreDiff){0};
    Store *first = store_open_to_read(first_path, status);
    Store *second = first ? store_open_to_read(second_path, status) : NULL;
    bool ok = second && diff_stores(first, second, diff, status);
    store_close(second);
    store_close(first);
    return ok;
}

void store_diff_clear(StoreDiff *diff)
{
    free(diff->differences);
    *diff = (StoreDiff){0};
}
