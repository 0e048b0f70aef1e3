/* SPDX-License-Identifier: MIT */
/* A = L L^T of a symmetric band by Cholesky's method, rows that depend on those before them left out.
 *
 * LAPACK's dpbtrf takes a band of up to 64 column by column and as if it were full. Here panels of four columns are
 * summed in registers, and only where L has numbers: with rows in breadth-first order the front of a grid grows and
 * shrinks, and the squares of its widths, the work, are on a cloth of 20 by 20 in the mean 0.46 of the widest one's. */
#ifndef RIGOR_SOLVERS_LINEAR_BAND_H
#define RIGOR_SOLVERS_LINEAR_BAND_H

#include "model/array.h"

typedef struct Band {
    Arrays arrays;
    int capacity, width;
    int rows;
    long pitch;       /* L_ij, i >= j, stands at i + j pitch: LAPACK's band storage with pitch + 1 numbers a column */
    double *L;        /* zero beyond a column's last number */
    int *first, *end; /* of each row its first column, and of each column the row after its last, with a number in L */
} Band;

/* Room for `capacity` rows with A_ij = 0 for |i - j| > width. False when out of memory; free copes with half-built and
 * zeroed ones. */
bool band_init(Band *band, int capacity, int width);
void band_free(Band *band);

/* A_ij, i >= j, is at i + j pitch. A row whose pivot is not above `least` becomes, with its column, that of the unit
 * matrix, and is listed in left_out. Returns how many. */
int band_factor(Band *band, const double *A, long pitch, int rows, double least, int *left_out);

/* b becomes x of L L^T x = b. */
void band_solve(const Band *band, double *b);

#endif
