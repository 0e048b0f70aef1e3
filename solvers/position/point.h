/* A contact point at velocity level, for the velocity passes of the position-based backends. */
#ifndef RIGOR_SOLVERS_POSITION_POINT_H
#define RIGOR_SOLVERS_POSITION_POINT_H

#include "solvers/position/pair_row.h"
#include "solvers/position/place.h"

/* At the end of the substep. */
typedef struct Point {
    int body[2];
    Vec3 n;
    TwoVec3 arm;
} Point;

TWO_INLINE bool point_at(const World *world, int b, const Pair *pair, Point *point)
{
    const Block *block = &world->blocks[b];
    Place place = place_contact(world, block, world->pose, &pair->pose);
    *point = (Point){{block->body[0], block->body[1]}, place.n, two_from(place.at, pair->pose.x)};
    return !block->off;
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
    V->w =
        two_add(V->w, two_rotate(pair->pose.q, two_mul(pair->inv_inertia, two_rotate_inverse(pair->pose.q, moment))));
}

#endif
