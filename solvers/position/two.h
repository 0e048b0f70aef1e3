/* Vectors and quaternions of the two bodies of a row at once: each number is a register of two, one a body. Each half
 * is computed as model/math3.h has it. Where a vector is the same for both bodies, it is a Vec3. */
#ifndef RIGOR_SOLVERS_POSITION_TWO_H
#define RIGOR_SOLVERS_POSITION_TWO_H

#include "model/world.h"

#define TWO_INLINE static inline __attribute__((always_inline))

typedef double Two __attribute__((vector_size(16)));

/* Of each body: all bits or none. */
typedef long long TwoMask __attribute__((vector_size(16)));

typedef struct TwoVec3 {
    Two x, y, z;
} TwoVec3;

typedef struct TwoQuat {
    Two w, x, y, z;
} TwoQuat;

/* Where fmax and fmin, which look for NaN, would be calls. */
TWO_INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

TWO_INLINE double smaller(double a, double b)
{
    return a < b ? a : b;
}

TWO_INLINE Two two(double one, double other)
{
    return (Two){one, other};
}

TWO_INLINE Two two_same(double a)
{
    return (Two){a, a};
}

TWO_INLINE double two_sum(Two a)
{
    return a[0] + a[1];
}

TWO_INLINE TwoVec3 two_vec3(Vec3 one, Vec3 other)
{
    return (TwoVec3){two(one.x, other.x), two(one.y, other.y), two(one.z, other.z)};
}

TWO_INLINE Vec3 two_get(TwoVec3 a, int k)
{
    return vec3(a.x[k], a.y[k], a.z[k]);
}

/* Of the second body against the first. */
TWO_INLINE Vec3 two_difference(TwoVec3 a)
{
    return vec3(a.x[1] - a.x[0], a.y[1] - a.y[0], a.z[1] - a.z[0]);
}

TWO_INLINE TwoVec3 two_sub(TwoVec3 a, TwoVec3 b)
{
    return (TwoVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

TWO_INLINE TwoVec3 two_add(TwoVec3 a, TwoVec3 b)
{
    return (TwoVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* a - b of each body */
TWO_INLINE TwoVec3 two_from(Vec3 a, TwoVec3 b)
{
    return (TwoVec3){two_same(a.x) - b.x, two_same(a.y) - b.y, two_same(a.z) - b.z};
}

/* Component by component, or all by one number. */
TWO_INLINE TwoVec3 two_mul(TwoVec3 d, TwoVec3 a)
{
    return (TwoVec3){d.x * a.x, d.y * a.y, d.z * a.z};
}

TWO_INLINE TwoVec3 two_scale(Two s, TwoVec3 a)
{
    return (TwoVec3){s * a.x, s * a.y, s * a.z};
}

TWO_INLINE TwoVec3 two_add_scaled(TwoVec3 a, Two s, TwoVec3 b)
{
    return (TwoVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* a + s u */
TWO_INLINE TwoVec3 two_add_along(TwoVec3 a, Two s, Vec3 u)
{
    return (TwoVec3){a.x + s * two_same(u.x), a.y + s * two_same(u.y), a.z + s * two_same(u.z)};
}

TWO_INLINE Two two_dot(TwoVec3 a, TwoVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

TWO_INLINE TwoVec3 two_cross(TwoVec3 a, TwoVec3 b)
{
    return (TwoVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

TWO_INLINE TwoVec3 two_cross_with(TwoVec3 a, Vec3 u)
{
    return two_cross(a, two_vec3(u, u));
}

/* Both poses. */
typedef struct TwoPose {
    TwoVec3 x;
    TwoQuat q;
} TwoPose;

TWO_INLINE TwoPose two_pose(const Pose *pose, const int body[2])
{
    const Pose *a = &pose[body[0]], *b = &pose[body[1]];
    return (TwoPose){two_vec3(a->x, b->x),
                     {two(a->q.w, b->q.w), two(a->q.x, b->q.x), two(a->q.y, b->q.y), two(a->q.z, b->q.z)}};
}

/* q a q^-1 = a + w t + u x t with t = 2 u x a. The factor 2 goes to what is there first: here a, */
TWO_INLINE TwoVec3 two_rotate(TwoQuat q, TwoVec3 a)
{
    TwoVec3 u = {q.x, q.y, q.z}, t = two_cross(u, two_add(a, a));
    return two_add(two_add_scaled(a, q.w, t), two_cross(u, t));
}

TWO_INLINE TwoQuat two_conj(TwoQuat q)
{
    return (TwoQuat){q.w, -q.x, -q.y, -q.z};
}

/* and here q. */
TWO_INLINE TwoVec3 two_rotate_inverse(TwoQuat q, TwoVec3 a)
{
    TwoVec3 u = {-q.x, -q.y, -q.z}, t = two_cross(two_add(u, u), a);
    return two_add(two_add_scaled(a, q.w, t), two_cross(u, t));
}

/* a b: turn by b, then by a */
TWO_INLINE TwoQuat two_quat_mul(TwoQuat a, TwoQuat b)
{
    return (TwoQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* q / |q|, as quat_unit has it. */
TWO_INLINE TwoQuat two_unit(TwoQuat q)
{
    Two squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, e = squared - 1.0;
    Two s = 1.0 - e * (0.5 - e * (0.375 - e * 0.3125));
    if (!(fabs(e[0]) < 1e-4 && fabs(e[1]) < 1e-4))
        s = two(fabs(e[0]) < 1e-4 ? s[0] : 1.0 / sqrt(squared[0]), fabs(e[1]) < 1e-4 ? s[1] : 1.0 / sqrt(squared[1]));
    return (TwoQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}

#endif
