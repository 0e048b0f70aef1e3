/* SPDX-License-Identifier: MIT */
/* Rows of a Jacobian over two bodies: (v1, w1, v2, w2). */
#ifndef RIGOR_MODEL_ROWS_ROW_H
#define RIGOR_MODEL_ROWS_ROW_H

#include "model/block.h"

/* Number by number: an array that is filled and then copied makes the copy wait for the numbers. */
static inline void row_set(double J[ROW_WIDTH], Vec3 v1, Vec3 w1, Vec3 v2, Vec3 w2)
{
    const Vec3 part[4] = {v1, w1, v2, w2};
    for (int k = 0; k < 4; k++) {
        J[3 * k] = part[k].x;
        J[3 * k + 1] = part[k].y;
        J[3 * k + 2] = part[k].z;
    }
}

/* u . (velocity at arm 2 of body 2 - velocity at arm 1 of body 1) */
static inline void row_linear(double J[ROW_WIDTH], Vec3 u, Vec3 arm1, Vec3 arm2)
{
    Vec3 c1 = vec3_cross(arm1, u), c2 = vec3_cross(arm2, u);
    row_set(J, vec3_negate(u), vec3_negate(c1), u, c2);
}

/* u . (w2 - w1) */
static inline void row_angular(double J[ROW_WIDTH], Vec3 u)
{
    row_set(J, VEC3_ZERO, vec3_negate(u), VEC3_ZERO, u);
}

#endif
