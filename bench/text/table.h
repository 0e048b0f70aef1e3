/* SPDX-License-Identifier: MIT */
/* Readable tables: aligned columns, units under the names, the best of a column marked with `*` (and bold on a
 * terminal, unless NO_COLOR is set). On a terminal too narrow for it a table is broken into panels of columns. */
#ifndef RIGOR_BENCH_TEXT_TABLE_H
#define RIGOR_BENCH_TEXT_TABLE_H

#include "model/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum TableBest { BEST_NONE, BEST_LOWEST, BEST_HIGHEST } TableBest;

typedef struct Table Table;

Table *table_create(void); /* NULL: out of memory; the calls below then do nothing */
void table_destroy(Table *table);

/* Columns first, then row by row as many cells as there are columns. */
void table_add_column(Table *table, const char *name, const char *unit, TableBest best);
void table_add_text(Table *table, const char *text);
/* Four significant digits; NaN is shown as `-`. Only numbers that compete can be best. */
void table_add_number(Table *table, double number, bool competes);
/* A number known to +- spread (NaN: not known). Whatever is within both spreads of the best is marked with it. */
void table_add_measured(Table *table, double number, double spread, bool competes);

/* Behind what the last cell says. */
void table_append(Table *table, const char *text);

/* A number that lies between two others (NaN: nobody knows). Whatever interval reaches that of the best is marked. */
void table_add_between(Table *table, double number, double low, double high, bool competes);
/* The column added last says what a row is: it stays, whatever columns are chosen. The first one always does. */
void table_key(Table *table);

void table_print(const Table *table, FILE *file);

/* Other forms: comma-separated values with all digits; Markdown; LaTeX with booktabs and siunitx, where a number known
 * to
 * +- spread is 1.23(4) and the best of a column is bold. */
typedef enum TableForm { TABLE_TEXT, TABLE_CSV, TABLE_MARKDOWN, TABLE_LATEX } TableForm;

/* Leaves the key columns and those named in a comma list, in its order; false, with a message, for a name that is none.
 */
bool table_choose(Table *table, const char *names, Status *status);

/* digits: significant ones; 0: four, in CSV all. */
void table_write(Table *table, TableForm form, int digits, FILE *file);
void table_round(Table *table, int digits); /* of the readable form */

/* Bold on, bold off; empty where the file is no terminal or NO_COLOR is set. */
const char *style_bold(FILE *file);
const char *style_plain(FILE *file);

#endif
