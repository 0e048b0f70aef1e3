/* A store may come from anybody: its schema is a program that SQLite runs, and its texts have any length. Of a schema
 * only what cannot compute without end is taken: `runs` a plain table, `results` a choice of its columns, row by row.
 */
#include "bench/store_guard.h"

#include <stddef.h>
#include <string.h>

/* Bytes of a row, and of a text in it: a thousand times what a run's options, events and warnings take. */
enum { ROW_BYTES = 16 << 20 };

/* Is `runs` a table without computed columns, and `results` absent or a view of it? The view's text. */
static const char SCHEMA[] = "SELECT"
                             " (SELECT count(*) FROM sqlite_schema WHERE name = 'runs') = 1"
                             " AND (SELECT sql FROM sqlite_schema WHERE name = 'runs') LIKE 'CREATE TABLE runs (%'"
                             " AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo('runs') WHERE hidden > 0)"
                             " AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'results' AND NOT ("
                             "  type = 'view' AND sql LIKE 'CREATE VIEW results AS SELECT % FROM runs')),"
                             " (SELECT sql FROM sqlite_schema WHERE name = 'results')";

void store_guard(sqlite3 *database)
{
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, ROW_BYTES);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
}

/* Is it that word, in capitals or not? */
static bool word_is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && sqlite3_strnicmp(text, word, (int)length) == 0;
}

/* Names, plain or in double quotes, or a star, between commas: one SELECT, one FROM, and no function but coalesce. */
static bool view_is_choice(const char *sql)
{
    int selects = 0, froms = 0;
    for (bool function = false; *sql;) {
        size_t length = strspn(sql, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const char *quote = *sql == '"' ? strchr(sql + 1, '"') : NULL;
        selects += word_is(sql, length, "select");
        froms += word_is(sql, length, "from");
        if (length == 0 && !quote && !strchr(" ,*)", *sql) && !(*sql == '(' && function))
            return false;
        function = word_is(sql, length, "coalesce");
        sql = quote ? quote + 1 : sql + (length > 0 ? length : 1);
    }
    return selects == 1 && froms == 1;
}

bool store_schema_is_ours(sqlite3 *database)
{
    sqlite3_stmt *statement = NULL;
    bool ours = sqlite3_prepare_v2(database, SCHEMA, -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1;
    const char *view = ours ? (const char *)sqlite3_column_text(statement, 1) : NULL;
    ours = ours && (!view || view_is_choice(view));
    sqlite3_finalize(statement);
    return ours;
}
