/* SPDX-License-Identifier: MIT */
/* Rows of two bodies, packed: their linear parts are those of one direction, so nine numbers p hold a row,
 *     J = (p[0..2], p[3..5], -p[0..2], p[6..8]).
 * A body's six velocities are a vector of four and one of two; the fourth of the four is an angular one. */
#ifndef RIGOR_SOLVERS_ROWS_ROW_PACKED_H
#define RIGOR_SOLVERS_ROWS_ROW_PACKED_H

#include "solvers/rows/row_kernel.h"

/* Lanes4 a, with the number at `last` in its fourth place. */
#define WITH_LAST(a, last) __builtin_shufflevector((a), LOAD4((last)-3), 0, 1, 2, 7)

/* The halves of J V of one row. The sign of -p[0..2] goes to the velocities, which all rows of a block share. */
LANE_INLINE Lanes2 packed_halves(const double *p, const RowVelocity *V)
{
    Lanes4 linear = LOAD4(p), opposite = __builtin_shufflevector(-V->a[1], V->a[1], 0, 1, 2, 7);
    Lanes4 a = linear * V->a[0] + WITH_LAST(linear, p + 6) * opposite;
    Lanes2 b = LOAD2(p + 4) * V->b[0] + LOAD2(p + 7) * V->b[1];
    return row_halves(a, b);
}

/* J V of one row. */
LANE_INLINE double packed_rate(const double *p, const RowVelocity *V)
{
    Lanes2 halves = packed_halves(p, V);
    return halves[0] + halves[1];
}

/* V += M^-1 J^T d of one row: `linear` is its p, `turn` the six numbers I^-1 times its angular parts. */
LANE_INLINE void packed_push(const double inv_mass[2], const double *linear, const double *turn, double d,
                             RowVelocity *V)
{
    double m1 = inv_mass[0], m2 = -inv_mass[1];
    Lanes4 u = LOAD4(linear), d4 = {d, d, d, d}, w1 = {m1, m1, m1, m1}, w2 = {m2, m2, m2, m2};
    Lanes2 d2 = {d, d};
    V->a[0] += d4 * WITH_LAST(w1 * u, turn);
    V->b[0] += d2 * LOAD2(turn + 1);
    V->a[1] += d4 * WITH_LAST(w2 * u, turn + 3);
    V->b[1] += d2 * LOAD2(turn + 4);
}

#endif
