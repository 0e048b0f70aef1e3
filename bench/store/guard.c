/* SPDX-License-Identifier: MIT */
/* A store may come from anybody: its schema is a program that SQLite runs, and its texts have any length. Of a schema
 * only what a sweep itself makes is taken: `runs` a plain table, its index, `results` a choice of its columns. */
#include "bench/store/guard.h"

#include "bench/process/clock.h"

#include <stddef.h>
#include <string.h>

/* Longer than any column's name. */
enum { NAME_TEXT = 256 };

/* Steps of SQLite's machine between two looks at the clock: some milliseconds. */
enum { PROGRESS_STEPS = 100000 };

/* When the stores that this process reads must have answered, s. */
static double deadline;

/* Everything that the schema has, but for the index that SQLite makes of a primary key. */
static const char SCHEMA[] = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
                             " WHERE NOT (name = 'sqlite_autoindex_runs_1' AND type = 'index' AND sql IS NULL)";

static const char VIEW_BEGIN[] = "CREATE VIEW results AS SELECT ", VIEW_END[] = " FROM runs";

/* The only thing that a view computes. */
static const char VIEW_HASH[] = "coalesce(scene_hash, scene) AS scene_hash";

void store_guard(sqlite3 *database)
{
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, STORE_ROW_BYTES);
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
}

static bool skip(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return false;
    *at += length;
    return true;
}

/* Skips a name, plain or in double quotes; false: there is none, or it is too long. As it is called in `name`. */
static bool skip_name(const char **at, char name[NAME_TEXT])
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t length = 0;
    const char *c = *at;
    if (*c == '"') {
        for (c++; *c && (*c != '"' || c[1] == '"') && length + 1 < NAME_TEXT; c++) {
            name[length++] = *c;
            c += *c == '"'; /* two stand for one */
        }
        if (*c++ != '"')
            return false;
    } else {
        size_t plain = strspn(c, LETTERS);
        if (plain == 0 || plain >= NAME_TEXT)
            return false;
        memcpy(name, c, plain);
        length = plain;
        c += plain;
    }
    name[length] = '\0';
    *at = c;
    return true;
}

/* What a sweep creates, then columns of texts and numbers. */
static bool table_is_ours(const char *sql)
{
    char name[NAME_TEXT];
    bool ok = skip(&sql, STORE_TABLE);
    while (ok && skip(&sql, ", "))
        ok = skip_name(&sql, name) && (skip(&sql, " REAL") || skip(&sql, " TEXT"));
    return ok && strcmp(sql, STORE_TABLE_END) == 0;
}

/* Columns of the table and the hash of scenes, as a sweep of this or an older version lists them. */
static bool view_is_ours(sqlite3 *database, const char *sql)
{
    char name[NAME_TEXT];
    bool ok = skip(&sql, VIEW_BEGIN);
    for (bool first = true; ok && strcmp(sql, VIEW_END) != 0; first = false)
        ok = (first || skip(&sql, ", ")) &&
             (skip(&sql, VIEW_HASH) ||
              (skip_name(&sql, name) && sqlite3_table_column_metadata(database, "main", "runs", name, NULL, NULL, NULL,
                                                                      NULL, NULL) == SQLITE_OK));
    return ok;
}

bool store_text_is_ours(sqlite3 *database, const char *sql)
{
    return table_is_ours(sql) || strcmp(sql, STORE_INDEX) == 0 || view_is_ours(database, sql);
}

static bool object_is_ours(sqlite3 *database, sqlite3_stmt *row, int counts[3])
{
    static const char *const KINDS[3] = {"table", "index", "view"},
                             *const NAMES[3] = {"runs", "runs_identity", "results"},
                             *const TABLES[3] = {"runs", "runs", "results"};
    const char *texts[4];
    for (int i = 0; i < 4; i++)
        if (!(texts[i] = (const char *)sqlite3_column_text(row, i)))
            return false;
    for (int i = 0; i < 3; i++)
        if (strcmp(texts[0], KINDS[i]) == 0 && strcmp(texts[1], NAMES[i]) == 0 && strcmp(texts[2], TABLES[i]) == 0 &&
            counts[i]++ == 0)
            return i == 0   ? table_is_ours(texts[3])
                   : i == 1 ? strcmp(texts[3], STORE_INDEX) == 0
                            : view_is_ours(database, texts[3]);
    return false;
}

bool store_schema_is_ours(sqlite3 *database)
{
    sqlite3_stmt *row = NULL;
    int counts[3] = {0}, step = SQLITE_ERROR;
    bool ours = sqlite3_prepare_v2(database, SCHEMA, -1, &row, NULL) == SQLITE_OK;
    while (ours && (step = sqlite3_step(row)) == SQLITE_ROW)
        ours = object_is_ours(database, row, counts);
    sqlite3_finalize(row);
    return ours && step == SQLITE_DONE && counts[0] == 1;
}

/* s, of the statement that is at work. */
static int on_progress(void *database)
{
    (void)database;
    return clock_now() > deadline;
}

void store_guard_time(sqlite3 *database)
{
    deadline = clock_now() + STORE_SECONDS;
    sqlite3_progress_handler(database, PROGRESS_STEPS, on_progress, NULL);
}

/* Functions that reach out of the store, or into SQLite itself. */
static bool function_reaches_out(const char *name)
{
    static const char *const NAMES[] = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (sqlite3_stricmp(name, NAMES[i]) == 0)
            return true;
    return false;
}

static int on_action(void *unused, int action, const char *first, const char *second, const char *schema,
                     const char *origin)
{
    (void)unused, (void)first, (void)schema, (void)origin;
    bool computes = action == SQLITE_FUNCTION && second && !function_reaches_out(second);
    return computes || action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

void store_guard_reading(sqlite3 *database)
{
    sqlite3_exec(database, "PRAGMA temp_store = MEMORY; PRAGMA query_only = 1", NULL, NULL, NULL);
    sqlite3_set_authorizer(database, on_action, NULL);
}

void store_guard_lift(sqlite3 *database)
{
    sqlite3_set_authorizer(database, NULL, NULL);
}
