/* SPDX-License-Identifier: MIT */
/* A vector along the lanes: x, y, z, and a number without meaning in the fourth. */
#ifndef RIGOR_MODEL_LANES_ROW_H
#define RIGOR_MODEL_LANES_ROW_H

#include "model/lanes.h"

/* Lanes 0 to 2, turned in a ring by one place, and by two. */
LANE_INLINE Lanes4 lane_row_next(Lanes4 x)
{
    return __builtin_shufflevector(x, x, 1, 2, 0, 3);
}

LANE_INLINE Lanes4 lane_row_after_next(Lanes4 x)
{
    return __builtin_shufflevector(x, x, 2, 0, 1, 3);
}

/* x u + y v + z w, summed in this order. */
LANE_INLINE Lanes4 lane_row_combine(double x, Lanes4 u, double y, Lanes4 v, double z, Lanes4 w)
{
    return x * u + y * v + z * w;
}

/* What follows the vector in memory is loaded, and not used, as the fourth lane: another number must be there. */
LANE_INLINE Lanes4 lane_row(const Vec3 *a)
{
    return *(const Lanes4 *)&a->x;
}

/* Likewise, the other way: what follows it in memory is written over. */
LANE_INLINE void lane_row_store(Vec3 *a, Lanes4 x)
{
    *(Lanes4 *)&a->x = x;
}

/* The three rows of a matrix; likewise. */
typedef struct LaneRows {
    Lanes4 row[3];
} LaneRows;

LANE_INLINE LaneRows lane_rows(const Mat3 *m)
{
    return (LaneRows){{*(const Lanes4 *)m->m[0], *(const Lanes4 *)m->m[1], *(const Lanes4 *)m->m[2]}};
}

/* M^T a: the products of the columns with a vector. */
LANE_INLINE Lanes4 lane_rows_columns_dot(const LaneRows *m, Vec3 a)
{
    return lane_row_combine(a.x, m->row[0], a.y, m->row[1], a.z, m->row[2]);
}

#endif
