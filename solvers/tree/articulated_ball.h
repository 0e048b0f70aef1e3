/* SPDX-License-Identifier: MIT */
/* Links on a ball joint without limits, whose coordinates turn about the world's axes. The recursions are those of
 * articulated_solve.c and articulated.c with S = (e_k, arm x e_k): what is multiplied by zeros and ones is left out,
 * and what is left stands side by side in lanes. Every sum has its order, so the bits are those of the general form. */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_BALL_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_BALL_H

#include "solvers/tree/articulated.h"
#include "solvers/tree/spatial.h"

#include <math.h>

/* a x b in lanes 0 to 2, each as vec3_cross has it */
LANE_INLINE Lanes lane_row_cross(Lanes a, Lanes b)
{
    return lane_row_next(a * lane_row_next(b) - lane_row_next(a) * b);
}

LANE_INLINE Vec3 lane_row_get(Lanes a)
{
    return vec3(a[0], a[1], a[2]);
}

/* The fourth lane is of no account. */
LANE_INLINE Lanes lane_row_of(Vec3 a)
{
    return (Lanes){a.x, a.y, a.z, a.z};
}

/* The parts of a spatial vector in lanes, loaded and stored as spatial.h does it: a load that takes from two stores
 * waits for both. */
LANE_INLINE Lanes wide_angular(const double x[6])
{
    return six_load(x).a;
}

LANE_INLINE Lanes wide_linear(const double x[6])
{
    Six s = six_load(x);
    Lanes last = __builtin_shufflevector(s.b, s.b, 0, 1, 0, 1);
    return __builtin_shufflevector(s.a, last, 3, 4, 5, 5);
}

/* The linear part of a vector of a Link, after which another number stands, from an earlier pass. */
LANE_INLINE Lanes wide_linear_kept(const double x[6])
{
    return lanes_load(x + 3);
}

LANE_INLINE void wide_set(double x[6], Lanes a, Lanes b)
{
    six_store(x, (Six){__builtin_shufflevector(a, b, 0, 1, 2, 4), __builtin_shufflevector(b, b, 1, 2)});
}

/* What hangs on a link, by columns of its inertia, and its bias. Of the first three columns both parts are kept, of the
 * others the linear one: their angular parts are the first ones' linear parts, turned over. */
typedef struct BallSum {
    Lanes angular[3], linear[6];
    Lanes torque, force;
} BallSum;

LANE_INLINE void ball_sum_load(BallSum *sum, const Subtree *from)
{
    for (int j = 0; j < 3; j++)
        sum->angular[j] = wide_angular(from->inertia[j]);
    for (int j = 0; j < 6; j++)
        sum->linear[j] = wide_linear(from->inertia[j]);
    sum->torque = wide_angular(from->bias);
    sum->force = wide_linear(from->bias);
}

/* Lane i of a[j] as lane j of x[i]. */
LANE_INLINE void ball_turn_over(const Lanes a[3], Lanes x[3])
{
    Lanes even = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6), odd = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
    Lanes last = __builtin_shufflevector(a[2], a[2], 1, 0, 3, 2);
    x[0] = __builtin_shufflevector(even, a[2], 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(odd, last, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(even, a[2], 2, 3, 6, 7);
}

LANE_INLINE void ball_sum_store(const BallSum *sum, Subtree *to)
{
    Lanes mixed[3];
    ball_turn_over(sum->linear, mixed);
    for (int j = 0; j < 3; j++) {
        wide_set(to->inertia[j], sum->angular[j], sum->linear[j]);
        wide_set(to->inertia[3 + j], mixed[j], sum->linear[3 + j]);
    }
    wide_set(to->bias, sum->torque, sum->force);
}

/* x + (c[0], c[1], c[2]) (arm x e_k): a column of I S, its angular or its linear part. */
LANE_INLINE Lanes ball_column(Lanes x, Vec3 arm, const Lanes c[3], int k)
{
    if (k == 0)
        return x + arm.z * c[1] - arm.y * c[2];
    if (k == 1)
        return x - arm.z * c[0] + arm.x * c[2];
    return x + arm.y * c[0] - arm.x * c[1];
}

/* S^T of a wrench: (e_k, arm x e_k).(torque, force) in lane k. */
LANE_INLINE Lanes ball_along(Lanes torque, Lanes force, Vec3 arm)
{
    const Lanes one = {arm.z, -arm.z, arm.y, 0.0}, two = {-arm.y, arm.x, -arm.x, 0.0};
    return torque + one * __builtin_shufflevector(force, force, 1, 0, 0, 3) +
           two * __builtin_shufflevector(force, force, 2, 2, 1, 3);
}

/* The link itself joins what hangs on it. */
LANE_INLINE void ball_add_own(const Link *link, BallSum *sum)
{
    const double m = link->mass;
    LaneRows inertia = lane_rows(&link->at->inertia);
    for (int k = 0; k < 3; k++)
        sum->angular[k] += inertia.row[k];
    sum->linear[3] += (Lanes){m, 0.0, 0.0, 0.0};
    sum->linear[4] += (Lanes){0.0, m, 0.0, 0.0};
    sum->linear[5] += (Lanes){0.0, 0.0, m, 0.0};
    sum->torque += wide_angular(link->at->p);
    sum->force += wide_linear_kept(link->at->p);
}

/* Y row by row, its angular and its linear part. */
typedef struct BallRows {
    Lanes angular[3], linear[3];
} BallRows;

/* D = L L^T, Y and z, into the link as well. */
LANE_INLINE void ball_factor(Link *link, const BallSum *sum, const Lanes mixed[3], BallRows *Y)
{
    double *number = link->factor->number, *L = number + BALL_L, *z = number + BALL_Z;
    const Vec3 arm = link->at->arm;
    Lanes D[3], Z = lanes_load(link->moves->given) - ball_along(sum->torque, sum->force, arm);
    for (int i = 0; i < 3; i++) {
        Y->angular[i] = ball_column(sum->angular[i], arm, mixed, i);
        Y->linear[i] = ball_column(sum->linear[i], arm, sum->linear + 3, i);
        D[i] = ball_along(Y->angular[i], Y->linear[i], arm);
    }
    double L00 = sqrt(D[0][0]), L10 = D[1][0] / L00, L20 = D[2][0] / L00;
    double L11 = sqrt(D[1][1] - L10 * L10), L21 = (D[2][1] - L20 * L10) / L11;
    double L22 = sqrt(D[2][2] - L20 * L20 - L21 * L21);
    double s0 = 1.0 / L00, s1 = 1.0 / L11, s2 = 1.0 / L22;
    Y->angular[0] *= s0;
    Y->linear[0] *= s0;
    Y->angular[1] = (Y->angular[1] - L10 * Y->angular[0]) * s1;
    Y->linear[1] = (Y->linear[1] - L10 * Y->linear[0]) * s1;
    Y->angular[2] = (Y->angular[2] - L20 * Y->angular[0] - L21 * Y->angular[1]) * s2;
    Y->linear[2] = (Y->linear[2] - L20 * Y->linear[0] - L21 * Y->linear[1]) * s2;
    for (int i = 0; i < 3; i++) { /* each covers the last one's fourth lane, L the last one's */
        lanes_store(number + 6 * i, Y->angular[i]);
        lanes_store(number + 6 * i + 3, Y->linear[i]);
    }
    z[0] = Z[0] * s0;
    z[1] = (Z[1] - L10 * z[0]) * s1;
    z[2] = (Z[2] - L20 * z[0] - L21 * z[1]) * s2;
    L[0] = L00;
    L[1] = L10;
    L[2] = L11;
    L[3] = L20;
    L[4] = L21;
    L[5] = L22;
}

/* (c, d) x: six columns times a spatial vector. */
LANE_INLINE Lanes ball_times(const Lanes c[3], const Lanes d[3], const double x[6])
{
    return x[0] * c[0] + x[1] * c[1] + x[2] * c[2] + x[3] * d[0] + x[4] * d[1] + x[5] * d[2];
}

/* Ia = IA - Y^T Y and pa = pA + Ia c + Y^T z in the place of IA and pA. */
LANE_INLINE void ball_reduce(const Link *link, const BallRows *Y, BallSum *sum, Lanes mixed[3])
{
    const double *z = link->factor->number + BALL_Z;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
            sum->angular[j] -= Y->angular[k][j] * Y->angular[k];
            sum->linear[j] -= Y->angular[k][j] * Y->linear[k];
            sum->linear[3 + j] -= Y->linear[k][j] * Y->linear[k];
        }
    ball_turn_over(sum->linear, mixed);
    sum->torque += ball_times(sum->angular, mixed, link->at->c);
    sum->force += ball_times(sum->linear, sum->linear + 3, link->at->c);
    for (int k = 0; k < 3; k++) {
        sum->torque += z[k] * Y->angular[k];
        sum->force += z[k] * Y->linear[k];
    }
}

/* X^T Ia X and X^T pa */
LANE_INLINE void ball_move(const Link *link, BallSum *sum, const Lanes mixed[3])
{
    const Vec3 r = link->at->r, back = vec3(-r.x, -r.y, -r.z);
    const Lanes *d = sum->linear + 3;
    for (int j = 0; j < 3; j++) {
        Lanes linear = ball_column(sum->linear[j], back, d, j);
        sum->angular[j] = ball_along(ball_column(sum->angular[j], back, mixed, j), linear, back);
        sum->linear[j] = linear;
    }
    sum->torque += lane_row_cross(lane_row(&link->at->r), sum->force);
}

/* One link of the recursion inward; what hangs on it becomes what its parent has of it. */
LANE_INLINE void ball_inward(Link *link, BallSum *sum, bool has_parent)
{
    Lanes mixed[3];
    BallRows Y;
    ball_turn_over(sum->linear, mixed);
    ball_add_own(link, sum);
    ball_factor(link, sum, mixed, &Y);
    if (!has_parent)
        return;
    ball_reduce(link, &Y, sum, mixed);
    ball_move(link, sum, mixed);
}

/* The acceleration of the link that was last. */
typedef struct BallMotion {
    int link; /* -1: fixed */
    Vec3 turn, a;
} BallMotion;

LANE_INLINE BallMotion ball_motion(const Articulated *tree, int link)
{
    const double *A = tree->links[link].moves->A;
    return (BallMotion){link, angular(A), linear(A)};
}

LANE_INLINE double ball_dot(const double *Y, Vec3 a, Vec3 b)
{
    return Y[0] * a.x + Y[1] * a.y + Y[2] * a.z + Y[3] * b.x + Y[4] * b.y + Y[5] * b.z;
}

/* A, qddot and F = I A + p from the parent's motion, whose place is taken by the link's. */
LANE_INLINE void ball_outward(Link *link, int index, BallMotion *motion)
{
    const double *Y = link->factor->number, *L = Y + BALL_L, *z = Y + BALL_Z;
    const Vec3 arm = link->at->arm;
    Vec3 turn = vec3_add(motion->turn, angular(link->at->c));
    Vec3 a = vec3_add(vec3_add(motion->a, vec3_cross(motion->turn, link->at->r)), linear(link->at->c));
    double x2 = (z[2] - ball_dot(Y + 12, turn, a)) / L[5];
    double x1 = (z[1] - ball_dot(Y + 6, turn, a) - L[4] * x2) / L[2];
    double x0 = (z[0] - ball_dot(Y, turn, a) - L[1] * x1 - L[3] * x2) / L[0];
    link->moves->qddot[0] = x0;
    link->moves->qddot[1] = x1;
    link->moves->qddot[2] = x2;
    turn = vec3_add(turn, vec3(x0, x1, x2));
    a = vec3(a.x - x1 * arm.z + x2 * arm.y, a.y + x0 * arm.z - x2 * arm.x, a.z - x0 * arm.y + x1 * arm.x);
    *motion = (BallMotion){index, turn, a};
    spatial_set(link->moves->A, turn, a);
    LaneRows inertia = lane_rows(&link->at->inertia);
    wide_set(link->moves->F, lane_rows_columns_dot(&inertia, turn) + wide_angular(link->at->p),
             link->mass * lane_row_of(a) + wide_linear_kept(link->at->p));
}

/* Whatever its length: in the stages of an integration it is not near one. */
LANE_INLINE Quat quat_scaled_to_one(Quat q)
{
    double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (Quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* A turn as lanes have it: quat_rotate is by (w, u), its inverse by (w, -u). */
LANE_INLINE Lanes ball_rotate(double w, Lanes u, Lanes a)
{
    Lanes t = lane_row_cross(u, a);
    t += t;
    return a + w * t + lane_row_cross(u, t);
}

LANE_INLINE Lanes ball_axis(Quat q)
{
    return (Lanes){q.x, q.y, q.z, 0.0};
}

/* The rows of mat3_from_quat, to the bit; also e_k turned back. Its columns are the rows of the inverse turn. */
LANE_INLINE LaneRows ball_matrix(double w, Lanes u)
{
    const Lanes square = u * u, one = {1.0, 1.0, 1.0, 1.0};
    Lanes mixed = u * lane_row_next(u), by_w = lane_row_after_next(w * u); /* xy yz zx, wz wx wy */
    Lanes plus = mixed + by_w, minus = mixed - by_w, diagonal = lane_row_next(square) + lane_row_after_next(square);
    plus += plus;
    minus += minus;
    diagonal = one - (diagonal + diagonal);
    LaneRows m;
    m.row[0] = (Lanes){diagonal[0], minus[0], plus[2], 0.0};
    m.row[1] = (Lanes){plus[0], diagonal[1], minus[1], 0.0};
    m.row[2] = (Lanes){minus[2], plus[1], diagonal[2], 0.0};
    return m;
}

/* mat3_turn_diagonal: the upper triangle, and its image. */
LANE_INLINE LaneRows ball_inertia(double w, Lanes u, Vec3 d)
{
    LaneRows turned = ball_matrix(w, u), inertia;
    Lanes column[3];
    ball_turn_over(turned.row, column);
    for (int i = 0; i < 3; i++)
        inertia.row[i] = d.x * turned.row[i][0] * column[0] + d.y * turned.row[i][1] * column[1] +
                         d.z * turned.row[i][2] * column[2];
    inertia.row[1] = __builtin_shufflevector(inertia.row[1], inertia.row[0], 5, 1, 2, 3);
    inertia.row[2] = __builtin_shufflevector(inertia.row[2], inertia.row[0], 6, 1, 2, 3);
    inertia.row[2] = __builtin_shufflevector(inertia.row[2], inertia.row[1], 0, 6, 2, 3);
    return inertia;
}

/* p = -I a, a the accelerations of the body alone, as motion_accelerations has them without damping. */
LANE_INLINE void ball_load(Link *link, const World *world, const Motion *motion, Lanes u, Lanes w,
                           const LaneRows *inertia)
{
    const Mass *mass = &world->mass[link->body];
    const Pose *pose = &world->pose[link->body];
    Lanes around = ball_rotate(pose->q.w, -u, w);
    Lanes torque = ball_rotate(pose->q.w, -u, lane_row_of(motion->torque[link->body]));
    if (motion->options.gyroscopic != GYROSCOPIC_OFF)
        torque -= lane_row_cross(around, lane_row(&mass->inertia) * around);
    Lanes a = ball_rotate(pose->q.w, u, lane_row_of(mass->inv_inertia) * torque);
    Vec3 field = world->attractor.gm == 0.0 ? world->gravity : world_field(world, pose->x);
    Lanes fall = lane_row_of(field) + mass->inv_mass * lane_row_of(motion->force[link->body]);
    wide_set(link->at->p, -lane_rows_columns_dot(inertia, lane_row_get(a)), -link->mass * fall);
}

/* Where a body is and how it moves. */
typedef struct BallFrame {
    int body; /* -1: none */
    Quat q;
    Lanes u, x, v, w;
} BallFrame;

LANE_INLINE void ball_frame(const World *world, int body, BallFrame *frame)
{
    frame->body = body;
    frame->q = world->pose[body].q;
    frame->u = ball_axis(frame->q);
    frame->x = lane_row_of(world->pose[body].x);
    frame->v = lane_row_of(world->velocity[body].v);
    frame->w = lane_row_of(world->velocity[body].w);
}

/* link_place of a ball from its parent's frame, which its own takes the place of; and the load unless motion is NULL.
 * `none`: anchors do not shift, and -0 becomes 0 where that is added. */
LANE_INLINE void ball_place(Link *link, const LinkState *state, World *world, const Motion *motion, BallFrame *frame)
{
    const BallFrame parent = *frame;
    const Lanes none = {0.0, 0.0, 0.0, 0.0};
    Lanes spin;
    Lanes anchor = parent.x + ball_rotate(parent.q.w, parent.u, lane_row(&link->anchors->parent) + none);
    if (link->absolute) {
        frame->q = quat_scaled_to_one(state->turn);
        frame->w = lane_row(&state->spin);
        spin = frame->w - parent.w;
    } else {
        frame->q = quat_unit(quat_mul(parent.q, state->turn));
        spin = ball_rotate(parent.q.w, parent.u, lane_row(&state->spin));
        frame->w = parent.w + spin;
    }
    frame->body = link->body;
    frame->u = ball_axis(frame->q);
    Lanes arm = ball_rotate(frame->q.w, frame->u, lane_row(&link->anchors->own));
    frame->x = anchor - arm;
    Lanes r = frame->x - parent.x, coriolis = lane_row_cross(parent.w, spin);
    frame->v = parent.v + lane_row_cross(parent.w, r) + (none - lane_row_cross(spin, arm));
    Lanes c = lane_row_cross(parent.w, frame->v - parent.v + none) + none - lane_row_cross(coriolis, arm) -
              lane_row_cross(spin, lane_row_cross(frame->w, arm));
    LaneRows inertia = ball_inertia(frame->q.w, frame->u, world->mass[link->body].inertia);
    world->pose[link->body] = (Pose){lane_row_get(frame->x), frame->q};
    world->velocity[link->body] = (Velocity){lane_row_get(frame->v), lane_row_get(frame->w)};
    link->at->r = lane_row_get(r);
    link->at->arm = lane_row_get(arm);
    for (int i = 0; i < 3; i++)
        memcpy(link->at->inertia.m[i], &inertia.row[i], sizeof link->at->inertia.m[i]);
    wide_set(link->at->c, coriolis, c);
    if (motion)
        ball_load(link, world, motion, frame->u, frame->w, &inertia);
}

/* The time derivatives of turn and spin, in whichever frame they are. */
LANE_INLINE void ball_rate(const Link *link, const LinkState *state, Quat q_parent, Quat *turn, Vec3 *spin)
{
    *turn = quat_mul((Quat){0.0, 0.5 * state->spin.x, 0.5 * state->spin.y, 0.5 * state->spin.z}, state->turn);
    if (link->absolute) {
        *spin = angular(link->moves->A);
        return;
    }
    LaneRows back = ball_matrix(q_parent.w, ball_axis(q_parent));
    Lanes sum = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++)
        sum += link->moves->qddot[k] * back.row[k];
    *spin = lane_row_get(sum);
}

/* A wrench on its way to the next link, in lanes. */
typedef struct BallWrench {
    Lanes torque, force;
} BallWrench;

/* F with what the last link left to it; and F as it is to the parent. */
LANE_INLINE BallWrench ball_force(Link *link, BallWrench left)
{
    Lanes torque = wide_angular(link->moves->F) + left.torque, force = wide_linear_kept(link->moves->F) + left.force;
    wide_set(link->moves->F, torque, force);
    return (BallWrench){torque + lane_row_cross(lane_row(&link->at->r), force), force};
}

/* What the joint gives its second body, for a time `share`. */
LANE_INLINE void ball_add_reaction(const Link *link, Lanes force, double share, Vec3 *impulse)
{
    *impulse = vec3_add_scaled(*impulse, link->reversed ? -share : share, lane_row_get(force));
}

LANE_INLINE void ball_add_wrench(double F[6], BallWrench wrench)
{
    wide_set(F, wide_angular(F) + wrench.torque, wide_linear(F) + wrench.force);
}

#endif
