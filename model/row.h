/* Rows of a Jacobian over two bodies: (v1, w1, v2, w2). */
#ifndef RIGOR_MODEL_ROW_H
#define RIGOR_MODEL_ROW_H

#include "model/block.h"

#include <string.h>

/* u . (velocity at arm 2 of body 2 - velocity at arm 1 of body 1) */
static inline void row_linear(double J[ROW_WIDTH], Vec3 u, Vec3 arm1, Vec3 arm2)
{
    Vec3 c1 = vec3_cross(arm1, u), c2 = vec3_cross(arm2, u);
    double row[ROW_WIDTH] = {-u.x, -u.y, -u.z, -c1.x, -c1.y, -c1.z, u.x, u.y, u.z, c2.x, c2.y, c2.z};
    memcpy(J, row, sizeof row);
}

/* u . (w2 - w1) */
static inline void row_angular(double J[ROW_WIDTH], Vec3 u)
{
    double row[ROW_WIDTH] = {0, 0, 0, -u.x, -u.y, -u.z, 0, 0, 0, u.x, u.y, u.z};
    memcpy(J, row, sizeof row);
}

#endif
