/* SPDX-License-Identifier: MIT */
#include "solvers/cone/factor.h"

#include <klu.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* Up to so many rows a dense factorisation costs less than finding an order. */
static const int DENSE_ROWS = 1000;
/* With more rows than this a dense matrix is out of reach. */
static const int DENSE_MOST_ROWS = 6000;
/* A larger matrix is dense where at least this share of its numbers is not zero. */
static const double DENSE_SHARE = 0.15;
/* Singular values below this share of the largest belong to impulses that are not unique. */
static const double RANK_SHARE = 1e-13;

typedef struct ConeSparse {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    int *start, *row;
    double *x;
} ConeSparse;

static void sparse_free(ConeSparse *own)
{
    if (!own)
        return;
    klu_free_numeric(&own->numeric, &own->common);
    klu_free_symbolic(&own->symbolic, &own->common);
    free(own->start);
    free(own->row);
    free(own->x);
    free(own);
}

bool cone_factor_reserve(ConeFactor *factor, int rows)
{
    if (rows <= factor->dense_for || rows > DENSE_MOST_ROWS)
        return true;
    free(factor->dense);
    free(factor->pivot);
    factor->dense = malloc(sizeof(double) * ((size_t)rows * (size_t)rows + 1));
    factor->pivot = malloc(sizeof(int) * ((size_t)rows + 1));
    factor->dense_for = factor->dense && factor->pivot ? rows : 0;
    return factor->dense_for == rows;
}

void cone_factor_free(ConeFactor *factor)
{
    free(factor->dense);
    free(factor->pivot);
    free(factor->value);
    sparse_free(factor->own);
    *factor = (ConeFactor){0};
}

static void dense_fill(ConeFactor *factor, const ConeSystem *system, const double *value)
{
    int n = system->rows;
    memset(factor->dense, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < system->count; i++)
        for (int e = system->start[i]; e < system->start[i + 1]; e++) {
            const ConeBlock *row = &system->blocks[i], *column = &system->blocks[system->column[e]];
            for (int a = 0; a < row->size; a++)
                memcpy(factor->dense + (size_t)(row->first + a) * (size_t)n + column->first,
                       value + system->at[e] + a * column->size, sizeof(double) * (size_t)column->size);
        }
}

static bool factor_dense(ConeFactor *factor, const ConeSystem *system, const double *value)
{
    int n = system->rows;
    dense_fill(factor, system, value);
    return LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, factor->dense, n, factor->pivot) == 0;
}

bool cone_factor_shortest(ConeFactor *factor, const ConeSystem *system, double *x)
{
    int n = system->rows, rank;
    if (n > factor->dense_for)
        return false;
    dense_fill(factor, system, factor->value);
    for (int i = 0; i < system->count; i++)
        for (int j = system->blocks[i].first, end = j + system->blocks[i].size; j < end; j++) {
            factor->pivot[j] = 0;
            for (int a = 0; a < n; a++)
                factor->dense[a * (size_t)n + (size_t)j] /= cone_block_weight(system, i);
        }
    if (LAPACKE_dgelsy(LAPACK_ROW_MAJOR, n, n, 1, factor->dense, n, x, 1, factor->pivot, RANK_SHARE, &rank) != 0)
        return false;
    for (int i = 0; i < system->count; i++)
        for (int a = 0; a < system->blocks[i].size; a++)
            x[system->blocks[i].first + a] /= cone_block_weight(system, i);
    return true;
}

/* KLU takes compressed columns; by rows these are the transpose's, so klu_tsolve solves with the matrix itself. */
static bool factor_sparse(ConeFactor *factor, const ConeSystem *system, const double *value)
{
    long count = cone_system_numbers(system);
    sparse_free(factor->own);
    ConeSparse *own = factor->own = calloc(1, sizeof *own);
    if (!own)
        return false;
    klu_defaults(&own->common);
    own->start = malloc(sizeof(int) * ((size_t)system->rows + 1));
    own->row = malloc(sizeof(int) * ((size_t)count + 1));
    own->x = malloc(sizeof(double) * ((size_t)count + 1));
    if (!own->start || !own->row || !own->x)
        return false;
    int k = 0;
    for (int i = 0; i < system->count; i++)
        for (int a = 0; a < system->blocks[i].size; a++) {
            own->start[system->blocks[i].first + a] = k;
            for (int e = system->start[i]; e < system->start[i + 1]; e++) {
                const ConeBlock *column = &system->blocks[system->column[e]];
                for (int b = 0; b < column->size; b++, k++) {
                    own->row[k] = column->first + b;
                    own->x[k] = value[system->at[e] + a * column->size + b];
                }
            }
        }
    own->start[system->rows] = k;
    own->symbolic = klu_analyze(system->rows, own->start, own->row, &own->common);
    own->numeric = own->symbolic ? klu_factor(own->start, own->row, own->x, own->symbolic, &own->common) : NULL;
    return own->numeric && own->common.status == KLU_OK;
}

double *cone_factor_values(ConeFactor *factor, const ConeSystem *system)
{
    long count = cone_system_numbers(system);
    if (count > factor->value_capacity || !factor->value) {
        double *grown = realloc(factor->value, sizeof *grown * ((size_t)count + 1));
        if (!grown)
            return NULL;
        factor->value = grown;
        factor->value_capacity = count;
    }
    return factor->value;
}

bool cone_factor(ConeFactor *factor, const ConeSystem *system)
{
    double n = system->rows;
    bool full = (double)cone_system_numbers(system) >= DENSE_SHARE * n * n;
    factor->rows = system->rows;
    if (system->rows == 0)
        return true;
    factor->sparse = system->rows > factor->dense_for || (system->rows > DENSE_ROWS && !full);
    return factor->sparse ? factor_sparse(factor, system, factor->value) : factor_dense(factor, system, factor->value);
}

bool cone_factor_solve(ConeFactor *factor, double *x)
{
    int n = factor->rows;
    if (n == 0)
        return true;
    if (factor->sparse)
        return klu_tsolve(factor->own->symbolic, factor->own->numeric, n, 1, x, &factor->own->common);
    return LAPACKE_dgetrs(LAPACK_ROW_MAJOR, 'N', n, 1, factor->dense, n, factor->pivot, x, 1) == 0;
}
