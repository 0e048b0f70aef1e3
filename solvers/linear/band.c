/* SPDX-License-Identifier: MIT */
#include "solvers/linear/band.h"

#include "model/lanes/row.h"

#include <string.h>

/* Columns that are finished together, and rows of them that are summed together: eight registers of sums. */
enum { PANEL = 4, TILE = 8, WIDES = TILE / 4 };

/* A tile may begin at a column's last number, and a panel's last column reaches as much further down than its first. */
enum { PADDING = TILE + PANEL - 2 };

bool band_init(Band *band, int capacity, int width)
{
    *band = (Band){.capacity = capacity, .width = width, .pitch = width + PADDING};
    size_t columns = (size_t)capacity + PANEL;
    return OWN_ARRAY(&band->arrays, band->L, columns * (size_t)(band->pitch + 1)) &&
           OWN_ARRAY(&band->arrays, band->first, columns) && OWN_ARRAY(&band->arrays, band->end, columns);
}

void band_free(Band *band)
{
    arrays_free(&band->arrays);
}

/* L = A, and where the factor will have numbers: a column reaches down as far as any before it. */
static void band_take(Band *band, const double *A, long pitch, int rows)
{
    band->rows = rows;
    memset(band->L, 0, sizeof *band->L * (size_t)(rows + PANEL) * (size_t)(band->pitch + 1));
    for (int j = 0, reached = 0; j < rows; j++) {
        const double *column = A + j * pitch;
        int end = j + band->width + 1 < rows ? j + band->width + 1 : rows;
        while (end > reached && end > j + 1 && column[end - 1] == 0.0)
            end--;
        memcpy(band->L + j * band->pitch + j, column + j, sizeof *column * (size_t)(end - j));
        for (; reached < end; reached++)
            band->first[reached] = j;
        band->end[j] = reached;
    }
}

/* L_ic -= sum over k of L_ik L_ck, k from `from` to j, for the rows i to i + TILE of the columns c = j to j + PANEL. On
 * the diagonal only the rows from c on are there. */
LANE_INLINE void band_sum(double *L, long pitch, int i, int j, int from, bool diagonal)
{
    Lanes sum[PANEL][WIDES] = {0};
    for (int k = from; k < j; k++) {
        const double *column = L + k * pitch;
        for (int w = 0; w < WIDES; w++) {
            Lanes rows = lanes_load(column + i + 4 * w);
            for (int c = 0; c < PANEL; c++)
                sum[c][w] += rows * lanes_all(column[j + c]);
        }
    }
    for (int c = 0; c < PANEL; c++) {
        double *column = L + (j + c) * pitch + i;
        for (int r = c; diagonal && r < 4; r++)
            column[r] -= sum[c][0][r];
        for (int w = diagonal ? 1 : 0; w < WIDES; w++)
            lanes_store(column + 4 * w, lanes_load(column + 4 * w) - sum[c][w]);
    }
}

/* Row and column j become those of the unit matrix. */
static void band_leave_out(Band *band, int j)
{
    double *L = band->L;
    for (int k = band->first[j]; k < j; k++)
        L[j + k * band->pitch] = 0.0;
    for (int i = j + 1; i < band->end[j]; i++)
        L[i + j * band->pitch] = 0.0;
    L[j + j * band->pitch] = 1.0;
}

/* Column j, of which all columns before the panel have been subtracted, and then it from the panel's later ones. */
LANE_INLINE void band_finish(Band *band, int j, int panel_end)
{
    int end = band->end[panel_end - 1];
    double *column = band->L + j * band->pitch, pivot = sqrt(column[j]), inverse = 1.0 / pivot;
    column[j] = pivot;
    for (int i = j + 1; i < end; i++)
        column[i] *= inverse;
    for (int c = j + 1; c < panel_end; c++) {
        double *later = band->L + c * band->pitch, factor = column[c];
        for (int i = c; i < end; i++)
            later[i] -= factor * column[i];
    }
}

LANE_VERSIONS int band_factor(Band *band, const double *A, long pitch, int rows, double least, int *left_out)
{
    int count = 0;
    band_take(band, A, pitch, rows);
    for (int j = 0; j < rows; j += PANEL) {
        int panel_end = j + PANEL < rows ? j + PANEL : rows;
        band_sum(band->L, band->pitch, j, j, band->first[j], true);
        for (int i = j + TILE; i < band->end[panel_end - 1]; i += TILE)
            band_sum(band->L, band->pitch, i, j, band->first[i], false);
        for (int c = j; c < panel_end; c++) {
            if (band->L[c + c * band->pitch] > least) {
                band_finish(band, c, panel_end);
            } else {
                band_leave_out(band, c);
                left_out[count++] = c;
            }
        }
    }
    return count;
}

/* L y = b from the first row on, then L^T x = y from the last. */
LANE_VERSIONS void band_solve(const Band *band, double *b)
{
    for (int j = 0; j < band->rows; j++) {
        const double *column = band->L + j * band->pitch;
        b[j] /= column[j];
        for (int i = j + 1; i < band->end[j]; i++)
            b[i] -= column[i] * b[j];
    }
    for (int j = band->rows - 1; j >= 0; j--) {
        const double *column = band->L + j * band->pitch;
        Lanes sum = {0};
        int i = j + 1;
        for (; i + 4 <= band->end[j]; i += 4)
            sum += lanes_load(column + i) * lanes_load(b + i);
        for (; i < band->end[j]; i++)
            sum[0] += column[i] * b[i];
        b[j] = (b[j] - (sum[0] + sum[1] + sum[2] + sum[3])) / column[j];
    }
}
