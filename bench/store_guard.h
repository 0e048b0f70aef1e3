/* Opening a store that somebody else made. */
#ifndef RIGOR_BENCH_STORE_GUARD_H
#define RIGOR_BENCH_STORE_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

/* Before anything is read: no triggers, no functions that do more than compute, no row of more than 16 MB. */
void store_guard(sqlite3 *database);

/* Is the schema one that a sweep makes, whatever metrics it has? */
bool store_schema_is_ours(sqlite3 *database);

#endif
