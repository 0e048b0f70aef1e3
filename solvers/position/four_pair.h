/* Four pairs of bodies side by side, a lane each: what pair_row.h has of one pair, to the same bits. */
#ifndef RIGOR_SOLVERS_POSITION_FOUR_PAIR_H
#define RIGOR_SOLVERS_POSITION_FOUR_PAIR_H

#include "solvers/four.h"
#include "solvers/rows/quad_units.h"

/* Of the first and the second bodies. */
typedef struct FourMass {
    Wide inv_mass[2];
    FourVec3 inv_inertia[2];
    WideMask even[2]; /* its moments count in the world's frame (pair_row.h) */
} FourMass;

typedef struct FourPair {
    const int (*body)[QUAD];
    const FourMass *mass;
    WideMask even; /* both are */
    bool all_even;
    FourPose pose[2];
    FourQuat frame[2]; /* not read where all are even */
    Wide turning[2];
} FourPair;

WIDE_INLINE bool four_any(WideMask mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

WIDE_INLINE int four_count(WideMask mask)
{
    return -(int)(mask[0] + mask[1] + mask[2] + mask[3]);
}

/* Lanes of a quad that are units. The others repeat the first one: they do the same, and only its rows count. */
WIDE_INLINE WideMask four_live(const QuadUnits *units)
{
    return (WideMask){0, 1, 2, 3} < units->lanes;
}

/* Where mask is not, zero. */
WIDE_INLINE Wide four_mask(WideMask mask, Wide a)
{
    return (Wide)((WideMask)a & mask);
}

WIDE_INLINE FourVec3 four_rotate_inverse(FourQuat q, FourVec3 a)
{
    return four_rotate(four_conj(q), a);
}

WIDE_INLINE void four_masses(const World *world, const int (*body)[QUAD], FourMass *mass)
{
    for (int k = 0; k < 2; k++) {
        const Mass *m[QUAD];
        for (int i = 0; i < QUAD; i++)
            m[i] = &world->mass[body[k][i]];
        Wide x[FOUR]; /* one number before the moments, and them */
        four_gather((const double *[]){&m[0]->inertia.z, &m[1]->inertia.z, &m[2]->inertia.z, &m[3]->inertia.z}, x);
        FourVec3 moments = {x[1], x[2], x[3]};
        mass->inv_mass[k] = (Wide){m[0]->inv_mass, m[1]->inv_mass, m[2]->inv_mass, m[3]->inv_mass};
        mass->inv_inertia[k] = moments;
        mass->even[k] = (WideMask)(moments.x == moments.y) & (WideMask)(moments.y == moments.z);
    }
}

/* The frames of moments, from the poses. */
WIDE_INLINE void four_pair_frames(FourPair *pair)
{
    for (int k = 0; k < 2; k++) {
        const FourQuat *q = &pair->pose[k].q;
        Wide own = four_mask(~pair->mass->even[k], wide_all(1.0)); /* 1: in its own frame, 0: in the world's */
        pair->frame[k] = (FourQuat){own * q->w + (1.0 - own), own * q->x, own * q->y, own * q->z};
        pair->turning[k] = own + own - 1.0;
    }
}

WIDE_INLINE void four_pair_at(const World *world, const int (*body)[QUAD], const FourMass *mass, FourPair *pair)
{
    pair->body = body;
    pair->mass = mass;
    pair->even = mass->even[0] & mass->even[1];
    pair->all_even = four_all(pair->even);
    for (int k = 0; k < 2; k++) {
        pair->pose[k].x = four_gather_centres(world->pose, body[k]);
        pair->pose[k].q = four_gather_turns(world->pose, body[k]);
        pair->turning[k] = wide_all(-1.0);
    }
    if (!pair->all_even)
        four_pair_frames(pair);
}

typedef struct FourRow {
    FourVec3 u, moment[2], turn[2];
} FourRow;

WIDE_INLINE void four_row(const FourPair *pair, FourVec3 u, const FourVec3 arm[2], FourRow *row)
{
    row->u = u;
    for (int k = 0; k < 2; k++) {
        FourVec3 moment = four_cross(arm[k], u);
        if (!pair->all_even)
            moment = four_choose_vec3(pair->even, moment, four_rotate_inverse(pair->frame[k], moment));
        row->moment[k] = moment;
        row->turn[k] = four_mul(pair->mass->inv_inertia[k], moment);
    }
}

/* J_i M^-1 J_j^T */
WIDE_INLINE Wide four_coupling(const FourPair *pair, const FourRow *i, const FourRow *j)
{
    const Wide *inv_mass = pair->mass->inv_mass;
    Wide along = four_dot(i->u, j->u);
    return (inv_mass[0] * along + four_dot(i->moment[0], j->turn[0])) +
           (inv_mass[1] * along + four_dot(i->moment[1], j->turn[1]));
}

WIDE_INLINE Wide four_weight(const FourPair *pair, const FourRow *row)
{
    return four_coupling(pair, row, row);
}

WIDE_INLINE FourQuat four_nudge(FourQuat q, Wide turning, FourVec3 p)
{
    FourVec3 s = four_scale(turning, p);
    return four_unit((FourQuat){q.w - q.x * p.x - q.y * p.y - q.z * p.z, q.x + q.w * p.x + q.y * s.z - q.z * s.y,
                                q.y + q.w * p.y + q.z * s.x - q.x * s.z, q.z + q.w * p.z + q.x * s.y - q.y * s.x});
}

/* The pair's own poses follow M^-1 J^T dlambda of all rows at once, where mask is and a body can move. */
WIDE_INLINE void four_pair_push(FourPair *pair, WideMask mask, const FourRow *rows, int count, const Wide dlambda[])
{
    const FourMass *mass = pair->mass;
    for (int k = 0; k < 2; k++) {
        FourVec3 shift, half;
        for (int i = 0; i < count; i++) {
            Wide lambda = k == 0 ? -dlambda[i] : dlambda[i], h = 0.5 * lambda, m = lambda * mass->inv_mass[k];
            shift = i == 0 ? four_scale(m, rows[i].u) : four_add_scaled(shift, m, rows[i].u);
            half = i == 0 ? four_scale(h, rows[i].turn[k]) : four_add_scaled(half, h, rows[i].turn[k]);
        }
        FourPose *pose = &pair->pose[k];
        WideMask moves = mask & (WideMask)(mass->inv_mass[k] != 0.0);
        WideMask turns = mask & (WideMask)(mass->inv_inertia[k].x != 0.0);
        FourQuat q = four_nudge(pose->q, pair->turning[k], half);
        pose->x = four_choose_vec3(moves, four_add(pose->x, shift), pose->x);
        pose->q = (FourQuat){four_choose(turns, q.w, pose->q.w), four_choose(turns, q.x, pose->q.x),
                             four_choose(turns, q.y, pose->q.y), four_choose(turns, q.z, pose->q.z)};
    }
}

/* To the world, where mask is. Fixed bodies are never written: pairs share them. */
WIDE_INLINE void four_pair_store(World *world, const FourPair *pair, WideMask mask)
{
    for (int k = 0; k < 2; k++) {
        const FourPose *pose = &pair->pose[k];
        WideMask writes = mask & (WideMask)(pair->mass->inv_mass[k] != 0.0);
        Wide x[FOUR] = {pose->x.x, pose->x.y, pose->x.z, pose->q.w};
        Wide q[FOUR] = {pose->q.w, pose->q.x, pose->q.y, pose->q.z};
        wide_turn(x);
        wide_turn(q);
        for (int i = 0; i < FOUR; i++) {
            Pose nowhere, *to = writes[i] ? &world->pose[pair->body[k][i]] : &nowhere;
            wide_store(&to->x.x, x[i]);
            wide_store(&to->q.w, q[i]);
        }
    }
}

#endif
