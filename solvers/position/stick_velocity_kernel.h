/* SPDX-License-Identifier: MIT */
/* The velocity pass of the `stick` form (stick_tangents_kernel.h): what contacts leave when nothing bounces. */
#include "solvers/position/point.h"
#include "solvers/position/unit.h"

typedef struct StickPass {
    Point point[MANIFOLD_MAX];
    LanesVec3 normal[MANIFOLD_MAX], friction[MANIFOLD_MAX]; /* impulses */
} StickPass;

/* Takes `limit` less what is held from the slip, where mask is. */
LANE_INLINE void points_slide(const Pair *pair, const Point *p, Lanes limit, LaneMask mask, LanesVec3 *held,
                              BothVelocity *V)
{
    LanesVec3 slip = point_slip(V, p);
    Lanes speed = lanes_norm(slip), left = limit - lanes_norm(*held);
    mask &= mask_not((LaneMask)(speed == 0.0) | (LaneMask)(left <= 0.0));
    if (mask_any(mask))
        point_rub(pair, p, slip, speed, left, mask, held, V);
}

/* Stops the points where mask is, at most back to where their contacts have given nothing. */
LANE_INLINE void points_stop(const Pair *pair, const Point *p, LaneMask mask, LanesVec3 *given, BothVelocity *V)
{
    Lanes now = lanes_dot(p->n, point_velocity(V, p));
    PairRow row = point_row(pair, p, p->n);
    Lanes stop = -now / pair_weight(pair, &row), back = -lanes_dot(p->n, *given);
    Lanes impulse = lanes_where(mask, lanes_choose((LaneMask)(stop > back), stop, back));
    pair_kick(pair, &row, impulse, V);
    *given = lanes_add_scaled(*given, impulse, p->n);
}

/* Static friction was bounded by the loads of an earlier iteration or substep, and a stop may take load away: what the
 * load of the manifold does not carry in the end is given back. Of the manifold, since its points are dependent:
 * which of them carries is open. */
LANE_INLINE void manifolds_release(const Pair *pair, Lanes friction, int count, StickPass *pass, BothVelocity *V)
{
    Lanes held = lanes_all(0.0), limit = lanes_all(0.0);
    for (int i = 0; i < count; i++) {
        held += lanes_norm(pass->friction[i]);
        limit += friction * lanes_norm(pass->normal[i]);
    }
    LaneMask more = (LaneMask)(held > limit);
    if (!mask_any(more))
        return;
    Lanes share = lanes_where(more, 1.0 - limit / held);
    for (int i = 0; i < count; i++) {
        LanesVec3 excess = lanes_scale(share, pass->friction[i]);
        point_push(pair, &pass->point[i], lanes_negate(excess), V);
        pass->friction[i] = lanes_sub(pass->friction[i], excess);
    }
}

/* What the point will have given when it has been stopped. The position solve gives only what the overlap at the end of
 * the substep asks for, any part of an impact's impulse by where in the substep it falls; the stop gives the rest, and
 * friction is due of both. */
LANE_INLINE Lanes points_load(const Pair *pair, const Point *p, Lanes given, const BothVelocity *V)
{
    PairRow row = point_row(pair, p, p->n);
    Lanes rest = -lanes_dot(p->n, point_velocity(V, p)) / pair_weight(pair, &row);
    return given + lanes_where((LaneMask)(rest > 0.0), rest);
}

/* A point of each manifold, where it has pushed. Returns the rows solved. */
LANE_INLINE int stick_pass_point(const Unit *unit, const PositionSweep *sweep, const Pair *pair, int i, StickPass *pass,
                                 BothVelocity *V)
{
    Lanes lambda = gather_multipliers(sweep->multipliers, point_blocks(unit, i).contact).x;
    Lanes friction = unit->lanes->friction;
    LaneMask pushes = mask_not((LaneMask)(lambda <= 0.0)), rubs = pushes & (LaneMask)(friction > 0.0);
    if (!mask_any(pushes))
        return 0;
    Lanes load = points_load(pair, &pass->point[i], lambda / sweep->how->h, V);
    points_slide(pair, &pass->point[i], friction * load, rubs, &pass->friction[i], V);
    points_stop(pair, &pass->point[i], pushes, &pass->normal[i], V);
    return 2 * mask_count(rubs & unit->live) + mask_count(pushes & unit->live);
}

/* The points of each manifold, once each. */
LANE_INLINE int stick_pass(Unit *unit, int count, World *world, const PositionSweep *sweep)
{
    StickPass pass;
    Pair pair;
    int rows = 0;
    pair_place(world, unit->body, &unit->lanes->mass, &pair);
    BothVelocity V = both_gather_velocities(world->velocity, unit->body);
    for (int i = 0; i < count; i++) {
        PointPlaces own;
        pass.point[i] = point_at(world, &unit->lanes->seat, &unit_point(unit, i, &own)->seat, &pair);
        gather_impulses(world, point_blocks(unit, i).contact, &pass.normal[i], &pass.friction[i]);
    }
    for (int i = 0; i < count; i++)
        rows += stick_pass_point(unit, sweep, &pair, i, &pass, &V);
    manifolds_release(&pair, unit->lanes->friction, count, &pass, &V);
    for (int i = 0; i < count; i++)
        scatter_impulses(world, point_blocks(unit, i).contact, pass.normal[i], pass.friction[i]);
    pair_store_velocity(world, &pair, mask_first(LANES), &V);
    return unit->patch ? rows + patch_rub(world, unit->patch, sweep->multipliers, sweep->how->h) : rows;
}

LANE_CHOICE(stick_velocities)
long LANE_BODY(stick_velocities)(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    long rows = 0;
    ADD_OF_UNITS(rows, stick_pass, sweep, from, to, sweep->world, sweep)
    return rows;
}
