/* SPDX-License-Identifier: MIT */
/* Opening a store that somebody else made. */
#ifndef RIGOR_BENCH_STORE_GUARD_H
#define RIGOR_BENCH_STORE_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

/* The table of a sweep, to which columns are added before its end; and its index. */
#define STORE_TABLE                                                                                                    \
    "CREATE TABLE runs (key TEXT PRIMARY KEY, identity TEXT NOT NULL, scene TEXT NOT NULL, params TEXT NOT NULL,"      \
    " solver TEXT NOT NULL, options TEXT NOT NULL, dt REAL NOT NULL, time REAL,"                                       \
    " status TEXT NOT NULL CHECK (status IN ('ok', 'blew_up', 'failed', 'unsupported', 'crashed', 'timed_out')),"      \
    " message TEXT, blew_up_at REAL, row_solves INTEGER, us_per_frame REAL, us_low REAL, us_high REAL, wall_s REAL,"   \
    " repeats INTEGER NOT NULL, time_limit REAL NOT NULL, kept TEXT NOT NULL, version TEXT NOT NULL,"                  \
    " machine TEXT NOT NULL, finished_at TEXT NOT NULL"
#define STORE_TABLE_END ") STRICT"
#define STORE_INDEX "CREATE INDEX runs_identity ON runs (identity)"

/* Before anything is read: no triggers, no functions that do more than compute, no row of more than 16 MB. */
void store_guard(sqlite3 *database);

/* Is the schema one that a sweep makes, whatever metrics it has? Its table, index and view and nothing else, each with
 * the text that a sweep gives it. */
bool store_schema_is_ours(sqlite3 *database);

/* One text of a schema: the table's, the index's, or a view's of a table that is there? */
bool store_text_is_ours(sqlite3 *database, const char *sql);

/* Bytes of a row, and of a text in it: a thousand times what a run's options, events and warnings take. */
enum { STORE_ROW_BYTES = 16 << 20 };

/* No statement, a condition of --where among them, takes longer than this. */
enum { STORE_SECONDS = 20 };
void store_guard_time(sqlite3 *database);

/* From now on the connection reads its tables and computes, and nothing else: it attaches, changes, deletes nothing,
 * and repeats nothing without end. */
void store_guard_reading(sqlite3 *database);

/* Again everything, for a second store to be attached. */
void store_guard_lift(sqlite3 *database);

#endif
