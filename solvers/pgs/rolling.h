/* SPDX-License-Identifier: MIT */
/* Friction against rolling and spinning as rows of their own at each contact point: of the relative turning w = w2 - w1
 *     n.w = 0,  |lambda_n| <= spin_friction x N        t1.w = t2.w = 0,  |lambda_t| <= rolling_friction x N
 * with N the point's normal impulse as the sweep has it, lambda in N m s. Stopped within the bound, or at it and
 * against the turning, by the same law as sliding friction (solvers/contact/law.h). The rows come after all others of a
 * sweep, and are warm started by point. */
#ifndef RIGOR_SOLVERS_PGS_ROLLING_H
#define RIGOR_SOLVERS_PGS_ROLLING_H

#include "solvers/contact/point_memory.h"

typedef struct RollingPoint {
    int block, body[2];
    double spin, roll; /* m */
    Vec3 axis[3];      /* n, t1, t2 */
    double A[3][3];    /* of the three rows: I1^-1 + I2^-1 along the axes */
} RollingPoint;

/* Begins as all zero. */
typedef struct Rolling {
    PointMemory memory; /* of each contact point its lambda, N m s, in the world */
    int capacity, count;
    RollingPoint *points; /* those that resist */
    int *memory_at;       /* which of the memory's is theirs */
} Rolling;

/* False when out of memory; nothing else allocates. */
bool rolling_reserve(Rolling *rolling, const World *world);
void rolling_free(Rolling *rolling);

/* The rows at the current poses, with a share `keep` of the last multipliers, which is applied to the velocities. */
void rolling_begin(Rolling *rolling, World *world, double keep);

/* One sweep against the world's block_impulse, whose normals must be current; returns the rows solved. */
long rolling_sweep(Rolling *rolling, World *world);

#endif
