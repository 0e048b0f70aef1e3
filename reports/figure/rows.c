/* SPDX-License-Identifier: MIT */
#include "reports/figure/rows.h"

#include "bench/files/write_file.h"
#include "reports/figure/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two numbers that were typed or computed in different ways are the same to within round-off. */
static const double SAME = 1e-9;

/* Longer arrays are data of their own, not the coordinates of something. */
enum { SHORT_ARRAY = 4 };

static double cell_number(const json_t *cell)
{
    return json_is_number(cell) ? json_number_value(cell) : json_is_boolean(cell) ? json_is_true(cell) : NAN;
}

static bool row_name(const Scope *scope, const char *name, double *value)
{
    const json_t *row = scope->context, *cell = json_object_get(row, name);
    *value = cell_number(cell);
    if (!cell && strcmp(name, "h") == 0)
        *value = cell_number(json_object_get(row, "dt")) / cell_number(json_object_get(row, "options.substeps"));
    return true;
}

double row_number(const json_t *row, const char *expression)
{
    Status status = {0};
    double value;
    json_t *cell = json_object_get(row, expression);
    if (cell)
        return cell_number(cell);
    return expression_evaluate(expression, &(Scope){.name = row_name, .context = row}, &value, &status) ? value : NAN;
}

const char *row_text(const json_t *row, const char *field, char buffer[64])
{
    const json_t *cell = json_object_get(row, field);
    if (json_is_string(cell))
        return json_string_value(cell);
    if (json_is_boolean(cell))
        return json_is_true(cell) ? "on" : "off";
    double number = row_number(row, field);
    if (isnan(number))
        return NULL;
    snprintf(buffer, 64, "%.6g", number);
    return buffer;
}

static bool row_equals(const json_t *row, const char *key, const json_t *value)
{
    char buffer[64];
    if (json_is_string(value)) {
        const char *text = row_text(row, key, buffer);
        return text && strcmp(text, json_string_value(value)) == 0;
    }
    double number = row_number(row, key), wanted = cell_number(value);
    return fabs(number - wanted) <= SAME * fmax(fabs(number), fabs(wanted));
}

static bool row_fulfils(const json_t *row, const char *key, const json_t *value)
{
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            if (row_equals(row, key, json_array_get(value, i)))
                return true;
        return false;
    }
    if (!json_is_object(value))
        return row_equals(row, key, value);
    const json_t *least = json_object_get(value, "min"), *most = json_object_get(value, "max");
    const json_t *other = json_object_get(value, "not");
    double number = least || most ? row_number(row, key) : 0.0;
    double a = cell_number(least), b = cell_number(most);
    return !isnan(number) && !(least && number < a - SAME * fabs(a)) && !(most && number > b + SAME * fabs(b)) &&
           !(other && row_fulfils(row, key, other));
}

bool row_meets(const json_t *row, const json_t *where)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)where, key, value)
        if (!row_fulfils(row, key, value))
            return false;
    return true;
}

bool row_matches(const json_t *row, const json_t *where)
{
    const char *status = json_string_value(json_object_get(row, "status"));
    bool complete = !status || strcmp(status, "ok") == 0;
    return (complete || json_object_get(where, "status")) && row_meets(row, where);
}

bool where_check(Node where)
{
    static const char *const KEYS[] = {"min", "max", "not", NULL};
    if (where.value && !json_is_object(where.value))
        return node_wrong_type(where, "an object");
    const char *key;
    json_t *value;
    json_object_foreach (where.value, key, value) {
        Status status = {0};
        Node place = node_get(&where, key);
        if (!expression_check(key, &status))
            return node_fail(place, "%s", status.message);
        if (json_is_null(value))
            return node_wrong_type(place, "a text, a number, a truth value, a list or an object");
        if (json_is_object(value) && !node_object(place, KEYS))
            return false;
    }
    return true;
}

/* The value of a condition in text: a number, a truth value, or a text. */
static json_t *where_value(const char *text)
{
    double number;
    if (number_parse(text, &number))
        return json_real(number);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return json_boolean(text[0] == 't');
    return json_string(text);
}

static bool where_parse_one(const char *part, json_t *where, Status *status)
{
    size_t length = strcspn(part, "=<>!");
    char key[EXPRESSION_TEXT];
    memcpy(key, part, length);
    key[length] = '\0';
    while (length > 0 && key[length - 1] == ' ')
        key[--length] = '\0';
    const char *sign = part + strcspn(part, "=<>!"), *value = sign + strspn(sign, "=<>!");
    while (*value == ' ')
        value++;
    if (!*sign || !*value || length == 0 || !expression_check(key, status))
        return status_set(status, STATUS_BAD_FILE, "'%.200s' is no condition as `solver=xpbd` or `time>=1`", part);
    json_t *wanted = where_value(value);
    if (*sign == '=')
        return json_object_set_new(where, key, wanted) == 0;
    json_t *range = json_object_get(where, key);
    if (!json_is_object(range)) {
        json_object_set_new(where, key, json_object());
        range = json_object_get(where, key);
    }
    return json_object_set_new(range, *sign == '!' ? "not" : *sign == '<' ? "max" : "min", wanted) == 0;
}

bool where_parse(const char *text, json_t *where, Status *status)
{
    char part[EXPRESSION_TEXT];
    while (expression_next_part(&text, ',', part))
        if (!where_parse_one(part, where, status))
            return false;
    return true;
}

static void row_add_value(json_t *row, const char *name, const json_t *value)
{
    if (json_is_object(value) || (json_is_array(value) && json_array_size(value) <= SHORT_ARRAY))
        row_add(row, name, value);
    else if (!json_is_array(value) && !json_is_null(value))
        json_object_set(row, name, (json_t *)value);
}

void row_add(json_t *row, const char *prefix, const json_t *from)
{
    char name[256];
    const char *dot = prefix[0] ? "." : "", *key;
    json_t *value;
    size_t i;
    json_object_foreach ((json_t *)from, key, value) {
        snprintf(name, sizeof name, "%s%s%s", prefix, dot, key);
        row_add_value(row, name, value);
    }
    json_array_foreach (from, i, value) {
        snprintf(name, sizeof name, "%s%s%zu", prefix, dot, i);
        row_add_value(row, name, value);
    }
}

bool row_is_run(const json_t *row)
{
    const char *from = json_string_value(json_object_get(row, "from"));
    return from && strcmp(from, "grid") == 0;
}

static void csv_write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *c = text; *c; c++)
        fprintf(file, *c == '"' ? "\"\"" : "%c", *c);
    fputc('"', file);
}

static void csv_write_cell(FILE *file, const json_t *cell)
{
    if (json_is_string(cell)) {
        csv_write_text(file, json_string_value(cell));
    } else if (json_is_integer(cell)) {
        fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(cell));
    } else if (json_is_real(cell)) {
        fprintf(file, "%.17g", json_real_value(cell));
    } else if (json_is_boolean(cell)) {
        fputs(json_is_true(cell) ? "true" : "false", file);
    }
}

static void csv_write(FILE *file, const json_t *rows)
{
    json_t *fields = json_pack("{s:n}", "from"), *row, *cell; /* in front: the file is known by it (FILE_ROWS) */
    const char *key;
    size_t i;
    json_array_foreach (rows, i, row)
        json_object_update_missing(fields, row);
    const char *comma = "";
    json_object_foreach (fields, key, cell) {
        fputs(comma, file);
        if (strpbrk(key, ",\"\r\n")) /* a figure's `set` may name fields as it likes */
            csv_write_text(file, key);
        else
            fputs(key, file);
        comma = ",";
    }
    json_array_foreach (rows, i, row) {
        comma = "\n";
        json_object_foreach (fields, key, cell) {
            fputs(comma, file);
            csv_write_cell(file, json_object_get(row, key));
            comma = ",";
        }
    }
    fputc('\n', file);
    json_decref(fields);
}

bool rows_write_csv(const json_t *rows, const char *path, Status *status)
{
    FileWriter writer;
    if (!writer_open(&writer, path, status))
        return false;
    csv_write(writer.file, rows);
    return writer_close(&writer, true, status);
}
