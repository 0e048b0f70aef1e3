/* Where a contact is at the poses of its two bodies: what model/block_contact.c has of its frame, gap and slip, of both
 * bodies at once and to the same bits. */
#ifndef RIGOR_SOLVERS_POSITION_PLACE_H
#define RIGOR_SOLVERS_POSITION_PLACE_H

#include "model/block_contact.h"
#include "model/collide.h"
#include "solvers/position/two.h"

#include <string.h>

typedef struct Place {
    Vec3 n, at; /* the normal, and where force acts */
    double C;   /* m, n.(p2 - p1) */
} Place;

/* All six numbers: no bit of them is set, but for signs. */
TWO_INLINE bool place_are_zero(const Vec3 v[2])
{
    TwoMask bits[3];
    memcpy(bits, v, sizeof bits);
    TwoMask any = bits[0] | bits[1] | bits[2];
    return (unsigned long long)(any[0] | any[1]) << 1 == 0;
}

/* Core points: centres of spheres, corners, points of axes. */
TWO_INLINE TwoVec3 place_cores(const Block *block, const TwoPose *pose)
{
    if (place_are_zero(block->seat->anchor))
        return pose->x;
    return two_add(pose->x, two_rotate(pose->q, two_vec3(block->seat->anchor[0], block->seat->anchor[1])));
}

/* Along the cores, or as its carrier has turned. */
TWO_INLINE Vec3 place_normal(const World *world, const Block *block, const Pose *poses, const TwoVec3 *core)
{
    if (block->carrier != NORMAL_ALONG_CORES)
        return quat_rotate(poses[block->body[block->carrier == NORMAL_ON_2]].q, block->seat->normal[0]);
    Vec3 d = two_difference(*core);
    double length = vec3_norm(d);
    return length > CORES_MEET * world->length_scale ? vec3_scale(1.0 / length, d) : block->seat->normal[0];
}

/* The surface's point farthest along n, or -n, beyond the core. */
static __attribute__((noinline)) Vec3 place_round(const World *world, const Block *block, const Pose *poses, int k,
                                                  Vec3 n)
{
    Vec3 u = k ? vec3_negate(n) : n, axis = contact_axis(world, block, k);
    double radius = block->seat->radius[k];
    if (radius == 0.0 || vec3_is_zero(axis))
        return vec3_scale(radius, u);
    return convex_round_offset(radius, quat_rotate(poses[block->body[k]].q, axis), u);
}

TWO_INLINE TwoVec3 place_rounds(const World *world, const Block *block, const Pose *poses, Vec3 n)
{
    return two_vec3(place_round(world, block, poses, 0, n), place_round(world, block, poses, 1, n));
}

TWO_INLINE Place place_along(const World *world, const Block *block, const Pose *poses, TwoVec3 core, Vec3 n)
{
    const double *radius = block->seat->radius;
    TwoVec3 p = block->rolls ? two_add(core, place_rounds(world, block, poses, n))
                             : two_add_along(core, two(radius[0], -radius[1]), n);
    return (Place){n, block->carrier == NORMAL_ON_1 ? two_get(p, 1) : two_get(p, 0), vec3_dot(n, two_difference(p))};
}

/* `pose` is that of the block's bodies in `poses`. */
TWO_INLINE Place place_contact(const World *world, const Block *block, const Pose *poses, const TwoPose *pose)
{
    TwoVec3 core = place_cores(block, pose);
    return place_along(world, block, poses, core, place_normal(world, block, poses, &core));
}

/* The tangent of detection, laid into the plane of n, and n x t1. */
TWO_INLINE void place_tangents(const Block *block, Vec3 n, Vec3 t[2])
{
    Vec3 flat = vec3_add_scaled(block->seat->normal[1], -vec3_dot(n, block->seat->normal[1]), n);
    double length = vec3_norm(flat);
    t[0] = length > 0.0 ? vec3_scale(1.0 / length, flat) : vec3_any_normal(n);
    t[1] = vec3_cross(n, t[0]);
}

/* Both bodies since the substep began: where they were, how far their centres moved, and the turns q q_before^-1. */
typedef struct TwoTravel {
    TwoPose from;
    TwoVec3 shift;
    TwoQuat turn;
} TwoTravel;

TWO_INLINE TwoTravel place_travel(const World *world, const int body[2], const TwoPose *now)
{
    TwoTravel travel;
    travel.from = two_pose(world->pose_before, body);
    travel.shift = two_sub(now->x, travel.from.x);
    travel.turn = two_quat_mul(now->q, two_conj(travel.from.q));
    return travel;
}

/* The part normal to n of how far body 2's material moved over body 1's where they touched as the substep began. */
TWO_INLINE Vec3 place_slip(const World *world, const Block *block, Vec3 n, const TwoTravel *travel)
{
    Vec3 start = place_contact(world, block, world->pose_before, &travel->from).at;
    TwoVec3 u = {travel->turn.x, travel->turn.y, travel->turn.z};
    TwoVec3 t = two_cross(two_add(u, u), two_from(start, travel->from.x));
    TwoVec3 moved = two_add(travel->shift, two_add_scaled(two_cross(u, t), travel->turn.w, t));
    Vec3 slip = two_difference(moved);
    return vec3_add_scaled(slip, -vec3_dot(n, slip), n);
}

#endif
