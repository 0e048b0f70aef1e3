/* Rows of the view `results` as a table for people: only what tells rows apart. A parameter or option that differs
 * between rows is a column of its own; what all have in common stands once, below. */
#ifndef RIGOR_BENCH_RESULTS_TABLE_H
#define RIGOR_BENCH_RESULTS_TABLE_H

#include <sqlite3.h>
#include <stdbool.h>

/* Whether a column of the view holds JSON: objects of settings, lists of events and warnings. */
bool results_is_json(const char *column);

/* Returns SQLITE_DONE, or SQLite's code for what went wrong. */
int results_print(sqlite3_stmt *rows);

#endif
