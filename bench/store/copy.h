/* SPDX-License-Identifier: MIT */
/* The rows of a store, from the process that can parse it to the one that asks about them: the first has no authority
 * (bench/process/confine.h), and what the second has before it is a database of its own making, in memory, with the
 * same table, index, view and rows. */
#ifndef RIGOR_BENCH_STORE_COPY_H
#define RIGOR_BENCH_STORE_COPY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the schema's texts and all rows of `runs`; false: SQLite says why, or nothing can be written. */
bool store_copy_send(sqlite3 *database, FILE *out);

/* Makes them in an empty database. Nothing that comes is believed: of texts those that a sweep makes are taken, and
 * every value goes through the table's own checks. False: SQLite says why, or what came is not a store. */
bool store_copy_receive(sqlite3 *database, FILE *in);

#endif
