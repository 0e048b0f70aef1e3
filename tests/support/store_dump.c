/* SPDX-License-Identifier: MIT */
/* Prints what a sweep stored, a line a run in the order of keys: everything but times, or with `finished` the key and
 * when the run was stored. With `change` and some SQL it runs that instead. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static int is_time(const char *column)
{
    static const char *const times[] = {"us_per_frame", "us_low", "us_high", "wall_s", "finished_at"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (strcmp(column, times[i]) == 0)
            return 1;
    return 0;
}

static void print_row(sqlite3_stmt *row, int with_times)
{
    for (int c = 0; c < sqlite3_column_count(row); c++) {
        if (!with_times && is_time(sqlite3_column_name(row, c)))
            continue;
        if (sqlite3_column_type(row, c) == SQLITE_FLOAT)
            printf("%.17g|", sqlite3_column_double(row, c));
        else
            printf("%s|", sqlite3_column_type(row, c) == SQLITE_NULL ? "" : (const char *)sqlite3_column_text(row, c));
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *rows = NULL;
    int finished = argc > 2 && strcmp(argv[2], "finished") == 0, step = SQLITE_ERROR;
    if (argc > 3 && strcmp(argv[2], "change") == 0)
        return sqlite3_open(argv[1], &database) != SQLITE_OK ||
               sqlite3_exec(database, argv[3], NULL, NULL, NULL) != SQLITE_OK || sqlite3_close(database) != SQLITE_OK;
    const char *sql = finished ? "SELECT key, finished_at FROM runs ORDER BY key" : "SELECT * FROM runs ORDER BY key";
    if (argc > 1 && sqlite3_open_v2(argv[1], &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(database, sql, -1, &rows, NULL) == SQLITE_OK)
        while ((step = sqlite3_step(rows)) == SQLITE_ROW)
            print_row(rows, finished);
    if (step != SQLITE_DONE)
        fprintf(stderr, "%s\n", sqlite3_errmsg(database));
    sqlite3_finalize(rows);
    sqlite3_close(database);
    return step != SQLITE_DONE;
}
