/* SPDX-License-Identifier: MIT */
/* Where a block's points, axes and turn are at the current poses: for block.c and model/block/bias.c. */
#ifndef RIGOR_MODEL_BLOCK_POSE_H
#define RIGOR_MODEL_BLOCK_POSE_H

#include "model/world.h"

/* |a1 x a2| below this: the direction of a swing is undefined, and any normal will do at 180 degrees. */
#define SWING_MIN_SINE 1e-9
/* Two points closer than this part of the length scale have no direction between them. */
#define MIN_DISTANCE 1e-12

static inline Quat block_quat1(const World *world, const Block *block)
{
    return world->pose[block->body[0]].q;
}

static inline Vec3 block_axis1(const World *world, const Block *block)
{
    return quat_rotate(block_quat1(world, block), block_terms(block)->axis[0]);
}

static inline Vec3 block_axis2(const World *world, const Block *block)
{
    return quat_rotate(world->pose[block->body[1]].q, block_terms(block)->axis[1]);
}

/* Body 2's turn since it was placed, seen from body 1: q1^-1 q2 (q1^-1 q2)_placed^-1. */
static inline Quat block_turn(const World *world, const Block *block)
{
    Quat relative = quat_mul(quat_conj(block_quat1(world, block)), world->pose[block->body[1]].q);
    Quat turn = quat_mul(relative, quat_conj(block_terms(block)->placed));
    return turn.w < 0.0 ? (Quat){-turn.w, -turn.x, -turn.y, -turn.z} : turn;
}

/* Arms from the centres to the anchors, and p2 - p1. */
typedef struct Span {
    Vec3 r1, r2, d;
} Span;

static inline Span block_span(const World *world, const Block *block)
{
    const Pose *one = &world->pose[block->body[0]], *two = &world->pose[block->body[1]];
    Span span = {quat_rotate(one->q, block->seat->anchor[0]), quat_rotate(two->q, block->seat->anchor[1]), VEC3_ZERO};
    span.d = vec3_sub(vec3_add(two->x, span.r2), vec3_add(one->x, span.r1));
    return span;
}

/* The circle's centre is body 1's anchor. Returns |radial part| and its unit direction; the axial part is a.d. */
static inline double wire_radial(const World *world, Vec3 d, Vec3 a, Vec3 *unit)
{
    Vec3 radial = vec3_add_scaled(d, -vec3_dot(a, d), a);
    double distance = vec3_norm(radial);
    *unit = distance > MIN_DISTANCE * world->length_scale ? vec3_scale(1.0 / distance, radial) : vec3_any_normal(a);
    return distance;
}

#endif
