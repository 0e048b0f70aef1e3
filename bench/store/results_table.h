/* SPDX-License-Identifier: MIT */
/* Rows of the view `results` as a table for people: only what tells rows apart. A parameter or option that differs
 * between rows is a column of its own; what all have in common stands once, below. */
#ifndef RIGOR_BENCH_STORE_RESULTS_TABLE_H
#define RIGOR_BENCH_STORE_RESULTS_TABLE_H

#include "bench/text/table.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>

/* Whether a column of the view holds JSON: objects of settings, lists of events and warnings. */
bool results_is_json(const char *column);

/* The rows as objects, parameters and options among the columns: {"scene": .., "links": .., "substeps": .., ..}. */
typedef struct ResultRows {
    json_t *rows;    /* array of objects */
    json_t *columns; /* name -> the values it has, an array without repeats */
} ResultRows;

/* Reads them all. Returns SQLITE_DONE, or SQLite's code for what went wrong. */
int results_read(ResultRows *rows, sqlite3_stmt *from);
void results_clear(ResultRows *rows);

/* NULL: out of memory. */
Table *results_table(const ResultRows *rows);

/* What stands below the table: if it is asked for, what all rows have in common; what engines among them fail. */
void results_print_beside(const ResultRows *rows, bool common, FILE *file);

#endif
