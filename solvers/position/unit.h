/* SPDX-License-Identifier: MIT */
/* Manifolds side by side, a lane each, as a kernel meets them: quads of the schedule, whose seats are stored, or one
 * after the other, from their blocks. */
#ifndef RIGOR_SOLVERS_POSITION_UNIT_H
#define RIGOR_SOLVERS_POSITION_UNIT_H

#include "model/contact/place.h"
#include "solvers/linear/small.h"
#include "solvers/position/kernels.h"
#include "solvers/position/pair.h"

/* What no pose changes, of the manifolds, */
typedef struct ManifoldLanes {
    _Alignas(sizeof(Lanes)) PairMass mass;
    Lanes friction, restitution; /* no friction where a patch rubs (patch.c) */
    ManifoldSeat seat;
} ManifoldLanes;

/* and of one point of each. */
typedef struct PointPlaces {
    PointSeat seat;
    Lanes wait; /* m, of an overlap that waits: position_contact_wait */
} PointPlaces;

LANE_INLINE void manifold_lanes(const World *world, const int *body, const Block *const block[LANES],
                                ManifoldLanes *lanes)
{
    lanes->mass = pair_mass(world, body);
    lanes->seat = manifold_seat(block);
    lanes->friction = LANE_FIELDS(block, friction);
    lanes->restitution = LANE_FIELDS(block, restitution);
}

#define LANE_WAIT_(i, b, how) position_contact_wait((b)[i], how)

LANE_INLINE void point_places(const Block *const block[LANES], const PositionSolve *how, ManifoldSeat *seat,
                              PointPlaces *point)
{
    point_seat(block, seat, &point->seat);
    point->wait = (Lanes)LANE_EACH(LANE_WAIT_, block, how);
}

typedef struct Unit {
    const World *world;
    const PositionSolve *how;
    const int *body;  /* the first ones, then the second ones */
    int first[LANES]; /* the blocks of the first points */
    int count;        /* points of each manifold */
    LaneMask live;    /* lanes that are units; the others repeat the first one, and only its rows count */
#if LANES == 1
    ManifoldLanes lanes[1];
#else
    const ManifoldLanes *lanes;
    const PointPlaces *points;
#endif
    const ManifoldBlocks *patch; /* of a manifold alone that has one; NULL: none */
} Unit;

/* The k-th of a sweep. */
LANE_INLINE void unit_take(const PositionSweep *sweep, int k, Unit *unit)
{
    const World *world = sweep->world;
    unit->world = world;
    unit->how = sweep->how;
#if LANES == 1
    const ManifoldBlocks *manifold = &world->manifolds[sweep->span.units ? sweep->span.units[k] : k];
    const Block *block = &world->blocks[manifold->first];
    unit->body = manifold->body;
    unit->first[0] = manifold->first;
    unit->count = block->off ? 0 : manifold->count;
    unit->live = true;
    manifold_lanes(world, manifold->body, &block, unit->lanes);
    unit->patch = manifold->torsion >= 0 && !block->off ? manifold : NULL;
    if (unit->patch)
        unit->lanes->friction = 0.0;
#else
    const ScheduleUnits *quad = &sweep->quads->manifolds.quads[sweep->span.first + k];
    unit->body = quad->body[0];
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        unit->first[i] = world->manifolds[quad->unit[i]].first;
    unit->count = quad->count;
    unit->live = mask_first(quad->lanes);
    unit->lanes = &sweep->quads->lanes[sweep->span.first + k];
    unit->points = &sweep->quads->points[quad->first];
    unit->patch = NULL;
#endif
}

/* A point of each manifold; `own` is room for it. */
LANE_INLINE const PointPlaces *unit_point(Unit *unit, int point, PointPlaces *own)
{
#if LANES == 1
    const Block *block = &unit->world->blocks[unit->first[0] + 2 * point];
    unit->lanes->seat.any_anchored = false;
    point_places(&block, unit->how, &unit->lanes->seat, own);
    return own;
#else
    (void)own;
    return &unit->points[point];
#endif
}

/* Adds to `sum` what solve(unit, count, ...) returns of units [from, to). Of one point the compiler knows the length.
 */
#define ADD_OF_UNITS(sum, solve, sweep, from, to, ...)                                                                 \
    for (int k_ = (from); k_ < (to); k_++) {                                                                           \
        Unit unit_;                                                                                                    \
        unit_take(sweep, k_, &unit_);                                                                                  \
        (sum) += unit_.count == 1 ? solve(&unit_, 1, __VA_ARGS__) : solve(&unit_, unit_.count, __VA_ARGS__);           \
    }

/* The blocks of one point of each manifold: its contact, and after it its friction. */
typedef struct PointBlocks {
    int contact[LANES], friction[LANES];
} PointBlocks;

LANE_INLINE PointBlocks point_blocks(const Unit *unit, int point)
{
    PointBlocks blocks;
    LANE_UNROLL
    for (int i = 0; i < LANES; i++) {
        blocks.contact[i] = unit->first[i] + 2 * point;
        blocks.friction[i] = blocks.contact[i] + 1;
    }
    return blocks;
}

/* What is to be corrected of the gap; without a share or a bound, which are those of other backends. */
LANE_INLINE Lanes point_error(const PointPlaces *point, Lanes C, const PositionSolve *how)
{
    return C + how->slop + point->wait;
}

_Static_assert(offsetof(Multiplier, on_body2) == sizeof(Vec3), "a multiplier's numbers are lambda, on_body2");

LANE_INLINE LanesVec3 gather_multipliers(const Multiplier *multipliers, const int block[LANES])
{
    return lanes_gather_vec3(LANE_ELEMENTS(multipliers, block, lambda.x));
}

/* Blocks where mask is not keep theirs. */
LANE_INLINE void scatter_multipliers(Multiplier *multipliers, const int block[LANES], LaneMask mask, LanesVec3 lambda,
                                     LanesVec3 on_body2)
{
    Multiplier nowhere[LANES];
    double *to[LANES];
    if (!mask_any(mask))
        return;
    LANE_UNROLL
    for (int i = 0; i < LANES; i++)
        to[i] = &(mask_lane(mask, i) ? &multipliers[block[i]] : &nowhere[i])->lambda.x;
    lanes_scatter_two(to, lambda, on_body2);
}

/* Small systems side by side. */
SMALL_SOLVE_SYMMETRIC(lanes_solve_symmetric, Lanes)

#endif
