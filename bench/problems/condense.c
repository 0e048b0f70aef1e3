/* SPDX-License-Identifier: MIT */
/* W = B^T M^-1 B and q = B^T M^-1 f + (w, b) for B = [H G], column by column, with M factored once by KLU (sparse LU:
 * M need not be symmetric). */
#include "bench/problems/parts.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Compressed columns; KLU wants M so, and B is gone through so. */
typedef struct Columns {
    int *start, *row;
    double *x;
} Columns;

static void columns_free(Columns *columns)
{
    free(columns->start);
    free(columns->row);
    free(columns->x);
}

/* Places are added up by KLU's reader and by the sums below: no need to merge them; but KLU refuses duplicates, so rows
 * inside a column are merged here. */
static bool columns_init(Columns *columns, const Triplets *a, const Triplets *b)
{
    int first = a->columns, count = first + (b ? b->columns : 0);
    long total = a->count + (b ? b->count : 0);
    *columns = (Columns){calloc((size_t)count + 2, sizeof(int)), malloc(sizeof(int) * ((size_t)total + 1)),
                         malloc(sizeof(double) * ((size_t)total + 1))};
    if (!columns->start || !columns->row || !columns->x)
        return false;
    for (long e = 0; e < total; e++)
        columns->start[2 + (e < a->count ? a->list[e].column : first + b->list[e - a->count].column)]++;
    for (int j = 0; j < count; j++)
        columns->start[j + 2] += columns->start[j + 1];
    for (long e = 0; e < total; e++) {
        const ConeEntry *entry = e < a->count ? &a->list[e] : &b->list[e - a->count];
        int at = columns->start[1 + (e < a->count ? entry->column : first + entry->column)]++;
        columns->row[at] = entry->row;
        columns->x[at] = entry->x;
    }
    return true;
}

/* Adds up what stands at one place, which KLU would refuse. place[] has a number a row. */
static void columns_merge(Columns *columns, int count, int *place)
{
    int kept = 0;
    for (int j = 0; j < count; j++) {
        int begin = kept, from = columns->start[j], to = columns->start[j + 1];
        columns->start[j] = begin;
        for (int e = from; e < to; e++) {
            int row = columns->row[e], at = place[row];
            if (at >= begin && at < kept && columns->row[at] == row) {
                columns->x[at] += columns->x[e];
            } else {
                place[row] = kept;
                columns->row[kept] = row;
                columns->x[kept++] = columns->x[e];
            }
        }
    }
    columns->start[count] = kept;
}

/* sum_i B_ij y_i */
static double column_dot(const Columns *B, int j, const double *y)
{
    double sum = 0.0;
    for (int e = B->start[j]; e < B->start[j + 1]; e++)
        sum += B->x[e] * y[B->row[e]];
    return sum;
}

typedef struct Condense {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    Columns M, B;
    double *y;
    int *place;
} Condense;

static bool condense_solve(Condense *c, int n)
{
    return n == 0 || klu_solve(c->symbolic, c->numeric, n, 1, c->y, &c->common);
}

static bool condense_product(Condense *c, const ProblemParts *parts, Triplets *W, double *q)
{
    int n = parts->M.rows, contact_rows = parts->H.columns, rows = contact_rows + parts->ties;
    W->rows = W->columns = rows;
    memcpy(c->y, parts->f, sizeof *c->y * (size_t)n);
    if (!condense_solve(c, n))
        return false;
    for (int i = 0; i < rows; i++)
        q[i] = column_dot(&c->B, i, c->y) + (i < contact_rows ? parts->w[i] : parts->b[i - contact_rows]);
    for (int j = 0; j < rows; j++) {
        memset(c->y, 0, sizeof *c->y * (size_t)n);
        for (int e = c->B.start[j]; e < c->B.start[j + 1]; e++)
            c->y[c->B.row[e]] += c->B.x[e];
        if (!condense_solve(c, n))
            return false;
        for (int i = 0; i < rows; i++) {
            double x = column_dot(&c->B, i, c->y);
            if (x != 0.0 && !triplets_add(W, i, j, x))
                return false;
        }
    }
    return true;
}

bool problem_condense(const ProblemParts *parts, Triplets *W, double *q, Status *status)
{
    int n = parts->M.rows;
    Condense c = {.y = calloc((size_t)n + 1, sizeof(double)), .place = malloc(sizeof(int) * ((size_t)n + 1))};
    klu_defaults(&c.common);
    bool ok = c.y && c.place && columns_init(&c.M, &parts->M, NULL) && columns_init(&c.B, &parts->H, &parts->G);
    bool regular = ok;
    if (ok && n > 0) {
        for (int i = 0; i < n; i++)
            c.place[i] = -1;
        columns_merge(&c.M, n, c.place);
        c.symbolic = klu_analyze(n, c.M.start, c.M.row, &c.common);
        c.numeric = c.symbolic ? klu_factor(c.M.start, c.M.row, c.M.x, c.symbolic, &c.common) : NULL;
        regular = c.numeric && c.common.status == KLU_OK;
    }
    ok = ok && regular && condense_product(&c, parts, W, q);
    klu_free_numeric(&c.numeric, &c.common);
    klu_free_symbolic(&c.symbolic, &c.common);
    columns_free(&c.M);
    columns_free(&c.B);
    free(c.y);
    free(c.place);
    return ok || (regular ? status_set(status, STATUS_FAILED, "out of memory")
                          : status_set(status, STATUS_BAD_FILE, "M is singular"));
}
