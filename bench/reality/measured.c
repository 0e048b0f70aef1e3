/* SPDX-License-Identifier: MIT */
#include "bench/reality/measured.h"

#include "bench/files/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Bytes of a line, columns of a file, and rows: a million rows of 20 numbers are 160 MB. */
enum { LINE_MOST = 4096, COLUMNS_MOST = 64, ROWS_MOST = 1000000 };

static bool found_in(const char *folder, int length, const char *name, char path[MEASURED_PATH])
{
    int size = snprintf(path, MEASURED_PATH, "%.*s/%s", length, folder, name);
    return length > 0 && size < MEASURED_PATH && access(path, R_OK) == 0;
}

bool measured_find(const char *name, const char *get, char path[MEASURED_PATH], Status *status)
{
    char beside[FOLDER_TEXT];
    for (const char *list = getenv("RIGOR_DATA"); list && *list;) {
        int length = (int)strcspn(list, ":");
        if (found_in(list, length, name, path))
            return true;
        list += length + (list[length] == ':');
    }
    folder_path(FOLDER_DATA, "", beside);
    if (found_in(beside, (int)strlen(beside), name, path))
        return true;
    return status_set(status, STATUS_FAILED, "%s is neither in the folders of $RIGOR_DATA nor in %s. %s", name, beside,
                      get);
}

typedef struct TableFile {
    const char *path;
    gzFile stream;
    int line;                /* from 1 */
    int place[COLUMNS_MOST]; /* of a column of the file in the table; -1: it is not wanted */
    int columns;             /* of the file */
    size_t capacity;         /* of values, rows */
    Status *status;
} TableFile;

static bool table_fail(const TableFile *file, const char *what)
{
    return status_set(file->status, STATUS_BAD_FILE, "%s:%d: %s", file->path, file->line, what);
}

/* The next line without its end. 1: there is one; 0: the file is over; -1: with a message. */
static int table_line(TableFile *file, char line[LINE_MOST])
{
    int error = Z_OK;
    file->line++;
    if (!gzgets(file->stream, line, LINE_MOST)) {
        gzerror(file->stream, &error);
        return error == Z_OK || error == Z_STREAM_END ? 0 : (table_fail(file, "cannot be read to its end"), -1);
    }
    size_t length = strcspn(line, "\r\n");
    if (line[length] == '\0' && !gzeof(file->stream)) {
        table_fail(file, "the line is too long, or has a zero in it");
        return -1;
    }
    line[length] = '\0';
    return 1;
}

/* The text up to the next comma, which becomes its end; NULL after the last. */
static char *cell_next(char **rest)
{
    char *cell = *rest, *comma = cell ? strchr(cell, ',') : NULL;
    if (comma)
        *comma = '\0';
    *rest = comma ? comma + 1 : NULL;
    return cell;
}

static bool table_read_names(TableFile *file, const char *const *columns, int wanted)
{
    char line[LINE_MOST], what[128];
    int found = 0, got = table_line(file, line);
    if (got <= 0)
        return got == 0 ? table_fail(file, "the file is empty") : false;
    for (char *rest = line, *name; (name = cell_next(&rest));) {
        if (file->columns == COLUMNS_MOST)
            return table_fail(file, "too many columns");
        int *place = &file->place[file->columns++];
        *place = -1;
        for (int c = 0; c < wanted; c++)
            if (strcmp(columns[c], name) == 0) {
                *place = c;
                found |= 1 << c;
            }
    }
    for (int c = 0; c < wanted; c++)
        if (!(found >> c & 1)) {
            snprintf(what, sizeof what, "there is no column '%.60s'", columns[c]);
            return table_fail(file, what);
        }
    return true;
}

static bool cell_read(const char *cell, double *value)
{
    char *end;
    if (strcmp(cell, "train") == 0 || strcmp(cell, "test") == 0) {
        *value = cell[1] == 'e';
        return true;
    }
    *value = strtod(cell, &end);
    return end != cell && *end == '\0' && isfinite(*value);
}

static bool table_read_row(TableFile *file, MeasuredTable *table, char *line)
{
    char what[128], *rest = line, *cell;
    int column = 0;
    if (table->rows == ROWS_MOST)
        return table_fail(file, "too many rows");
    if ((size_t)table->rows == file->capacity) {
        size_t capacity = file->capacity ? 2 * file->capacity : 256;
        double *grown = realloc(table->values, sizeof *grown * capacity * (size_t)table->columns);
        if (!grown)
            return status_set(file->status, STATUS_FAILED, "out of memory");
        table->values = grown;
        file->capacity = capacity;
    }
    double *values = table->values + (size_t)table->rows * (size_t)table->columns;
    for (; (cell = cell_next(&rest)); column++) {
        if (column < file->columns && file->place[column] >= 0 && !cell_read(cell, &values[file->place[column]])) {
            snprintf(what, sizeof what, "'%.60s' in column %d is no number", cell, column + 1);
            return table_fail(file, what);
        }
    }
    table->rows++;
    snprintf(what, sizeof what, "%d values, where the first line has %d names", column, file->columns);
    return column == file->columns || table_fail(file, what);
}

bool measured_read(MeasuredTable *table, const char *path, const char *const *columns, Status *status)
{
    char line[LINE_MOST];
    int got = 1;
    *table = (MeasuredTable){0};
    while (columns[table->columns])
        table->columns++;
    TableFile file = {.path = path, .stream = gzopen(path, "rb"), .status = status};
    if (!file.stream)
        return status_set(status, STATUS_BAD_FILE, "%s: cannot be read", path);
    bool ok = table_read_names(&file, columns, table->columns);
    while (ok && (got = table_line(&file, line)) > 0)
        ok = table_read_row(&file, table, line);
    gzclose(file.stream);
    ok = ok && got == 0 && (table->rows > 0 || table_fail(&file, "there are no rows"));
    if (!ok)
        measured_clear(table);
    return ok;
}

void measured_clear(MeasuredTable *table)
{
    free(table->values);
    *table = (MeasuredTable){0};
}
