/* SPDX-License-Identifier: MIT */
/* The rows of one block side by side, column by column: lane i of a column belongs to row i, lanes without a row are
 * zero. One way to form
 *
 *     B = M^-1 J^T   and   A_ij = J_i B_j
 *
 * for joints' blocks and contact points alike; every sum runs over the columns in order, whatever the rows' number. */
#ifndef RIGOR_SOLVERS_ROWS_ROW_COLUMNS_H
#define RIGOR_SOLVERS_ROWS_ROW_COLUMNS_H

#include "solvers/rows/row_kernel.h"

typedef struct RowColumns {
    Lanes4 J[ROW_WIDTH], B[ROW_WIDTH];
} RowColumns;

/* Four columns as parts of three rows, each at p and `stride` after the last. */
LANE_INLINE void columns_store(const Lanes4 *a, const Lanes4 *b, const Lanes4 *c, const Lanes4 *d, double *p,
                               int stride)
{
    Lanes4 ab02 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), ab13 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    Lanes4 cd02 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), cd13 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    STORE4(p, __builtin_shufflevector(ab02, cd02, 0, 1, 4, 5));
    STORE4(p + stride, __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5));
    STORE4(p + 2 * stride, __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7));
}

/* Twelve columns as three rows of that length. */
LANE_INLINE void columns_store_rows(const Lanes4 column[ROW_WIDTH], double rows[BLOCK_MAX_ROWS][ROW_WIDTH])
{
    for (int c = 0; c < ROW_WIDTH; c += 4)
        columns_store(&column[c], &column[c + 1], &column[c + 2], &column[c + 3], rows[0] + c, ROW_WIDTH);
}

/* The columns of up to three rows. */
LANE_INLINE void columns_load(Lanes4 column[ROW_WIDTH], const double rows[][ROW_WIDTH], int count)
{
    for (int c = 0; c < ROW_WIDTH; c += 4) {
        const Lanes4 none = {0.0, 0.0, 0.0, 0.0};
        Lanes4 one = count > 0 ? LOAD4(rows[0] + c) : none, two = count > 1 ? LOAD4(rows[1] + c) : none;
        Lanes4 three = count > 2 ? LOAD4(rows[2] + c) : none;
        Lanes4 even = __builtin_shufflevector(one, two, 0, 4, 2, 6),
               odd = __builtin_shufflevector(one, two, 1, 5, 3, 7);
        Lanes4 last02 = __builtin_shufflevector(three, none, 0, 4, 2, 6);
        Lanes4 last13 = __builtin_shufflevector(three, none, 1, 5, 3, 7);
        column[c] = __builtin_shufflevector(even, last02, 0, 1, 4, 5);
        column[c + 1] = __builtin_shufflevector(odd, last13, 0, 1, 4, 5);
        column[c + 2] = __builtin_shufflevector(even, last02, 2, 3, 6, 7);
        column[c + 3] = __builtin_shufflevector(odd, last13, 2, 3, 6, 7);
    }
}

/* B = M^-1 J^T */
LANE_INLINE void columns_times_inverse_mass(RowColumns *columns, const double inv_mass[2],
                                            const Mat3 *const inv_inertia[2])
{
    for (int k = 0; k < 2; k++) {
        const Lanes4 *J = columns->J + 6 * k;
        Lanes4 *B = columns->B + 6 * k;
        for (int i = 0; i < 3; i++) {
            const double *m = inv_inertia[k]->m[i];
            B[i] = inv_mass[k] * J[i];
            B[3 + i] = m[0] * J[3] + m[1] * J[4] + m[2] * J[5];
        }
    }
}

/* J_i B_j of the rows i and j in each lane */
LANE_INLINE void columns_product(const Lanes4 *J, const Lanes4 *B, Lanes4 *A)
{
    Lanes4 sum = {0.0, 0.0, 0.0, 0.0};
    for (int c = 0; c < ROW_WIDTH; c++)
        sum += J[c] * B[c];
    *A = sum;
}

/* A = J B, symmetric: the lower triangle is summed. */
LANE_INLINE void columns_couple(const RowColumns *columns, double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS])
{
    Lanes4 diagonal, below, J[ROW_WIDTH], B[ROW_WIDTH]; /* 00 11 22; 10 20 21 */
    for (int c = 0; c < ROW_WIDTH; c++) {
        J[c] = __builtin_shufflevector(columns->J[c], columns->J[c], 1, 2, 2, 3);
        B[c] = __builtin_shufflevector(columns->B[c], columns->B[c], 0, 0, 1, 3);
    }
    columns_product(columns->J, columns->B, &diagonal);
    columns_product(J, B, &below);
    for (int i = 0; i < BLOCK_MAX_ROWS; i++)
        A[i][i] = diagonal[i];
    A[1][0] = A[0][1] = below[0];
    A[2][0] = A[0][2] = below[1];
    A[2][1] = A[1][2] = below[2];
}

/* J V of each row; the sums run as in row_times_velocity. */
LANE_INLINE void columns_rates(const Lanes4 J[ROW_WIDTH], const Velocity *one, const Velocity *two, double rates[4])
{
    const double *v1 = (const double *)one, *v2 = (const double *)two;
    Lanes4 part[6];
    for (int c = 0; c < 6; c++)
        part[c] = J[c] * v1[c] + J[6 + c] * v2[c];
    STORE4(rates, ((part[0] + part[2]) + part[4]) + ((part[1] + part[3]) + part[5]));
}

#endif
