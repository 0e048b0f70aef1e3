/* SPDX-License-Identifier: MIT */
/* Rows of two bodies at the current poses, a lane a row: u.(displacement of body 2 at its arm - that of body 1), or a
 * turn about u.
 *     J = (-u, -r1 x u, u, r2 x u)        a turn: (0, -u, 0, u)
 *     J_i M^-1 J_j^T = sum over both bodies of u_i.u_j / m + (r x u_i)^T I^-1 (r x u_j)
 * Of a row with itself it is the lecture's w1 + w2. Whoever moves poses or velocities row by row forms it here; rows
 * that are prepared once and then swept are packed, and form it in solvers/rows/row_columns.h.
 *
 * Whoever has one row at a time says `#define LANES 1` before all headers. */
#ifndef RIGOR_SOLVERS_POSITION_PAIR_H
#define RIGOR_SOLVERS_POSITION_PAIR_H

#include "model/lanes/both.h"

/* The inverse masses and principal moments. */
typedef struct PairMass {
    Both inv_mass;
    BothVec3 inv_inertia;
} PairMass;

/* Pairs of bodies where they are. Moments are in their own frames, which saves turning back; of a body with equal
 * moments, or with none, in the world's, which saves turning. */
typedef struct Pair {
    const int *body; /* the first ones, then the second ones */
    PairMass mass;
    BothPose pose;
    BothQuat frame; /* in which moments are: q, or no turn; not read where all are even */
    Both turning;   /* sign of q's change by a turn: in its own frame, or the world's */
    LaneMask even;  /* both bodies count in the world's frame */
    bool all_even;
    bool all_free;    /* all bodies move and turn */
    bool exact_turns; /* q turns by exp, not by q + q [0, p] */
} Pair;

LANE_INLINE PairMass pair_mass(const World *world, const int body[2 * LANES])
{
    const Mass *mass = world->mass;
    PairMass pair;
    pair.inv_mass = both(lanes_gather_inv_mass(mass, body), lanes_gather_inv_mass(mass, body + LANES));
    pair.inv_inertia = both_vec3(lanes_gather_inv_inertia(mass, body), lanes_gather_inv_inertia(mass, body + LANES));
    return pair;
}

LANE_INLINE BothMask pair_is_even(const PairMass *mass)
{
    const BothVec3 *moments = &mass->inv_inertia;
    return both_masks(both_equal(moments->x, moments->y), both_equal(moments->y, moments->z));
}

/* The frames of moments, from the poses. */
LANE_INLINE void pair_set_frames(Pair *pair)
{
    Both one = both_same(lanes_all(1.0)), none = both_same(lanes_all(0.0));
    Both own = both_choose(pair_is_even(&pair->mass), none, one); /* 1: in its own frame, 0: in the world's */
    BothQuat q = pair->pose.q;
    pair->frame = (BothQuat){both_plus(both_times(own, q.w), both_minus(one, own)), both_times(own, q.x),
                             both_times(own, q.y), both_times(own, q.z)};
    pair->turning = both_minus(both_plus(own, own), one);
}

LANE_INLINE void pair_place(const World *world, const int body[2 * LANES], const PairMass *mass, Pair *pair)
{
    pair->body = body; /* number by number: an initialiser would first clear it in memory */
    pair->exact_turns = false;
    pair->mass = *mass;
    pair->pose = both_gather_poses(world->pose, body);
    pair->even = mask_of_each(pair_is_even(mass));
    pair->all_even = mask_all(pair->even);
    pair->all_free =
        mask_all(mask_of_each(both_masks(both_not_zero(mass->inv_mass), both_not_zero(mass->inv_inertia.x))));
    pair->frame = pair->pose.q;
    pair->turning = both_same(lanes_all(-1.0));
    if (!pair->all_even)
        pair_set_frames(pair);
}

LANE_INLINE Pair pair_at(const World *world, const int body[2 * LANES])
{
    Pair pair;
    PairMass mass = pair_mass(world, body);
    pair_place(world, body, &mass, &pair);
    return pair;
}

typedef struct PairRow {
    LanesVec3 u;           /* zero for a turn */
    BothVec3 moment, turn; /* r x u, I^-1 (r x u) */
} PairRow;

/* From the frame of moments to the world; and back. */
LANE_INLINE BothVec3 pair_to_world(const Pair *pair, BothVec3 a)
{
    if (pair->all_even)
        return a;
    BothVec3 turned = both_rotate(pair->frame, a);
    return LANES == 1 ? turned : both_choose_vec3(both_mask(pair->even), a, turned);
}

LANE_INLINE BothVec3 pair_to_frame(const Pair *pair, BothVec3 a)
{
    if (pair->all_even)
        return a;
    BothVec3 turned = both_rotate_inverse(pair->frame, a);
    return LANES == 1 ? turned : both_choose_vec3(both_mask(pair->even), a, turned);
}

LANE_INLINE PairRow pair_row_of_moment(const Pair *pair, LanesVec3 u, BothVec3 moment)
{
    PairRow row;
    row.u = u;
    row.moment = pair_to_frame(pair, moment);
    row.turn = both_mul(pair->mass.inv_inertia, row.moment);
    return row;
}

LANE_INLINE PairRow pair_row(const Pair *pair, LanesVec3 u, BothVec3 arm)
{
    return pair_row_of_moment(pair, u, both_cross(arm, both_vec3(u, u)));
}

LANE_INLINE PairRow pair_row_turn(const Pair *pair, LanesVec3 u)
{
    return pair_row_of_moment(pair, lanes_same(VEC3_ZERO), both_vec3(u, u));
}

/* Of a row J as block_rows gives it, in each lane. */
LANE_INLINE PairRow pair_row_of_jacobian(const Pair *pair, const double J[ROW_WIDTH])
{
    LanesVec3 one = lanes_same(vec3(-J[3], -J[4], -J[5])), other = lanes_same(vec3(J[9], J[10], J[11]));
    return pair_row_of_moment(pair, lanes_same(vec3(J[6], J[7], J[8])), both_vec3(one, other));
}

/* J_i M^-1 J_j^T */
LANE_INLINE Lanes pair_coupling(const Pair *pair, const PairRow *i, const PairRow *j)
{
    Both along = both_times(pair->mass.inv_mass, both_same(lanes_dot(i->u, j->u)));
    return both_sum(both_plus(along, both_dot(i->moment, j->turn)));
}

/* w1 + w2 */
LANE_INLINE Lanes pair_weight(const Pair *pair, const PairRow *row)
{
    return pair_coupling(pair, row, row);
}

/* J M^-1 J^T of a volume's one row over four particles. */
static inline double volume_weight(const World *world, const int body[4], const double J[ROW_WIDTH])
{
    double w = 0.0;
    for (int k = 0; k < 4; k++) {
        Vec3 u = vec3(J[3 * k], J[3 * k + 1], J[3 * k + 2]);
        w += world->mass[body[k]].inv_mass * vec3_dot(u, u);
    }
    return w;
}

/* q + q [0, p] in the body's frame, q + [0, p] q in the world's, renormalised: they differ by the sign of the cross
 * product. p is half a turn. */
LANE_INLINE BothQuat pair_nudge(const Pair *pair, BothVec3 p)
{
    BothQuat q = pair->pose.q, to;
    BothVec3 s = both_scale(pair->turning, p);
    to.w = both_less(both_less(both_less(q.w, q.x, p.x), q.y, p.y), q.z, p.z);
    to.x = both_less(both_more(both_more(q.x, q.w, p.x), q.y, s.z), q.z, s.y);
    to.y = both_less(both_more(both_more(q.y, q.w, p.y), q.z, s.x), q.x, s.z);
    to.z = both_less(both_more(both_more(q.z, q.w, p.z), q.x, s.y), q.y, s.x);
    return both_unit(to);
}

/* q exp(2 p) in the body's frame, exp(2 p) q in the world's. */
static __attribute__((noinline, unused)) BothQuat pair_turn(const Pair *pair, BothVec3 p)
{
    LanesQuat turned[2];
    for (int k = 0; k < 2; k++) {
        LanesQuat q = both_get_quat(pair->pose.q, k);
        LanesVec3 phi = lanes_scale(lanes_all(2.0), both_get_vec3(p, k));
        Lanes turning = both_get(pair->turning, k);
        for (int i = 0; i < LANES; i++) {
            Quat from = {lane(q.w, i), lane(q.x, i), lane(q.y, i), lane(q.z, i)}, turn = quat_exp(lane_vec3(phi, i));
            Quat to = quat_unit(lane(turning, i) > 0.0 ? quat_mul(from, turn) : quat_mul(turn, from));
            ((double *)&q.w)[i] = to.w;
            ((double *)&q.x)[i] = to.x;
            ((double *)&q.y)[i] = to.y;
            ((double *)&q.z)[i] = to.z;
        }
        turned[k] = q;
    }
    return both_quat(turned[0], turned[1]);
}

/* The pair's own poses follow M^-1 J^T dlambda of all rows at once, where mask is and a body can move; frames do not
 * yet. */
LANE_INLINE void pair_push(Pair *pair, LaneMask mask, const PairRow *rows, int count, const Lanes dlambda[])
{
    LanesVec3 zero = lanes_same(VEC3_ZERO);
    BothVec3 none = both_vec3(zero, zero), shift = none, half = none; /* a manifold may have no closed point */
    for (int i = 0; i < count; i++) {
        const PairRow *row = &rows[i];
        Both lambda = both(-dlambda[i], dlambda[i]), h = both_times(both_same(lanes_all(0.5)), lambda);
        Both m = both_times(lambda, pair->mass.inv_mass);
        BothVec3 u = both_vec3(row->u, row->u);
        shift = i == 0 ? both_scale(m, u) : both_add_scaled(shift, m, u);
        half = i == 0 ? both_scale(h, row->turn) : both_add_scaled(half, h, row->turn);
    }
    BothPose next = {both_add(pair->pose.x, shift), pair_nudge(pair, half)};
    if (__builtin_expect(pair->exact_turns, 0)) {
        Pair seen = *pair; /* the pair itself stays in registers */
        next.q = pair_turn(&seen, half);
    }
    if (pair->all_free && mask_all(mask)) {
        pair->pose = next;
        return;
    }
    BothMask moves = both_mask_and(both_not_zero(pair->mass.inv_mass), mask);
    BothMask turns = both_mask_and(both_not_zero(pair->mass.inv_inertia.x), mask);
    pair->pose.x = both_choose_vec3(moves, next.x, pair->pose.x);
    pair->pose.q = both_choose_quat(turns, next.q, pair->pose.q);
}

/* To the world, where mask is. Fixed bodies are never written: pairs share them. */
LANE_INLINE void pair_store(World *world, const Pair *pair, LaneMask mask)
{
    for (int k = 0; k < 2; k++) {
        LaneMask writes = mask & (LaneMask)(both_get(pair->mass.inv_mass, k) != 0.0);
        if (!mask_any(writes))
            continue;
        Pose nowhere[LANES], *to[LANES];
        LANE_UNROLL
        for (int i = 0; i < LANES; i++)
            to[i] = mask_lane(writes, i) ? &world->pose[pair->body[k * LANES + i]] : &nowhere[i];
        lanes_scatter_pose(to, (LanesPose){both_get_vec3(pair->pose.x, k), both_get_quat(pair->pose.q, k)});
    }
}

/* The same for one block of rows; the pair is then one of the past. */
LANE_INLINE void pair_push_world(World *world, Pair *pair, const PairRow *rows, int count, const Lanes dlambda[])
{
    pair_push(pair, mask_first(LANES), rows, count, dlambda);
    pair_store(world, pair, mask_first(LANES));
}

LANE_INLINE void pair_store_velocity(World *world, const Pair *pair, LaneMask mask, const BothVelocity *V)
{
    for (int k = 0; k < 2; k++) {
        LaneMask writes = mask & (LaneMask)(both_get(pair->mass.inv_mass, k) != 0.0);
        if (!mask_any(writes))
            continue;
        Velocity nowhere[LANES], *to[LANES];
        LANE_UNROLL
        for (int i = 0; i < LANES; i++)
            to[i] = mask_lane(writes, i) ? &world->velocity[pair->body[k * LANES + i]] : &nowhere[i];
        lanes_scatter_velocity(to, (LanesVelocity){both_get_vec3(V->v, k), both_get_vec3(V->w, k)});
    }
}

/* v, w follow M^-1 J^T impulse of one row. */
LANE_INLINE void pair_kick(const Pair *pair, const PairRow *row, Lanes impulse, BothVelocity *V)
{
    Both own = both(-impulse, impulse);
    V->v = both_add_along(V->v, both_times(own, pair->mass.inv_mass), row->u);
    V->w = both_add_scaled(V->w, own, pair_to_world(pair, row->turn));
}

#endif
