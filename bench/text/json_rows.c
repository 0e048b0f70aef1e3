/* SPDX-License-Identifier: MIT */
#include "bench/text/json_rows.h"

#include <stdbool.h>
#include <string.h>

/* How a table is written down. */
typedef struct Form {
    const char *between, *end;
    void (*text)(const char *text, FILE *file);
    void (*value)(const json_t *value, FILE *file);
} Form;

static void csv_text(const char *text, FILE *file)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void csv_value(const json_t *value, FILE *file)
{
    if (json_is_string(value))
        csv_text(json_string_value(value), file);
    else if (json_is_integer(value))
        fprintf(file, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_number(value))
        fprintf(file, "%.17g", json_number_value(value));
}

static void latex_text(const char *text, FILE *file)
{
    for (; *text; text++) {
        fputs(strchr("_%&#$", *text) ? "\\" : "", file);
        fputc(*text, file);
    }
}

static void latex_value(const json_t *value, FILE *file)
{
    if (json_is_string(value))
        latex_text(json_string_value(value), file);
    else if (json_is_number(value))
        fprintf(file, "%.4g", json_number_value(value));
    else
        fputs("--", file);
}

static bool is_cell(const json_t *value)
{
    return json_is_string(value) || json_is_number(value) || json_is_null(value);
}

/* A list that is short and of cells. */
static bool is_list(const json_t *value)
{
    enum { LIST_MOST = 8 };
    return json_array_size(value) > 0 && json_array_size(value) <= LIST_MOST && is_cell(json_array_get(value, 0));
}

/* A cell, or the elements of a list as cells; of the columns' line their names. */
static void row_put(const Form *form, const char *key, const json_t *value, bool names, bool *first, FILE *file)
{
    size_t count = is_list(value) ? json_array_size(value) : is_cell(value);
    for (size_t i = 0; i < count; i++) {
        char name[128];
        fputs(*first ? "" : form->between, file);
        *first = false;
        snprintf(name, sizeof name, is_list(value) ? "%s_%zu" : "%s", key, i);
        if (names)
            form->text(name, file);
        else
            form->value(is_list(value) ? json_array_get(value, i) : value, file);
    }
}

static void row_line(const Form *form, const json_t *head, const json_t *row, FILE *file)
{
    bool first = true;
    const char *key;
    json_t *shape;
    json_object_foreach ((json_t *)head, key, shape) {
        json_t *value = row ? json_object_get(row, key) : shape;
        if (is_list(shape) && json_array_size(value) != json_array_size(shape))
            value = shape;
        row_put(form, key, value, !row, &first, file);
    }
    fputs(form->end, file);
}

void json_rows_csv(const json_t *rows, FILE *file)
{
    static const Form CSV = {",", "\n", csv_text, csv_value};
    size_t i;
    json_t *row;
    row_line(&CSV, json_array_get(rows, 0), NULL, file);
    json_array_foreach (rows, i, row)
        row_line(&CSV, json_array_get(rows, 0), row, file);
}

void json_rows_latex(const json_t *rows, FILE *file)
{
    static const Form LATEX = {" & ", " \\\\\n", latex_text, latex_value};
    const json_t *head = json_array_get(rows, 0);
    const char *key;
    size_t i;
    json_t *row, *value;
    fputs("\\begin{tabular}{", file);
    json_object_foreach ((json_t *)head, key, value)
        for (size_t n = is_list(value) ? json_array_size(value) : is_cell(value); n > 0; n--)
            fputc(json_is_string(value) ? 'l' : 'r', file);
    fputs("}\n\\toprule\n", file);
    row_line(&LATEX, head, NULL, file);
    fputs("\\midrule\n", file);
    json_array_foreach (rows, i, row)
        row_line(&LATEX, head, row, file);
    fputs("\\bottomrule\n\\end{tabular}\n", file);
}
