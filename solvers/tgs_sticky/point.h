/* SPDX-License-Identifier: MIT */
/* A contact point whose friction has a memory: two anchors, one in each body, which friction draws together. Impulses
 * are summed over the substeps of a frame. */
#ifndef RIGOR_SOLVERS_TGS_STICKY_POINT_H
#define RIGOR_SOLVERS_TGS_STICKY_POINT_H

#include "solvers/position/point.h"

/* What is kept of a point. */
typedef struct StickyMemory {
    bool anchored, slips; /* slips: the bound was reached in this frame */
    int points;           /* of its pair, when it was anchored */
    Vec3 anchor[2];       /* in the bodies' frames */
    Vec3 normal[2];       /* likewise, as anchored */
    /* N s on body 2, since the frame began and until this substep; torsion: the pair's, at its first point. */
    double normal_impulse, normal_before, torsion, torsion_before;
    Vec3 friction, friction_before;
} StickyMemory;

/* A point as the substep begins. */
typedef struct StickyRow {
    StickyMemory *memory;
    int body[2];
    Point normal, friction; /* with their arms; both have the normal n */
    double gap;             /* m, s_n */
    Vec3 offset;            /* m, s_t: anchor 2 against anchor 1, in the plane of n */
    double weight;          /* w1 + w2 along n */
    Mat3 stop;              /* the push that stops a slip at once */
    double slide;           /* the inverse of the largest response to one: a step whose fixed point opposes the slip */
    double mu;
} StickyRow;

/* As a frame begins: the anchors of a pair hold on all together, or are all set anew. They hold while their normals
 * agree, they are no further than `reach` (m) apart along them, and the pair has the same points and did not slip. */
void sticky_renew_anchors(StickyMemory *points, const World *world, const ManifoldBlocks *manifold, double reach);

/* The row of a point, at the current poses, of a pair with that many points. */
void sticky_prepare_point(StickyRow *row, StickyMemory *memory, const World *world, const World *then,
                          const Block *block, int points);

/* n.(velocity of 2 - velocity of 1) */
static inline double sticky_normal_speed(const StickyRow *row, const Velocity *velocity)
{
    BothVelocity V = both_gather_velocities(velocity, row->body);
    return vec3_dot(row->normal.n, point_velocity(&V, &row->normal));
}

/* lambda_n + d >= 0 */
void sticky_push(World *world, StickyRow *row, double d);

/* Friction towards v_t = -bias within the bound; whether that was reached. */
bool sticky_rub(World *world, StickyRow *row, Vec3 bias, double bound);

/* Spin friction of a patch: a torque about n within 2/3 mu R times the load, whatever the force. */
void sticky_spin(World *world, const Block *block, StickyRow *first, double load);

#endif
