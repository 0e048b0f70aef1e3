/* SPDX-License-Identifier: MIT */
/* Vectors, quaternions, poses and velocities side by side, a lane a body or a point. Each lane is computed as
 * model/math3.h has it, so it has the same bits. */
#ifndef RIGOR_MODEL_LANES_VECTORS_H
#define RIGOR_MODEL_LANES_VECTORS_H

#include "model/lanes.h"
#include "model/world.h"

#if LANES == 1
typedef Vec3 LanesVec3;
typedef Quat LanesQuat;
typedef Pose LanesPose;
typedef Velocity LanesVelocity;
#else
typedef struct LanesVec3 {
    Lanes x, y, z;
} LanesVec3;

typedef struct LanesQuat {
    Lanes w, x, y, z;
} LanesQuat;

typedef struct LanesPose {
    LanesVec3 x;
    LanesQuat q;
} LanesPose;

typedef struct LanesVelocity {
    LanesVec3 v, w;
} LanesVelocity;
#endif

LANE_INLINE LanesVec3 lanes_choose_vec3(LaneMask mask, LanesVec3 a, LanesVec3 b)
{
    return (LanesVec3){lanes_choose(mask, a.x, b.x), lanes_choose(mask, a.y, b.y), lanes_choose(mask, a.z, b.z)};
}

LANE_INLINE LanesQuat lanes_choose_quat(LaneMask mask, LanesQuat a, LanesQuat b)
{
    return (LanesQuat){lanes_choose(mask, a.w, b.w), lanes_choose(mask, a.x, b.x), lanes_choose(mask, a.y, b.y),
                       lanes_choose(mask, a.z, b.z)};
}

/* The same vector in each lane; and one lane's. */
LANE_INLINE LanesVec3 lanes_same(Vec3 a)
{
    return (LanesVec3){lanes_all(a.x), lanes_all(a.y), lanes_all(a.z)};
}

LANE_INLINE LanesQuat lanes_same_quat(Quat q)
{
    return (LanesQuat){lanes_all(q.w), lanes_all(q.x), lanes_all(q.y), lanes_all(q.z)};
}

LANE_INLINE Vec3 lane_vec3(LanesVec3 a, int i)
{
    return vec3(lane(a.x, i), lane(a.y, i), lane(a.z, i));
}

LANE_INLINE Quat lane_quat(LanesQuat q, int i)
{
    return (Quat){lane(q.w, i), lane(q.x, i), lane(q.y, i), lane(q.z, i)};
}

LANE_INLINE void lane_set_vec3(LanesVec3 *a, int i, Vec3 value)
{
    lane_set(&a->x, i, value.x);
    lane_set(&a->y, i, value.y);
    lane_set(&a->z, i, value.z);
}

LANE_INLINE LanesVec3 lanes_add(LanesVec3 a, LanesVec3 b)
{
    return (LanesVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LANE_INLINE LanesVec3 lanes_sub(LanesVec3 a, LanesVec3 b)
{
    return (LanesVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANE_INLINE LanesVec3 lanes_scale(Lanes s, LanesVec3 a)
{
    return (LanesVec3){s * a.x, s * a.y, s * a.z};
}

LANE_INLINE LanesVec3 lanes_negate(LanesVec3 a)
{
    return (LanesVec3){-a.x, -a.y, -a.z};
}

/* a + s b */
LANE_INLINE LanesVec3 lanes_add_scaled(LanesVec3 a, Lanes s, LanesVec3 b)
{
    return (LanesVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Component by component. */
LANE_INLINE LanesVec3 lanes_mul(LanesVec3 d, LanesVec3 a)
{
    return (LanesVec3){d.x * a.x, d.y * a.y, d.z * a.z};
}

LANE_INLINE Lanes lanes_dot(LanesVec3 a, LanesVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANE_INLINE Lanes lanes_norm(LanesVec3 a)
{
    return lanes_sqrt(lanes_dot(a, a));
}

LANE_INLINE LanesVec3 lanes_cross(LanesVec3 a, LanesVec3 b)
{
    return (LanesVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

LANE_INLINE LaneMask lanes_is_zero(LanesVec3 a)
{
    return (LaneMask)(a.x == 0.0) & (LaneMask)(a.y == 0.0) & (LaneMask)(a.z == 0.0);
}

LANE_INLINE LanesQuat lanes_conj(LanesQuat q)
{
    return (LanesQuat){q.w, -q.x, -q.y, -q.z};
}

/* a b: turn by b, then by a */
LANE_INLINE LanesQuat lanes_quat_mul(LanesQuat a, LanesQuat b)
{
    return (LanesQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* q a q^-1 = a + w t + u x t with t = 2 u x a */
LANE_INLINE LanesVec3 lanes_rotate(LanesQuat q, LanesVec3 a)
{
    LanesVec3 u = {q.x, q.y, q.z}, half = lanes_cross(u, a), t = lanes_add(half, half);
    return lanes_add(lanes_add_scaled(a, q.w, t), lanes_cross(u, t));
}

LANE_INLINE LanesVec3 lanes_rotate_inverse(LanesQuat q, LanesVec3 a)
{
    return lanes_rotate(lanes_conj(q), a);
}

/* A symmetric matrix: rows from the diagonal on. */
typedef struct LanesSymmetric {
    Lanes xx, xy, xz, yy, yz, zz;
} LanesSymmetric;

/* The rows of R; also what the inverse turn makes of the axes. */
LANE_INLINE void lanes_rotation(LanesQuat q, LanesVec3 row[3])
{
    Lanes xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    Lanes wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    row[0] = (LanesVec3){1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)};
    row[1] = (LanesVec3){2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)};
    row[2] = (LanesVec3){2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)};
}

/* R diag(d) R^T */
LANE_INLINE LanesSymmetric lanes_turn_diagonal(LanesQuat q, LanesVec3 d)
{
    LanesVec3 row[3];
    lanes_rotation(q, row);
    LanesVec3 x = lanes_mul(d, row[0]), y = lanes_mul(d, row[1]), z = lanes_mul(d, row[2]);
    return (LanesSymmetric){lanes_dot(x, row[0]), lanes_dot(x, row[1]), lanes_dot(x, row[2]),
                            lanes_dot(y, row[1]), lanes_dot(y, row[2]), lanes_dot(z, row[2])};
}

/* 1 / |q| from |q|^2, by a series near 1, as quat_unit has it. */
LANE_INLINE Lanes lanes_unit_scale(Lanes squared)
{
    Lanes e = squared - 1.0, s = 1.0 - e * (0.5 - e * (0.375 - e * 0.3125));
    LaneMask is_near = (LaneMask)(lanes_abs(e) < 1e-4);
    return mask_all(is_near) ? s : lanes_choose(is_near, s, 1.0 / lanes_sqrt(squared));
}

/* q / |q| */
LANE_INLINE LanesQuat lanes_unit(LanesQuat q)
{
    Lanes s = lanes_unit_scale(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (LanesQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* The turn by |phi| about phi. */
LANE_INLINE LanesQuat lanes_exp(LanesVec3 phi)
{
    double half[LANES], cosine[LANES], ratio[LANES];
    lanes_store(half, 0.5 * lanes_norm(phi));
    for (int k = 0; k < LANES; k++) {
        double x = half[k];
        if (x < 1e-4) {
            cosine[k] = cos(x);
            ratio[k] = 0.5 * (1.0 - x * x / 6.0);
        } else { /* two calls that become one */
            cosine[k] = cos(x);
            ratio[k] = 0.5 * sin(x) / x;
        }
    }
    Lanes s = lanes_load(ratio);
    return (LanesQuat){lanes_load(cosine), s * phi.x, s * phi.y, s * phi.z};
}

/* The rotation vector of q, of length at most pi. */
LANE_INLINE LanesVec3 lanes_log(LanesQuat q)
{
    Lanes sign = lanes_choose((LaneMask)(q.w < 0.0), lanes_all(-1.0), lanes_all(1.0));
    LanesVec3 u = lanes_scale(sign, (LanesVec3){q.x, q.y, q.z});
    double sine[LANES], cosine[LANES], ratio[LANES];
    lanes_store(sine, lanes_norm(u));
    lanes_store(cosine, sign * q.w);
    for (int k = 0; k < LANES; k++)
        ratio[k] = sine[k] < 1e-8 ? 2.0 / cosine[k] : 2.0 * atan2(sine[k], cosine[k]) / sine[k];
    return lanes_scale(lanes_load(ratio), u);
}

/* Bodies, or what else stands in an array: `of` has the number of each lane's. LANES_IN_A_ROW(first) are those that
 * follow each other. Where four numbers are loaded for three, another one must follow them in memory. */
#define LANE_ELEMENT_(i, array, of, field) &(array)[(of)[i]].field
#define LANE_ELEMENTS(array, of, field) ((const double *[])LANE_EACH(LANE_ELEMENT_, array, of, field))
#define LANE_VALUE_(i, array, of, field) (array)[(of)[i]].field
#define LANE_NUMBER_(i, first) (first) + (i)
#define LANES_IN_A_ROW(first) ((const int[])LANE_EACH(LANE_NUMBER_, first))

LANE_INLINE LanesVec3 lanes_gather_vec3(const double *const p[LANES])
{
    Lanes x[4];
    lanes_gather(p, x);
    return (LanesVec3){x[0], x[1], x[2]};
}

LANE_INLINE LanesQuat lanes_gather_quat(const double *const p[LANES])
{
    Lanes q[4];
    lanes_gather(p, q);
    return (LanesQuat){q[0], q[1], q[2], q[3]};
}

/* Vectors at any places, number by number. */
LANE_INLINE LanesVec3 lanes_vec3_at(const Vec3 *const p[LANES])
{
    return (LanesVec3){LANE_FIELDS(p, x), LANE_FIELDS(p, y), LANE_FIELDS(p, z)};
}

/* Four numbers of each lane, which stand `stride` numbers apart, from p on; and back. */
#define NUMBERS_IN(type) (sizeof(type) / sizeof(double))
#define LANE_APART_(i, p, stride) (p) + (i) * (stride)

LANE_INLINE void lanes_load_apart(const double *p, size_t stride, Lanes x[4])
{
    lanes_gather((const double *[])LANE_EACH(LANE_APART_, p, stride), x);
}

LANE_INLINE void lanes_store_apart(double *p, size_t stride, Lanes x0, Lanes x1, Lanes x2, Lanes x3)
{
    lanes_scatter((double *[])LANE_EACH(LANE_APART_, p, stride), x0, x1, x2, x3);
}

#define LANE_AFTER_(i, p, n) (p)[i] + (n)
#define LANE_AFTER(p, n) ((const double *[])LANE_EACH(LANE_AFTER_, p, n))

/* Six numbers at each p as two vectors. */
LANE_INLINE void lanes_gather_two(const double *const p[LANES], LanesVec3 to[2])
{
    Lanes a[4], b[4];
    lanes_gather(p, a);
    lanes_gather(LANE_AFTER(p, 2), b);
    to[0] = (LanesVec3){a[0], a[1], a[2]};
    to[1] = (LanesVec3){b[1], b[2], b[3]};
}

/* Nine numbers at each p as three vectors: the rows of a matrix, or the directions of a frame. */
LANE_INLINE void lanes_gather_three(const double *const p[LANES], LanesVec3 to[3])
{
    Lanes a[4], b[4], c[4];
    lanes_gather(p, a);
    lanes_gather(LANE_AFTER(p, 4), b);
    lanes_gather(LANE_AFTER(p, 5), c);
    to[0] = (LanesVec3){a[0], a[1], a[2]};
    to[1] = (LanesVec3){a[3], b[0], b[1]};
    to[2] = (LanesVec3){b[2], b[3], c[3]};
}

/* Two vectors that stand one after the other, back to each p: four numbers, and the last four. */
LANE_INLINE void lanes_scatter_two(double *const p[LANES], LanesVec3 a, LanesVec3 b)
{
    double *last[LANES];
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        last[i] = p[i] + 2;
    lanes_scatter(p, a.x, a.y, a.z, b.x);
    lanes_scatter(last, a.z, b.x, b.y, b.z);
}

_Static_assert(offsetof(Velocity, w) == sizeof(Vec3), "a velocity's numbers are v, w");
_Static_assert(offsetof(Pose, q) == sizeof(Vec3), "a pose's numbers are x, q");

LANE_INLINE LanesPose lanes_gather_poses(const Pose *pose, const int body[LANES])
{
    return (LanesPose){lanes_gather_vec3(LANE_ELEMENTS(pose, body, x.x)),
                       lanes_gather_quat(LANE_ELEMENTS(pose, body, q.w))};
}

LANE_INLINE LanesVelocity lanes_gather_velocities(const Velocity *velocity, const int body[LANES])
{
    LanesVec3 u[2];
    lanes_gather_two(LANE_ELEMENTS(velocity, body, v.x), u);
    return (LanesVelocity){u[0], u[1]};
}

/* A pose's seven numbers are two times four, with q.w in both. */
LANE_INLINE void lanes_scatter_pose(Pose *const to[LANES], LanesPose pose)
{
    double *x[LANES], *q[LANES];
    LANE_UNROLL
    for (int i = 0; i < LANES; i++) {
        x[i] = &to[i]->x.x;
        q[i] = &to[i]->q.w;
    }
    lanes_scatter(x, pose.x.x, pose.x.y, pose.x.z, pose.q.w);
    lanes_scatter(q, pose.q.w, pose.q.x, pose.q.y, pose.q.z);
}

LANE_INLINE void lanes_scatter_velocity(Velocity *const to[LANES], LanesVelocity u)
{
    double *p[LANES];
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        p[i] = &to[i]->v.x;
    lanes_scatter_two(p, u.v, u.w);
}

/* A body's principal moments of inertia, inverted: the last numbers of its mass, loaded with the one before. */
_Static_assert(offsetof(Mass, inv_inertia) == offsetof(Mass, inertia.z) + sizeof(double), "I.z, then I^-1");

LANE_INLINE Lanes lanes_gather_inv_mass(const Mass *mass, const int body[LANES])
{
    return (Lanes)LANE_EACH(LANE_VALUE_, mass, body, inv_mass);
}

LANE_INLINE LanesVec3 lanes_gather_inertia(const Mass *mass, const int body[LANES])
{
    return lanes_gather_vec3(LANE_ELEMENTS(mass, body, inertia.x));
}

LANE_INLINE LanesVec3 lanes_gather_inv_inertia(const Mass *mass, const int body[LANES])
{
    Lanes x[4];
    lanes_gather(LANE_ELEMENTS(mass, body, inertia.z), x);
    return (LanesVec3){x[1], x[2], x[3]};
}

#endif
