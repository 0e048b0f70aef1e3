/* SPDX-License-Identifier: MIT */
/* Rows side by side, a lane each, and what a sweep does with them. Their linear parts are those of one direction, so
 * nine numbers p hold a row, J = (p[0..2], p[3..5], -p[0..2], p[6..8]). */
#ifndef RIGOR_SOLVERS_ROWS_POINT_LANES_H
#define RIGOR_SOLVERS_ROWS_POINT_LANES_H

#include "model/lanes/vectors.h"
#include "solvers/contact/law.h"
#include "solvers/rows/row_schedule.h"

/* A contact point of each lane: of one it is a packed row. RowSystem's inverses: columns of w (J B)^-1. */
#if LANES == 1
typedef ContactRow LanePoint;
#else
typedef struct PointLanes {
    POINT_NUMBERS(Lanes)
} LanePoint;
#endif
typedef struct InverseLanes {
    Lanes column[MANIFOLD_MAX][MANIFOLD_MAX];
} InverseLanes;

/* Of the first and the second bodies: v, w. */
typedef struct LaneVelocities {
    Lanes u[2][6];
} LaneVelocities;

/* A body's six numbers are loaded and stored as four and two, always at the same places: the next row that needs them
 * finds them in the store buffer. */
LANE_INLINE void velocities_gather(const int body[2][LANES], const Velocity *velocity, LaneVelocities *V)
{
    for (int k = 0; k < 2; k++) {
#if LANES == 1
        const double *u = (const double *)&velocity[body[k][0]];
        for (int c = 0; c < 6; c++)
            V->u[k][c] = u[c];
#else
        Lanes2 last[LANES];
        LANE_UNROLL
        for (int i = 0; i < LANES; i++) {
            const double *u = (const double *)&velocity[body[k][i]];
            V->u[k][i] = lanes_load(u);
            last[i] = *(const Lanes2 *)(u + 4);
        }
        lanes4_turn(V->u[k]);
        Lanes one = __builtin_shufflevector(last[0], last[2], 0, 1, 2, 3);
        Lanes two = __builtin_shufflevector(last[1], last[3], 0, 1, 2, 3);
        V->u[k][4] = __builtin_shufflevector(one, two, 0, 4, 2, 6);
        V->u[k][5] = __builtin_shufflevector(one, two, 1, 5, 3, 7);
#endif
    }
}

/* Six numbers to each lane's `to`. */
LANE_INLINE void six_scatter(const Lanes u[6], double *const to[LANES])
{
#if LANES == 1
    for (int c = 0; c < 6; c++)
        to[0][c] = u[c];
#else
    Lanes one = __builtin_shufflevector(u[4], u[5], 0, 4, 2, 6), two = __builtin_shufflevector(u[4], u[5], 1, 5, 3, 7);
    lanes_scatter(to, u[0], u[1], u[2], u[3]);
    *(Lanes2 *)(to[0] + 4) = __builtin_shufflevector(one, one, 0, 1);
    *(Lanes2 *)(to[1] + 4) = __builtin_shufflevector(two, two, 0, 1);
    *(Lanes2 *)(to[2] + 4) = __builtin_shufflevector(one, one, 2, 3);
    *(Lanes2 *)(to[3] + 4) = __builtin_shufflevector(two, two, 2, 3);
#endif
}

/* Fixed bodies, which units may share, are not written; nor, having no mass, lanes without a unit. */
LANE_INLINE void velocities_scatter(const int body[2][LANES], bool has_fixed, const Lanes inv_mass[2],
                                    Velocity *velocity, const LaneVelocities *V)
{
    for (int k = 0; k < 2; k++) {
        Velocity nowhere[LANES];
        double *to[LANES];
        LANE_UNROLL
        for (int i = 0; i < LANES; i++)
            to[i] = &velocity[body[k][i]].v.x;
        for (int i = 0; i < LANES && has_fixed; i++)
            to[i] = ((const double *)&inv_mass[k])[i] != 0.0 ? to[i] : &nowhere[i].v.x;
        six_scatter(V->u[k], to);
    }
}

/* J V of each lane's row. */
LANE_INLINE Lanes lanes_rate(const Lanes *p, const LaneVelocities *V)
{
    const Lanes *v1 = V->u[0], *v2 = V->u[1], *w1 = v1 + 3, *w2 = v2 + 3;
    Lanes a0 = p[0] * v1[0] - p[0] * v2[0], a1 = p[1] * v1[1] - p[1] * v2[1], a2 = p[2] * v1[2] - p[2] * v2[2];
    Lanes a3 = p[3] * w1[0] + p[6] * w2[0], b0 = p[4] * w1[1] + p[7] * w2[1], b1 = p[5] * w1[2] + p[8] * w2[2];
    return ((a0 + a2) + b0) + ((a1 + a3) + b1);
}

/* V += M^-1 J^T d: `linear` is p, `turn` the six numbers I^-1 times its angular parts. */
LANE_INLINE void lanes_push(const Lanes inv_mass[2], const Lanes *linear, const Lanes *turn, Lanes d, LaneVelocities *V)
{
    for (int i = 0; i < 3; i++) {
        V->u[0][i] += d * (inv_mass[0] * linear[i]);
        V->u[0][3 + i] += d * turn[i];
        V->u[1][i] -= d * (inv_mass[1] * linear[i]);
        V->u[1][3 + i] += d * turn[3 + i];
    }
}

/* Takes back what happened to the lanes of the mask. */
LANE_INLINE void velocities_restore(LaneMask mask, const LaneVelocities *before, LaneVelocities *V)
{
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 6; c++)
            V->u[k][c] = lanes_choose(mask, before->u[k][c], V->u[k][c]);
}

/* V += M^-1 J^T d of row i. */
LANE_INLINE void point_push(const LanePoint *point, int i, Lanes d, LaneVelocities *V)
{
    lanes_push(point->inv_mass, point->row[i], point->row[i] + 9, d, V);
}

#endif
