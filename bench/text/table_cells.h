/* SPDX-License-Identifier: MIT */
/* What a table is made of, for those who write it: as text (table.c), as CSV, Markdown, LaTeX (table_forms.c). */
#ifndef RIGOR_BENCH_TEXT_TABLE_CELLS_H
#define RIGOR_BENCH_TEXT_TABLE_CELLS_H

#include "bench/text/table.h"

enum { CELL_TEXT = 256 };

typedef struct Column {
    char name[CELL_TEXT], unit[CELL_TEXT];
    TableBest best;
    bool numeric; /* aligned right */
    bool key;     /* says what a row is: stays, whatever is chosen */
} Column;

typedef struct Cell {
    char text[CELL_TEXT];
    double number; /* NaN: does not compete */
    double spread; /* of the number */
    bool is_number;
    double value; /* of a number, whether it competes or not */
} Cell;

struct Table {
    int column_count, cell_count;
    Column *columns;
    Cell *cells;
    bool failed; /* out of memory: nothing is printed but that */
};

/* The cell to mark in a column; NULL if there is none, or all are equal. */
const Cell *column_best(const Table *table, int column);

/* Not worse than the best by more than both are uncertain. */
bool cell_is_best(const Cell *cell, const Cell *best);

#endif
