/* SPDX-License-Identifier: MIT */
/* Measured data: tables of numbers as comma-separated values, plain or gzipped, with a line of names on top. They are
 * not part of the program: they lie in the folders of $RIGOR_DATA (a list, as PATH is), or in `data` beside it. */
#ifndef RIGOR_BENCH_REALITY_MEASURED_H
#define RIGOR_BENCH_REALITY_MEASURED_H

#include "model/status.h"

#include <stddef.h>

enum { MEASURED_PATH = 4096 };

/* The path of a file of data; false, saying what `get` says of how to get it, if it is nowhere. */
bool measured_find(const char *name, const char *get, char path[MEASURED_PATH], Status *status);

typedef struct MeasuredTable {
    int rows, columns;
    double *values; /* row by row; owned */
} MeasuredTable;

/* Reads the columns so named (NULL-terminated), in this order, wherever they stand in the file. The words `train` and
 * `test` are the numbers 0 and 1. False with `file:line: what is wrong`. */
bool measured_read(MeasuredTable *table, const char *path, const char *const *columns, Status *status);
void measured_clear(MeasuredTable *table);

static inline const double *measured_row(const MeasuredTable *table, int row)
{
    return table->values + (size_t)row * (size_t)table->columns;
}

#endif
