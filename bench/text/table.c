/* SPDX-License-Identifier: MIT */
#include "bench/text/table_cells.h"

#include "bench/text/wrap.h"
#include "model/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Table *table_create(void)
{
    return calloc(1, sizeof(Table));
}

void table_destroy(Table *table)
{
    if (!table)
        return;
    free(table->columns);
    free(table->cells);
    free(table);
}

void table_add_column(Table *table, const char *name, const char *unit, TableBest best)
{
    Column *grown = table ? realloc(table->columns, sizeof *grown * (size_t)(table->column_count + 1)) : NULL;
    if (!grown) {
        if (table)
            table->failed = true;
        return;
    }
    table->columns = grown;
    Column *column = &grown[table->column_count++];
    *column = (Column){.best = best};
    snprintf(column->name, sizeof column->name, "%s", name);
    snprintf(column->unit, sizeof column->unit, "%s", unit);
}

void table_key(Table *table)
{
    if (table && table->column_count > 0)
        table->columns[table->column_count - 1].key = true;
}

static Cell *table_add_cell(Table *table)
{
    Cell *grown = table ? realloc(table->cells, sizeof *grown * (size_t)(table->cell_count + 1)) : NULL;
    if (!grown) {
        if (table)
            table->failed = true;
        return NULL;
    }
    table->cells = grown;
    grown[table->cell_count] = (Cell){.number = NAN, .value = NAN};
    return &grown[table->cell_count++];
}

void table_add_text(Table *table, const char *text)
{
    Cell *cell = table_add_cell(table);
    if (cell)
        text_make_printable(text, cell->text, sizeof cell->text);
}

/* Significant digits that a reader compares by. */
enum { SHOWN_DIGITS = 4 };

static void number_show(double number, int digits, char *text, size_t size)
{
    if (isnan(number))
        snprintf(text, size, "-");
    else if (fabs(number) < 1e7 && number == round(number))
        snprintf(text, size, "%.0f", number);
    else
        snprintf(text, size, "%.*g", digits, number);
}

void table_round(Table *table, int digits)
{
    for (int i = 0; table && i < table->cell_count; i++) {
        Cell *cell = &table->cells[i];
        if (!cell->is_number)
            continue;
        number_show(cell->value, digits, cell->text, sizeof cell->text);
        size_t length = strlen(cell->text);
        if (cell->spread > 0.0)
            snprintf(cell->text + length, sizeof cell->text - length, " ± %.2g", cell->spread);
    }
}

/* NULL: out of memory. */
static Cell *table_add_numeric(Table *table, double number, bool competes)
{
    Cell *cell = table_add_cell(table);
    if (!cell)
        return NULL;
    table->columns[(table->cell_count - 1) % table->column_count].numeric = true;
    cell->is_number = true;
    cell->value = number;
    number_show(number, SHOWN_DIGITS, cell->text, sizeof cell->text);
    if (competes)
        cell->number = number;
    return cell;
}

void table_add_number(Table *table, double number, bool competes)
{
    table_add_numeric(table, number, competes);
}

void table_add_measured(Table *table, double number, double spread, bool competes)
{
    Cell *cell = table_add_numeric(table, number, competes);
    if (!cell || !isfinite(spread) || isnan(number))
        return;
    cell->spread = spread;
    size_t length = strlen(cell->text);
    snprintf(cell->text + length, sizeof cell->text - length, " ± %.2g", spread);
}

void table_add_between(Table *table, double number, double low, double high, bool competes)
{
    Cell *cell = table_add_numeric(table, number, competes);
    if (!cell || !isfinite(low) || !isfinite(high) || isnan(number))
        return;
    cell->spread = fmax(number - low, high - number);
    size_t length = strlen(cell->text);
    snprintf(cell->text + length, sizeof cell->text - length, " (%.4g to %.4g)", low, high);
}

void table_append(Table *table, const char *text)
{
    if (!table || table->cell_count == 0)
        return;
    char *cell = table->cells[table->cell_count - 1].text;
    size_t length = strlen(cell);
    snprintf(cell + length, CELL_TEXT - length, "%s", text);
}

/* Places that a UTF-8 text takes: its code points. */
static int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

const Cell *column_best(const Table *table, int column)
{
    TableBest wanted = table->columns[column].best;
    const Cell *low = NULL, *high = NULL;
    for (int i = column; i < table->cell_count; i += table->column_count) {
        const Cell *cell = &table->cells[i];
        if (isnan(cell->number))
            continue;
        low = !low || cell->number < low->number ? cell : low;
        high = !high || cell->number > high->number ? cell : high;
    }
    if (wanted == BEST_NONE || !low || low->number == high->number)
        return NULL;
    return wanted == BEST_LOWEST ? low : high;
}

bool cell_is_best(const Cell *cell, const Cell *best)
{
    return best && fabs(cell->number - best->number) <= cell->spread + best->spread;
}

/* A cell after its gap; `mark` follows a number. The last cell of a line is not filled up. */
static void print_cell(FILE *file, const char *text, int width, bool numeric, bool first, bool last, const char *mark)
{
    int pad = width - text_width(text);
    fprintf(file, "%s%*s%s%s", first ? "" : "  ", numeric ? pad : 0, "", text, mark);
    if (!last)
        fprintf(file, "%*s", numeric ? (mark[0] == '\0') : pad, "");
}

static int column_width(const Table *table, int column)
{
    int width = text_width(table->columns[column].name);
    int unit = text_width(table->columns[column].unit);
    width = unit > width ? unit : width;
    for (int i = column; i < table->cell_count; i += table->column_count) {
        int cell = text_width(table->cells[i].text);
        width = cell > width ? cell : width;
    }
    return width;
}

/* Columns first .. last - 1 of one panel, and column 0 before them, so that every panel says what its rows are. */
typedef struct Panel {
    int first, last;
} Panel;

static int panel_next(const Panel *panel, int column)
{
    return column == 0 && panel->first > 1 ? panel->first : column + 1;
}

static void print_header_line(const Table *table, FILE *file, const int *widths, const Panel *panel, bool units)
{
    for (int c = 0; c < panel->last; c = panel_next(panel, c)) {
        const Column *column = &table->columns[c];
        print_cell(file, units ? column->unit : column->name, widths[c], column->numeric, c == 0,
                   panel_next(panel, c) == panel->last, "");
    }
    fputc('\n', file);
}

static void print_row(const Table *table, FILE *file, const int *widths, const Panel *panel, int row)
{
    int before = 0;
    for (int c = 0; c < panel->last; c = panel_next(panel, c)) {
        const Cell *cell = &table->cells[row * table->column_count + c];
        bool best = cell_is_best(cell, column_best(table, c)), numeric = table->columns[c].numeric;
        if (c == table->column_count - 1 && !numeric && c > 0) { /* folded; ends the line */
            fputs("  ", file);
            fold_print(file, cell->text, before + 2, before + 2);
            return;
        }
        fputs(best ? style_bold(file) : "", file);
        print_cell(file, cell->text, widths[c], numeric, c == 0, panel_next(panel, c) == panel->last, best ? "*" : "");
        fputs(best ? style_plain(file) : "", file);
        before += widths[c] + (c > 0 ? 2 : 0) + numeric;
    }
    fputc('\n', file);
}

static void print_panel(const Table *table, FILE *file, const int *widths, const Panel *panel)
{
    bool units = false;
    for (int c = 0; c < table->column_count; c++)
        units = units || table->columns[c].unit[0];
    print_header_line(table, file, widths, panel, false);
    if (units)
        print_header_line(table, file, widths, panel, true);
    for (int row = 0; row < table->cell_count / table->column_count; row++)
        print_row(table, file, widths, panel, row);
}

/* A text in the last column is folded at words beside the others, and needs no more than this to be readable. */
enum { READABLE = 24 };

static int least_width(const Table *table, const int *widths, int column)
{
    bool folds = column == table->column_count - 1 && !table->columns[column].numeric;
    return folds && widths[column] > READABLE ? READABLE : widths[column];
}

/* The most columns from `first` on that fit beside column 0, and at least one. */
static Panel panel_from(const Table *table, const int *widths, int first, int room)
{
    enum { GAP = 3 }; /* two blanks and the place of a mark */
    int used = first > 0 ? widths[0] + GAP : 0, last = first;
    while (last < table->column_count && (last == first || used + least_width(table, widths, last) <= room))
        used += widths[last++] + GAP;
    return (Panel){first, last};
}

void table_print(const Table *table, FILE *file)
{
    int *widths = table && !table->failed ? malloc(sizeof *widths * (size_t)table->column_count) : NULL;
    if (!widths) {
        fprintf(stderr, "rigor: out of memory for a table\n");
        return;
    }
    for (int c = 0; c < table->column_count; c++)
        widths[c] = column_width(table, c);
    for (int c = 0; c < table->column_count;) {
        Panel panel = panel_from(table, widths, c, fold_width(file));
        fputs(c > 0 ? "\n" : "", file);
        print_panel(table, file, widths, &panel);
        c = panel.last;
    }
    free(widths);
}

static bool style_wanted(FILE *file)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(fileno(file)) && !(no_color && no_color[0]);
}

const char *style_bold(FILE *file)
{
    return style_wanted(file) ? "\033[1m" : "";
}

const char *style_plain(FILE *file)
{
    return style_wanted(file) ? "\033[0m" : "";
}
