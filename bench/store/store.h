/* SPDX-License-Identifier: MIT */
/* The results store: a SQLite file, written by one sweep at a time and readable by anybody at any time (WAL).
 *
 * Table `runs`, STRICT, one row a run:
 *   key TEXT PRIMARY KEY       hash of scene, parameters, solver, options, dt, time, program version (and plug-in)
 *   identity TEXT              the same without version and plug-in: equal runs of two programs
 *   scene, solver TEXT; params, options TEXT (JSON, all resolved); dt, time REAL (s)
 *   scene_file, scene_hash TEXT   the path (NULL: built in) and the content: scenes of one name are told apart by it
 *   made_of TEXT               SHA-256 of what made it: all of the key, and the compiler and libraries
 *   status TEXT                ok, blew_up, failed, unsupported, crashed, timed_out; message TEXT: why
 *   verdict TEXT               holds, drifts, falls (bench/outcome/verdict.h); NULL: not made, or stored before there
 * were any blew_up_at REAL (s); row_solves INTEGER; us_per_frame, us_low, us_high REAL: median, least, most over the
 * repeats; wall_s REAL; repeats INTEGER; time_limit REAL (s); kept TEXT: the metrics kept, as ",a,b," version, machine
 * TEXT; finished_at TEXT (ISO 8601, UTC); a REAL column for each metric (NULL: does not apply) and one for each measure
 * of problems (bench/problems/measures.h; NULL: a scene, or never reached) View `results`: docs/reference/formats.md.
 * PRAGMA user_version is the schema's version, application_id says whose it is. */
#ifndef RIGOR_BENCH_STORE_STORE_H
#define RIGOR_BENCH_STORE_STORE_H

#include "bench/outcome/outcome.h"
#include "bench/store/files.h"

#include <sqlite3.h>

typedef struct Store Store;

/* Opens or makes a store to write to, and locks it against other sweeps; NULL with a message. */
Store *store_open(const char *path, Status *status);

/* Opens a store that exists, to read from: a process without authority parses it, and what is asked is a copy of its
 * rows in memory. */
Store *store_open_to_read(const char *path, Status *status);
/* The same, parsed in this process, for tests. */
Store *store_open_here(const StoreFiles *files, Status *status);
void store_close(Store *store);

/* For queries. */
sqlite3 *store_database(const Store *store);
const char *store_path(const Store *store);
/* What another connection of this process attaches it by. */
const char *store_attached_as(const Store *store);

/* Sets the status to what SQLite says of its last call; returns false. */
bool store_fail(const Store *store, const char *what, Status *status);

/* Is this run there, with every metric wanted, as often repeated, and if it timed out with no less time than now?
 * *kept: the metrics that the store has of it, as bits; 0: it is not there. */
bool store_has(Store *store, const Experiment *experiment, int run, bool *has, uint32_t *kept, Status *status);

/* Writes an outcome, one transaction, and sees that the store is still there; keeps the metrics wanted. Replaces what
 * was there, but for what the maker of the run before still wants to find: metrics that this one lacks, and times that
 * the same machine took with more repeats.
 */
bool store_put(Store *store, const Experiment *experiment, const Outcome *outcome, uint32_t metrics, Status *status);

/* Keeps a second sweep from the store; at the end of the process the lock is gone, however it ends. */
typedef struct StoreLock {
    int fd; /* of the store; -1: none */
} StoreLock;

bool store_lock(StoreLock *lock, const char *path, Status *status);
/* Is what is locked still what the path names? */
bool store_lock_holds(const StoreLock *lock, const char *path, Status *status);
/* False, with the message for a store that somebody took away. */
bool store_gone(const char *path, Status *status);
void store_unlock(StoreLock *lock);

#endif
