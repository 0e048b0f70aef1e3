/* SPDX-License-Identifier: MIT */
#include "bench/store/copy.h"

#include "bench/store/guard.h"
#include "scenes/file/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Before each row, and after the last. */
enum { ROW_FOLLOWS = 'r', ROWS_END = 'e' };

static const char SCHEMA_ROWS[] = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
                                  " ORDER BY type = 'view', type = 'index'";
enum { SCHEMA_MOST = 3 };

static bool put(FILE *out, const void *bytes, size_t size)
{
    return size == 0 || fwrite(bytes, size, 1, out) == 1;
}

static bool get(FILE *in, void *bytes, size_t size)
{
    return size == 0 || fread(bytes, size, 1, in) == 1;
}

/* Its type, then eight bytes: a number, or how many bytes of text follow. A blob goes as one, and no table takes it. */
static bool send_value(sqlite3_stmt *row, int column, FILE *out)
{
    char type = (char)sqlite3_column_type(row, column);
    int64_t whole = sqlite3_column_int64(row, column);
    double real = sqlite3_column_double(row, column);
    if (type == SQLITE_INTEGER || type == SQLITE_NULL)
        return put(out, &type, 1) && put(out, &whole, sizeof whole);
    if (type == SQLITE_FLOAT)
        return put(out, &type, 1) && put(out, &real, sizeof real);
    const void *bytes = type == SQLITE_TEXT ? sqlite3_column_text(row, column) : sqlite3_column_blob(row, column);
    whole = sqlite3_column_bytes(row, column);
    return (bytes || whole == 0) && put(out, &type, 1) && put(out, &whole, sizeof whole) &&
           put(out, bytes, (size_t)whole);
}

static bool send_rows(sqlite3 *database, const char *sql, FILE *out)
{
    sqlite3_stmt *row = NULL;
    char follows = ROW_FOLLOWS, end = ROWS_END;
    int step = SQLITE_ERROR;
    bool ok = sqlite3_prepare_v2(database, sql, -1, &row, NULL) == SQLITE_OK;
    while (ok && (step = sqlite3_step(row)) == SQLITE_ROW) {
        ok = put(out, &follows, 1);
        for (int i = 0; ok && i < sqlite3_column_count(row); i++)
            ok = send_value(row, i, out);
    }
    ok = ok && step == SQLITE_DONE;
    sqlite3_finalize(row);
    return ok && put(out, &end, 1);
}

bool store_copy_send(sqlite3 *database, FILE *out)
{
    return send_rows(database, SCHEMA_ROWS, out) && send_rows(database, "SELECT * FROM runs ORDER BY rowid", out);
}

/* What a value needs beside its eight bytes; freed by the caller. NULL: it is longer than a row may be, or cut. */
static char *get_bytes(FILE *in, int64_t size)
{
    char *bytes = size >= 0 && size <= STORE_ROW_BYTES ? malloc((size_t)size + 1) : NULL;
    if (bytes && !get(in, bytes, (size_t)size)) {
        free(bytes);
        return NULL;
    }
    if (bytes)
        bytes[size] = '\0';
    return bytes;
}

static bool receive_value(sqlite3_stmt *insert, int column, FILE *in)
{
    char type = 0;
    int64_t whole = 0;
    double real = 0.0;
    if (!get(in, &type, 1) || !get(in, &whole, sizeof whole))
        return false;
    memcpy(&real, &whole, sizeof real);
    if (type == SQLITE_NULL)
        return sqlite3_bind_null(insert, column) == SQLITE_OK;
    if (type == SQLITE_INTEGER)
        return sqlite3_bind_int64(insert, column, whole) == SQLITE_OK;
    if (type == SQLITE_FLOAT)
        return sqlite3_bind_double(insert, column, real) == SQLITE_OK;
    char *bytes = get_bytes(in, whole);
    int code = !bytes                ? SQLITE_ERROR
               : type == SQLITE_TEXT ? sqlite3_bind_text(insert, column, bytes, (int)whole, SQLITE_TRANSIENT)
                                     : sqlite3_bind_blob(insert, column, bytes, (int)whole, SQLITE_TRANSIENT);
    free(bytes);
    return code == SQLITE_OK;
}

/* 1: a row follows; 0: none; -1: what came is cut. */
static int row_follows(FILE *in)
{
    int mark = fgetc(in);
    return mark == ROW_FOLLOWS ? 1 : mark == ROWS_END ? 0 : -1;
}

static bool receive_schema(sqlite3 *database, FILE *in)
{
    int count = 0, follows;
    bool ok = true;
    while (ok && (follows = row_follows(in)) == 1) {
        char type = 0;
        int64_t size = 0;
        char *sql =
            get(in, &type, 1) && type == SQLITE_TEXT && get(in, &size, sizeof size) ? get_bytes(in, size) : NULL;
        ok = sql && count++ < SCHEMA_MOST && store_text_is_ours(database, sql) &&
             sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
        free(sql);
    }
    return ok && follows == 0 && store_schema_is_ours(database);
}

/* One place for a value in every column of the table. */
static sqlite3_stmt *insert_prepare(sqlite3 *database, int *columns)
{
    sqlite3_stmt *all = NULL, *insert = NULL;
    Text sql = {0};
    if (sqlite3_prepare_v2(database, "SELECT * FROM runs", -1, &all, NULL) == SQLITE_OK) {
        *columns = sqlite3_column_count(all);
        text_add(&sql, "INSERT INTO runs VALUES (?");
        for (int i = 1; i < *columns; i++)
            text_add(&sql, ", ?");
        text_add(&sql, ")");
        if (!sql.failed)
            sqlite3_prepare_v2(database, sql.data, -1, &insert, NULL);
    }
    sqlite3_finalize(all);
    free(sql.data);
    return insert;
}

static bool receive_rows(sqlite3 *database, FILE *in)
{
    int columns = 0, follows;
    sqlite3_stmt *insert = insert_prepare(database, &columns);
    bool ok = insert != NULL;
    while (ok && (follows = row_follows(in)) == 1) {
        for (int i = 1; ok && i <= columns; i++)
            ok = receive_value(insert, i, in);
        ok = ok && sqlite3_step(insert) == SQLITE_DONE && sqlite3_reset(insert) == SQLITE_OK;
    }
    sqlite3_finalize(insert);
    return ok && follows == 0;
}

bool store_copy_receive(sqlite3 *database, FILE *in)
{
    return sqlite3_exec(database, "BEGIN", NULL, NULL, NULL) == SQLITE_OK && receive_schema(database, in) &&
           receive_rows(database, in) && sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}
