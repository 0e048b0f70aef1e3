/* The contact points of four manifolds at velocity level, a lane each: what point.h has of one, to the same bits. */
#ifndef RIGOR_SOLVERS_POSITION_FOUR_POINT_H
#define RIGOR_SOLVERS_POSITION_FOUR_POINT_H

#include "solvers/position/four_place.h"

typedef struct FourPoint {
    FourVec3 n, arm[2];
} FourPoint;

WIDE_INLINE FourPoint four_point_at(const World *world, const ManifoldLanes *lanes, const PointPlaces *point,
                                    const FourPair *pair)
{
    FourPlace place = four_place(world, lanes, point, pair->pose);
    FourPoint p = {.n = place.n};
    four_arms(pair, place.at, p.arm);
    return p;
}

WIDE_INLINE void four_pair_velocities(const Velocity *velocity, const FourPair *pair, FourVelocity V[2])
{
    for (int k = 0; k < 2; k++)
        V[k] = four_gather_velocities(velocity, pair->body[k]);
}

/* Fixed bodies are never written: pairs share them. */
WIDE_INLINE void four_store_velocities(World *world, const FourPair *pair, WideMask mask, const FourVelocity V[2])
{
    for (int k = 0; k < 2; k++) {
        WideMask writes = mask & (WideMask)(pair->mass->inv_mass[k] != 0.0);
        Wide a[FOUR] = {V[k].v.x, V[k].v.y, V[k].v.z, V[k].w.x}, b[FOUR] = {V[k].v.z, V[k].w.x, V[k].w.y, V[k].w.z};
        wide_turn(a);
        wide_turn(b);
        for (int i = 0; i < QUAD; i++) {
            Velocity nowhere, *to = writes[i] ? &world->velocity[pair->body[k][i]] : &nowhere;
            wide_store(&to->v.x, a[i]);
            wide_store(&to->v.z, b[i]);
        }
    }
}

WIDE_INLINE FourVec3 four_point_velocity(const FourVelocity V[2], const FourPoint *p)
{
    return four_sub(four_add(V[1].v, four_cross(V[1].w, p->arm[1])), four_add(V[0].v, four_cross(V[0].w, p->arm[0])));
}

WIDE_INLINE FourVec3 four_point_slip(const FourVelocity V[2], const FourPoint *p)
{
    FourVec3 v = four_point_velocity(V, p);
    return four_add_scaled(v, -four_dot(p->n, v), p->n);
}

/* v, w follow M^-1 J^T impulse of one row. */
WIDE_INLINE void four_kick(const FourPair *pair, const FourRow *row, Wide impulse, FourVelocity V[2])
{
    for (int k = 0; k < 2; k++) {
        Wide own = k == 0 ? -impulse : impulse;
        FourVec3 turn = row->turn[k];
        if (!pair->all_even)
            turn = four_choose_vec3(pair->even, turn, four_rotate(pair->frame[k], turn));
        V[k].v = four_add_scaled(V[k].v, own * pair->mass->inv_mass[k], row->u);
        V[k].w = four_add_scaled(V[k].w, own, turn);
    }
}

/* v, w follow an impulse of any direction. */
WIDE_INLINE void four_point_push(const FourPair *pair, const FourPoint *p, FourVec3 impulse, FourVelocity V[2])
{
    for (int k = 0; k < 2; k++) {
        FourVec3 own = k == 0 ? four_negate(impulse) : impulse;
        FourQuat q = pair->pose[k].q;
        FourVec3 moment = four_rotate_inverse(q, four_cross(p->arm[k], own));
        V[k].v = four_add_scaled(V[k].v, pair->mass->inv_mass[k], own);
        V[k].w = four_add(V[k].w, four_rotate(q, four_mul(pair->mass->inv_inertia[k], moment)));
    }
}

/* Impulses of a point's contact and friction, which stand one after the other. */
WIDE_INLINE void four_impulses(const World *world, const PointBlocks *blocks, FourVec3 impulse[2])
{
    const Vec3 *from = world->block_impulse;
    const int *b = blocks->contact;
    four_gather_two((const double *[]){&from[b[0]].x, &from[b[1]].x, &from[b[2]].x, &from[b[3]].x}, impulse);
}

WIDE_INLINE void four_set_impulses(World *world, const PointBlocks *blocks, const FourVec3 impulse[2])
{
    Wide a[FOUR] = {impulse[0].x, impulse[0].y, impulse[0].z, impulse[1].x};
    Wide b[FOUR] = {impulse[0].z, impulse[1].x, impulse[1].y, impulse[1].z};
    wide_turn(a);
    wide_turn(b);
    for (int i = 0; i < QUAD; i++) {
        Vec3 *to = &world->block_impulse[blocks->contact[i]];
        wide_store(&to->x, a[i]);
        wide_store(&to->z, b[i]);
    }
}

#endif
