/* SPDX-License-Identifier: MIT */
/* Contact points at velocity level, a lane each, for the velocity passes of the position-based backends. */
#ifndef RIGOR_SOLVERS_POSITION_POINT_H
#define RIGOR_SOLVERS_POSITION_POINT_H

#include "model/contact/place.h"
#include "solvers/position/pair.h"

/* At the end of the substep. */
typedef struct Point {
    LanesVec3 n;
    BothVec3 arm;
} Point;

LANE_INLINE Point point_at(const World *world, const ManifoldSeat *seat, const PointSeat *point, const Pair *pair)
{
    ContactPlace place = contact_place(world, seat, point, &pair->pose);
    return (Point){place.n, both_sub(place.at, pair->pose.x)};
}

LANE_INLINE LanesVec3 point_velocity(const BothVelocity *V, const Point *p)
{
    return both_difference(both_add(V->v, both_cross(V->w, p->arm)));
}

LANE_INLINE LanesVec3 tangential(LanesVec3 v, LanesVec3 n)
{
    return lanes_add_scaled(v, -lanes_dot(n, v), n);
}

LANE_INLINE LanesVec3 point_slip(const BothVelocity *V, const Point *p)
{
    return tangential(point_velocity(V, p), p->n);
}

/* Along the unit direction u */
LANE_INLINE PairRow point_row(const Pair *pair, const Point *p, LanesVec3 u)
{
    return pair_row(pair, u, p->arm);
}

LANE_INLINE Lanes point_weight(const Pair *pair, const Point *p, LanesVec3 u)
{
    PairRow row = point_row(pair, p, u);
    return pair_weight(pair, &row);
}

/* v, w follow an impulse of any direction. */
LANE_INLINE void point_push(const Pair *pair, const Point *p, LanesVec3 impulse, BothVelocity *V)
{
    BothVec3 own = both_vec3(lanes_negate(impulse), impulse), moment = both_cross(p->arm, own);
    moment = both_mul(pair->mass.inv_inertia, both_rotate_inverse(pair->pose.q, moment));
    V->v = both_add_scaled(V->v, pair->mass.inv_mass, own);
    V->w = both_add(V->w, both_rotate(pair->pose.q, moment));
}

/* A slip of `speed` is taken back, by `most` at most, where mask is: returns the impulse along its row. */
LANE_INLINE void point_rub(const Pair *pair, const Point *p, LanesVec3 slip, Lanes speed, Lanes most, LaneMask mask,
                           LanesVec3 *impulse, BothVelocity *V)
{
    PairRow row = point_row(pair, p, lanes_scale(lanes_where(mask, 1.0 / speed), slip));
    Lanes stop = speed / pair_weight(pair, &row);
    Lanes change = lanes_where(mask, -lanes_choose((LaneMask)(most < stop), most, stop));
    pair_kick(pair, &row, change, V);
    *impulse = lanes_add_scaled(*impulse, change, row.u);
}

/* Impulses of a point's contact and friction, whose blocks stand one after the other. */
LANE_INLINE void gather_impulses(const World *world, const int contact[LANES], LanesVec3 *normal, LanesVec3 *friction)
{
    LanesVec3 impulse[2];
    lanes_gather_two(LANE_ELEMENTS(world->block_impulse, contact, x), impulse);
    *normal = impulse[0];
    *friction = impulse[1];
}

LANE_INLINE void scatter_impulses(World *world, const int contact[LANES], LanesVec3 normal, LanesVec3 friction)
{
    double *to[LANES];
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        to[i] = &world->block_impulse[contact[i]].x;
    lanes_scatter_two(to, normal, friction);
}

#endif
