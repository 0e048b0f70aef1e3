/* SPDX-License-Identifier: MIT */
/* Four balls at once, a lane a link, each on the one before: what articulated_ball.h does with one, to the same bits.
 * Only what goes from link to link is done one after the other. */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_FOUR_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_FOUR_H

#include "model/lanes/vectors.h"
#include "solvers/tree/articulated_ball.h"

#include <stddef.h>

_Static_assert(sizeof(LinkPlace) == 27 * sizeof(double), "its numbers follow each other");

/* What the links before have: `first` is that before the first one. */
LANE_INLINE Lanes four_before(double first, Lanes x)
{
    return __builtin_shufflevector(lanes_all(first), x, 0, 4, 5, 6);
}

LANE_INLINE LanesVec3 four_vec3_before(Lanes first, LanesVec3 a)
{
    return (LanesVec3){four_before(first[0], a.x), four_before(first[1], a.y), four_before(first[2], a.z)};
}

LANE_INLINE LanesQuat four_quat_before(Quat first, LanesQuat q)
{
    return (LanesQuat){four_before(first.w, q.w), four_before(first.x, q.x), four_before(first.y, q.y),
                       four_before(first.z, q.z)};
}

LANE_INLINE void four_turn_vec3(LanesVec3 a, Lanes of[LANES])
{
    of[0] = a.x;
    of[1] = a.y;
    of[2] = a.z;
    of[3] = a.z;
    lanes4_turn(of);
}

/* x_k = x_(k-1) + a_k, from `last` on, which becomes the last one; and x_(k-1) + a_k + b_k. */
LANE_INLINE LanesVec3 four_sum(Lanes *last, LanesVec3 a)
{
    Lanes x[LANES];
    four_turn_vec3(a, x);
    for (int k = 0; k < LANES; k++)
        *last = x[k] = *last + x[k];
    lanes4_turn(x);
    return (LanesVec3){x[0], x[1], x[2]};
}

LANE_INLINE LanesVec3 four_sum_of_two(Lanes *last, LanesVec3 a, LanesVec3 b)
{
    Lanes x[LANES], y[LANES];
    four_turn_vec3(a, x);
    four_turn_vec3(b, y);
    for (int k = 0; k < LANES; k++)
        *last = x[k] = *last + x[k] + y[k];
    lanes4_turn(x);
    return (LanesVec3){x[0], x[1], x[2]};
}

/* The orientations of the links, and of the last one. */
LANE_INLINE LanesQuat four_turns(const Link *link, const LinkState *state, Quat *last)
{
    const double *turn = &state->turn.w;
    if (link->absolute) {
        Lanes q[LANES];
        lanes_load_apart(turn, BALL_STATE_SIZE, q);
        Lanes s = 1.0 / lanes_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        LanesQuat scaled = {s * q[0], s * q[1], s * q[2], s * q[3]};
        *last = (Quat){scaled.w[3], scaled.x[3], scaled.y[3], scaled.z[3]};
        return scaled;
    }
    Quat q[LANES];
    for (int k = 0; k < LANES; k++, turn += BALL_STATE_SIZE)
        *last = q[k] = quat_unit(quat_mul(*last, (Quat){turn[0], turn[1], turn[2], turn[3]}));
    return (LanesQuat){{q[0].w, q[1].w, q[2].w, q[3].w},
                       {q[0].x, q[1].x, q[2].x, q[3].x},
                       {q[0].y, q[1].y, q[2].y, q[3].y},
                       {q[0].z, q[1].z, q[2].z, q[3].z}};
}

LANE_INLINE LanesVec3 four_symmetric_mul(const LanesSymmetric *m, LanesVec3 a)
{
    return (LanesVec3){m->xx * a.x + m->xy * a.y + m->xz * a.z, m->xy * a.x + m->yy * a.y + m->yz * a.z,
                       m->xz * a.x + m->yz * a.y + m->zz * a.z};
}

/* The numbers of four bodies' masses as they stand. */
typedef struct FourMasses {
    Lanes mass, inv_mass;
    LanesVec3 inertia, inv_inertia;
} FourMasses;

_Static_assert(sizeof(Mass) == sizeof(double[8]), "mass, 1/mass, I and I^-1 follow each other");

LANE_INLINE FourMasses four_masses_of(const Mass *mass)
{
    Lanes a[LANES], b[LANES];
    lanes_load_apart(&mass->mass, NUMBERS_IN(Mass), a);
    lanes_load_apart(&mass->inertia.z, NUMBERS_IN(Mass), b);
    return (FourMasses){a[0], a[1], {a[2], a[3], b[0]}, {b[1], b[2], b[3]}};
}

/* As ball_load, in a field that is the same everywhere. */
LANE_INLINE void ball_load_four(const World *world, const Motion *motion, int body, const FourMasses *mass, LanesQuat q,
                                LanesVec3 w, const LanesSymmetric *inertia, LanesVec3 p[2])
{
    LanesVec3 around = lanes_rotate(lanes_conj(q), w), torque = lanes_same(VEC3_ZERO), force = torque;
    if (motion->pushes) {
        torque = lanes_rotate(lanes_conj(q), lanes_gather_vec3(LANE_ELEMENTS(motion->torque, LANES_IN_A_ROW(body), x)));
        force = lanes_gather_vec3(LANE_ELEMENTS(motion->force, LANES_IN_A_ROW(body), x));
    }
    if (motion->options.gyroscopic != GYROSCOPIC_OFF)
        torque = lanes_sub(torque, lanes_cross(around, lanes_mul(mass->inertia, around)));
    LanesVec3 a = lanes_rotate(q, lanes_mul(mass->inv_inertia, torque));
    LanesVec3 fall = lanes_add_scaled(lanes_same(world->gravity), mass->inv_mass, force);
    p[0] = lanes_negate(four_symmetric_mul(inertia, a));
    p[1] = lanes_scale(-mass->mass, fall);
}

/* r, arm, inertia and c of four links, and p unless it is NULL. */
LANE_INLINE void ball_store_four(Link *link, LanesVec3 r, LanesVec3 arm, const LanesSymmetric *I, const LanesVec3 c[2],
                                 const LanesVec3 *p)
{
    double *to = &link->at->r.x;
    lanes_store_apart(to, NUMBERS_IN(LinkPlace), r.x, r.y, r.z, arm.x);
    lanes_store_apart(to + 4, NUMBERS_IN(LinkPlace), arm.y, arm.z, I->xx, I->xy);
    lanes_store_apart(to + 8, NUMBERS_IN(LinkPlace), I->xz, I->xy, I->yy, I->yz);
    lanes_store_apart(to + 12, NUMBERS_IN(LinkPlace), I->xz, I->yz, I->zz, c[0].x);
    lanes_store_apart(to + 16, NUMBERS_IN(LinkPlace), c[0].y, c[0].z, c[1].x, c[1].y);
    if (!p) {
        lanes_store_apart(to + 17, NUMBERS_IN(LinkPlace), c[0].z, c[1].x, c[1].y, c[1].z);
        return;
    }
    lanes_store_apart(to + 20, NUMBERS_IN(LinkPlace), c[1].z, p[0].x, p[0].y, p[0].z);
    lanes_store_apart(to + 23, NUMBERS_IN(LinkPlace), p[0].z, p[1].x, p[1].y, p[1].z);
}

/* As ball_place. */
LANE_INLINE void ball_place_four(Link *link, const LinkState *state, World *world, const Motion *motion,
                                 BallFrame *frame)
{
    const BallFrame parent = *frame;
    const LanesVec3 none = lanes_same(VEC3_ZERO);
    const int body = link->body;
    const FourMasses mass = four_masses_of(&world->mass[body]);
    Lanes a[LANES], b[LANES], s[LANES];
    lanes_load_apart(&link->anchors->parent.x, NUMBERS_IN(LinkAnchors), a);
    lanes_load_apart(&link->anchors->parent.z, NUMBERS_IN(LinkAnchors), b);
    lanes_load_apart(&state->turn.z, BALL_STATE_SIZE, s);
    LanesQuat q = four_turns(link, state, &frame->q), q_parent = four_quat_before(parent.q, q);
    LanesVec3 there = lanes_rotate(q_parent, lanes_add((LanesVec3){a[0], a[1], a[2]}, none)), spin = {s[1], s[2], s[3]},
              w;
    LanesVec3 arm = lanes_rotate(q, (LanesVec3){b[1], b[2], b[3]});
    LanesVec3 x = four_sum_of_two(&frame->x, there, lanes_negate(arm));
    LanesVec3 r = lanes_sub(x, four_vec3_before(parent.x, x));
    if (link->absolute) {
        w = spin;
        spin = lanes_sub(w, four_vec3_before(parent.w, w));
        frame->w = (Lanes){w.x[3], w.y[3], w.z[3], 0.0};
    } else {
        spin = lanes_rotate(q_parent, spin);
        w = four_sum(&frame->w, spin);
    }
    LanesVec3 w_parent = four_vec3_before(parent.w, w), c[2], p[2];
    LanesVec3 v = four_sum_of_two(&frame->v, lanes_cross(w_parent, r), lanes_sub(none, lanes_cross(spin, arm)));
    c[0] = lanes_cross(w_parent, spin);
    c[1] = lanes_add(lanes_cross(w_parent, lanes_add(lanes_sub(v, four_vec3_before(parent.v, v)), none)), none);
    c[1] = lanes_sub(c[1], lanes_cross(c[0], arm));
    c[1] = lanes_sub(c[1], lanes_cross(spin, lanes_cross(w, arm)));
    LanesSymmetric inertia = lanes_turn_diagonal(q, mass.inertia);
    if (motion)
        ball_load_four(world, motion, body, &mass, q, w, &inertia, p);
    ball_store_four(link, r, arm, &inertia, c, motion ? p : NULL);
    Pose *pose = &world->pose[body];
    Velocity *velocity = &world->velocity[body];
    lanes_scatter_pose((Pose *[]){pose, pose + 1, pose + 2, pose + 3}, (LanesPose){x, q});
    lanes_scatter_velocity((Velocity *[]){velocity, velocity + 1, velocity + 2, velocity + 3}, (LanesVelocity){v, w});
    frame->body = body + LANES - 1;
    frame->u = ball_axis(frame->q);
}

/* Turns and spins of four balls, seven numbers each, and back. */
typedef struct FourStates {
    LanesQuat turn;
    LanesVec3 spin;
} FourStates;

LANE_INLINE FourStates four_states(const LinkState *state)
{
    Lanes a[LANES], b[LANES];
    lanes_load_apart(&state->turn.w, BALL_STATE_SIZE, a);
    lanes_load_apart(&state->turn.z, BALL_STATE_SIZE, b);
    return (FourStates){{a[0], a[1], a[2], a[3]}, {b[1], b[2], b[3]}};
}

LANE_INLINE void four_set_states(LinkState *state, FourStates to)
{
    lanes_store_apart(&state->turn.w, BALL_STATE_SIZE, to.turn.w, to.turn.x, to.turn.y, to.turn.z);
    lanes_store_apart(&state->turn.z, BALL_STATE_SIZE, to.turn.z, to.spin.x, to.spin.y, to.spin.z);
}

/* state + h rate */
LANE_INLINE FourStates four_states_add(FourStates state, double h, const FourStates *rate)
{
    state.turn.w += h * rate->turn.w;
    state.turn.x += h * rate->turn.x;
    state.turn.y += h * rate->turn.y;
    state.turn.z += h * rate->turn.z;
    state.spin = lanes_add_scaled(state.spin, lanes_all(h), rate->spin);
    return state;
}

/* As ball_rate, of balls that turn against their parents. */
LANE_INLINE FourStates ball_rate_four(const Link *link, const FourStates *state, const World *world)
{
    const LanesQuat half = {lanes_all(0.0), 0.5 * state->spin.x, 0.5 * state->spin.y, 0.5 * state->spin.z};
    LanesVec3 back[3], sum = lanes_same(VEC3_ZERO);
    Lanes qddot[LANES];
    lanes_rotation(four_quat_before(world->pose[link->parent_body].q,
                                    lanes_gather_quat(LANE_ELEMENTS(world->pose, LANES_IN_A_ROW(link->body), q.w))),
                   back);
    lanes_load_apart(link->moves->qddot, NUMBERS_IN(LinkMoves), qddot);
    for (int k = 0; k < 3; k++)
        sum = lanes_add_scaled(sum, qddot[k], back[k]);
    return (FourStates){lanes_quat_mul(half, state->turn), sum};
}

#endif
