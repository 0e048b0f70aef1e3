/* SPDX-License-Identifier: MIT */
/* Tables for other programs and for papers. */
#include "bench/text/table_cells.h"
#include "model/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Cell *table_cell(const Table *table, int row, int column)
{
    return &table->cells[row * table->column_count + column];
}

static int table_rows(const Table *table)
{
    return table->column_count > 0 ? table->cell_count / table->column_count : 0;
}

/* --- Choosing columns --- */

static int column_find(const Table *table, const char *name, size_t length)
{
    for (int c = 0; c < table->column_count; c++)
        if (strlen(table->columns[c].name) == length && strncmp(table->columns[c].name, name, length) == 0)
            return c;
    return -1;
}

static bool column_unknown(const Table *table, const char *name, size_t length, Status *status)
{
    char word[CELL_TEXT], text[SUGGESTION_TEXT];
    snprintf(word, sizeof word, "%.*s", (int)(length < CELL_TEXT ? length : CELL_TEXT - 1), name);
    Suggestion near = suggestion_for(word);
    for (int c = 0; c < table->column_count; c++)
        suggestion_offer(&near, table->columns[c].name);
    return status_set(status, STATUS_USAGE, "--metrics: there is no column '%s' in this table%s", word,
                      suggestion_text(&near, text));
}

/* Columns by their number in the table, in the order chosen; -1 with a message. */
static int columns_choose(const Table *table, const char *names, int *chosen, Status *status)
{
    int count = 0;
    for (int c = 0; c < table->column_count; c++)
        if (c == 0 || table->columns[c].key)
            chosen[count++] = c;
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, ",");
        int column = column_find(table, at, length), known = 0;
        if (column < 0) {
            column_unknown(table, at, length, status);
            return -1;
        }
        while (known < count && chosen[known] != column)
            known++;
        if (known == count)
            chosen[count++] = column;
        at += length + (at[length] == ',');
    }
    return count;
}

bool table_choose(Table *table, const char *names, Status *status)
{
    if (!table || table->failed)
        return status_set(status, STATUS_FAILED, "out of memory");
    int rows = table_rows(table), *chosen = malloc(sizeof *chosen * (size_t)table->column_count);
    int count = chosen ? columns_choose(table, names, chosen, status) : -1;
    Column *columns = count > 0 ? malloc(sizeof *columns * (size_t)count) : NULL;
    Cell *cells = count > 0 ? malloc(sizeof *cells * ((size_t)count * (size_t)rows + 1)) : NULL;
    bool ok = columns && cells;
    for (int i = 0; ok && i < count; i++)
        columns[i] = table->columns[chosen[i]];
    for (int i = 0; ok && i < rows * count; i++)
        cells[i] = *table_cell(table, i / count, chosen[i % count]);
    if (ok) {
        free(table->columns);
        free(table->cells);
        table->columns = columns;
        table->cells = cells;
        table->column_count = count;
        table->cell_count = rows * count;
    } else {
        free(columns);
        free(cells);
        if (count >= 0 || !chosen)
            status_set(status, STATUS_FAILED, "out of memory");
    }
    free(chosen);
    return ok;
}

/* --- Comma-separated values --- */

static void csv_text(const char *text, FILE *file)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++)
        fprintf(file, "%s%c", *text == '"' ? "\"" : "", *text);
    fputc('"', file);
}

/* A column of measured numbers has one of their spreads after it. */
static bool column_has_spread(const Table *table, int column)
{
    for (int row = 0; row < table_rows(table); row++)
        if (table_cell(table, row, column)->spread > 0.0)
            return true;
    return false;
}

static void csv_number(double number, int digits, FILE *file)
{
    if (isfinite(number))
        fprintf(file, "%.*g", digits > 0 ? digits : 17, number);
}

static void csv_write(const Table *table, int digits, FILE *file)
{
    for (int c = 0; c < table->column_count; c++) {
        fputs(c > 0 ? "," : "", file);
        csv_text(table->columns[c].name, file);
        if (column_has_spread(table, c))
            fprintf(file, ",%s_spread", table->columns[c].name);
    }
    fputc('\n', file);
    for (int i = 0; i < table->cell_count; i++) {
        int column = i % table->column_count;
        const Cell *cell = &table->cells[i];
        fputs(column > 0 ? "," : "", file);
        if (cell->is_number)
            csv_number(cell->value, digits, file);
        else
            csv_text(cell->text, file);
        if (column_has_spread(table, column)) {
            fputc(',', file);
            csv_number(cell->spread, digits, file);
        }
        fputs(column + 1 == table->column_count ? "\n" : "", file);
    }
}

/* --- Markdown --- */

static void markdown_text(const char *text, FILE *file)
{
    for (; *text; text++)
        fprintf(file, "%s%c", strchr("|\\`*_<", *text) ? "\\" : "", *text);
}

static void markdown_write(const Table *table, FILE *file)
{
    for (int c = 0; c < table->column_count; c++) {
        const Column *column = &table->columns[c];
        fputs("| ", file);
        markdown_text(column->name, file);
        if (column->unit[0])
            fprintf(file, " (%s)", column->unit);
        fputs(c + 1 == table->column_count ? " |\n" : " ", file);
    }
    for (int c = 0; c < table->column_count; c++)
        fprintf(file, "|%s%s", table->columns[c].numeric ? "--:" : "---", c + 1 == table->column_count ? "|\n" : "");
    for (int i = 0; i < table->cell_count; i++) {
        int column = i % table->column_count;
        const char *mark = cell_is_best(&table->cells[i], column_best(table, column)) ? "**" : "";
        fprintf(file, "| %s", mark);
        markdown_text(table->cells[i].text, file);
        fprintf(file, "%s%s", mark, column + 1 == table->column_count ? " |\n" : " ");
    }
}

/* --- LaTeX --- */

static void latex_text(const char *text, FILE *file)
{
    static const struct {
        const char *from, *to;
    } WORDS[] = {{"µ", "\\textmu{}"},
                 {"±", "$\\pm$"},
                 {"_", "\\_"},
                 {"%", "\\%"},
                 {"&", "\\&"},
                 {"#", "\\#"},
                 {"$", "\\$"},
                 {"{", "\\{"},
                 {"}", "\\}"},
                 {"~", "\\textasciitilde{}"},
                 {"<", "$<$"},
                 {">", "$>$"},
                 {"^", "\\textasciicircum{}"},
                 {"\\", "\\textbackslash{}"}};
    enum { COUNT = sizeof WORDS / sizeof WORDS[0] };
    while (*text) {
        int k = 0;
        while (k < COUNT && strncmp(text, WORDS[k].from, strlen(WORDS[k].from)) != 0)
            k++;
        if (k < COUNT)
            fputs(WORDS[k].to, file);
        else
            fputc(*text, file);
        text += k < COUNT ? strlen(WORDS[k].from) : 1;
    }
}

/* 1.234(56)e-7: two digits of the spread, and as many places of the number. */
static void latex_measured(double number, double spread, FILE *file)
{
    int power = number != 0.0 ? (int)floor(log10(fabs(number))) : 0;
    power = power < -3 || power > 5 ? power : 0;
    double scale = pow(10.0, -power), last = spread * scale;
    int places = 1 - (int)floor(log10(last));
    places = places > 0 ? places : 0;
    fprintf(file, "%.*f(%.0f)", places, number * scale, round(last * pow(10.0, places)));
    if (power != 0)
        fprintf(file, "e%d", power);
}

static void latex_cell(const Cell *cell, bool numeric, bool best, int digits, FILE *file)
{
    if (cell->is_number && isfinite(cell->value)) {
        fputs(best ? "\\bfseries " : "", file);
        if (cell->spread > 0.0 && isfinite(cell->spread))
            latex_measured(cell->value, cell->spread, file);
        else if (fabs(cell->value) < 1e7 && cell->value == round(cell->value))
            fprintf(file, "%.0f", cell->value);
        else
            fprintf(file, "%.*g", digits, cell->value);
        return;
    }
    fputs(numeric ? "{" : "", file);
    if (cell->is_number)
        fputs("--", file);
    else
        latex_text(cell->text, file);
    fputs(numeric ? "}" : "", file);
}

static void latex_header(const Table *table, bool units, FILE *file)
{
    for (int c = 0; c < table->column_count; c++) {
        const Column *column = &table->columns[c];
        fputs(c > 0 ? " & {" : "{", file);
        latex_text(units ? column->unit : column->name, file);
        fputs(c + 1 == table->column_count ? "} \\\\\n" : "}", file);
    }
}

static void latex_write(const Table *table, int digits, FILE *file)
{
    bool units = false;
    fputs("% "
          "\\usepackage{booktabs,siunitx,textcomp}\n{\\sisetup{detect-weight=true,table-format=-1.4e-2}\n\\begin{"
          "tabular}{",
          file);
    for (int c = 0; c < table->column_count; c++) {
        fputc(table->columns[c].numeric ? 'S' : 'l', file);
        units = units || table->columns[c].unit[0];
    }
    fputs("}\n\\toprule\n", file);
    latex_header(table, false, file);
    if (units)
        latex_header(table, true, file);
    fputs("\\midrule\n", file);
    for (int i = 0; i < table->cell_count; i++) {
        int column = i % table->column_count;
        const Cell *cell = &table->cells[i];
        bool best = cell_is_best(cell, column_best(table, column));
        fputs(column > 0 ? " & " : "", file);
        latex_cell(cell, table->columns[column].numeric, best, digits > 0 ? digits : 4, file);
        fputs(column + 1 == table->column_count ? " \\\\\n" : "", file);
    }
    fputs("\\bottomrule\n\\end{tabular}}\n", file);
}

void table_write(Table *table, TableForm form, int digits, FILE *file)
{
    if (!table || table->failed || form == TABLE_TEXT || form == TABLE_MARKDOWN) {
        if (digits > 0)
            table_round(table, digits);
        if (!table || table->failed || form == TABLE_TEXT)
            table_print(table, file);
        else
            markdown_write(table, file);
    } else if (form == TABLE_CSV) {
        csv_write(table, digits, file);
    } else {
        latex_write(table, digits, file);
    }
}
