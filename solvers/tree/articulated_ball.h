/* The recursions for a link on a ball joint without limits. Its joint carries a force and no moment but tau, so to its
 * parent the subtree is a 3x3 inertia M at the anchor, which lies at s = r + arm from the parent's reference point.
 * With IA = [a b; b^T d] and R = [arm]x, S = [1; R], D = S^T IA S = L L^T: inward   U = b^T + d R,  Y = L^-1 U^T,  z =
 * L^-1 (tau - pA_angular + arm x pA_linear), M = d - Y^T Y,  f = pA_linear + M u + Y^T z,  u = c_linear - arm x
 * c_angular outward  u' = a_parent + w'_parent x s + u,  w' = L^-T (z - Y u'),  a = u' + arm x w'. */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_BALL_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_BALL_H

#include "solvers/tree/articulated.h"
#include "solvers/tree/spatial.h"

#include <math.h>

#define BALL_INLINE static inline __attribute__((always_inline))

/* x0 c0 + x1 c1 + x2 c2 with x = arm x e_k: a column of [c] R */
BALL_INLINE Vec3 ball_column(Vec3 arm, const Vec3 c[3], int k)
{
    if (k == 0)
        return vec3_sub(vec3_scale(arm.z, c[1]), vec3_scale(arm.y, c[2]));
    if (k == 1)
        return vec3_sub(vec3_scale(arm.x, c[2]), vec3_scale(arm.z, c[0]));
    return vec3_sub(vec3_scale(arm.y, c[0]), vec3_scale(arm.x, c[1]));
}

/* L of a symmetric D by columns, the diagonal inverted. */
BALL_INLINE void ball_cholesky(const Vec3 D[3], double L[3][3])
{
    L[0][0] = 1.0 / sqrt(D[0].x);
    L[1][0] = D[0].y * L[0][0];
    L[2][0] = D[0].z * L[0][0];
    L[1][1] = 1.0 / sqrt(D[1].y - L[1][0] * L[1][0]);
    L[2][1] = (D[1].z - L[2][0] * L[1][0]) * L[1][1];
    L[2][2] = 1.0 / sqrt(D[2].z - L[2][0] * L[2][0] - L[2][1] * L[2][1]);
}

/* L^-1 x and L^-T x */
BALL_INLINE Vec3 ball_forward(const BallFactor *factor, Vec3 x)
{
    double a = x.x * factor->L[0][0], b = (x.y - factor->L[1][0] * a) * factor->L[1][1];
    return vec3(a, b, (x.z - factor->L[2][0] * a - factor->L[2][1] * b) * factor->L[2][2]);
}

BALL_INLINE Vec3 ball_backward(const BallFactor *factor, Vec3 x)
{
    double c = x.z * factor->L[2][2], b = (x.y - factor->L[2][1] * c) * factor->L[1][1];
    return vec3((x.x - factor->L[1][0] * b - factor->L[2][0] * c) * factor->L[0][0], b, c);
}

/* The factors of a subtree whose link has joined it; d is left in M. */
BALL_INLINE void ball_factor(const Link *link, const Subtree *sum, BallFactor *factor, Vec3 M[3])
{
    Vec3 a[3], b[3], U[3], D[3];
    for (int k = 0; k < 3; k++) {
        a[k] = angular(sum->inertia[k]);
        b[k] = angular(sum->inertia[3 + k]);
        M[k] = linear(sum->inertia[3 + k]);
    }
    for (int k = 0; k < 3; k++) {
        U[k] = vec3_add(linear(sum->inertia[k]), ball_column(link->arm, M, k));
        D[k] = vec3_sub(vec3_add(a[k], ball_column(link->arm, b, k)), vec3_cross(link->arm, U[k]));
    }
    ball_cholesky(D, factor->L);
    const double(*L)[3] = (const double(*)[3])factor->L;
    factor->Y[0] = vec3_scale(L[0][0], U[0]);
    factor->Y[1] = vec3_scale(L[1][1], vec3_add_scaled(U[1], -L[1][0], factor->Y[0]));
    factor->Y[2] = vec3_add_scaled(vec3_add_scaled(U[2], -L[2][0], factor->Y[0]), -L[2][1], factor->Y[1]);
    factor->Y[2] = vec3_scale(L[2][2], factor->Y[2]);
}

/* What M and f at s are to the parent. */
BALL_INLINE void ball_at_parent(Vec3 s, const Vec3 M[3], Vec3 f, Vec3 tau, Subtree *sum)
{
    Vec3 force[3];
    for (int k = 0; k < 3; k++) {
        force[k] = vec3_negate(ball_column(s, M, k));
        spatial_set(sum->inertia[k], vec3_cross(s, force[k]), force[k]);
    }
    spatial_set(sum->inertia[3], vec3(force[0].x, force[1].x, force[2].x), M[0]);
    spatial_set(sum->inertia[4], vec3(force[0].y, force[1].y, force[2].y), M[1]);
    spatial_set(sum->inertia[5], vec3(force[0].z, force[1].z, force[2].z), M[2]);
    spatial_set(sum->bias, vec3_add(tau, vec3_cross(s, f)), f);
}

BALL_INLINE Vec3 ball_given(const Link *link)
{
    return vec3(link->given[0], link->given[1], link->given[2]);
}

/* c at the anchor */
BALL_INLINE Vec3 ball_bias(const Link *link)
{
    return vec3_sub(linear(link->c), vec3_cross(link->arm, angular(link->c)));
}

BALL_INLINE void ball_inward(Link *link, bool has_parent, Subtree *sum)
{
    BallFactor *factor = &link->factor;
    Vec3 M[3], p = linear(sum->bias), tau = ball_given(link);
    ball_factor(link, sum, factor, M);
    factor->z = ball_forward(factor, vec3_add(vec3_sub(tau, angular(sum->bias)), vec3_cross(link->arm, p)));
    if (!has_parent)
        return;
    for (int k = 0; k < 3; k++) {
        M[0] = vec3_add_scaled(M[0], -factor->Y[k].x, factor->Y[k]);
        M[1] = vec3_add_scaled(M[1], -factor->Y[k].y, factor->Y[k]);
        M[2] = vec3_add_scaled(M[2], -factor->Y[k].z, factor->Y[k]);
    }
    Vec3 u = ball_bias(link), f = p;
    f = vec3_add_scaled(vec3_add_scaled(vec3_add_scaled(f, u.x, M[0]), u.y, M[1]), u.z, M[2]);
    f = vec3_add_scaled(vec3_add_scaled(vec3_add_scaled(f, factor->z.x, factor->Y[0]), factor->z.y, factor->Y[1]),
                        factor->z.z, factor->Y[2]);
    ball_at_parent(vec3_add(link->r, link->arm), M, f, tau, sum);
}

/* A and qddot from the parent's w' and a, both zero for a fixed one. */
BALL_INLINE void ball_outward(Link *link, Vec3 spin, Vec3 a)
{
    const BallFactor *factor = &link->factor;
    Vec3 u = vec3_add(a, vec3_cross(spin, vec3_add(link->r, link->arm)));
    u = vec3_add(u, ball_bias(link));
    Vec3 left =
        vec3_sub(factor->z, vec3(vec3_dot(factor->Y[0], u), vec3_dot(factor->Y[1], u), vec3_dot(factor->Y[2], u)));
    Vec3 turn = ball_backward(factor, left), change = vec3_sub(turn, vec3_add(spin, angular(link->c)));
    spatial_set(link->A, turn, vec3_add(u, vec3_cross(link->arm, turn)));
    link->qddot[0] = change.x;
    link->qddot[1] = change.y;
    link->qddot[2] = change.z;
}

/* The joint's place and motion from the state, c as in articulated.c with no shift. */
BALL_INLINE void ball_place(Link *link, const LinkState *state, World *world)
{
    const Pose parent = world->pose[link->parent_body];
    const Velocity from = world->velocity[link->parent_body];
    Quat q = quat_unit(quat_mul(parent.q, state->turn));
    Mat3 turn = mat3_from_quat(q);
    Vec3 spin = quat_rotate(parent.q, state->spin), w = vec3_add(from.w, spin);
    Vec3 s = quat_rotate(parent.q, link->anchor_parent), arm = mat3_mul_vec(turn, link->anchor), r = vec3_sub(s, arm);
    Vec3 gain = vec3_sub(vec3_cross(from.w, r), vec3_cross(spin, arm)), coriolis = vec3_cross(from.w, spin);
    Vec3 c = vec3_sub(vec3_cross(from.w, gain), vec3_cross(coriolis, arm));
    world->pose[link->body] = (Pose){vec3_add(parent.x, r), q};
    world->velocity[link->body] = (Velocity){vec3_add(from.v, gain), w};
    link->r = r;
    link->arm = arm;
    link->inertia = mat3_turned(turn, world->mass[link->body].inertia);
    spatial_set(link->c, coriolis, vec3_sub(c, vec3_cross(spin, vec3_cross(w, arm))));
}

/* The time derivatives of turn and spin. */
BALL_INLINE void ball_rate(const Link *link, const LinkState *state, Quat q_parent, Quat *turn, Vec3 *spin)
{
    *turn = quat_mul((Quat){0.0, 0.5 * state->spin.x, 0.5 * state->spin.y, 0.5 * state->spin.z}, state->turn);
    *spin = quat_rotate_inverse(q_parent, vec3(link->qddot[0], link->qddot[1], link->qddot[2]));
}

/* tau = S^T F */
BALL_INLINE void ball_torque(Link *link)
{
    Vec3 tau = vec3_sub(angular(link->F), vec3_cross(link->arm, linear(link->F)));
    link->tau[0] = tau.x;
    link->tau[1] = tau.y;
    link->tau[2] = tau.z;
}

#endif
