/* SPDX-License-Identifier: MIT */
/* Contacts as published for XPBD (Mueller, Macklin, Chentanez, Jeschke, Kim 2020, sections 3.5 and 3.6), point by point
 * in the order of the list; nothing is solved a manifold, nothing is kept between substeps:
 *
 *     normal       where they overlap by d: corrected by d, lambda_n summed
 *     static       then the slip since the substep began, all of it or, if lambda_t > mu lambda_n with it, nothing
 *     dynamic      dv = -v_t/|v_t| min(h mu f_n (w1 + w2), |v_t|),   f_n = lambda_n / h^2,   after the velocity update
 *     restitution  dv = n (-v_n + max(-e v~_n, 0)),   e = 0 where |v_n| <= the threshold, 2 |g| h
 *                  (contact=approach, not published: e = 0 where |v~_n| is)
 *
 * What differs from the paper; choices besides stand in reports/ERRATA.md.
 * - h mu f_n is an impulse and |v_t| a velocity: the paper lacks w1 + w2.
 * - lambda_t <= mu lambda_n is tested with the correction in lambda_t. As printed it could be read without: then, with
 *   one iteration, lambda_t = 0 and nothing would ever slide.
 * - Both bodies are pushed at one point, on the surface of the body that does not carry the normal, so that angular
 *   momentum is kept; the paper pushes each at its own, which lie d apart. The normal turns with its own body.
 * - Contacts are those that every backend is given, found as the substep begins. Patches, which it lacks: patch.c. */
#include "solvers/position/point.h"
#include "solvers/position/unit.h"

/* Where mask is: lambda + dlambda >= 0, dlambda = -k C / (w1 + w2), C being what is to be corrected. Returns the lanes
 * that were solved. */
LANE_INLINE LaneMask contact_push(Pair *pair, const ContactPlace *place, Lanes C, double stiffness, LaneMask mask,
                                  const int block[LANES], Multiplier *multipliers, Lanes *load)
{
    LanesVec3 lambda = gather_multipliers(multipliers, block);
    PairRow row = pair_row(pair, place->n, both_sub(place->at, pair->pose.x));
    Lanes w = pair_weight(pair, &row), next = lambda.x - stiffness * C / w;
    next = lanes_where(mask_not((LaneMask)(next < 0.0)), next);
    Lanes dlambda = next - lambda.x;
    mask &= (LaneMask)(w > 0.0);
    pair_push(pair, mask, &row, 1, &dlambda);
    *load = lanes_choose(mask, next, lambda.x);
    lambda.x = next;
    scatter_multipliers(multipliers, block, mask, lambda, lanes_scale(next, place->n));
    return mask;
}

/* How far the surfaces slipped since the substep began; where a point is pinned, since it was found. */
LANE_INLINE LanesVec3 contact_slipped(const Unit *unit, const PointSeat *point, const Pair *pair,
                                      const ContactPlace *place)
{
    const ManifoldSeat *seat = &unit->lanes->seat;
    ContactTravel travel = contact_travel(unit->world, unit->body, &pair->pose);
    LanesVec3 slip = contact_slip(unit->world, seat, point, place->n, &travel);
    if (!seat->any_pinned)
        return slip;
    LanesVec3 apart = both_difference(place->core);
    return lanes_choose_vec3(seat->pinned, lanes_add_scaled(apart, -lanes_dot(place->n, apart), place->n), slip);
}

/* The slip where mask is, in full, or not at all if friction does not hold that much. Returns
 * the lanes that were solved. */
LANE_INLINE LaneMask contact_hold(const Unit *unit, const PointSeat *point, Pair *pair, Lanes limit, LaneMask mask,
                                  const int block[LANES], Multiplier *multipliers)
{
    const World *world = unit->world;
    const ManifoldSeat *seat = &unit->lanes->seat;
    ContactPlace place = contact_place(world, seat, point, &pair->pose);
    LanesVec3 slip = contact_slipped(unit, point, pair, &place);
    Lanes squared = lanes_dot(slip, slip);
    PairRow row = pair_row(pair, slip, both_sub(place.at, pair->pose.x));
    Lanes w = pair_weight(pair, &row), scale = -unit->how->stiffness * squared / w;
    LanesVec3 lambda = lanes_add_scaled(gather_multipliers(multipliers, block), scale, slip);
    mask &= (LaneMask)(squared != 0.0) & (LaneMask)(w > 0.0) & mask_not((LaneMask)(lanes_norm(lambda) > limit));
    if (!mask_any(mask))
        return mask;
    pair_push(pair, mask, &row, 1, &scale);
    scatter_multipliers(multipliers, block, mask, lambda, lambda);
    return mask;
}

/* A point of each: its normal. `moved` grows by the lanes whose poses changed. */
LANE_INLINE int contact_solve_normals(Unit *unit, int i, Pair *pair, Multiplier *multipliers, LaneMask *moved,
                                      LaneMask *closed, Lanes *load)
{
    PointPlaces own;
    const PointPlaces *point = unit_point(unit, i, &own);
    PointBlocks block = point_blocks(unit, i);
    ContactPlace place = contact_place(unit->world, &unit->lanes->seat, &point->seat, &pair->pose);
    Lanes C = point_error(point, place.C, unit->how);
    if (unit->how->contact_most > 0.0)
        C = lanes_choose((LaneMask)(C < -unit->how->contact_most), lanes_all(-unit->how->contact_most), C);
    *closed = mask_not((LaneMask)(C >= 0.0));
    if (!mask_any(*closed))
        return 0;
    LaneMask pushed = contact_push(pair, &place, C, unit->how->stiffness, *closed, block.contact, multipliers, load);
    *moved |= pushed;
    if (!pair->all_even)
        pair_set_frames(pair);
    return mask_count(pushed & unit->live);
}

/* Its static friction under that load, where it is closed. */
LANE_INLINE int contact_solve_frictions(Unit *unit, int i, Pair *pair, Multiplier *multipliers, LaneMask *moved,
                                        LaneMask closed, Lanes load)
{
    PointPlaces own;
    LaneMask rubs = closed & (LaneMask)(unit->lanes->friction != 0.0);
    if (!mask_any(rubs))
        return 0;
    const PointPlaces *point = unit_point(unit, i, &own);
    *moved |= contact_hold(unit, &point->seat, pair, unit->lanes->friction * load, rubs, point_blocks(unit, i).friction,
                           multipliers);
    if (!pair->all_even)
        pair_set_frames(pair);
    return 2 * mask_count(rubs & unit->live);
}

LANE_INLINE int contact_solve_manifolds(Unit *unit, World *world, Multiplier *multipliers)
{
    Pair pair;
    LaneMask moved = mask_first(0), closed[MANIFOLD_MAX];
    Lanes load[MANIFOLD_MAX];
    int rows = 0;
    pair_place(world, unit->body, &unit->lanes->mass, &pair);
    pair.exact_turns = unit->how->exact_turns;
    for (int i = 0; i < unit->count; i++) {
        rows += contact_solve_normals(unit, i, &pair, multipliers, &moved, &closed[i], &load[i]);
        if (!unit->how->normals_first)
            rows += contact_solve_frictions(unit, i, &pair, multipliers, &moved, closed[i], load[i]);
    }
    for (int i = 0; unit->how->normals_first && i < unit->count; i++)
        rows += contact_solve_frictions(unit, i, &pair, multipliers, &moved, closed[i], load[i]);
    pair_store(world, &pair, moved);
    return rows;
}

LANE_CHOICE(contact_positions)
long LANE_BODY(contact_positions)(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    long rows = 0;
    for (int k = from; k < to; k++) {
        Unit unit;
        unit_take(sweep, k, &unit);
        rows += contact_solve_manifolds(&unit, sweep->world, sweep->multipliers);
    }
    return rows;
}

/* v_n becomes -e v~_n where mask is: what the position solve made of it goes, also where that takes a pull. Returns the
 * lanes that came fast enough to bounce and do not: the paper tests v_n, and one that begins the substep near the
 * other body has little of it left. */
LANE_INLINE LaneMask contact_restitute(const Pair *pair, const Point *p, Lanes e, const PositionSweep *sweep,
                                       LaneMask mask, LanesVec3 *impulse, BothVelocity *V)
{
    BothVelocity predicted = both_gather_velocities(sweep->predicted, pair->body);
    Lanes now = lanes_dot(p->n, point_velocity(V, p)), before = lanes_dot(p->n, point_velocity(&predicted, p));
    Lanes bounced = -e * before;
    LaneMask came = (LaneMask)(lanes_abs(before) > sweep->threshold) & (LaneMask)(bounced > 0.0);
    LaneMask fast = came;
    if (!sweep->by_approach)
        fast = (LaneMask)(lanes_abs(now) > sweep->threshold) & (LaneMask)(bounced > 0.0);
    PairRow row = point_row(pair, p, p->n);
    Lanes change = lanes_where(mask, (lanes_where(fast, bounced) - now) / pair_weight(pair, &row));
    pair_kick(pair, &row, change, V);
    *impulse = lanes_add_scaled(*impulse, change, p->n);
    return mask & came & mask_not(fast);
}

/* What a pass does with a point. */
typedef enum PassPart { PASS_BOTH, PASS_NORMAL, PASS_FRICTION } PassPart;

LANE_INLINE int contact_pass_point(Unit *unit, int i, const PositionSweep *sweep, const Pair *pair, PassPart part,
                                   BothVelocity *V, LaneMask *any, LaneMask *dropped)
{
    World *world = sweep->world;
    PointBlocks block = point_blocks(unit, i);
    PointPlaces own;
    LanesVec3 normal, friction;
    int rows = 0;
    Lanes lambda = gather_multipliers(sweep->multipliers, block.contact).x;
    LaneMask pushed = mask_not((LaneMask)(lambda <= 0.0)), rubs = pushed & (LaneMask)(unit->lanes->friction > 0.0);
    if (!mask_any(pushed))
        return 0;
    Point p = point_at(world, &unit->lanes->seat, &unit_point(unit, i, &own)->seat, pair);
    LanesVec3 slip = point_slip(V, &p);
    Lanes speed = lanes_norm(slip), most = unit->lanes->friction * lambda / sweep->how->h;
    gather_impulses(world, block.contact, &normal, &friction);
    if (part != PASS_NORMAL) {
        if (mask_any(rubs))
            point_rub(pair, &p, slip, speed, most, rubs & (LaneMask)(speed != 0.0), &friction, V);
        rows += 2 * mask_count(rubs & unit->live);
    }
    if (part != PASS_FRICTION) {
        *dropped |= contact_restitute(pair, &p, unit->lanes->restitution, sweep, pushed, &normal, V);
        rows += mask_count(pushed & unit->live);
    }
    scatter_impulses(world, block.contact, normal, friction);
    *any |= pushed;
    return rows;
}

/* Contacts that pushed in this substep, once each. */
LANE_INLINE int contact_pass(Unit *unit, const PositionSweep *sweep)
{
    World *world = sweep->world;
    Pair pair;
    LaneMask any = mask_first(0), dropped = mask_first(0);
    bool apart = sweep->how->normals_first;
    int rows = 0;
    pair_place(world, unit->body, &unit->lanes->mass, &pair);
    BothVelocity V = both_gather_velocities(world->velocity, unit->body);
    for (int i = 0; i < unit->count; i++)
        rows += contact_pass_point(unit, i, sweep, &pair, apart ? PASS_NORMAL : PASS_BOTH, &V, &any, &dropped);
    for (int i = 0; apart && i < unit->count; i++)
        rows += contact_pass_point(unit, i, sweep, &pair, PASS_FRICTION, &V, &any, &dropped);
    pair_store_velocity(world, &pair, any, &V);
    if (sweep->dropped && mask_any(dropped)) /* a sum of whole numbers: the same whoever adds first */
        __atomic_fetch_add(sweep->dropped, mask_count(dropped & unit->live), __ATOMIC_RELAXED);
    return unit->patch ? rows + patch_rub(world, unit->patch, sweep->multipliers, sweep->how->h) : rows;
}

LANE_CHOICE(contact_velocities)
long LANE_BODY(contact_velocities)(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    long rows = 0;
    for (int k = from; k < to; k++) {
        Unit unit;
        unit_take(sweep, k, &unit);
        rows += contact_pass(&unit, sweep);
    }
    return rows;
}
