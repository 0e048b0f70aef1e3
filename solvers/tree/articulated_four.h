/* Four balls at once, a lane a link, each on the one before: what articulated_ball.h does with one, to the same bits.
 * Only what goes from link to link is done one after the other. */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_FOUR_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_FOUR_H

#include "solvers/four.h"
#include "solvers/tree/articulated_ball.h"

#include <stddef.h>

_Static_assert(sizeof(LinkPlace) == 27 * sizeof(double), "its numbers follow each other");

/* What the links before have: `first` is that before the first one. */
BALL_INLINE Wide four_before(double first, Wide x)
{
    return __builtin_shufflevector(wide_all(first), x, 0, 4, 5, 6);
}

BALL_INLINE FourVec3 four_vec3_before(Wide first, FourVec3 a)
{
    return (FourVec3){four_before(first[0], a.x), four_before(first[1], a.y), four_before(first[2], a.z)};
}

BALL_INLINE FourQuat four_quat_before(Quat first, FourQuat q)
{
    return (FourQuat){four_before(first.w, q.w), four_before(first.x, q.x), four_before(first.y, q.y),
                      four_before(first.z, q.z)};
}

BALL_INLINE void four_turn_vec3(FourVec3 a, Wide of[FOUR])
{
    of[0] = a.x;
    of[1] = a.y;
    of[2] = a.z;
    of[3] = a.z;
    wide_turn(of);
}

/* x_k = x_(k-1) + a_k, from `last` on, which becomes the last one; and x_(k-1) + a_k + b_k. */
BALL_INLINE FourVec3 four_sum(Wide *last, FourVec3 a)
{
    Wide x[FOUR];
    four_turn_vec3(a, x);
    for (int k = 0; k < FOUR; k++)
        *last = x[k] = *last + x[k];
    wide_turn(x);
    return (FourVec3){x[0], x[1], x[2]};
}

BALL_INLINE FourVec3 four_sum_of_two(Wide *last, FourVec3 a, FourVec3 b)
{
    Wide x[FOUR], y[FOUR];
    four_turn_vec3(a, x);
    four_turn_vec3(b, y);
    for (int k = 0; k < FOUR; k++)
        *last = x[k] = *last + x[k] + y[k];
    wide_turn(x);
    return (FourVec3){x[0], x[1], x[2]};
}

/* The orientations of the links, and of the last one. */
BALL_INLINE FourQuat four_turns(const Link *link, const LinkState *state, Quat *last)
{
    const double *turn = &state->turn.w;
    if (link->absolute) {
        Wide q[FOUR];
        four_load(turn, BALL_STATE_SIZE, q);
        Wide s = 1.0 / four_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        FourQuat scaled = {s * q[0], s * q[1], s * q[2], s * q[3]};
        *last = (Quat){scaled.w[3], scaled.x[3], scaled.y[3], scaled.z[3]};
        return scaled;
    }
    Quat q[FOUR];
    for (int k = 0; k < FOUR; k++, turn += BALL_STATE_SIZE)
        *last = q[k] = quat_unit(quat_mul(*last, (Quat){turn[0], turn[1], turn[2], turn[3]}));
    return (FourQuat){{q[0].w, q[1].w, q[2].w, q[3].w},
                      {q[0].x, q[1].x, q[2].x, q[3].x},
                      {q[0].y, q[1].y, q[2].y, q[3].y},
                      {q[0].z, q[1].z, q[2].z, q[3].z}};
}

BALL_INLINE FourVec3 four_symmetric_mul(const FourSymmetric *m, FourVec3 a)
{
    return (FourVec3){m->xx * a.x + m->xy * a.y + m->xz * a.z, m->xy * a.x + m->yy * a.y + m->yz * a.z,
                      m->xz * a.x + m->yz * a.y + m->zz * a.z};
}

/* The numbers of four bodies' masses as they stand. */
typedef struct FourMasses {
    Wide mass, inv_mass;
    FourVec3 inertia, inv_inertia;
} FourMasses;

BALL_INLINE FourMasses four_masses_of(const Mass *mass)
{
    Wide a[FOUR], b[FOUR];
    four_load(&mass->mass, NUMBERS_IN(Mass), a);
    four_load(&mass->inertia.z, NUMBERS_IN(Mass), b);
    return (FourMasses){a[0], a[1], {a[2], a[3], b[0]}, {b[1], b[2], b[3]}};
}

/* As ball_load, in a field that is the same everywhere. */
BALL_INLINE void ball_load_four(const World *world, const Motion *motion, int body, const FourMasses *mass, FourQuat q,
                                FourVec3 w, const FourSymmetric *inertia, FourVec3 p[2])
{
    FourVec3 around = four_rotate(four_conj(q), w), torque = four_same(VEC3_ZERO), force = torque;
    if (motion->pushes) {
        torque = four_rotate(four_conj(q), four_vec3(&motion->torque[body]));
        force = four_vec3(&motion->force[body]);
    }
    if (motion->options.gyroscopic != GYROSCOPIC_OFF)
        torque = four_sub(torque, four_cross(around, four_mul(mass->inertia, around)));
    FourVec3 a = four_rotate(q, four_mul(mass->inv_inertia, torque));
    FourVec3 fall = four_add_scaled(four_same(world->gravity), mass->inv_mass, force);
    p[0] = four_negate(four_symmetric_mul(inertia, a));
    p[1] = four_scale(-mass->mass, fall);
}

/* r, arm, inertia and c of four links, and p unless it is NULL. */
BALL_INLINE void ball_store_four(Link *link, FourVec3 r, FourVec3 arm, const FourSymmetric *I, const FourVec3 c[2],
                                 const FourVec3 *p)
{
    double *to = &link->at->r.x;
    four_store(to, NUMBERS_IN(LinkPlace), r.x, r.y, r.z, arm.x);
    four_store(to + 4, NUMBERS_IN(LinkPlace), arm.y, arm.z, I->xx, I->xy);
    four_store(to + 8, NUMBERS_IN(LinkPlace), I->xz, I->xy, I->yy, I->yz);
    four_store(to + 12, NUMBERS_IN(LinkPlace), I->xz, I->yz, I->zz, c[0].x);
    four_store(to + 16, NUMBERS_IN(LinkPlace), c[0].y, c[0].z, c[1].x, c[1].y);
    if (!p) {
        four_store(to + 17, NUMBERS_IN(LinkPlace), c[0].z, c[1].x, c[1].y, c[1].z);
        return;
    }
    four_store(to + 20, NUMBERS_IN(LinkPlace), c[1].z, p[0].x, p[0].y, p[0].z);
    four_store(to + 23, NUMBERS_IN(LinkPlace), p[0].z, p[1].x, p[1].y, p[1].z);
}

/* As ball_place. */
BALL_INLINE void ball_place_four(Link *link, const LinkState *state, World *world, const Motion *motion,
                                 BallFrame *frame)
{
    const BallFrame parent = *frame;
    const FourVec3 none = four_same(VEC3_ZERO);
    const int body = link->body;
    const FourMasses mass = four_masses_of(&world->mass[body]);
    Wide a[FOUR], b[FOUR], s[FOUR];
    four_load(&link->anchors->parent.x, NUMBERS_IN(LinkAnchors), a);
    four_load(&link->anchors->parent.z, NUMBERS_IN(LinkAnchors), b);
    four_load(&state->turn.z, BALL_STATE_SIZE, s);
    FourQuat q = four_turns(link, state, &frame->q), q_parent = four_quat_before(parent.q, q);
    FourVec3 there = four_rotate(q_parent, four_add((FourVec3){a[0], a[1], a[2]}, none)), spin = {s[1], s[2], s[3]}, w;
    FourVec3 arm = four_rotate(q, (FourVec3){b[1], b[2], b[3]});
    FourVec3 x = four_sum_of_two(&frame->x, there, four_negate(arm));
    FourVec3 r = four_sub(x, four_vec3_before(parent.x, x));
    if (link->absolute) {
        w = spin;
        spin = four_sub(w, four_vec3_before(parent.w, w));
        frame->w = (Wide){w.x[3], w.y[3], w.z[3], 0.0};
    } else {
        spin = four_rotate(q_parent, spin);
        w = four_sum(&frame->w, spin);
    }
    FourVec3 w_parent = four_vec3_before(parent.w, w), c[2], p[2];
    FourVec3 v = four_sum_of_two(&frame->v, four_cross(w_parent, r), four_sub(none, four_cross(spin, arm)));
    c[0] = four_cross(w_parent, spin);
    c[1] = four_add(four_cross(w_parent, four_add(four_sub(v, four_vec3_before(parent.v, v)), none)), none);
    c[1] = four_sub(c[1], four_cross(c[0], arm));
    c[1] = four_sub(c[1], four_cross(spin, four_cross(w, arm)));
    FourSymmetric inertia = four_turn_diagonal(q, mass.inertia);
    if (motion)
        ball_load_four(world, motion, body, &mass, q, w, &inertia, p);
    ball_store_four(link, r, arm, &inertia, c, motion ? p : NULL);
    four_set_pose(&world->pose[body], (FourPose){x, q});
    four_set_velocity(&world->velocity[body], (FourVelocity){v, w});
    frame->body = body + FOUR - 1;
    frame->u = ball_axis(frame->q);
}

/* Turns and spins of four balls, seven numbers each, and back. */
typedef struct FourStates {
    FourQuat turn;
    FourVec3 spin;
} FourStates;

BALL_INLINE FourStates four_states(const LinkState *state)
{
    Wide a[FOUR], b[FOUR];
    four_load(&state->turn.w, BALL_STATE_SIZE, a);
    four_load(&state->turn.z, BALL_STATE_SIZE, b);
    return (FourStates){{a[0], a[1], a[2], a[3]}, {b[1], b[2], b[3]}};
}

BALL_INLINE void four_set_states(LinkState *state, FourStates to)
{
    four_store(&state->turn.w, BALL_STATE_SIZE, to.turn.w, to.turn.x, to.turn.y, to.turn.z);
    four_store(&state->turn.z, BALL_STATE_SIZE, to.turn.z, to.spin.x, to.spin.y, to.spin.z);
}

/* state + h rate */
BALL_INLINE FourStates four_states_add(FourStates state, double h, const FourStates *rate)
{
    state.turn.w += h * rate->turn.w;
    state.turn.x += h * rate->turn.x;
    state.turn.y += h * rate->turn.y;
    state.turn.z += h * rate->turn.z;
    state.spin = four_add_scaled(state.spin, wide_all(h), rate->spin);
    return state;
}

/* As ball_rate, of balls that turn against their parents. */
BALL_INLINE FourStates ball_rate_four(const Link *link, const FourStates *state, const World *world)
{
    const FourQuat half = {wide_all(0.0), 0.5 * state->spin.x, 0.5 * state->spin.y, 0.5 * state->spin.z};
    FourVec3 back[3], sum = four_same(VEC3_ZERO);
    Wide qddot[FOUR];
    four_rows(four_quat_before(world->pose[link->parent_body].q, four_orientation(&world->pose[link->body])), back);
    four_load(link->moves->qddot, NUMBERS_IN(LinkMoves), qddot);
    for (int k = 0; k < 3; k++)
        sum = four_add_scaled(sum, qddot[k], back[k]);
    return (FourStates){four_quat_mul(half, state->turn), sum};
}

#endif
