/* SPDX-License-Identifier: MIT */
/* Siconos' text: `d nc W q mu` (local) or `d nc M H q b mu` (global), all by white space; what follows is ignored.
 * A matrix is `storage rows columns` and then
 *     0   rows columns once more, and the numbers column by column
 *     1   blocks: cumulative row and column ends, compressed block rows, and each block's numbers column by column
 *     2   as CSparse prints it: triplets or compressed columns */
#include "bench/problems/parts.h"
#include "bench/problems/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(const Text *text, Status *status)
{
    return status_set(status, STATUS_FAILED, "%s: out of memory", text->path);
}

/* Every number takes two bytes or more: an array that needs more than is left is not there. */
static bool array_fits(const Text *text, const char *what, double count, Status *status)
{
    return 2.0 * count <= (double)text_left(text) + 2.0 ||
           text_fail(text, status, what, "the file is too short for so many numbers");
}

static double *read_reals(Text *text, const char *what, int count, Status *status)
{
    if (!array_fits(text, what, count, status))
        return NULL;
    double *values = malloc(sizeof *values * ((size_t)count + 1));
    if (!values)
        no_memory(text, status);
    for (int i = 0; values && i < count; i++)
        if (!text_real(text, what, &values[i], status)) {
            free(values);
            return NULL;
        }
    return values;
}

static long *read_ints(Text *text, const char *what, long count, long most, Status *status)
{
    if (!array_fits(text, what, (double)count, status))
        return NULL;
    long *values = malloc(sizeof *values * ((size_t)count + 1));
    if (!values)
        no_memory(text, status);
    for (long i = 0; values && i < count; i++)
        if (!text_int(text, what, 0, most, &values[i], status)) {
            free(values);
            return NULL;
        }
    return values;
}

/* rows x columns numbers, column by column, from (row, column) on. */
static bool read_columns(Text *text, Triplets *matrix, long row, long column, long rows, long columns, Status *status)
{
    for (long j = 0; j < columns; j++)
        for (long i = 0; i < rows; i++) {
            double x;
            if (!text_real(text, "an entry of the matrix", &x, status))
                return false;
            if (x != 0.0 && !triplets_add(matrix, (int)(row + i), (int)(column + j), x))
                return no_memory(text, status);
        }
    return true;
}

static bool read_dense(Text *text, Triplets *matrix, Status *status)
{
    long rows, columns;
    return text_int(text, "rows", matrix->rows, matrix->rows, &rows, status) &&
           text_int(text, "columns", matrix->columns, matrix->columns, &columns, status) &&
           array_fits(text, "the matrix", (double)rows * (double)columns, status) &&
           read_columns(text, matrix, 0, 0, rows, columns, status);
}

/* Compressed rows of blocks. Ends are cumulative: block i covers rows ends[i - 1] .. ends[i]. */
typedef struct BlockPattern {
    long blocks, block_rows, block_columns;
    long *row_ends, *column_ends, *starts, *columns;
} BlockPattern;

static bool ends_rise(const Text *text, const char *what, const long *ends, long count, long last, Status *status)
{
    for (long i = 0; i < count; i++)
        if (ends[i] <= (i > 0 ? ends[i - 1] : 0))
            return text_fail(text, status, what, "must rise from block to block");
    return (count == 0 ? last == 0 : ends[count - 1] == last) ||
           text_fail(text, status, what, "must end at the size of the matrix");
}

static bool read_pattern(Text *text, BlockPattern *p, const Triplets *matrix, Status *status)
{
    long starts, columns;
    if (!text_int(text, "number of blocks", 0, INT_MAX, &p->blocks, status) ||
        !text_int(text, "block rows", 0, matrix->rows, &p->block_rows, status) ||
        !text_int(text, "block columns", 0, matrix->columns, &p->block_columns, status))
        return false;
    p->row_ends = read_ints(text, "row ends", p->block_rows, matrix->rows, status);
    p->column_ends = p->row_ends ? read_ints(text, "column ends", p->block_columns, matrix->columns, status) : NULL;
    if (!p->column_ends || !ends_rise(text, "row ends", p->row_ends, p->block_rows, matrix->rows, status) ||
        !ends_rise(text, "column ends", p->column_ends, p->block_columns, matrix->columns, status) ||
        !text_int(text, "number of row starts", p->block_rows + 1, p->block_rows + 1, &starts, status) ||
        !text_int(text, "number of block columns", p->blocks, p->blocks, &columns, status))
        return false;
    p->starts = read_ints(text, "row starts", starts, p->blocks, status);
    p->columns = p->starts ? read_ints(text, "a block's column", columns, p->block_columns - 1, status) : NULL;
    if (!p->columns)
        return false;
    for (long i = 0; i < p->block_rows; i++)
        if (p->starts[i + 1] < p->starts[i])
            return text_fail(text, status, "row starts", "must not fall");
    return (p->starts[0] == 0 && p->starts[p->block_rows] == p->blocks) ||
           text_fail(text, status, "row starts", "must lead from 0 to the number of blocks");
}

static bool read_pattern_blocks(Text *text, const BlockPattern *p, Triplets *matrix, Status *status)
{
    for (long i = 0; i < p->block_rows; i++) {
        long row = i > 0 ? p->row_ends[i - 1] : 0, rows = p->row_ends[i] - row;
        for (long b = p->starts[i]; b < p->starts[i + 1]; b++) {
            long j = p->columns[b], number;
            long column = j > 0 ? p->column_ends[j - 1] : 0, columns = p->column_ends[j] - column;
            if (!text_int(text, "number of the block", b, b, &number, status) ||
                !read_columns(text, matrix, row, column, rows, columns, status))
                return false;
        }
    }
    return true;
}

static bool read_blocks(Text *text, Triplets *matrix, Status *status)
{
    BlockPattern pattern = {0};
    bool ok = read_pattern(text, &pattern, matrix, status) && read_pattern_blocks(text, &pattern, matrix, status);
    free(pattern.row_ends);
    free(pattern.column_ends);
    free(pattern.starts);
    free(pattern.columns);
    return ok;
}

static bool read_printed(Text *text, Triplets *matrix, long row, long column, Status *status)
{
    double x;
    if (!text_expect(text, ":", status) || !text_real(text, "an entry of the matrix", &x, status))
        return false;
    return triplets_add(matrix, (int)row, (int)column, x) || no_memory(text, status);
}

/* "i j : x" */
static bool read_printed_triplets(Text *text, Triplets *matrix, long count, Status *status)
{
    for (long k = 0; k < count; k++) {
        long i, j;
        if (!text_int(text, "row", 0, matrix->rows - 1, &i, status) ||
            !text_int(text, "column", 0, matrix->columns - 1, &j, status) || !read_printed(text, matrix, i, j, status))
            return false;
    }
    return true;
}

/* "col J : locations A to B", then lines "i : x" */
static bool read_printed_columns(Text *text, Triplets *matrix, long count, Status *status)
{
    for (long j = 0; j < matrix->columns; j++) {
        long number, first, last, i;
        if (!text_expect(text, "col", status) || !text_int(text, "column", j, j, &number, status) ||
            !text_expect(text, ":", status) || !text_expect(text, "locations", status) ||
            !text_int(text, "first location", 0, count, &first, status) || !text_expect(text, "to", status) ||
            !text_int(text, "last location", first - 1, count - 1, &last, status))
            return false;
        for (long k = first; k <= last; k++)
            if (!text_int(text, "row", 0, matrix->rows - 1, &i, status) || !read_printed(text, matrix, i, j, status))
                return false;
    }
    return true;
}

/* "[triplet: ]M-by-N, nzmax: Z nnz: K[, 1-norm: ...]" */
static bool read_csparse(Text *text, Triplets *matrix, Status *status)
{
    long origin, rows, columns, count;
    if (!text_int(text, "origin (1 triplets, 2 compressed columns)", 1, 2, &origin, status))
        return false;
    text_skip_line(text);
    if (!text_expect(text, "CSparse", status))
        return false;
    text_skip_line(text);
    if (origin == 1 && !text_expect(text, "triplet:", status))
        return false;
    char *number_end, *nnz = strstr(text->at, "nnz:");
    rows = strtol(text->at, &number_end, 10);
    if (strncmp(number_end, "-by-", 4) != 0 || !nnz)
        return text_fail(text, status, "the matrix's size", "`M-by-N, nzmax: Z nnz: K` belongs here");
    columns = strtol(number_end + 4, NULL, 10);
    count = strtol(nnz + 4, NULL, 10);
    if (rows != matrix->rows || columns != matrix->columns || count < 0)
        return text_fail(text, status, "the matrix's size", "differs from the one given before");
    text_skip_line(text);
    return array_fits(text, "the matrix", (double)count, status) &&
           (origin == 1 ? read_printed_triplets(text, matrix, count, status)
                        : read_printed_columns(text, matrix, count, status));
}

/* columns -1: any number. */
static bool read_matrix(Text *text, Triplets *matrix, long rows_least, long rows_most, long columns, Status *status)
{
    static bool (*const READERS[])(Text *, Triplets *, Status *) = {read_dense, read_blocks, read_csparse};
    long storage, m, n;
    triplets_free(matrix);
    if (!text_int(text, "storage (0 dense, 1 blocks, 2 compressed)", 0, 2, &storage, status) ||
        !text_int(text, "rows", rows_least, rows_most, &m, status) ||
        !text_int(text, "columns", columns < 0 ? m : columns, columns < 0 ? m : columns, &n, status))
        return false;
    matrix->rows = (int)m;
    matrix->columns = (int)n;
    return READERS[storage](text, matrix, status);
}

static bool read_global(Text *text, ProblemParts *parts, Status *status)
{
    int rows = parts->dimension * parts->contacts;
    parts->global = true;
    if (!read_matrix(text, &parts->M, 0, 6L * PROBLEM_MAX_CONTACTS, -1, status) ||
        !read_matrix(text, &parts->H, parts->M.rows, parts->M.rows, rows, status))
        return false;
    parts->f = read_reals(text, "q", parts->M.rows, status);
    parts->w = parts->f ? read_reals(text, "b", rows, status) : NULL;
    parts->mu = parts->w ? read_reals(text, "mu", parts->contacts, status) : NULL;
    return parts->mu != NULL;
}

static bool read_local(Text *text, ProblemParts *parts, Status *status)
{
    int rows = parts->dimension * parts->contacts;
    if (!read_matrix(text, &parts->W, rows, rows, rows, status))
        return false;
    parts->q = read_reals(text, "q", rows, status);
    parts->mu = parts->q ? read_reals(text, "mu", parts->contacts, status) : NULL;
    return parts->mu != NULL;
}

/* A global problem is one that reads as such: its second matrix stands where a local one has the numbers of q. The
 * file's name only decides whose complaint is given when it reads as neither. */
static bool read_either(Text *text, ProblemParts *parts, bool named_global, Status *status)
{
    long dimension, contacts;
    if (!text_int(text, "dimension", 2, 3, &dimension, status) ||
        !text_int(text, "number of contacts", 0, PROBLEM_MAX_CONTACTS, &contacts, status))
        return false;
    const char *matrix = text->at;
    ProblemParts empty = {.dimension = (int)dimension, .contacts = (int)contacts};
    Status complaint = {0};
    *parts = empty;
    if (read_global(text, parts, &complaint))
        return true;
    if (named_global) {
        *status = complaint;
        return false;
    }
    problem_parts_free(parts);
    *parts = empty;
    text->at = matrix;
    return read_local(text, parts, status);
}

bool problem_read_text(ProblemParts *parts, const char *path, bool named_global, Status *status)
{
    Text text;
    if (!text_open(&text, path, status))
        return false;
    bool ok = read_either(&text, parts, named_global, status);
    text_close(&text);
    return ok;
}
