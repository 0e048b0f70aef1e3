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
 * contact_place(world, &seat, &point, &pose) is where the point is at `pose`, contact_tangents its t1 and t2. A point
 * of a cylinder's side, or one that is pinned (model/contact/pins.h; block->rolls), is placed in a lane alone, LANES 1.
 */
#ifndef RIGOR_MODEL_CONTACT_PLACE_H
#define RIGOR_MODEL_CONTACT_PLACE_H

#include "model/collision/collide.h"
#include "model/contact/block_contact.h"
#include "model/lanes/both.h"

/* Of the manifolds: whose body carries the normal; and what some lane has, which the others then go along with. */
typedef struct ManifoldSeat {
    LaneMask on_1, on_2, along_cores;
    bool any_carried, any_along_cores;
    bool any_anchored; /* anchors are set only then */
} ManifoldSeat;

/* Of a point of each. */
typedef struct PointSeat {
    LanesVec3 normal, tangent; /* as found, in the carrier's frame and in the world's */
    Both reach;                /* m: r1, -r2 */
    BothVec3 anchor;
#if LANES == 1
    const Block *rolls; /* NULL: no surface is a cylinder's side */
#endif
} PointSeat;

/* From the block of a point of each manifold. */
LANE_INLINE ManifoldSeat manifold_seat(const Block *const block[LANES])
{
    Lanes carrier = LANE_FIELDS(block, carrier);
    ManifoldSeat seat;
    seat.on_1 = (LaneMask)(carrier == (double)NORMAL_ON_1);
    seat.on_2 = (LaneMask)(carrier == (double)NORMAL_ON_2);
    seat.along_cores = (LaneMask)(carrier == (double)NORMAL_ALONG_CORES);
    seat.any_carried = !mask_all(seat.along_cores);
    seat.any_along_cores = mask_any(seat.along_cores);
    seat.any_anchored = false;
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
    for (int i = 0; i < LANES; i++)
        seat[i] = block[i]->seat;
    lanes_gather_two(LANE_PLACES(seat, anchor[0].x), anchor);
    lanes_gather_two(LANE_PLACES(seat, normal[0].x), directions);
    point->normal = directions[0];
    point->tangent = directions[1];
    point->reach = both(LANE_FIELDS(seat, radius[0]), -LANE_FIELDS(seat, radius[1]));
#if LANES == 1
    point->rolls = block[0]->rolls ? block[0] : NULL;
#endif
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
    LanesVec3 carried = point->normal, along;
    if (seat->any_carried)
        carried = lanes_rotate(lanes_choose_quat(seat->on_2, both_get_quat(pose->q, 1), both_get_quat(pose->q, 0)),
                               point->normal);
    if (!seat->any_along_cores)
        return carried;
    LanesVec3 d = both_difference(*core);
    Lanes length = lanes_norm(d);
    along = lanes_choose_vec3((LaneMask)(length > CORES_MEET * world->length_scale), lanes_scale(1.0 / length, d),
                              point->normal);
    return seat->any_carried ? lanes_choose_vec3(seat->along_cores, along, carried) : along;
}

#if LANES == 1
/* Of a cylinder's side, and what it lies on: the point that is farthest along u beyond its core. */
static __attribute__((noinline, unused)) Vec3 contact_round(const World *world, const Block *block, int k, Quat q,
                                                            Vec3 u)
{
    Vec3 axis = contact_axis(world, block, k);
    double radius = block->seat->radius[k];
    return convex_round_offset(radius, vec3_is_zero(axis) ? axis : quat_rotate(q, axis), u);
}

LANE_INLINE BothVec3 contact_surfaces(const World *world, const PointSeat *point, const BothPose *pose, BothVec3 core,
                                      Vec3 n)
{
    if (!point->rolls)
        return both_add_along(core, point->reach, n);
    Vec3 to = contact_round(world, point->rolls, 0, both_get_quat(pose->q, 0), n);
    return both_add(core,
                    both_vec3(to, contact_round(world, point->rolls, 1, both_get_quat(pose->q, 1), vec3_negate(n))));
}
#else
LANE_INLINE BothVec3 contact_surfaces(const World *world, const PointSeat *point, const BothPose *pose, BothVec3 core,
                                      LanesVec3 n)
{
    (void)world, (void)pose;
    return both_add_along(core, point->reach, n);
}
#endif

LANE_INLINE ContactPlace contact_place_along(const World *world, const ManifoldSeat *seat, const PointSeat *point,
                                             const BothPose *pose, BothVec3 core, LanesVec3 n)
{
    ContactPlace place;
    place.core = core;
    place.n = n;
    place.p = contact_surfaces(world, point, pose, core, n);
    LanesVec3 at = lanes_choose_vec3(seat->on_1, both_get_vec3(place.p, 1), both_get_vec3(place.p, 0));
    place.at = both_vec3(at, at);
    place.C = lanes_dot(n, both_difference(place.p));
    return place;
}

#if LANES == 1
/* Each body is pushed at its own anchor; the gap is what it was there, and how far they moved apart. */
static __attribute__((noinline, unused)) ContactPlace contact_place_pinned(const BlockSeat *seat, BothVec3 core)
{
    ContactPlace place = {.core = core, .at = core, .n = seat->normal[0]};
    Vec3 p2 = vec3_add_scaled(both_get_vec3(core, 1), seat->rest, place.n);
    place.p = both_vec3(both_get_vec3(core, 0), p2);
    place.C = lanes_dot(place.n, both_difference(place.p));
    return place;
}
#endif

LANE_INLINE ContactPlace contact_place(const World *world, const ManifoldSeat *seat, const PointSeat *point,
                                       const BothPose *pose)
{
    BothVec3 core = contact_cores(seat, point, pose);
#if LANES == 1
    if (point->rolls && point->rolls->carrier == NORMAL_IN_WORLD)
        return contact_place_pinned(point->rolls->seat, core);
#endif
    return contact_place_along(world, seat, point, pose, core, contact_normal(world, seat, point, pose, &core));
}

/* The tangent of detection, laid into the plane of n, and n x t1. */
LANE_INLINE void contact_tangents(const PointSeat *point, LanesVec3 n, LanesVec3 t[2])
{
    LanesVec3 flat = lanes_add_scaled(point->tangent, -lanes_dot(n, point->tangent), n);
    Lanes length = lanes_norm(flat);
    LaneMask lies = (LaneMask)(length > 0.0);
    t[0] = lanes_scale(1.0 / length, flat);
    for (int i = 0; i < LANES && !mask_all(lies); i++) {
        LaneMask other = mask_first(i + 1) & mask_not(mask_first(i) | lies);
        t[0] = lanes_choose_vec3(other, lanes_same(vec3_any_normal(lane_vec3(n, i))), t[0]);
    }
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
