/* The recursions for a link on a ball joint without limits. Its joint carries a force and no moment but tau, so to its
 * parent the subtree is a 3x3 inertia M at the anchor, which lies at s = r + arm from the parent's reference point.
 * With IA = [a b; b^T d], R = [arm]x, S = [1; R] and D = S^T IA S = L G^-1 L^T, G diagonal:
 *     inward   U = b^T + d R,  Y = L^-1 U^T,  z = L^-1 (tau - pA_angular + arm x pA_linear),
 *              M = d - Y^T G Y,  f = pA_linear + M u + Y^T G z,  u = c_linear - arm x c_angular
 *     outward  u' = a_parent + w'_parent x s + u,  w' = L^-T G (z - Y u'),  a = u' + arm x w'. */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_BALL_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_BALL_H

#include "solvers/tree/articulated.h"
#include "solvers/tree/spatial.h"

#include <math.h>

#define BALL_INLINE WIDE_INLINE

/* a x b in lanes 0 to 2, each as vec3_cross has it */
BALL_INLINE Wide wide_cross(Wide a, Wide b)
{
    return wide_next(a * wide_next(b) - wide_next(a) * b);
}

BALL_INLINE Vec3 wide_to_vec3(Wide a)
{
    return vec3(a[0], a[1], a[2]);
}

/* The fourth lane is of no account. */
BALL_INLINE Wide wide_from_vec3(Vec3 a)
{
    return (Wide){a.x, a.y, a.z, a.z};
}

/* x0 c0 + x1 c1 + x2 c2 with x = arm x e_k: a column of [c] R */
BALL_INLINE Wide ball_column(Vec3 arm, const Wide c[3], int k)
{
    if (k == 0)
        return arm.z * c[1] - arm.y * c[2];
    if (k == 1)
        return arm.x * c[2] - arm.z * c[0];
    return arm.y * c[0] - arm.x * c[1];
}

/* The parts of a spatial vector in lanes, loaded and stored as spatial.h does it: a load that takes from two stores
 * waits for both. */
BALL_INLINE Wide wide_angular(const double x[6])
{
    return six_load(x).a;
}

BALL_INLINE Wide wide_linear(const double x[6])
{
    Six s = six_load(x);
    Wide last = __builtin_shufflevector(s.b, s.b, 0, 1, 0, 1);
    return __builtin_shufflevector(s.a, last, 3, 4, 5, 5);
}

BALL_INLINE void wide_set(double x[6], Wide a, Wide b)
{
    six_store(x, (Six){__builtin_shufflevector(a, b, 0, 1, 2, 4), __builtin_shufflevector(b, b, 1, 2)});
}

/* L of a symmetric D by columns; its diagonal is 1, and G stands there. */
BALL_INLINE void ball_decompose(const Wide D[3], double L[3][3])
{
    L[0][0] = 1.0 / D[0][0];
    L[1][0] = D[0][1] * L[0][0];
    L[2][0] = D[0][2] * L[0][0];
    double mixed = D[1][2] - L[2][0] * D[0][1];
    L[1][1] = 1.0 / (D[1][1] - L[1][0] * D[0][1]);
    L[2][1] = mixed * L[1][1];
    L[2][2] = 1.0 / (D[2][2] - L[2][0] * D[0][2] - L[2][1] * mixed);
}

/* L^-1 x */
BALL_INLINE Vec3 ball_forward(const double L[3][3], Vec3 x)
{
    double b = x.y - L[1][0] * x.x;
    return vec3(x.x, b, x.z - L[2][0] * x.x - L[2][1] * b);
}

/* L^-T G x */
BALL_INLINE Vec3 ball_backward(const double L[3][3], Vec3 x)
{
    double c = x.z * L[2][2], b = x.y * L[1][1] - L[2][1] * c;
    return vec3(x.x * L[0][0] - L[1][0] * b - L[2][0] * c, b, c);
}

/* L and Y of a subtree, its link included; its d block is left in M. */
BALL_INLINE void ball_factor(const Link *link, const Subtree *sum, double L[3][3], Wide Y[3], Wide M[3])
{
    const double m = link->mass;
    Wide arm = wide_vec3(&link->arm), b[3], U[3], D[3];
    WideRows own = wide_rows(&link->inertia);
    for (int k = 0; k < 3; k++) {
        b[k] = wide_angular(sum->inertia[3 + k]);
        M[k] = wide_linear(sum->inertia[3 + k]) + (Wide){k == 0 ? m : 0.0, k == 1 ? m : 0.0, k == 2 ? m : 0.0, 0.0};
    }
    for (int k = 0; k < 3; k++) {
        Wide a = wide_angular(sum->inertia[k]) + own.row[k];
        U[k] = wide_linear(sum->inertia[k]) + ball_column(link->arm, M, k);
        D[k] = a + ball_column(link->arm, b, k) - wide_cross(arm, U[k]);
    }
    ball_decompose(D, L);
    Y[0] = U[0];
    Y[1] = U[1] - L[1][0] * Y[0];
    Y[2] = U[2] - L[2][0] * Y[0] - L[2][1] * Y[1];
}

/* What M and f at s are to the parent. */
BALL_INLINE void ball_at_parent(Vec3 s, const Wide M[3], Vec3 f, Vec3 tau, Subtree *sum)
{
    Wide at = wide_from_vec3(s), moment[3] = {wide_cross(at, M[0]), wide_cross(at, M[1]), wide_cross(at, M[2])};
    Wide force[4] = {moment[0], moment[1], moment[2], {0.0}};
    wide_turn(force); /* M (e_k x s), since M is symmetric */
    for (int k = 0; k < 3; k++) {
        wide_set(sum->inertia[k], wide_cross(at, force[k]), force[k]);
        wide_set(sum->inertia[3 + k], moment[k], M[k]);
    }
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
    Wide Y[3], M[3];
    Vec3 torque = vec3_add(angular(sum->bias), angular(link->p)), force = vec3_add(linear(sum->bias), linear(link->p));
    Vec3 tau = ball_given(link);
    ball_factor(link, sum, factor->L, Y, M);
    for (int k = 0; k < 3; k++)
        factor->Y[k] = wide_to_vec3(Y[k]);
    factor->z =
        ball_forward((const double(*)[3])factor->L, vec3_add(vec3_sub(tau, torque), vec3_cross(link->arm, force)));
    if (!has_parent)
        return;
    Wide scaled[3];
    for (int k = 0; k < 3; k++) {
        scaled[k] = factor->L[k][k] * Y[k];
        for (int j = 0; j < 3; j++)
            M[j] -= Y[k][j] * scaled[k];
    }
    Vec3 u = ball_bias(link), z = factor->z;
    Wide f = wide_from_vec3(force) + u.x * M[0] + u.y * M[1] + u.z * M[2];
    f = f + z.x * scaled[0] + z.y * scaled[1] + z.z * scaled[2];
    ball_at_parent(vec3_add(link->r, link->arm), M, wide_to_vec3(f), tau, sum);
}

/* A and qddot from the parent's w' and a, both zero for a fixed one. */
BALL_INLINE void ball_outward(Link *link, Vec3 spin, Vec3 a)
{
    const BallFactor *factor = &link->factor;
    Vec3 u = vec3_add(a, vec3_cross(spin, vec3_add(link->r, link->arm)));
    u = vec3_add(u, ball_bias(link));
    Vec3 left =
        vec3_sub(factor->z, vec3(vec3_dot(factor->Y[0], u), vec3_dot(factor->Y[1], u), vec3_dot(factor->Y[2], u)));
    Vec3 turn = ball_backward((const double(*)[3])factor->L, left),
         change = vec3_sub(turn, vec3_add(spin, angular(link->c)));
    spatial_set(link->A, turn, vec3_add(u, vec3_cross(link->arm, turn)));
    link->qddot[0] = change.x;
    link->qddot[1] = change.y;
    link->qddot[2] = change.z;
}

/* quat_rotate in lanes; u is the vector part of q */
BALL_INLINE Wide wide_rotate(double w, Wide u, Wide a)
{
    Wide t = 2.0 * wide_cross(u, a);
    return a + w * t + wide_cross(u, t);
}

/* R diag(d) R^T from the columns of R */
BALL_INLINE void ball_set_inertia(Mat3 *inertia, const Wide column[3], Vec3 d)
{
    Wide moment[3] = {d.x * column[0], d.y * column[1], d.z * column[2]};
    for (int i = 0; i < 3; i++) {
        Wide row = moment[0][i] * column[0] + moment[1][i] * column[1] + moment[2][i] * column[2];
        for (int j = 0; j < 3; j++)
            inertia->m[i][j] = row[j];
    }
}

/* Place and motion from the state, c as in articulated.c with no shift. */
BALL_INLINE void ball_place(Link *link, const LinkState *state, World *world)
{
    const Pose *parent = &world->pose[link->parent_body];
    const Velocity *from = &world->velocity[link->parent_body];
    const Quat q = quat_unit(quat_mul(parent->q, state->turn));
    const Mat3 R = mat3_from_quat(q);
    const Wide column[3] = {wide_from_vec3(vec3(R.m[0][0], R.m[1][0], R.m[2][0])),
                            wide_from_vec3(vec3(R.m[0][1], R.m[1][1], R.m[2][1])),
                            wide_from_vec3(vec3(R.m[0][2], R.m[1][2], R.m[2][2]))};
    Wide turn = wide_from_vec3(quat_vec(parent->q)), w_parent = wide_from_vec3(from->w);
    Wide spin = wide_rotate(parent->q.w, turn, wide_vec3(&state->spin)), w = w_parent + spin;
    Wide arm = link->anchor.x * column[0] + link->anchor.y * column[1] + link->anchor.z * column[2];
    Wide r = wide_rotate(parent->q.w, turn, wide_vec3(&link->anchor_parent)) - arm;
    Wide gain = wide_cross(w_parent, r) - wide_cross(spin, arm), coriolis = wide_cross(w_parent, spin);
    Wide c = wide_cross(w_parent, gain) - wide_cross(coriolis, arm) - wide_cross(spin, wide_cross(w, arm));
    Wide x = wide_vec3(&parent->x) + r, v = wide_vec3(&from->v) + gain;
    world->pose[link->body] = (Pose){wide_to_vec3(x), q};
    world->velocity[link->body] = (Velocity){wide_to_vec3(v), wide_to_vec3(w)};
    link->r = wide_to_vec3(r);
    link->arm = wide_to_vec3(arm);
    ball_set_inertia(&link->inertia, column, world->mass[link->body].inertia);
    spatial_set(link->c, wide_to_vec3(coriolis), wide_to_vec3(c));
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
