/* A row of two bodies at the current poses: u.(displacement of body 2 at its arm - that of body 1), or a turn about u.
 *     J = (-u, -r1 x u, u, r2 x u)        a turn: (0, -u, 0, u)
 *     J_i M^-1 J_j^T = sum over both bodies of u_i.u_j / m + (r x u_i)^T I^-1 (r x u_j)
 * Of a row with itself it is the lecture's w1 + w2. Whoever moves poses or velocities row by row forms it here; rows
 * that are prepared once and then swept are packed, and form it in solvers/rows/row_columns.h. */
#ifndef RIGOR_SOLVERS_POSITION_PAIR_ROW_H
#define RIGOR_SOLVERS_POSITION_PAIR_ROW_H

#include "model/world.h"
#include "solvers/position/two.h"

/* Two bodies where they are. Moments are in their own frames, which saves turning back; of a body with equal moments,
 * or with none, in the world's, which saves turning. */
typedef struct Pair {
    TwoPose pose;
    TwoQuat frame; /* in which moments are: q, or no turn */
    Two inv_mass;
    TwoVec3 inv_inertia;
    Two turning; /* sign of q's change by a turn: in its own frame, or the world's */
    bool even;   /* both count in the world's frame */
} Pair;

TWO_INLINE Pair pair_at(const World *world, const int body[2])
{
    const Mass *m = &world->mass[body[0]], *n = &world->mass[body[1]];
    Pair pair; /* number by number: an initialiser would first clear it in memory */
    pair.pose = two_pose(world->pose, body);
    pair.inv_mass = two(m->inv_mass, n->inv_mass);
    pair.inv_inertia = two_vec3(m->inv_inertia, n->inv_inertia);
    TwoMask even = (pair.inv_inertia.x == pair.inv_inertia.y) & (pair.inv_inertia.y == pair.inv_inertia.z);
    pair.even = even[0] & even[1] & 1;
    pair.frame = pair.pose.q; /* not read where both are even */
    pair.turning = two_same(-1.0);
    if (!pair.even) {
        Two own = (Two)(~even & (TwoMask)two_same(1.0)); /* 1: in its own frame, 0: in the world's */
        pair.frame.w = own * pair.frame.w + (1.0 - own);
        pair.frame.x *= own;
        pair.frame.y *= own;
        pair.frame.z *= own;
        pair.turning = own + own - 1.0;
    }
    return pair;
}

typedef struct PairRow {
    Vec3 u;               /* zero for a turn */
    TwoVec3 moment, turn; /* r x u, I^-1 (r x u) */
} PairRow;

TWO_INLINE PairRow pair_row_of_moment(const Pair *pair, Vec3 u, TwoVec3 moment)
{
    PairRow row;
    row.u = u;
    row.moment = pair->even ? moment : two_rotate_inverse(pair->frame, moment);
    row.turn = two_mul(pair->inv_inertia, row.moment);
    return row;
}

TWO_INLINE PairRow pair_row(const Pair *pair, Vec3 u, TwoVec3 arm)
{
    return pair_row_of_moment(pair, u, two_cross_with(arm, u));
}

TWO_INLINE PairRow pair_row_turn(const Pair *pair, Vec3 u)
{
    return pair_row_of_moment(pair, VEC3_ZERO, two_vec3(u, u));
}

/* Of a block's error along n. */
TWO_INLINE PairRow pair_row_of_error(const Pair *pair, const BlockError *e, Vec3 n)
{
    return e->angular ? pair_row_turn(pair, n) : pair_row(pair, n, two_vec3(e->arm1, e->arm2));
}

/* Of a row J as block_rows gives it. */
TWO_INLINE PairRow pair_row_of_jacobian(const Pair *pair, const double J[ROW_WIDTH])
{
    TwoVec3 moment = {two(-J[3], J[9]), two(-J[4], J[10]), two(-J[5], J[11])};
    return pair_row_of_moment(pair, vec3(J[6], J[7], J[8]), moment);
}

/* J_i M^-1 J_j^T */
TWO_INLINE double pair_coupling(const Pair *pair, const PairRow *i, const PairRow *j)
{
    return two_sum(pair->inv_mass * vec3_dot(i->u, j->u) + two_dot(i->moment, j->turn));
}

/* w1 + w2 */
TWO_INLINE double pair_weight(const Pair *pair, const PairRow *row)
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
TWO_INLINE TwoQuat pair_nudge(const Pair *pair, TwoVec3 p)
{
    TwoQuat q = pair->pose.q;
    TwoVec3 s = two_scale(pair->turning, p);
    return two_unit((TwoQuat){q.w - q.x * p.x - q.y * p.y - q.z * p.z, q.x + q.w * p.x + q.y * s.z - q.z * s.y,
                              q.y + q.w * p.y + q.z * s.x - q.x * s.z, q.z + q.w * p.z + q.x * s.y - q.y * s.x});
}

/* Bodies that do not move are not written. */
TWO_INLINE void pair_store_pose(const Pair *pair, const TwoPose *next, int k, Pose *pose)
{
    if (pair->inv_mass[k] != 0.0)
        pose->x = two_get(next->x, k);
    if (pair->inv_inertia.x[k] != 0.0)
        pose->q = (Quat){next->q.w[k], next->q.x[k], next->q.y[k], next->q.z[k]};
}

/* The world's x, q follow M^-1 J^T dlambda of all rows at once; the pair is then one of the past. */
TWO_INLINE void pair_push(World *world, const int body[2], const Pair *pair, const PairRow *rows, int count,
                          const double dlambda[])
{
    TwoVec3 none = two_vec3(VEC3_ZERO, VEC3_ZERO), shift = none, half = none;
    for (int i = 0; i < count; i++) {
        Two lambda = two(-dlambda[i], dlambda[i]), h = 0.5 * lambda, m = lambda * pair->inv_mass;
        const PairRow *row = &rows[i];
        shift = i == 0 ? two_scale(m, two_vec3(row->u, row->u)) : two_add_along(shift, m, row->u);
        half = i == 0 ? two_scale(h, row->turn) : two_add_scaled(half, h, row->turn);
    }
    TwoPose next = {two_add(pair->pose.x, shift), pair_nudge(pair, half)};
    pair_store_pose(pair, &next, 0, &world->pose[body[0]]);
    pair_store_pose(pair, &next, 1, &world->pose[body[1]]);
}

/* The velocities of two bodies. */
typedef struct PairVelocity {
    TwoVec3 v, w;
} PairVelocity;

TWO_INLINE PairVelocity pair_velocity(const Velocity *velocity, const int body[2])
{
    const Velocity *a = &velocity[body[0]], *b = &velocity[body[1]];
    return (PairVelocity){two_vec3(a->v, b->v), two_vec3(a->w, b->w)};
}

TWO_INLINE void pair_store_velocity(World *world, const int body[2], const PairVelocity *V)
{
    for (int k = 0; k < 2; k++)
        if (!world_is_fixed(world, body[k]))
            world->velocity[body[k]] = (Velocity){two_get(V->v, k), two_get(V->w, k)};
}

/* v, w follow M^-1 J^T impulse of one row. */
TWO_INLINE void pair_kick(const Pair *pair, const PairRow *row, double impulse, PairVelocity *V)
{
    Two own = two(-impulse, impulse);
    V->v = two_add_along(V->v, own * pair->inv_mass, row->u);
    V->w = two_add_scaled(V->w, own, pair->even ? row->turn : two_rotate(pair->frame, row->turn));
}

#endif
