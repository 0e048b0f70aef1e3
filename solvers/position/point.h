/* A contact point at velocity level, for the velocity passes of the position-based backends. */
#ifndef RIGOR_SOLVERS_POSITION_POINT_H
#define RIGOR_SOLVERS_POSITION_POINT_H

#include "model/block_contact.h"
#include "solvers/position/pair_row.h"

/* At the end of the substep. */
typedef struct Point {
    int body[2];
    Vec3 n;
    TwoVec3 arm;
} Point;

TWO_INLINE bool point_at(const World *world, int b, Point *point)
{
    const Block *block = &world->blocks[b];
    if (block->off)
        return false;
    BlockError e;
    contact_error(world, block, &e);
    *point = (Point){{block->body[0], block->body[1]}, e.gradient, two_vec3(e.arm1, e.arm2)};
    return true;
}

TWO_INLINE Vec3 point_velocity(const PairVelocity *V, const Point *p)
{
    return two_difference(two_add(V->v, two_cross(V->w, p->arm)));
}

TWO_INLINE Vec3 tangential(Vec3 v, Vec3 n)
{
    return vec3_add_scaled(v, -vec3_dot(n, v), n);
}

TWO_INLINE Vec3 point_slip(const PairVelocity *V, const Point *p)
{
    return tangential(point_velocity(V, p), p->n);
}

/* Along the unit direction u */
TWO_INLINE PairRow point_row(const Pair *pair, const Point *p, Vec3 u)
{
    return pair_row(pair, u, p->arm);
}

TWO_INLINE double point_weight(const Pair *pair, const Point *p, Vec3 u)
{
    PairRow row = point_row(pair, p, u);
    return pair_weight(pair, &row);
}

/* v, w follow an impulse of any direction. */
TWO_INLINE void point_push(const Pair *pair, const Point *p, Vec3 impulse, PairVelocity *V)
{
    TwoVec3 own = two_vec3(vec3_negate(impulse), impulse), moment = two_cross(p->arm, own);
    V->v = two_add_scaled(V->v, pair->inv_mass, own);
    V->w = two_add(V->w, two_rotate(pair->q, two_mul(pair->inv_inertia, two_rotate_inverse(pair->q, moment))));
}

#endif
