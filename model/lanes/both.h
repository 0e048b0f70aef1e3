/* SPDX-License-Identifier: MIT */
/* Numbers, vectors and quaternions of the two bodies of a row, of each lane. One lane: a register of two holds both
 * bodies. More lanes: a register for the first bodies and one for the second. Each number is computed as model/math3.h
 * has it. Where a vector is the same for both bodies, it is a LanesVec3. */
#ifndef RIGOR_MODEL_LANES_BOTH_H
#define RIGOR_MODEL_LANES_BOTH_H

#include "model/lanes/vectors.h"

#if LANES == 1
typedef Lanes2 Both;
typedef LaneMask2 BothMask;

LANE_INLINE Both both(Lanes one, Lanes other)
{
    return (Both){one, other};
}

LANE_INLINE Lanes both_get(Both a, int k)
{
    return a[k];
}

#define BOTH_BY(name, operator)                                                                                        \
    LANE_INLINE Both name(Both a, Both b)                                                                              \
    {                                                                                                                  \
        return a operator b;                                                                                           \
    }

#define BOTH_COMPARED(name, operator)                                                                                  \
    LANE_INLINE BothMask name(Both a, Both b)                                                                          \
    {                                                                                                                  \
        return (BothMask)(a operator b);                                                                               \
    }

#define BOTH_MASK_BY(name, operator)                                                                                   \
    LANE_INLINE BothMask name(BothMask a, BothMask b)                                                                  \
    {                                                                                                                  \
        return a operator b;                                                                                           \
    }

LANE_INLINE BothMask both_mask_and(BothMask mask, LaneMask of_lane)
{
    return mask & -(long long)of_lane;
}

LANE_INLINE LaneMask both_mask_get(BothMask mask, int k)
{
    return mask[k] != 0;
}

/* mask ? a : b, body by body */
LANE_INLINE Both both_choose(BothMask mask, Both a, Both b)
{
    return (Both)(((BothMask)a & mask) | ((BothMask)b & ~mask));
}
#else
typedef struct Both {
    Lanes of[2];
} Both;

typedef struct BothMask {
    LaneMask of[2];
} BothMask;

LANE_INLINE Both both(Lanes one, Lanes other)
{
    return (Both){{one, other}};
}

LANE_INLINE Lanes both_get(Both a, int k)
{
    return a.of[k];
}

#define BOTH_BY(name, operator)                                                                                        \
    LANE_INLINE Both name(Both a, Both b)                                                                              \
    {                                                                                                                  \
        return (Both){{a.of[0] operator b.of[0], a.of[1] operator b.of[1] } };                                         \
    }

#define BOTH_COMPARED(name, operator)                                                                                  \
    LANE_INLINE BothMask name(Both a, Both b)                                                                          \
    {                                                                                                                  \
        return (BothMask){{(LaneMask)(a.of[0] operator b.of[0]), (LaneMask)(a.of[1] operator b.of[1])}};               \
    }

#define BOTH_MASK_BY(name, operator)                                                                                   \
    LANE_INLINE BothMask name(BothMask a, BothMask b)                                                                  \
    {                                                                                                                  \
        return (BothMask){{a.of[0] operator b.of[0], a.of[1] operator b.of[1] } };                                     \
    }

LANE_INLINE BothMask both_mask_and(BothMask mask, LaneMask of_lane)
{
    return (BothMask){{mask.of[0] & of_lane, mask.of[1] & of_lane}};
}

LANE_INLINE LaneMask both_mask_get(BothMask mask, int k)
{
    return mask.of[k];
}

LANE_INLINE Both both_choose(BothMask mask, Both a, Both b)
{
    return (Both){{lanes_choose(mask.of[0], a.of[0], b.of[0]), lanes_choose(mask.of[1], a.of[1], b.of[1])}};
}
#endif

BOTH_BY(both_plus, +)
BOTH_BY(both_minus, -)
BOTH_BY(both_times, *)
BOTH_COMPARED(both_equal, ==)
BOTH_COMPARED(both_unequal, !=)
BOTH_MASK_BY(both_masks, &)
BOTH_MASK_BY(both_either_mask, |)

/* a + b c, a - b c */
LANE_INLINE Both both_more(Both a, Both b, Both c)
{
    return both_plus(a, both_times(b, c));
}

LANE_INLINE Both both_less(Both a, Both b, Both c)
{
    return both_minus(a, both_times(b, c));
}

LANE_INLINE Both both_same(Lanes a)
{
    return both(a, a);
}

LANE_INLINE Lanes both_sum(Both a)
{
    return both_get(a, 0) + both_get(a, 1);
}

LANE_INLINE BothMask both_not_zero(Both a)
{
    return both_unequal(a, both_same(lanes_all(0.0)));
}

/* The same of both bodies; and lanes of which both bodies, or one, are in the mask. */
LANE_INLINE BothMask both_mask(LaneMask of_lane)
{
    Both one = both_same(lanes_all(1.0));
    return both_mask_and(both_equal(one, one), of_lane);
}

LANE_INLINE LaneMask mask_of_each(BothMask mask)
{
    return both_mask_get(mask, 0) & both_mask_get(mask, 1);
}

LANE_INLINE LaneMask mask_of_either(BothMask mask)
{
    return both_mask_get(mask, 0) | both_mask_get(mask, 1);
}

typedef struct BothVec3 {
    Both x, y, z;
} BothVec3;

typedef struct BothQuat {
    Both w, x, y, z;
} BothQuat;

typedef struct BothPose {
    BothVec3 x;
    BothQuat q;
} BothPose;

typedef struct BothVelocity {
    BothVec3 v, w;
} BothVelocity;

LANE_INLINE BothVec3 both_vec3(LanesVec3 one, LanesVec3 other)
{
    return (BothVec3){both(one.x, other.x), both(one.y, other.y), both(one.z, other.z)};
}

LANE_INLINE LanesVec3 both_get_vec3(BothVec3 a, int k)
{
    return (LanesVec3){both_get(a.x, k), both_get(a.y, k), both_get(a.z, k)};
}

LANE_INLINE BothQuat both_quat(LanesQuat one, LanesQuat other)
{
    return (BothQuat){both(one.w, other.w), both(one.x, other.x), both(one.y, other.y), both(one.z, other.z)};
}

LANE_INLINE LanesQuat both_get_quat(BothQuat q, int k)
{
    return (LanesQuat){both_get(q.w, k), both_get(q.x, k), both_get(q.y, k), both_get(q.z, k)};
}

/* Of the second body against the first. */
LANE_INLINE LanesVec3 both_difference(BothVec3 a)
{
    return lanes_sub(both_get_vec3(a, 1), both_get_vec3(a, 0));
}

LANE_INLINE BothVec3 both_add(BothVec3 a, BothVec3 b)
{
    return (BothVec3){both_plus(a.x, b.x), both_plus(a.y, b.y), both_plus(a.z, b.z)};
}

LANE_INLINE BothVec3 both_sub(BothVec3 a, BothVec3 b)
{
    return (BothVec3){both_minus(a.x, b.x), both_minus(a.y, b.y), both_minus(a.z, b.z)};
}

/* a - b of each body */
LANE_INLINE BothVec3 both_from(LanesVec3 a, BothVec3 b)
{
    return both_sub(both_vec3(a, a), b);
}

/* Component by component, or all by one number. */
LANE_INLINE BothVec3 both_mul(BothVec3 d, BothVec3 a)
{
    return (BothVec3){both_times(d.x, a.x), both_times(d.y, a.y), both_times(d.z, a.z)};
}

LANE_INLINE BothVec3 both_scale(Both s, BothVec3 a)
{
    return (BothVec3){both_times(s, a.x), both_times(s, a.y), both_times(s, a.z)};
}

LANE_INLINE BothVec3 both_add_scaled(BothVec3 a, Both s, BothVec3 b)
{
    return both_add(a, both_scale(s, b));
}

/* a + s u */
LANE_INLINE BothVec3 both_add_along(BothVec3 a, Both s, LanesVec3 u)
{
    return both_add_scaled(a, s, both_vec3(u, u));
}

LANE_INLINE Both both_dot(BothVec3 a, BothVec3 b)
{
    return both_more(both_more(both_times(a.x, b.x), a.y, b.y), a.z, b.z);
}

LANE_INLINE BothVec3 both_cross(BothVec3 a, BothVec3 b)
{
    return (BothVec3){both_less(both_times(a.y, b.z), a.z, b.y), both_less(both_times(a.z, b.x), a.x, b.z),
                      both_less(both_times(a.x, b.y), a.y, b.x)};
}

LANE_INLINE BothQuat both_conj(BothQuat q)
{
    const Both none = both_same(lanes_all(-0.0));
    return (BothQuat){q.w, both_minus(none, q.x), both_minus(none, q.y), both_minus(none, q.z)};
}

/* q a q^-1 = a + w t + u x t with t = 2 u x a. The factor 2 goes to what is there first: here a, */
LANE_INLINE BothVec3 both_rotate(BothQuat q, BothVec3 a)
{
    BothVec3 u = {q.x, q.y, q.z}, t = both_cross(u, both_add(a, a));
    return both_add(both_add_scaled(a, q.w, t), both_cross(u, t));
}

/* and here q. */
LANE_INLINE BothVec3 both_rotate_inverse(BothQuat q, BothVec3 a)
{
    BothQuat back = both_conj(q);
    BothVec3 u = {back.x, back.y, back.z}, t = both_cross(both_add(u, u), a);
    return both_add(both_add_scaled(a, q.w, t), both_cross(u, t));
}

/* a b: turn by b, then by a */
LANE_INLINE BothQuat both_quat_mul(BothQuat a, BothQuat b)
{
    BothQuat q = {both_times(a.w, b.w), both_times(a.w, b.x), both_times(a.w, b.y), both_times(a.w, b.z)};
    q.w = both_less(both_less(both_less(q.w, a.x, b.x), a.y, b.y), a.z, b.z);
    q.x = both_less(both_more(both_more(q.x, a.x, b.w), a.y, b.z), a.z, b.y);
    q.y = both_more(both_more(both_less(q.y, a.x, b.z), a.y, b.w), a.z, b.x);
    q.z = both_more(both_less(both_more(q.z, a.x, b.y), a.y, b.x), a.z, b.w);
    return q;
}

/* q / |q|, as quat_unit has it. */
LANE_INLINE BothQuat both_unit(BothQuat q)
{
    Both one = both_same(lanes_all(1.0));
    Both squared = both_more(both_more(both_more(both_times(q.w, q.w), q.x, q.x), q.y, q.y), q.z, q.z);
    Both e = both_minus(squared, one), s = both_times(e, both_same(lanes_all(0.3125)));
    s = both_times(e, both_minus(both_same(lanes_all(0.375)), s));
    s = both_minus(one, both_times(e, both_minus(both_same(lanes_all(0.5)), s)));
    LaneMask is_near = (LaneMask)(lanes_abs(both_get(e, 0)) < 1e-4) & (LaneMask)(lanes_abs(both_get(e, 1)) < 1e-4);
    if (!mask_all(is_near))
        s = both(lanes_unit_scale(both_get(squared, 0)), lanes_unit_scale(both_get(squared, 1)));
    return (BothQuat){both_times(s, q.w), both_times(s, q.x), both_times(s, q.y), both_times(s, q.z)};
}

LANE_INLINE BothVec3 both_choose_vec3(BothMask mask, BothVec3 a, BothVec3 b)
{
    return (BothVec3){both_choose(mask, a.x, b.x), both_choose(mask, a.y, b.y), both_choose(mask, a.z, b.z)};
}

LANE_INLINE BothQuat both_choose_quat(BothMask mask, BothQuat a, BothQuat b)
{
    return (BothQuat){both_choose(mask, a.w, b.w), both_choose(mask, a.x, b.x), both_choose(mask, a.y, b.y),
                      both_choose(mask, a.z, b.z)};
}

/* The bodies of each lane: first ones, then second ones; of one lane a row's body[2]. */
LANE_INLINE BothPose both_gather_poses(const Pose *pose, const int body[2 * LANES])
{
    LanesPose one = lanes_gather_poses(pose, body), other = lanes_gather_poses(pose, body + LANES);
    return (BothPose){both_vec3(one.x, other.x), both_quat(one.q, other.q)};
}

LANE_INLINE BothVelocity both_gather_velocities(const Velocity *velocity, const int body[2 * LANES])
{
    LanesVelocity one = lanes_gather_velocities(velocity, body),
                  other = lanes_gather_velocities(velocity, body + LANES);
    return (BothVelocity){both_vec3(one.v, other.v), both_vec3(one.w, other.w)};
}

#endif
