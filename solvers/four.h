/* Vectors, quaternions, poses and velocities of four bodies at once, a lane a body. Each lane is computed as
 * model/math3.h has it, so it has the same bits. */
#ifndef RIGOR_SOLVERS_FOUR_H
#define RIGOR_SOLVERS_FOUR_H

#include "model/wide.h"
#include "model/world.h"

enum { FOUR = 4 };

typedef struct FourVec3 {
    Wide x, y, z;
} FourVec3;

typedef struct FourQuat {
    Wide w, x, y, z;
} FourQuat;

typedef struct FourPose {
    FourVec3 x;
    FourQuat q;
} FourPose;

typedef struct FourVelocity {
    FourVec3 v, w;
} FourVelocity;

WIDE_INLINE bool four_all(WideMask mask)
{
    return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
}

/* mask ? a : b, lane by lane */
WIDE_INLINE Wide four_choose(WideMask mask, Wide a, Wide b)
{
    return (Wide)(((WideMask)a & mask) | ((WideMask)b & ~mask));
}

WIDE_INLINE FourVec3 four_choose_vec3(WideMask mask, FourVec3 a, FourVec3 b)
{
    return (FourVec3){four_choose(mask, a.x, b.x), four_choose(mask, a.y, b.y), four_choose(mask, a.z, b.z)};
}

WIDE_INLINE Wide four_sqrt(Wide a)
{
    return (Wide){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}

WIDE_INLINE FourVec3 four_same(Vec3 a)
{
    return (FourVec3){wide_all(a.x), wide_all(a.y), wide_all(a.z)};
}

WIDE_INLINE FourVec3 four_add(FourVec3 a, FourVec3 b)
{
    return (FourVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

WIDE_INLINE FourVec3 four_sub(FourVec3 a, FourVec3 b)
{
    return (FourVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

WIDE_INLINE FourVec3 four_scale(Wide s, FourVec3 a)
{
    return (FourVec3){s * a.x, s * a.y, s * a.z};
}

WIDE_INLINE FourVec3 four_negate(FourVec3 a)
{
    return (FourVec3){-a.x, -a.y, -a.z};
}

/* a + s b */
WIDE_INLINE FourVec3 four_add_scaled(FourVec3 a, Wide s, FourVec3 b)
{
    return (FourVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* Component by component. */
WIDE_INLINE FourVec3 four_mul(FourVec3 d, FourVec3 a)
{
    return (FourVec3){d.x * a.x, d.y * a.y, d.z * a.z};
}

WIDE_INLINE Wide four_dot(FourVec3 a, FourVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

WIDE_INLINE FourVec3 four_cross(FourVec3 a, FourVec3 b)
{
    return (FourVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

WIDE_INLINE WideMask four_is_zero(FourVec3 a)
{
    return (a.x == 0.0) & (a.y == 0.0) & (a.z == 0.0);
}

WIDE_INLINE FourQuat four_conj(FourQuat q)
{
    return (FourQuat){q.w, -q.x, -q.y, -q.z};
}

/* a b: turn by b, then by a */
WIDE_INLINE FourQuat four_quat_mul(FourQuat a, FourQuat b)
{
    return (FourQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* q a q^-1 = a + w t + u x t with t = 2 u x a */
WIDE_INLINE FourVec3 four_rotate(FourQuat q, FourVec3 a)
{
    FourVec3 u = {q.x, q.y, q.z}, half = four_cross(u, a), t = four_add(half, half);
    return four_add(four_add_scaled(a, q.w, t), four_cross(u, t));
}

/* A symmetric matrix: rows from the diagonal on. */
typedef struct FourSymmetric {
    Wide xx, xy, xz, yy, yz, zz;
} FourSymmetric;

/* The rows of R; also what the inverse turn makes of the axes. */
WIDE_INLINE void four_rows(FourQuat q, FourVec3 row[3])
{
    Wide xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    Wide wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    row[0] = (FourVec3){1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)};
    row[1] = (FourVec3){2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)};
    row[2] = (FourVec3){2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)};
}

/* R diag(d) R^T */
WIDE_INLINE FourSymmetric four_turn_diagonal(FourQuat q, FourVec3 d)
{
    FourVec3 row[3];
    four_rows(q, row);
    FourVec3 x = four_mul(d, row[0]), y = four_mul(d, row[1]), z = four_mul(d, row[2]);
    return (FourSymmetric){four_dot(x, row[0]), four_dot(x, row[1]), four_dot(x, row[2]),
                           four_dot(y, row[1]), four_dot(y, row[2]), four_dot(z, row[2])};
}

/* q / |q| */
WIDE_INLINE FourQuat four_unit(FourQuat q)
{
    Wide squared = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, e = squared - 1.0;
    Wide s = 1.0 - e * (0.5 - e * (0.375 - e * 0.3125));
    WideMask is_near = wide_abs(e) < 1e-4;
    if (!four_all(is_near))
        s = four_choose(is_near, s, 1.0 / four_sqrt(squared));
    return (FourQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* The turn by |phi| about phi. */
WIDE_INLINE FourQuat four_exp(FourVec3 phi)
{
    double half[FOUR], cosine[FOUR], ratio[FOUR];
    wide_store(half, 0.5 * four_sqrt(four_dot(phi, phi)));
    for (int k = 0; k < FOUR; k++) {
        double x = half[k];
        if (x < 1e-4) {
            cosine[k] = cos(x);
            ratio[k] = 0.5 * (1.0 - x * x / 6.0);
        } else { /* two calls that become one */
            cosine[k] = cos(x);
            ratio[k] = 0.5 * sin(x) / x;
        }
    }
    Wide s = wide_load(ratio);
    return (FourQuat){wide_load(cosine), s * phi.x, s * phi.y, s * phi.z};
}

/* The rotation vector of q, of length at most pi. */
WIDE_INLINE FourVec3 four_log(FourQuat q)
{
    Wide sign = four_choose(q.w < 0.0, wide_all(-1.0), wide_all(1.0));
    FourVec3 u = four_scale(sign, (FourVec3){q.x, q.y, q.z});
    double sine[FOUR], cosine[FOUR], ratio[FOUR];
    wide_store(sine, four_sqrt(four_dot(u, u)));
    wide_store(cosine, sign * q.w);
    for (int k = 0; k < FOUR; k++)
        ratio[k] = sine[k] < 1e-8 ? 2.0 / cosine[k] : 2.0 * atan2(sine[k], cosine[k]) / sine[k];
    return four_scale(wide_load(ratio), u);
}

/* Four numbers of each of four bodies, which stand `stride` numbers apart, from p on; and back. */
WIDE_INLINE void four_load(const double *p, size_t stride, Wide x[FOUR])
{
    for (size_t k = 0; k < FOUR; k++)
        x[k] = wide_load(p + k * stride);
    wide_turn(x);
}

WIDE_INLINE void four_store(double *p, size_t stride, Wide x0, Wide x1, Wide x2, Wide x3)
{
    Wide x[FOUR] = {x0, x1, x2, x3};
    wide_turn(x);
    for (size_t k = 0; k < FOUR; k++)
        wide_store(p + k * stride, x[k]);
}

#define NUMBERS_IN(type) (sizeof(type) / sizeof(double))

/* Nine numbers each: two times four, and the last four over again. */
WIDE_INLINE void four_store_symmetric(FourSymmetric a, Mat3 *to)
{
    four_store(to->m[0], NUMBERS_IN(Mat3), a.xx, a.xy, a.xz, a.xy);
    four_store(to->m[1] + 1, NUMBERS_IN(Mat3), a.yy, a.yz, a.xz, a.yz);
    four_store(to->m[1] + 2, NUMBERS_IN(Mat3), a.yz, a.xz, a.yz, a.zz);
}

/* What follows the fourth vector is loaded, too, and not used: another number must be there. */
WIDE_INLINE FourVec3 four_vec3(const Vec3 *a)
{
    Wide x[FOUR];
    four_load(&a->x, NUMBERS_IN(Vec3), x);
    return (FourVec3){x[0], x[1], x[2]};
}

/* A pose's seven numbers are two times four with q.w in both, a velocity's six likewise with v.z and w.x. */
WIDE_INLINE FourQuat four_orientation(const Pose *pose)
{
    Wide q[FOUR];
    four_load(&pose->q.w, NUMBERS_IN(Pose), q);
    return (FourQuat){q[0], q[1], q[2], q[3]};
}

WIDE_INLINE FourPose four_pose(const Pose *pose)
{
    Wide x[FOUR];
    four_load(&pose->x.x, NUMBERS_IN(Pose), x);
    return (FourPose){{x[0], x[1], x[2]}, four_orientation(pose)};
}

WIDE_INLINE void four_set_pose(Pose *pose, FourPose to)
{
    four_store(&pose->x.x, NUMBERS_IN(Pose), to.x.x, to.x.y, to.x.z, to.q.w);
    four_store(&pose->q.w, NUMBERS_IN(Pose), to.q.w, to.q.x, to.q.y, to.q.z);
}

WIDE_INLINE FourVelocity four_velocity(const Velocity *u)
{
    Wide a[FOUR], b[FOUR];
    four_load(&u->v.x, NUMBERS_IN(Velocity), a);
    four_load(&u->v.z, NUMBERS_IN(Velocity), b);
    return (FourVelocity){{a[0], a[1], a[2]}, {b[1], b[2], b[3]}};
}

WIDE_INLINE void four_set_velocity(Velocity *u, FourVelocity to)
{
    four_store(&u->v.x, NUMBERS_IN(Velocity), to.v.x, to.v.y, to.v.z, to.w.x);
    four_store(&u->v.z, NUMBERS_IN(Velocity), to.v.z, to.w.x, to.w.y, to.w.z);
}

/* Four bodies or points that stand anywhere. Four numbers at each p, number by number: */
WIDE_INLINE void four_gather(const double *const p[FOUR], Wide x[FOUR])
{
    for (int i = 0; i < FOUR; i++)
        x[i] = wide_load(p[i]);
    wide_turn(x);
}

WIDE_INLINE FourVec3 four_gather_centres(const Pose *pose, const int body[FOUR])
{
    Wide x[FOUR];
    four_gather((const double *[]){&pose[body[0]].x.x, &pose[body[1]].x.x, &pose[body[2]].x.x, &pose[body[3]].x.x}, x);
    return (FourVec3){x[0], x[1], x[2]};
}

WIDE_INLINE FourQuat four_gather_turns(const Pose *pose, const int body[FOUR])
{
    Wide q[FOUR];
    four_gather((const double *[]){&pose[body[0]].q.w, &pose[body[1]].q.w, &pose[body[2]].q.w, &pose[body[3]].q.w}, q);
    return (FourQuat){q[0], q[1], q[2], q[3]};
}

/* Six numbers at each p as two vectors. */
WIDE_INLINE void four_gather_two(const double *const p[FOUR], FourVec3 to[2])
{
    Wide a[FOUR], b[FOUR];
    four_gather(p, a);
    four_gather((const double *[]){p[0] + 2, p[1] + 2, p[2] + 2, p[3] + 2}, b);
    to[0] = (FourVec3){a[0], a[1], a[2]};
    to[1] = (FourVec3){b[1], b[2], b[3]};
}

/* Nine numbers at each p as three vectors: the rows of a matrix, or the directions of a frame. */
WIDE_INLINE void four_gather_three(const double *const p[FOUR], FourVec3 to[3])
{
    Wide a[FOUR], b[FOUR], c[FOUR];
    four_gather(p, a);
    four_gather((const double *[]){p[0] + 4, p[1] + 4, p[2] + 4, p[3] + 4}, b);
    four_gather((const double *[]){p[0] + 5, p[1] + 5, p[2] + 5, p[3] + 5}, c);
    to[0] = (FourVec3){a[0], a[1], a[2]};
    to[1] = (FourVec3){a[3], b[0], b[1]};
    to[2] = (FourVec3){b[2], b[3], c[3]};
}

WIDE_INLINE FourVelocity four_gather_velocities(const Velocity *velocity, const int body[FOUR])
{
    FourVec3 u[2];
    four_gather_two((const double *[]){&velocity[body[0]].v.x, &velocity[body[1]].v.x, &velocity[body[2]].v.x,
                                       &velocity[body[3]].v.x},
                    u);
    return (FourVelocity){u[0], u[1]};
}

#endif
