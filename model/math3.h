/* SPDX-License-Identifier: MIT */
/* Vectors, quaternions and 3x3 matrices, by value.
 * Quaternions are [w, x, y, z]; q turns body coordinates into world coordinates: a_world = q a_body q^-1.
 * The rotation vector of a quaternion is (angle) x (unit axis). */
#ifndef RIGOR_MODEL_MATH3_H
#define RIGOR_MODEL_MATH3_H

#include <math.h>
#include <stdbool.h>

#define PI 3.14159265358979323846

typedef struct Vec3 {
    double x, y, z;
} Vec3;

typedef struct Quat {
    double w, x, y, z;
} Quat;

/* Row-major: m[row][column]. */
typedef struct Mat3 {
    double m[3][3];
} Mat3;

#define VEC3_ZERO ((Vec3){0.0, 0.0, 0.0})
#define QUAT_IDENTITY ((Quat){1.0, 0.0, 0.0, 0.0})

static inline double clamp(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

/* In SI units: far below any scale of a scene; and the product of two such numbers is still above 2e-308, below which
 * some processors compute many times as slowly. Along a long chain sweeps leave such numbers behind, each a part of the
 * one before. */
#define TRACE 1e-150

/* x, or a zero of its sign if it is but a trace. The same bits everywhere: not every processor, and no WebAssembly, has
 * a mode that does so. */
static inline double trace_drop(double x)
{
    return fabs(x) < TRACE ? 0.0 * x : x;
}

static inline Vec3 vec3(double x, double y, double z)
{
    return (Vec3){x, y, z};
}

static inline Vec3 vec3_add(Vec3 a, Vec3 b)
{
    return vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline Vec3 vec3_sub(Vec3 a, Vec3 b)
{
    return vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline Vec3 vec3_scale(double s, Vec3 a)
{
    return vec3(s * a.x, s * a.y, s * a.z);
}

static inline Vec3 vec3_negate(Vec3 a)
{
    return vec3(-a.x, -a.y, -a.z);
}

/* a + s b */
static inline Vec3 vec3_add_scaled(Vec3 a, double s, Vec3 b)
{
    return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/* Component by component: diag(d) a */
static inline Vec3 vec3_mul(Vec3 d, Vec3 a)
{
    return vec3(d.x * a.x, d.y * a.y, d.z * a.z);
}

static inline double vec3_dot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec3 vec3_cross(Vec3 a, Vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double vec3_norm(Vec3 a)
{
    return sqrt(vec3_dot(a, a));
}

/* The unit vector along a; a must not be zero. */
static inline Vec3 vec3_unit(Vec3 a)
{
    return vec3_scale(1.0 / vec3_norm(a), a);
}

static inline Vec3 vec3_unit_or_zero(Vec3 a)
{
    double length = vec3_norm(a);
    return vec3_scale(length > 0.0 ? 1.0 / length : 0.0, a);
}

static inline bool vec3_is_zero(Vec3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

static inline bool vec3_is_finite(Vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline double vec3_largest(Vec3 a)
{
    return fmax(a.x, fmax(a.y, a.z));
}

/* Some unit vector normal to the unit vector a: built from the axis that a is least aligned with. */
static inline Vec3 vec3_any_normal(Vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    int beyond_x = !((x <= y) & (x <= z)),
        least = beyond_x + (beyond_x & !(y <= z)); /* no branch: none can foresee it */
    static const Vec3 AXES[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return vec3_unit(vec3_cross(a, AXES[least]));
}

static inline double vec3_get(Vec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static inline Vec3 vec3_axis(int i)
{
    return vec3(i == 0, i == 1, i == 2);
}

static inline Quat quat_conj(Quat q)
{
    return (Quat){q.w, -q.x, -q.y, -q.z};
}

static inline Vec3 quat_vec(Quat q)
{
    return vec3(q.x, q.y, q.z);
}

/* a b: turn by b, then by a */
static inline Quat quat_mul(Quat a, Quat b)
{
    return (Quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* q / |q|. Near a unit quaternion 1/sqrt(1 + e) comes from its series, to round-off. */
static inline Quat quat_unit(Quat q)
{
    double squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, e = squared - 1.0;
    double s = fabs(e) < 1e-4 ? 1.0 - e * (0.5 - e * (0.375 - e * 0.3125)) : 1.0 / sqrt(squared);
    return (Quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* q a q^-1 = a + w t + u x t with t = 2 u x a, u the vector part of q */
static inline Vec3 quat_rotate(Quat q, Vec3 a)
{
    Vec3 u = quat_vec(q);
    Vec3 t = vec3_scale(2.0, vec3_cross(u, a));
    return vec3_add(vec3_add_scaled(a, q.w, t), vec3_cross(u, t));
}

static inline Vec3 quat_rotate_inverse(Quat q, Vec3 a)
{
    return quat_rotate(quat_conj(q), a);
}

/* The turn by |phi| about phi. sin(x)/x is taken from its series where x^4 is below round-off. */
static inline Quat quat_exp(Vec3 phi)
{
    double half = 0.5 * vec3_norm(phi);
    double s = half < 1e-4 ? 0.5 * (1.0 - half * half / 6.0) : 0.5 * sin(half) / half;
    return (Quat){cos(half), s * phi.x, s * phi.y, s * phi.z};
}

/* The rotation vector of q, of length at most pi: q and -q are the same turn. */
static inline Vec3 quat_log(Quat q)
{
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    Vec3 u = vec3_scale(sign, quat_vec(q));
    double sine = vec3_norm(u), cosine = sign * q.w;
    double ratio = sine < 1e-8 ? 2.0 / cosine : 2.0 * atan2(sine, cosine) / sine;
    return vec3_scale(ratio, u);
}

static inline Quat quat_axis_angle(Vec3 unit_axis, double angle)
{
    double s = sin(0.5 * angle);
    return (Quat){cos(0.5 * angle), s * unit_axis.x, s * unit_axis.y, s * unit_axis.z};
}

/* q turned by a small rotation vector given in the body's frame: q + 1/2 q [0, phi], renormalised. The lectures write
 * it with the world's phi, q + 1/2 [0, phi] q, which is quat_nudge_world: the same. */
static inline Quat quat_nudge_body(Quat q, Vec3 phi)
{
    Vec3 p = vec3_scale(0.5, phi);
    return quat_unit((Quat){q.w - q.x * p.x - q.y * p.y - q.z * p.z, q.x + q.w * p.x + q.y * p.z - q.z * p.y,
                            q.y + q.w * p.y + q.z * p.x - q.x * p.z, q.z + q.w * p.z + q.x * p.y - q.y * p.x});
}

static inline Quat quat_nudge_world(Quat q, Vec3 phi)
{
    Vec3 p = vec3_scale(0.5, phi);
    return quat_unit((Quat){q.w - q.x * p.x - q.y * p.y - q.z * p.z, q.x + q.w * p.x - q.y * p.z + q.z * p.y,
                            q.y + q.w * p.y - q.z * p.x + q.x * p.z, q.z + q.w * p.z - q.x * p.y + q.y * p.x});
}

/* The larger eigenvalue of the symmetric matrix (a b; b c). */
static inline double symmetric_largest(double a, double b, double c)
{
    double half = 0.5 * (a - c);
    return 0.5 * (a + c) + sqrt(half * half + b * b);
}

static inline Mat3 mat3_diagonal(Vec3 d)
{
    return (Mat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
}

static inline Vec3 mat3_mul_vec(Mat3 a, Vec3 x)
{
    return vec3(a.m[0][0] * x.x + a.m[0][1] * x.y + a.m[0][2] * x.z,
                a.m[1][0] * x.x + a.m[1][1] * x.y + a.m[1][2] * x.z,
                a.m[2][0] * x.x + a.m[2][1] * x.y + a.m[2][2] * x.z);
}

static inline Mat3 mat3_mul(Mat3 a, Mat3 b)
{
    Mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}

static inline Mat3 mat3_transpose(Mat3 a)
{
    return (Mat3){
        {{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}

static inline Mat3 mat3_from_quat(Quat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (Mat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                   {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                   {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

/* R diag(d) R^T: a body's (inverse) inertia in the world from its principal moments. */
static inline Mat3 mat3_turn_diagonal(Quat q, Vec3 d)
{
    Mat3 r = mat3_from_quat(q), a;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            a.m[i][j] = d.x * r.m[i][0] * r.m[j][0] + d.y * r.m[i][1] * r.m[j][1] + d.z * r.m[i][2] * r.m[j][2];
            a.m[j][i] = a.m[i][j];
        }
    return a;
}

static inline double mat3_determinant(Mat3 a)
{
    return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
           a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
           a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

/* A^-1 by cofactors; A must not be singular. */
static inline Mat3 mat3_inverse(Mat3 a)
{
    double s = 1.0 / mat3_determinant(a);
    Mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c.m[j][i] = s * (a.m[i1][j1] * a.m[i2][j2] - a.m[i1][j2] * a.m[i2][j1]);
        }
    return c;
}

/* The quaternion of a rotation matrix with determinant +1 (largest component first: no cancellation). */
static inline Quat quat_from_mat3(Mat3 r)
{
    double t[4] = {r.m[0][0] + r.m[1][1] + r.m[2][2], r.m[0][0] - r.m[1][1] - r.m[2][2],
                   r.m[1][1] - r.m[0][0] - r.m[2][2], r.m[2][2] - r.m[0][0] - r.m[1][1]};
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (t[i] > t[best])
            best = i;
    double a = r.m[2][1] - r.m[1][2], b = r.m[0][2] - r.m[2][0], c = r.m[1][0] - r.m[0][1];
    double d = r.m[0][1] + r.m[1][0], e = r.m[0][2] + r.m[2][0], f = r.m[1][2] + r.m[2][1], one = 1.0 + t[best];
    Quat q = best == 0   ? (Quat){one, a, b, c}
             : best == 1 ? (Quat){a, one, d, e}
             : best == 2 ? (Quat){b, d, one, f}
                         : (Quat){c, e, f, one};
    return quat_unit(q);
}

#endif
