/* A store may come from anybody: its schema is a program that SQLite runs, and its texts have any length. Of a schema
 * only what cannot compute without end is taken: `runs` a plain table, `results` a choice of its columns, row by row.
 */
#include "bench/store_guard.h"

#include <stddef.h>

/* Bytes of a row, and of a text in it: a thousand times what a run's options, events and warnings take. */
enum { ROW_BYTES = 16 << 20 };

static const char OURS[] = "SELECT"
                           " (SELECT count(*) FROM sqlite_schema WHERE name = 'runs') = 1"
                           " AND (SELECT sql FROM sqlite_schema WHERE name = 'runs') LIKE 'CREATE TABLE runs (%'"
                           " AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'results' AND NOT ("
                           "  type = 'view' AND sql LIKE 'CREATE VIEW results AS SELECT % FROM runs'"
                           "  AND length(replace(lower(sql), 'select', '')) = length(sql) - length('select')"
                           "  AND length(replace(lower(sql), 'from', '')) = length(sql) - length('from')))";

void store_guard(sqlite3 *database)
{
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, ROW_BYTES);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
}

bool store_schema_is_ours(sqlite3 *database)
{
    sqlite3_stmt *statement = NULL;
    bool ours = sqlite3_prepare_v2(database, OURS, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1;
    sqlite3_finalize(statement);
    return ours;
}
