/* SPDX-License-Identifier: MIT */
#include "solvers/systems/schur.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* A pivot below this share of its diagonal is lost. A pivot is the square of a singular value of J, and positions that
 * are off by d make dependent rows look independent with singular values of d: 1e-9 tells them apart up to d = 3e-5. */
#define SCHUR_PIVOT_LOST 1e-9

bool schur_init(Schur *schur, int capacity, int band)
{
    size_t n = capacity > 0 ? (size_t)capacity : 1, width = band < capacity - 1 ? (size_t)band + 1 : n;
    *schur = (Schur){.capacity = capacity, .band = band};
    Arrays *own = &schur->arrays;
    return OWN_ARRAY(own, schur->A, n * width) && OWN_ARRAY(own, schur->factor, width * width) &&
           OWN_ARRAY(own, schur->basis, band < capacity - 1 ? n * n : 1) && OWN_ARRAY(own, schur->gram, n * n) &&
           OWN_ARRAY(own, schur->scale, n) && OWN_ARRAY(own, schur->work, 2 * n) && OWN_ARRAY(own, schur->pivot, n) &&
           (band >= capacity - 1 || band_init(&schur->banded, capacity, band));
}

void schur_free(Schur *schur)
{
    band_free(&schur->banded);
    arrays_free(&schur->arrays);
}

static bool schur_is_banded(const Schur *schur)
{
    return schur->band < schur->rows - 1;
}

void schur_clear(Schur *schur, int rows)
{
    schur->rows = rows;
    schur->pitch = schur_is_banded(schur) ? schur->band : rows;
    size_t used = schur_is_banded(schur) ? (size_t)(schur->band + 1) * (size_t)rows : (size_t)rows * (size_t)rows;
    memset(schur->A, 0, sizeof *schur->A * used);
}

/* The last row of column j in storage. */
static int schur_column_end(const Schur *schur, int j)
{
    int end = schur_is_banded(schur) ? j + schur->band + 1 : schur->rows;
    return end < schur->rows ? end : schur->rows;
}

/* S A S with a unit diagonal. A row that moves nothing (A_ii = 0) becomes a unit row with S_ii = 0: lambda = 0. */
static void schur_scale(Schur *schur)
{
    int n = schur->rows;
    for (int i = 0; i < n; i++) {
        double d = *schur_at(schur, i, i);
        schur->scale[i] = d > 0.0 ? 1.0 / sqrt(d) : 0.0;
    }
    for (int j = 0; j < n; j++) {
        double *column = schur->A + j * (long)schur->pitch;
        for (int i = j + 1; i < schur_column_end(schur, j); i++)
            column[i] *= schur->scale[i] * schur->scale[j];
        column[j] = isfinite(column[j]) ? 1.0 : NAN;
    }
}

/* Plain Cholesky; false if a pivot is lost. */
static bool schur_factor_full(Schur *schur)
{
    int n = schur->rows;
    memcpy(schur->factor, schur->A, sizeof *schur->A * (size_t)n * (size_t)n);
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, schur->factor, n);
    for (int i = 0; info == 0 && i < n; i++) {
        double l = schur->factor[i + i * (long)n];
        if (!(l * l > SCHUR_PIVOT_LOST))
            return false;
    }
    return info == 0;
}

/* P^T A P = L L^T with rank columns, and the factor of L^T L. False if A is not finite. */
static bool schur_factor_pivoted(Schur *schur)
{
    int n = schur->rows;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double a = i < schur_column_end(schur, j) ? *schur_at(schur, i, j) : 0.0;
            if (!isfinite(a))
                return false;
            schur->factor[i + j * (long)n] = a;
        }
    int info = LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, schur->factor, n, schur->pivot, &schur->rank,
                                   SCHUR_PIVOT_LOST, schur->work);
    if (info < 0)
        return false;
    int r = schur->rank;
    for (int j = 0; j < r; j++)
        for (int i = 0; i < j; i++)
            schur->factor[i + j * (long)n] = 0.0;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, r, n, 1.0, schur->factor, n, 0.0, schur->gram, r);
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', r, schur->gram, r) == 0;
}

/* The band's factor without the rows that depend on those before them. For each such row p the null space has a vector
 * e_p - A_rr^-1 A_rp, r the rows that stay. False if A is not finite. */
static bool schur_factor_band(Schur *schur)
{
    int n = schur->rows;
    for (int j = 0; j < n; j++)
        if (!isfinite(*schur_at(schur, j, j)))
            return false;
    int left_out = band_factor(&schur->banded, schur->A, schur->pitch, n, SCHUR_PIVOT_LOST, schur->pivot);
    schur->rank = n - left_out;
    for (int c = 0; c < left_out; c++) {
        double *z = schur->basis + c * (long)n;
        int p = schur->pivot[c];
        for (int i = 0; i < n; i++)
            z[i] = abs(i - p) <= schur->band ? -*schur_at(schur, i, p) : 0.0;
        for (int other = 0; other < left_out; other++)
            z[schur->pivot[other]] = 0.0;
        band_solve(&schur->banded, z);
        z[p] = 1.0;
    }
    if (left_out > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, left_out, n, 1.0, schur->basis, n, 0.0, schur->gram,
                    left_out);
    return left_out == 0 || LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', left_out, schur->gram, left_out) == 0;
}

void schur_factor(Schur *schur)
{
    schur->failed = schur->lost = false;
    schur->rank = schur->rows;
    schur_scale(schur);
    if (schur_is_banded(schur)) {
        schur->failed = !schur_factor_band(schur);
        schur->lost = schur->rank < schur->rows;
    } else if (schur->rows > 0 && (schur->deficient || !schur_factor_full(schur))) {
        schur->lost = true; /* dependent rows mostly stay so: no plain attempt the next time */
        schur->failed = !schur_factor_pivoted(schur);
    }
    schur->deficient = schur->rank < schur->rows;
}

/* basic: L11 L11^T z = (P^T b)_1, zero elsewhere; least: its part in the range of L, L (L^T L)^-1 L^T z. */
static void schur_solve_pivoted(Schur *schur, double *b, double *least)
{
    int n = schur->rows, r = schur->rank;
    double *z = schur->work, *y = schur->work + n;
    for (int i = 0; i < r; i++)
        z[i] = b[schur->pivot[i] - 1];
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', r, 1, schur->factor, n, z, r);
    memset(z + r, 0, sizeof *z * (size_t)(n - r));
    for (int i = 0; i < n; i++)
        b[schur->pivot[i] - 1] = z[i];
    cblas_dgemv(CblasColMajor, CblasTrans, n, r, 1.0, schur->factor, n, z, 1, 0.0, y, 1);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', r, 1, schur->gram, r, y, r);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, r, 1.0, schur->factor, n, y, 1, 0.0, z, 1);
    for (int i = 0; i < n; i++)
        least[schur->pivot[i] - 1] = z[i];
}

/* basic: the rows left out zero; least: without its part in the null space, Z (Z^T Z)^-1 Z^T z. */
static void schur_solve_band(Schur *schur, double *b, double *least)
{
    int n = schur->rows, left_out = n - schur->rank;
    double *y = schur->work;
    for (int c = 0; c < left_out; c++)
        b[schur->pivot[c]] = 0.0;
    band_solve(&schur->banded, b);
    memcpy(least, b, sizeof *b * (size_t)n);
    if (left_out == 0)
        return;
    cblas_dgemv(CblasColMajor, CblasTrans, n, left_out, 1.0, schur->basis, n, b, 1, 0.0, y, 1);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', left_out, 1, schur->gram, left_out, y, left_out);
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, left_out, -1.0, schur->basis, n, y, 1, 1.0, least, 1);
}

void schur_solve(Schur *schur, double *b, double *least)
{
    int n = schur->rows;
    for (int i = 0; i < n; i++)
        b[i] = schur->failed ? NAN : b[i] * schur->scale[i];
    if (n > 0 && !schur->failed) {
        if (schur_is_banded(schur))
            schur_solve_band(schur, b, least);
        else if (!schur->lost)
            LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, schur->factor, n, b, n);
        else
            schur_solve_pivoted(schur, b, least);
    }
    for (int i = 0; i < n; i++) {
        least[i] = schur->scale[i] * (schur->lost && !schur->failed ? least[i] : b[i]);
        b[i] *= schur->scale[i];
    }
}
