/* Readable tables: aligned columns, units under the names, the best of a column marked with `*` (and bold on a
 * terminal, unless NO_COLOR is set). On a terminal too narrow for it a table is broken into panels of columns. */
#ifndef RIGOR_BENCH_TABLE_H
#define RIGOR_BENCH_TABLE_H

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

void table_print(const Table *table, FILE *file);

/* Bold on, bold off; empty where the file is no terminal or NO_COLOR is set. */
const char *style_bold(FILE *file);
const char *style_plain(FILE *file);

#endif
