/* SPDX-License-Identifier: MIT */
/* I^-1 of each body in the world, four bodies at once. */
#include "model/lanes/vectors.h"
#include "solvers/rows/joint_rows.h"

LANE_CHOICE(bodies_inv_inertia)

/* Nine numbers each: two times four, and the last four over again. */
LANE_INLINE void symmetric_store(LanesSymmetric a, Mat3 *to)
{
    double *p[3][LANES];
    for (int i = 0; i < LANES; i++) {
        p[0][i] = to[i].m[0];
        p[1][i] = &to[i].m[1][1];
        p[2][i] = &to[i].m[1][2];
    }
    lanes_scatter(p[0], a.xx, a.xy, a.xz, a.xy);
    lanes_scatter(p[1], a.yy, a.yz, a.xz, a.yz);
    lanes_scatter(p[2], a.yz, a.xz, a.yz, a.zz);
}

long LANE_BODY(bodies_inv_inertia)(void *context, int from, int to)
{
    const World *world = ((const RowWork *)context)->world;
    Mat3 *inv_inertia = ((const RowWork *)context)->system->inv_inertia;
    int i = from;
    for (; i + LANES <= to; i += LANES) {
        LanesQuat q = lanes_gather_quat(LANE_ELEMENTS(world->pose, LANES_IN_A_ROW(i), q.w));
        LanesVec3 moments = lanes_gather_inv_inertia(world->mass, LANES_IN_A_ROW(i));
        symmetric_store(lanes_turn_diagonal(q, moments), &inv_inertia[i]);
    }
    for (; i < to; i++)
        inv_inertia[i] = world_inv_inertia(world, i);
    return 0;
}
