/* SPDX-License-Identifier: MIT */
#include "bench/store/results_table.h"

#include "bench/metrics/metrics.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "bench/verify/gate.h"
#include "scenes/file/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool results_is_json(const char *column)
{
    static const char *const names[] = {"params", "options", "events", "warnings", NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(column, names[i]) == 0)
            return true;
    return false;
}

/* Left to --csv and --json. */
static bool column_left_out(const char *name)
{
    static const char *const left_out[] = {"key", "scene_hash", "made_of", "machine", "finished_at", "wall_s", NULL};
    for (int i = 0; left_out[i]; i++)
        if (strcmp(name, left_out[i]) == 0)
            return true;
    return false;
}

/* Columns that stand in the table even if all rows agree: what was asked, what came of it. */
static bool column_always(const char *name)
{
    static const char *const always[] = {"scene", "solver", "status", "verdict", "row_solves", "us_per_frame", NULL};
    for (int i = 0; always[i]; i++)
        if (strcmp(name, always[i]) == 0)
            return true;
    return false;
}

static json_t *column_value(sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
        return NULL;
    case SQLITE_TEXT:
        return json_string((const char *)sqlite3_column_text(row, column));
    default:
        return json_real(sqlite3_column_double(row, column)); /* not finite: NULL */
    }
}

/* Two different values are enough to know that a column varies. */
static bool rows_note(ResultRows *rows, json_t *row, const char *name, json_t *value)
{
    json_t *values = json_object_get(rows->columns, name);
    if (!values) {
        values = json_array();
        if (json_object_set_new(rows->columns, name, values) != 0)
            return false;
    }
    size_t known = json_array_size(values);
    if (known == 0 || (known == 1 && !json_equal(json_array_get(values, 0), value)))
        json_array_append(values, value);
    return json_object_set(row, name, value) == 0;
}

static bool rows_note_settings(ResultRows *rows, json_t *row, const char *text)
{
    json_t *settings = json_loads(text, 0, NULL), *value;
    const char *name;
    bool ok = true;
    json_object_foreach (settings, name, value)
        ok = ok && rows_note(rows, row, name, value);
    json_decref(settings);
    return ok;
}

/* Of a list the table has the length. */
static bool rows_note_list(ResultRows *rows, json_t *row, const char *name, const char *text)
{
    json_t *list = text ? json_loads(text, 0, NULL) : NULL;
    json_t *length = list ? json_integer((json_int_t)json_array_size(list)) : NULL;
    bool ok = !length || rows_note(rows, row, name, length);
    json_decref(length);
    json_decref(list);
    return ok;
}

static bool rows_add(ResultRows *rows, sqlite3_stmt *from)
{
    json_t *row = json_object();
    bool ok = row && json_array_append_new(rows->rows, row) == 0;
    for (int c = 0; ok && c < sqlite3_column_count(from); c++) {
        const char *name = sqlite3_column_name(from, c);
        if (strcmp(name, "params") == 0 || strcmp(name, "options") == 0) {
            ok = rows_note_settings(rows, row, (const char *)sqlite3_column_text(from, c));
        } else if (results_is_json(name)) {
            ok = rows_note_list(rows, row, name, (const char *)sqlite3_column_text(from, c));
        } else if (!column_left_out(name)) {
            json_t *value = column_value(from, c);
            ok = !value || rows_note(rows, row, name, value);
            json_decref(value);
        }
    }
    return ok;
}

/* A metric is a result, also where all rows agree. */
static bool column_in_table(const char *name, const json_t *values)
{
    return json_array_size(values) > 1 || column_always(name) || metric_find(name) >= 0;
}

static void table_add_json(Table *table, const json_t *value)
{
    if (json_is_string(value))
        table_add_text(table, json_string_value(value));
    else if (json_is_boolean(value))
        table_add_text(table, json_is_true(value) ? "on" : "off");
    else
        table_add_number(table, value ? json_number_value(value) : NAN, false);
}

/* What came of a run; all else says what it is. */
static bool column_is_result(const char *name)
{
    static const char *const RESULTS[] = {"status",     "verdict", "row_solves", "us_per_frame", "events", "warnings",
                                          "blew_up_at", "version", NULL};
    for (int i = 0; RESULTS[i]; i++)
        if (strcmp(name, RESULTS[i]) == 0)
            return true;
    return metric_find(name) >= 0;
}

Table *results_table(const ResultRows *rows)
{
    Table *table = table_create();
    const char *name;
    json_t *values, *row;
    size_t i;
    json_object_foreach (rows->columns, name, values) {
        int metric = metric_find(name);
        if (!column_in_table(name, values))
            continue;
        table_add_column(table, name, metric >= 0 ? all_metrics[metric]->unit : "", BEST_NONE);
        if (!column_is_result(name))
            table_key(table);
    }
    json_array_foreach (rows->rows, i, row) {
        json_object_foreach (rows->columns, name, values) {
            if (column_in_table(name, values))
                table_add_json(table, json_object_get(row, name));
        }
    }
    return table;
}

/* As the table has them. */
static void text_add_value(Text *text, const json_t *value)
{
    if (json_is_string(value))
        text_add(text, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        text_add(text, json_is_true(value) ? "on" : "off");
    else
        text_add(text, "%.6g", json_number_value(value));
}

static void rows_print_common(const ResultRows *rows, FILE *file)
{
    const char *name;
    json_t *values;
    Text text = {0};
    json_object_foreach (rows->columns, name, values) {
        if (column_in_table(name, values))
            continue;
        text_add(&text, text.length ? ", %s " : "%s ", name);
        text_add_value(&text, json_array_get(values, 0));
    }
    if (text.length) {
        fputs("\n", file);
        fold_line(file, "all: %s", text.data);
    }
    free(text.data);
}

/* What engines among the rows fail of the checks, once each. */
static void rows_print_gate(const ResultRows *rows, FILE *file)
{
    json_t *row, *told = json_object();
    size_t i;
    json_array_foreach (rows->rows, i, row) {
        const char *solver = json_string_value(json_object_get(row, "solver"));
        char fails[GATE_TEXT];
        if (!solver || !told || json_object_get(told, solver))
            continue;
        json_object_set_new(told, solver, json_true());
        if (gate_kept_warning(solver, fails))
            fold_line(file, "warning: %s: %s", solver, fails);
    }
    json_decref(told);
}

void results_print_beside(const ResultRows *rows, bool common, FILE *file)
{
    size_t count = json_array_size(rows->rows);
    if (count > 0 && common)
        rows_print_common(rows, file);
    if (count > 0)
        rows_print_gate(rows, file);
    fprintf(file, "%s%zu run%s\n", count > 0 ? "\n" : "", count, count == 1 ? "" : "s");
}

int results_read(ResultRows *rows, sqlite3_stmt *from)
{
    int step;
    *rows = (ResultRows){json_array(), json_object()};
    bool ok = rows->rows && rows->columns;
    while ((step = sqlite3_step(from)) == SQLITE_ROW && ok)
        ok = rows_add(rows, from);
    return ok ? step : SQLITE_NOMEM;
}

void results_clear(ResultRows *rows)
{
    json_decref(rows->rows);
    json_decref(rows->columns);
}
