/* SPDX-License-Identifier: MIT */
/* Where contact points are at the poses of their bodies, a lane each: the one text of a contact's geometry.
 *
 *     core     the anchor of each body: centre of a sphere, corner, point of an axis
 *     n        turns with the body whose face it belongs to (its carrier), or lies along the cores
 *     p        core 1 + r1 n, core 2 - r2 n: the surfaces
 *     at       where force acts on each: on the surface of the body that does not carry n
 *     C        n.(p2 - p1)
 *     slip     the part normal to n of how far body 2's material moved over body 1's where they touched as the substep
 *              began
 *
 * Fill a ManifoldSeat once a manifold and a PointSeat once a point from their blocks; no pose changes them. Then
 * contact_place(world, &seat, &point, &pose) is where the point is at `pose`, contact_tangents its t1 and t2. Pinned
 * points (model/contact/pins.h) stay at their anchors. */
#ifndef RIGOR_MODEL_CONTACT_PLACE_H
#define RIGOR_MODEL_CONTACT_PLACE_H

#include "model/collision/collide.h"
#include "model/contact/block_contact.h"
#include "model/lanes/both.h"

/* Of the manifolds: whose body carries the normal; and what some lane has, which the others then go along with. */
typedef struct ManifoldSeat {
    LaneMask on_1, on_2, along_cores, pinned;
    bool any_carried, any_along_cores, any_pinned;
    bool any_rolls;    /* a surface is a cylinder's side; blocks are set only then */
    bool any_anchored; /* anchors are set only then */
} ManifoldSeat;

/* Of a point of each. */
typedef struct PointSeat {
    LanesVec3 normal, tangent; /* as found, in the carrier's frame and in the world's */
    Both reach;                /* m: r1, -r2 */
    BothVec3 anchor;
    Lanes rest; /* m: gap as found, where it is pinned */
    const Block *block[LANES];
} PointSeat;

/* From the block of a point of each manifold. */
LANE_INLINE ManifoldSeat manifold_seat(const Block *const block[LANES])
{
    Lanes carrier = LANE_FIELDS(block, carrier);
    ManifoldSeat seat;
    seat.on_1 = (LaneMask)(carrier == (double)NORMAL_ON_1);
    seat.on_2 = (LaneMask)(carrier == (double)NORMAL_ON_2);
    seat.along_cores = (LaneMask)(carrier == (double)NORMAL_ALONG_CORES);
    seat.pinned = (LaneMask)(carrier == (double)NORMAL_IN_WORLD);
    seat.any_carried = mask_any(seat.on_1 | seat.on_2);
    seat.any_along_cores = mask_any(seat.along_cores);
    seat.any_pinned = mask_any(seat.pinned);
    seat.any_rolls = seat.any_anchored = false;
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        seat.any_rolls |= block[i]->rolls && block[i]->carrier != NORMAL_IN_WORLD;
    return seat;
}

/* Anchors all at the bodies' centres need no turning. */
LANE_INLINE LaneMask anchors_centred(const BothVec3 *anchor)
{
    BothMask turned = both_either_mask(both_not_zero(anchor->x), both_not_zero(anchor->y));
    return mask_not(mask_of_either(both_either_mask(turned, both_not_zero(anchor->z))));
}

_Static_assert(offsetof(BlockSeat, anchor[1]) == offsetof(BlockSeat, anchor[0]) + sizeof(Vec3), "six numbers");
_Static_assert(offsetof(BlockSeat, normal[1]) == offsetof(BlockSeat, normal[0]) + sizeof(Vec3), "six numbers");

/* The manifold's any_anchored grows with it. */
LANE_INLINE void point_seat(const Block *const block[LANES], ManifoldSeat *manifold, PointSeat *point)
{
    const BlockSeat *seat[LANES];
    LanesVec3 directions[2], anchor[2];
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        seat[i] = block[i]->seat;
    lanes_gather_two(LANE_PLACES(seat, anchor[0].x), anchor);
    lanes_gather_two(LANE_PLACES(seat, normal[0].x), directions);
    point->normal = directions[0];
    point->tangent = directions[1];
    point->reach = both(LANE_FIELDS(seat, radius[0]), -LANE_FIELDS(seat, radius[1]));
    for (int i = 0; i < LANES && manifold->any_rolls; i++)
        point->block[i] = block[i];
    if (manifold->any_pinned)
        point->rest = LANE_FIELDS(seat, rest);
    BothVec3 anchors = both_vec3(anchor[0], anchor[1]);
    if (!manifold->any_anchored && mask_all(anchors_centred(&anchors)))
        return;
    manifold->any_anchored = true;
    point->anchor = anchors;
}

typedef struct ContactPlace {
    BothVec3 core, p, at;
    LanesVec3 n;
    Lanes C; /* m */
} ContactPlace;

LANE_INLINE BothVec3 contact_cores(const ManifoldSeat *seat, const PointSeat *point, const BothPose *pose)
{
    if (!seat->any_anchored)
        return pose->x;
    LaneMask turned = mask_not(anchors_centred(&point->anchor));
    BothVec3 core = both_add(pose->x, both_rotate(pose->q, point->anchor));
    if (mask_all(turned))
        return core;
    return both_choose_vec3(both_mask(turned), core, pose->x);
}

LANE_INLINE LanesVec3 contact_normal(const World *world, const ManifoldSeat *seat, const PointSeat *point,
                                     const BothPose *pose, const BothVec3 *core)
{
    LanesVec3 n = point->normal;
    if (seat->any_carried)
        n = lanes_rotate(lanes_choose_quat(seat->on_2, both_get_quat(pose->q, 1), both_get_quat(pose->q, 0)), n);
    if (seat->any_along_cores) {
        LanesVec3 d = both_difference(*core);
        Lanes length = lanes_norm(d);
        LaneMask apart = (LaneMask)(length > CORES_MEET * world->length_scale);
        LanesVec3 along = lanes_choose_vec3(apart, lanes_scale(1.0 / length, d), point->normal);
        n = seat->any_carried ? lanes_choose_vec3(seat->along_cores, along, n) : along;
    }
    return seat->any_pinned ? lanes_choose_vec3(seat->pinned, point->normal, n) : n;
}

/* Of cylinders' sides and ellipsoids, and what they lie on: the points that are farthest along n and -n beyond their
 * cores. */
static __attribute__((noinline, unused)) void contact_rounds(const World *world, const PointSeat *point,
                                                             const BothPose *pose, const LanesVec3 *n, BothVec3 *p)
{
    LanesVec3 to[2];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < LANES; i++) {
            Vec3 u = lane_vec3(*n, i);
            Quat turn = lane_quat(both_get_quat(pose->q, k), i);
            lane_set_vec3(&to[k], i, contact_round(world, point->block[i], k, turn, k ? vec3_negate(u) : u));
        }
    *p = both_add(*p, both_vec3(to[0], to[1]));
}

LANE_INLINE ContactPlace contact_place_along(const World *world, const ManifoldSeat *seat, const PointSeat *point,
                                             const BothPose *pose, BothVec3 core, LanesVec3 n)
{
    ContactPlace place = {.core = core, .n = n};
    place.p = both_add_along(core, point->reach, n);
    if (seat->any_rolls) {
        BothVec3 rolled = core;
        LanesVec3 along = n;
        contact_rounds(world, point, pose, &along, &rolled);
        place.p = rolled;
    }
    LanesVec3 at = lanes_choose_vec3(seat->on_1, both_get_vec3(place.p, 1), both_get_vec3(place.p, 0));
    place.at = both_vec3(at, at);
    if (seat->any_pinned) { /* each body is pushed at its own anchor; the gap is what it was there, and how far they
                               moved */
        BothMask pinned = both_mask(seat->pinned);
        LanesVec3 one = both_get_vec3(core, 0), two = lanes_add_scaled(both_get_vec3(core, 1), point->rest, n);
        place.p = both_choose_vec3(pinned, both_vec3(one, two), place.p);
        place.at = both_choose_vec3(pinned, core, place.at);
    }
    place.C = lanes_dot(n, both_difference(place.p));
    return place;
}

LANE_INLINE ContactPlace contact_place(const World *world, const ManifoldSeat *seat, const PointSeat *point,
                                       const BothPose *pose)
{
    BothVec3 core = contact_cores(seat, point, pose);
    return contact_place_along(world, seat, point, pose, core, contact_normal(world, seat, point, pose, &core));
}

/* The tangent of detection, laid into the plane of n, and n x t1. */
LANE_INLINE void contact_tangents(const PointSeat *point, LanesVec3 n, LanesVec3 t[2])
{
    LanesVec3 flat = lanes_add_scaled(point->tangent, -lanes_dot(n, point->tangent), n);
    Lanes length = lanes_norm(flat);
    t[0] = lanes_scale(1.0 / length, flat);
    for (int i = 0; i < LANES && !mask_all((LaneMask)(length > 0.0)); i++)
        if (!(lane(length, i) > 0.0))
            lane_set_vec3(&t[0], i, vec3_any_normal(lane_vec3(n, i)));
    t[1] = lanes_cross(n, t[0]);
}

/* The bodies since the substep began: where they were, how far their centres moved, and the turns q q_before^-1. */
typedef struct ContactTravel {
    BothPose from;
    BothVec3 shift;
    BothQuat turn;
} ContactTravel;

LANE_INLINE ContactTravel contact_travel(const World *world, const int body[2 * LANES], const BothPose *now)
{
    ContactTravel travel;
    travel.from = both_gather_poses(world->pose_before, body);
    travel.shift = both_sub(now->x, travel.from.x);
    travel.turn = both_quat_mul(now->q, both_conj(travel.from.q));
    return travel;
}

LANE_INLINE LanesVec3 contact_slip(const World *world, const ManifoldSeat *seat, const PointSeat *point, LanesVec3 n,
                                   const ContactTravel *travel)
{
    BothVec3 start = contact_place(world, seat, point, &travel->from).at;
    BothVec3 u = {travel->turn.x, travel->turn.y, travel->turn.z};
    BothVec3 t = both_cross(both_add(u, u), both_sub(start, travel->from.x));
    BothVec3 moved = both_add(travel->shift, both_add_scaled(both_cross(u, t), travel->turn.w, t));
    LanesVec3 slip = both_difference(moved);
    return lanes_add_scaled(slip, -lanes_dot(n, slip), n);
}

#endif
