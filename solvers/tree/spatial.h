/* SPDX-License-Identifier: MIT */
/* Spatial vectors, (angular, linear), and sums over six numbers at a time: one AVX and one SSE register, or three of
 * SSE. Every number is summed in the order that is written, so the bits are the same either way. */
#ifndef RIGOR_SOLVERS_TREE_SPATIAL_H
#define RIGOR_SOLVERS_TREE_SPATIAL_H

#include "model/lanes/row.h"

#include <string.h>

typedef struct Six {
    Lanes4 a;
    Lanes2 b;
} Six;

LANE_INLINE Six six_load(const double x[6])
{
    return (Six){*(const Lanes4 *)x, *(const Lanes2 *)(x + 4)};
}

LANE_INLINE void six_store(double x[6], Six s)
{
    *(Lanes4 *)x = s.a;
    *(Lanes2 *)(x + 4) = s.b;
}

LANE_INLINE Six six_scale(double s, Six x)
{
    return (Six){s * x.a, s * x.b};
}

LANE_INLINE Six six_add_scaled(Six x, double s, Six y)
{
    return (Six){x.a + s * y.a, x.b + s * y.b};
}

static inline Vec3 angular(const double a[6])
{
    return vec3(a[0], a[1], a[2]);
}

static inline Vec3 linear(const double a[6])
{
    return vec3(a[3], a[4], a[5]);
}

static inline void spatial_set(double a[6], Vec3 w, Vec3 v)
{
    double values[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
    memcpy(a, values, sizeof values);
}

static inline double spatial_dot(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static inline void spatial_add_scaled(double a[6], double s, const double b[6])
{
    for (int i = 0; i < 6; i++)
        a[i] += s * b[i];
}

#endif
