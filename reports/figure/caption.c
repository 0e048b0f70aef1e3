/* SPDX-License-Identifier: MIT */
/* Captions: text with {expressions}. Besides arithmetic and the functions of mathematics an expression has these, which
 * go through the figure's rows; EXPR is in a row's fields, FILTER conditions as `solver=xpbd, options.substeps>=4`:
 *   value(EXPR; FILTER)  the one value that all matching rows have      count(EXPR; FILTER)  rows where it is a number
 *   min, max, mean, median, first, last(EXPR; FILTER)                   ratio(a; b)          a / b
 *   at_min, at_max(FIELD; EXPR; FILTER)  FIELD, which may be a text, where EXPR is smallest or largest
 *   fit(EXPR; FILTER)                    fitted order in h; fit(EXPR, X; FILTER) in another X
 *   slope(EXPR, X; FILTER)               of log EXPR against log X, least squares
 * [expression] among the arguments is replaced by its number first. */
#include "bench/fits/fit.h"
#include "bench/fits/median.h"
#include "reports/draw/typeset.h"
#include "reports/figure/expression.h"
#include "reports/figure/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Values {
    int count;
    double *x, *y; /* x NaN without an X */
    int *rows;     /* which row each comes from */
} Values;

static void values_clear(Values *values)
{
    free(values->x);
    free(values->y);
    free(values->rows);
}

/* Every number that `y` (and `x`, if not NULL) has in a matching row. */
static bool values_collect(Values *values, const json_t *rows, const char *x, const char *y, const char *filter,
                           Status *status)
{
    size_t n = json_array_size(rows);
    *values = (Values){.x = malloc(sizeof(double) * (n + 1)), .y = malloc(sizeof(double) * (n + 1))};
    values->rows = malloc(sizeof(int) * (n + 1));
    json_t *where = json_object();
    bool ok = values->x && values->y && values->rows && where;
    if (!ok)
        status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && expression_check(y, status) && (!x || expression_check(x, status)) &&
         (!filter || where_parse(filter, where, status));
    for (size_t i = 0; ok && i < n; i++) {
        const json_t *row = json_array_get(rows, i);
        if (!row_matches(row, where))
            continue;
        double at = x ? row_number(row, x) : 0.0, value = row_number(row, y);
        if (isnan(at) || isnan(value))
            continue;
        values->x[values->count] = at;
        values->y[values->count] = value;
        values->rows[values->count++] = (int)i;
    }
    json_decref(where);
    return ok;
}

static double fold_min(const Values *values)
{
    double least = values->y[0];
    for (int i = 1; i < values->count; i++)
        least = fmin(least, values->y[i]);
    return least;
}

static double fold_max(const Values *values)
{
    double most = values->y[0];
    for (int i = 1; i < values->count; i++)
        most = fmax(most, values->y[i]);
    return most;
}

static double fold_mean(const Values *values)
{
    double sum = 0.0;
    for (int i = 0; i < values->count; i++)
        sum += values->y[i];
    return sum / values->count;
}

static double fold_median(const Values *values)
{
    return median(values->y, values->count);
}

static double fold_first(const Values *values)
{
    return values->y[0];
}

static double fold_last(const Values *values)
{
    return values->y[values->count - 1];
}

static double fold_count(const Values *values)
{
    return values->count;
}

/* NaN: they differ. */
static double fold_value(const Values *values)
{
    return fold_max(values) - fold_min(values) <= 1e-9 * fabs(fold_max(values)) ? values->y[0] : NAN;
}

static double fold_fit(const Values *values)
{
    return fit_order(values->x, values->y, values->count < FIT_MAX_POINTS ? values->count : FIT_MAX_POINTS).order;
}

static double fold_slope(const Values *values)
{
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int i = 0; i < values->count; i++) {
        if (!(values->x[i] > 0.0 && values->y[i] > 0.0))
            continue;
        double x = log(values->x[i]), y = log(values->y[i]);
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static const struct {
    const char *name;
    double (*fold)(const Values *values);
    const char *x; /* its default; NULL: none is taken */
    bool takes_x;
} FOLDS[] = {
    {"value", fold_value, NULL, false}, {"min", fold_min, NULL, false},       {"max", fold_max, NULL, false},
    {"mean", fold_mean, NULL, false},   {"median", fold_median, NULL, false}, {"first", fold_first, NULL, false},
    {"last", fold_last, NULL, false},   {"count", fold_count, NULL, false},   {"fit", fold_fit, "h", true},
    {"slope", fold_slope, "h", true},
};

static bool caption_fold(size_t fold, const json_t *rows, const char *arguments, double *value, Status *status)
{
    char what[EXPRESSION_TEXT], y[EXPRESSION_TEXT], x[EXPRESSION_TEXT];
    const char *filter = arguments, *parts = what;
    expression_next_part(&filter, ';', what);
    expression_next_part(&parts, ',', y);
    bool has_x = FOLDS[fold].takes_x && expression_next_part(&parts, ',', x);
    Values values;
    bool ok = values_collect(&values, rows, has_x ? x : FOLDS[fold].x, y, filter, status);
    bool counts = FOLDS[fold].fold == fold_count;
    if (ok && values.count == 0 && !counts)
        ok = status_set(status, STATUS_FAILED, "%s(%.300s): no row matches", FOLDS[fold].name, arguments);
    if (ok)
        *value = FOLDS[fold].fold(&values);
    if (ok && isnan(*value) && FOLDS[fold].fold == fold_value)
        ok = status_set(status, STATUS_FAILED, "value(%.300s): %d rows match, with different values", arguments,
                        values.count);
    values_clear(&values);
    return ok;
}

/* The row where EXPR is smallest (largest); NULL with a message. */
static const json_t *extreme_row(const json_t *rows, const char *arguments, bool largest, char field[EXPRESSION_TEXT],
                                 Status *status)
{
    char y[EXPRESSION_TEXT] = "";
    const char *filter = arguments;
    expression_next_part(&filter, ';', field);
    expression_next_part(&filter, ';', y);
    Values values;
    const json_t *row = NULL;
    double best = NAN;
    if (values_collect(&values, rows, NULL, y, filter, status)) {
        for (int i = 0; i < values.count; i++)
            if (!row || (largest ? values.y[i] > best : values.y[i] < best)) {
                best = values.y[i];
                row = json_array_get(rows, (size_t)values.rows[i]);
            }
        if (!row)
            status_set(status, STATUS_FAILED, "%.300s: no row matches", arguments);
    }
    values_clear(&values);
    return row;
}

/* What an expression of a caption sees: the rows, and for curves the x at hand (NaN: none). */
typedef struct CaptionContext {
    const json_t *rows; /* NULL: only the syntax is looked at */
    double x;
} CaptionContext;

static bool caption_name(const Scope *scope, const char *name, double *value)
{
    *value = ((const CaptionContext *)scope->context)->x;
    return strcmp(name, "x") == 0 && !isnan(*value);
}

/* Every [expression] among the arguments becomes its number. */
static bool caption_expand(const Scope *scope, const char *arguments, char out[EXPRESSION_TEXT], Status *status)
{
    size_t length = 0;
    for (const char *at = arguments; *at; at++) {
        char part[EXPRESSION_TEXT];
        snprintf(part, sizeof part, "%c", *at);
        if (*at == '[') {
            const char *end = strchr(at, ']');
            double value;
            if (!end)
                return status_set(status, STATUS_BAD_FILE, "a ']' is missing after '%.40s'", at);
            snprintf(part, sizeof part, "%.*s", (int)(end - at - 1), at + 1);
            if (!expression_evaluate(part, scope, &value, status))
                return false;
            snprintf(part, sizeof part, "%.17g", value);
            at = end;
        }
        if (length + strlen(part) >= EXPRESSION_TEXT)
            return status_set(status, STATUS_BAD_FILE, "'%.40s...' is too long", arguments);
        strcpy(out + length, part);
        length += strlen(part);
    }
    out[length] = '\0';
    return true;
}

static bool call_ratio(const Scope *scope, const char *arguments, double *value, Status *status)
{
    char part[2][EXPRESSION_TEXT] = {"", ""};
    double a, b;
    expression_next_part(&arguments, ';', part[0]);
    expression_next_part(&arguments, ';', part[1]);
    bool ok = expression_evaluate(part[0], scope, &a, status) && expression_evaluate(part[1], scope, &b, status);
    *value = ok ? a / b : NAN;
    return ok;
}

static bool call_extreme(const json_t *rows, const char *arguments, bool largest, double *value, Status *status)
{
    char field[EXPRESSION_TEXT];
    const json_t *row = rows ? extreme_row(rows, arguments, largest, field, status) : NULL;
    if (row)
        *value = row_number(row, field);
    return row || !rows;
}

static bool caption_call(const Scope *scope, const char *function, const char *given, bool *known, double *value,
                         Status *status)
{
    const json_t *rows = ((const CaptionContext *)scope->context)->rows;
    char arguments[EXPRESSION_TEXT];
    *known = true;
    *value = 1.0;
    if (!caption_expand(scope, given, arguments, status))
        return false;
    if (strcmp(function, "at_min") == 0 || strcmp(function, "at_max") == 0)
        return call_extreme(rows, arguments, function[4] == 'a', value, status);
    if (strcmp(function, "ratio") == 0)
        return call_ratio(scope, arguments, value, status);
    for (size_t i = 0; i < sizeof FOLDS / sizeof FOLDS[0]; i++) {
        /* min(a, b) is of two numbers, min(a; filter) of rows. */
        bool of_rows = strchr(arguments, ';') || FOLDS[i].takes_x || !strchr(arguments, ',');
        if (strcmp(FOLDS[i].name, function) == 0 && of_rows)
            return !rows || caption_fold(i, rows, arguments, value, status);
    }
    *known = false;
    return true;
}

bool figure_value(const json_t *rows, const char *expression, double x, double *value, Status *status)
{
    CaptionContext context = {rows, x};
    return expression_evaluate(expression, &(Scope){caption_name, caption_call, &context}, value, status);
}

/* at_min and at_max alone may give a text. */
static bool caption_text(const json_t *rows, const char *expression, Text *out, bool *done, Status *status)
{
    char field[EXPRESSION_TEXT], arguments[EXPRESSION_TEXT], buffer[64];
    size_t length = strlen(expression);
    *done = false;
    if ((strncmp(expression, "at_min(", 7) != 0 && strncmp(expression, "at_max(", 7) != 0) ||
        expression[length - 1] != ')' || length - 8 >= sizeof arguments)
        return true;
    memcpy(arguments, expression + 7, length - 8);
    arguments[length - 8] = '\0';
    const json_t *row = extreme_row(rows, arguments, expression[4] == 'a', field, status);
    if (!row)
        return false;
    *done = json_is_string(json_object_get(row, field));
    if (*done)
        typeset_name(out, row_text(row, field, buffer));
    return true;
}

/* {expression}, {expression:5} with so many digits, {expression:%} as a percentage. */
static bool caption_add_value(const json_t *rows, const char *inside, Text *out, Status *status)
{
    char expression[EXPRESSION_TEXT];
    const char *rest = inside;
    bool done;
    double value;
    int digits = 3;
    expression_next_part(&rest, ':', expression);
    bool percent = rest && strcmp(rest, "%") == 0;
    if (rest && !percent)
        digits = atoi(rest);
    if (digits < 1 || digits > 17)
        return status_set(status, STATUS_BAD_FILE, "{%.200s}: digits are 1 .. 17", inside);
    if (rows && (!caption_text(rows, expression, out, &done, status) || done))
        return done;
    if (!figure_value(rows, expression, NAN, &value, status))
        return false;
    typeset_number(out, percent ? 100.0 * value : value, digits);
    text_add(out, "%s", percent ? " %" : "");
    return true;
}

/* ^{..} and _{..} are not expressions. */
bool caption_fill(const char *caption, const json_t *rows, Text *out, Status *status)
{
    for (const char *at = caption; *at; at++) {
        bool raised = at > caption && (at[-1] == '^' || at[-1] == '_');
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (*at != '{' || raised) {
            text_add(out, "%c", *at);
            continue;
        }
        char inside[EXPRESSION_TEXT];
        if (!end || end - at - 1 >= EXPRESSION_TEXT)
            return status_set(status, STATUS_BAD_FILE, "a '}' is missing after '%.40s'", at);
        snprintf(inside, sizeof inside, "%.*s", (int)(end - at - 1), at + 1);
        if (!caption_add_value(rows, inside, out, status))
            return false;
        at = end;
    }
    return !out->failed || status_set(status, STATUS_FAILED, "out of memory");
}

bool caption_check_expression(const char *expression, bool has_x, Status *status)
{
    double value;
    return figure_value(NULL, expression, has_x ? 1.0 : NAN, &value, status);
}

bool caption_check(const char *caption, Status *status)
{
    Text out = {0};
    bool ok = caption_fill(caption, NULL, &out, status);
    free(out.data);
    return ok;
}
