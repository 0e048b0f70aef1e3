/* The recursions for a link on a ball joint without limits. Its joint carries a force and no moment but tau, so to its
 * parent the subtree is a 3x3 inertia M and a force f at the anchor, which lies at s = r + arm from the parent's
 * reference point:
 *     inward   M and f of the child -> M and f of the link: see BallBody
 *     outward  u' = a_parent + w'_parent x s,  w' = e - N u',  a = u' + u + arm x w',  u = c at the anchor. */
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

/* A link and all that hangs on it, seen from its anchor: where that is accelerated by u' and the link by w', its joint
 * gives it a moment and a force of
 *     D w' + U u' - push   and   U^T w' + d u' + rest.
 * U and D are kept by their rows, U[k] being what e_k takes; its lane 3 is push[k], that of d[j] is -rest[j]. */
typedef struct BallBody {
    Wide D[3], U[3], d[3];
} BallBody;

/* Lane 3 of x[k] becomes lane k of y. */
BALL_INLINE void ball_set_last(Wide x[3], Wide y)
{
    x[0] = __builtin_shufflevector(x[0], y, 0, 1, 2, 4);
    x[1] = __builtin_shufflevector(x[1], y, 0, 1, 2, 5);
    x[2] = __builtin_shufflevector(x[2], y, 0, 1, 2, 6);
}

BALL_INLINE Wide ball_last(const Wide x[3])
{
    return (Wide){x[0][3], x[1][3], x[2][3], 0.0};
}

/* The link alone; force and torque are what it needs at its reference point without w' and u'. */
BALL_INLINE void ball_begin(const Link *link, Wide force, Wide torque, BallBody *body)
{
    const double m = link->mass;
    const Vec3 a = vec3_scale(m, link->arm);
    Wide arm = wide_vec3(&link->arm);
    WideRows inertia = wide_rows(&link->inertia);
    body->d[0] = (Wide){m, 0.0, 0.0, 0.0};
    body->d[1] = (Wide){0.0, m, 0.0, 0.0};
    body->d[2] = (Wide){0.0, 0.0, m, 0.0};
    body->U[0] = (Wide){0.0, a.z, -a.y, 0.0}; /* m arm x e_k */
    body->U[1] = (Wide){-a.z, 0.0, a.x, 0.0};
    body->U[2] = (Wide){a.y, -a.x, 0.0, 0.0};
    for (int k = 0; k < 3; k++)
        body->D[k] = inertia.row[k] - wide_cross(arm, body->U[k]);
    ball_set_last(body->d, -force);
    ball_set_last(body->U, wide_load(link->given) - torque + wide_cross(arm, force));
}

/* A link with any subtrees, as they are to its reference point. */
BALL_INLINE void ball_take_sum(const Link *link, const Subtree *sum, BallBody *body)
{
    Wide b[3], d[3], force = wide_linear(link->p) + wide_linear(sum->bias),
                     torque = wide_angular(link->p) + wide_angular(sum->bias);
    const double *u = link->c + 3;
    for (int k = 0; k < 3; k++) {
        b[k] = wide_angular(sum->inertia[3 + k]);
        d[k] = wide_linear(sum->inertia[3 + k]);
        torque += u[k] * b[k];
        force += u[k] * d[k];
    }
    ball_begin(link, force + link->mass * wide_linear(link->c), torque, body);
    Wide push = ball_last(body->U), rest = ball_last(body->d), arm = wide_vec3(&link->arm);
    for (int k = 0; k < 3; k++) {
        Wide U = wide_linear(sum->inertia[k]) + ball_column(link->arm, d, k);
        body->D[k] += wide_angular(sum->inertia[k]) + ball_column(link->arm, b, k) - wide_cross(arm, U);
        body->U[k] += U;
        body->d[k] += d[k];
    }
    ball_set_last(body->U, push);
    ball_set_last(body->d, rest);
}

/* A link with one ball on it, l from the link's anchor. */
BALL_INLINE void ball_take_child(const Link *link, const Link *child, const Wide M[3], BallBody *body)
{
    const double *u = link->c + 3;
    Wide s = wide_vec3(&child->r) + wide_vec3(&child->arm), at = s - wide_vec3(&link->arm);
    Wide force = u[0] * M[0] + u[1] * M[1] + u[2] * M[2];
    Wide torque = wide_angular(link->p) + wide_load(child->given) + wide_cross(s, force);
    ball_begin(link, wide_linear(link->p) + link->mass * wide_linear(link->c) + force, torque, body);
    const Vec3 l = wide_to_vec3(at);
    for (int k = 0; k < 3; k++) {
        Wide U = -ball_column(l, M, k); /* M (e_k x l), and l x -f */
        body->D[k] += wide_cross(at, U);
        body->U[k] += U;
        body->d[k] += M[k];
    }
}

/* w' = e - N u'; and what the body is to the parent, where u' is known: M = d - U^T D^-1 U, -f in its lane 3. With
 * D = L G^-1 L^T, L of unit diagonal, Y = L^-1 U: M = d - Y^T G Y, N = L^-T G Y. The pivots come from minors, without a
 * division that waits for another. */
BALL_INLINE void ball_reduce(Link *link, const BallBody *body, Wide M[3])
{
    const Wide *D = body->D;
    double minor = D[0][0] * D[1][1] - D[0][1] * D[0][1], mixed = D[0][0] * D[1][2] - D[0][1] * D[0][2],
           last = D[0][0] * D[2][2] - D[0][2] * D[0][2];
    double by_minor = 1.0 / minor, G0 = 1.0 / D[0][0], G1 = D[0][0] * by_minor;
    double G2 = D[0][0] * minor / (minor * last - mixed * mixed);
    double L10 = D[0][1] * G0, L20 = D[0][2] * G0, L21 = mixed * by_minor;
    Wide Y0 = body->U[0], Y1 = body->U[1] - L10 * Y0, Y2 = body->U[2] - L20 * Y0 - L21 * Y1;
    Wide Z0 = G0 * Y0, Z1 = G1 * Y1, Z2 = G2 * Y2;
    for (int j = 0; j < 3; j++)
        M[j] = body->d[j] - Y0[j] * Z0 - Y1[j] * Z1 - Y2[j] * Z2;
    Wide N[4] = {Z0, Z1 - L21 * Z2, Z2, {0.0}};
    N[0] = Z0 - L10 * N[1] - L20 * Z2;
    wide_turn(N);
    for (int j = 0; j < 3; j++)
        link->factor.N[j] = wide_to_vec3(N[j]);
    link->factor.e = wide_to_vec3(N[3]);
}

/* What M is to the parent's reference point. */
BALL_INLINE void ball_at_parent(const Link *link, const Wide M[3], Subtree *sum)
{
    Wide at = wide_vec3(&link->r) + wide_vec3(&link->arm), f = -ball_last(M);
    Wide moment[3] = {wide_cross(at, M[0]), wide_cross(at, M[1]), wide_cross(at, M[2])};
    Wide force[4] = {moment[0], moment[1], moment[2], {0.0}};
    wide_turn(force); /* M (e_k x s), since M is symmetric */
    for (int k = 0; k < 3; k++) {
        wide_set(sum->inertia[k], wide_cross(at, force[k]), force[k]);
        wide_set(sum->inertia[3 + k], moment[k], M[k]);
    }
    wide_set(sum->bias, wide_load(link->given) + wide_cross(at, f), f);
}

/* The acceleration of a link: its w', and that of a point at arm from its reference point but for w' x arm. */
typedef struct BallMotion {
    int link; /* -1: fixed */
    Wide turn, a, arm;
} BallMotion;

/* From any link's A. */
BALL_INLINE BallMotion ball_motion(const Articulated *tree, int link)
{
    const double *A = tree->links[link].A;
    return (BallMotion){link, wide_angular(A), wide_linear(A), {0.0}};
}

/* A, qddot and F = I A + p from the parent's motion, whose place is taken by the link's. */
BALL_INLINE void ball_outward(Link *link, int index, BallMotion *motion)
{
    const BallFactor *factor = &link->factor;
    Wide spin = motion->turn, arm = wide_vec3(&link->arm), l = wide_vec3(&link->r) + arm - motion->arm;
    Wide u = motion->a + wide_cross(spin, l);
    Wide turn = wide_vec3(&factor->e) -
                (u[0] * wide_vec3(&factor->N[0]) + u[1] * wide_vec3(&factor->N[1]) + u[2] * wide_vec3(&factor->N[2]));
    *motion = (BallMotion){index, turn, u + wide_linear(link->c), arm};
    Wide a = motion->a + wide_cross(arm, turn);
    Vec3 change = wide_to_vec3(turn - spin - wide_angular(link->c));
    WideRows inertia = wide_rows(&link->inertia);
    memcpy(link->qddot, &change, sizeof change);
    wide_set(link->A, turn, a);
    wide_set(link->F, wide_angular(link->p) + wide_columns_dot(&inertia, wide_to_vec3(turn)),
             wide_linear(link->p) + link->mass * a);
}

/* Whatever its length: in the stages of an integration it is not near one. */
BALL_INLINE Quat quat_scaled_to_one(Quat q)
{
    double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (Quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/* The field at a body; most worlds have the same everywhere. */
BALL_INLINE Vec3 link_field(const World *world, int body)
{
    return world->attractor.gm == 0.0 ? world->gravity : world_field(world, world->pose[body].x);
}

/* The columns of the rotation by a unit quaternion (w, u): 2 u_k u + (1 - 2 u.u) e_k + 2 w u x e_k. */
BALL_INLINE void ball_columns(Quat q, Wide column[3])
{
    const Wide u = {q.x, q.y, q.z, 0.0}, twice = u + u;
    Wide plus = q.w * twice;
    plus[3] = 1.0 - 2.0 * (q.x * q.x + q.y * q.y + q.z * q.z);
    const Wide minus = -plus;
    column[0] = twice[0] * u + __builtin_shufflevector(plus, minus, 3, 2, 5, 7);
    column[1] = twice[1] * u + __builtin_shufflevector(plus, minus, 6, 3, 0, 7);
    column[2] = twice[2] * u + __builtin_shufflevector(plus, minus, 1, 4, 3, 7);
}

/* R diag(d) R^T from the columns of R */
BALL_INLINE WideRows ball_inertia(const Wide column[3], Vec3 d)
{
    Wide moment[3] = {d.x * column[0], d.y * column[1], d.z * column[2]};
    WideRows inertia;
    for (int i = 0; i < 3; i++)
        inertia.row[i] = moment[0][i] * column[0] + moment[1][i] * column[1] + moment[2][i] * column[2];
    return inertia;
}

/* p from outside forces that do not hang on other bodies: -(m g + f) and w x I w - torque. */
BALL_INLINE void ball_load(Link *link, const World *world, const Motion *motion, Wide w, const WideRows *inertia)
{
    Wide force = wide_from_vec3(motion->force[link->body]), torque = wide_from_vec3(motion->torque[link->body]);
    Wide g = wide_from_vec3(link_field(world, link->body));
    if (motion->options.gyroscopic != GYROSCOPIC_OFF)
        torque -= wide_cross(w, wide_columns_dot(inertia, wide_to_vec3(w)));
    wide_set(link->p, -torque, -(force + link->mass * g));
}

/* Where a body is and how it moves. */
typedef struct BallFrame {
    int body; /* -1: none */
    Quat q;
    Wide column[3], x, v, w;
} BallFrame;

BALL_INLINE void ball_frame(const World *world, int body, BallFrame *frame)
{
    frame->body = body;
    frame->q = world->pose[body].q;
    frame->x = wide_from_vec3(world->pose[body].x);
    frame->v = wide_from_vec3(world->velocity[body].v);
    frame->w = wide_from_vec3(world->velocity[body].w);
    ball_columns(frame->q, frame->column);
}

BALL_INLINE Wide ball_turned(const BallFrame *frame, const Vec3 *a)
{
    return wide_combine(a->x, frame->column[0], a->y, frame->column[1], a->z, frame->column[2]);
}

/* Place and motion from the state and the parent's frame, and the load unless motion is NULL; the link's own frame
 * takes the place of its parent's. With s and arm turning, e = w_parent x s and g = w x arm, v = v_parent + e - g,   u
 * = w_parent x e - w x g. */
BALL_INLINE void ball_place(Link *link, const LinkState *state, World *world, const Motion *motion, BallFrame *frame)
{
    const Wide s = ball_turned(frame, &link->anchor_parent), w_parent = frame->w, e = wide_cross(w_parent, s);
    Wide coriolis = {0.0};
    if (link->absolute) {
        frame->q = quat_scaled_to_one(state->turn);
        frame->w = wide_vec3(&state->spin);
    } else {
        Wide spin = ball_turned(frame, &state->spin);
        coriolis = wide_cross(w_parent, spin);
        frame->q = quat_unit(quat_mul(frame->q, state->turn));
        frame->w = w_parent + spin;
    }
    ball_columns(frame->q, frame->column);
    const Wide w = frame->w, arm = ball_turned(frame, &link->anchor), g = wide_cross(w, arm), r = s - arm;
    WideRows inertia = ball_inertia(frame->column, world->mass[link->body].inertia);
    frame->body = link->body;
    frame->x += r;
    frame->v += e - g;
    world->pose[link->body] = (Pose){wide_to_vec3(frame->x), frame->q};
    world->velocity[link->body] = (Velocity){wide_to_vec3(frame->v), wide_to_vec3(w)};
    link->r = wide_to_vec3(r);
    link->arm = wide_to_vec3(arm);
    for (int i = 0; i < 3; i++)
        memcpy(link->inertia.m[i], &inertia.row[i], sizeof link->inertia.m[i]);
    wide_set(link->c, coriolis, wide_cross(w_parent, e) - wide_cross(w, g));
    if (motion)
        ball_load(link, world, motion, w, &inertia);
}

/* The time derivatives of turn and spin, in whichever frame they are. */
BALL_INLINE void ball_rate(const Link *link, const LinkState *state, Quat q_parent, Quat *turn, Vec3 *spin)
{
    *turn = quat_mul((Quat){0.0, 0.5 * state->spin.x, 0.5 * state->spin.y, 0.5 * state->spin.z}, state->turn);
    *spin = link->absolute ? angular(link->A)
                           : quat_rotate_inverse(q_parent, vec3(link->qddot[0], link->qddot[1], link->qddot[2]));
}

/* A wrench on its way to the next link, in lanes. */
typedef struct BallWrench {
    Wide torque, force;
} BallWrench;

/* F with what the last link left to it; tau = S^T F; and F as it is to the parent. */
BALL_INLINE BallWrench ball_force(Link *link, BallWrench left)
{
    Wide torque = wide_angular(link->F) + left.torque, force = wide_linear(link->F) + left.force;
    Vec3 tau = wide_to_vec3(torque - wide_cross(wide_vec3(&link->arm), force));
    memcpy(link->tau, &tau, sizeof tau);
    wide_set(link->F, torque, force);
    return (BallWrench){torque + wide_cross(wide_vec3(&link->r), force), force};
}

BALL_INLINE void ball_add_wrench(double F[6], BallWrench wrench)
{
    wide_set(F, wide_angular(F) + wrench.torque, wide_linear(F) + wrench.force);
}

#endif
