/* contact.c for four manifolds of one colour at once, a lane each. */
#include "solvers/position/four_point.h"

/* normal_solve where mask is; returns the lanes that were solved. */
WIDE_INLINE WideMask normals_solve(FourPair *pair, const FourPlace *place, Wide C, double stiffness, WideMask mask,
                                   const int block[QUAD], Multiplier *multipliers, Wide *load)
{
    FourRow row;
    FourVec3 arm[2];
    Wide x[FOUR];
    four_multipliers(multipliers, block, x);
    four_arms(pair, place->at, arm);
    four_row(pair, place->n, arm, &row);
    Wide w = four_weight(pair, &row), next = x[0] - stiffness * C / w;
    next = four_mask(~(WideMask)(next < 0.0), next);
    Wide dlambda = next - x[0];
    mask &= (WideMask)(w > 0.0);
    four_pair_push(pair, mask, &row, 1, &dlambda);
    four_set_multipliers(multipliers, block, mask, (FourVec3){next, x[1], x[2]}, four_scale(next, place->n));
    *load = four_choose(mask, next, x[0]);
    return mask;
}

/* The slips since the substep began where mask is, in full, or not at all if friction does not hold that much. Returns
 * the lanes that were solved. */
WIDE_INLINE WideMask contacts_hold(const World *world, const ManifoldLanes *lanes, const PointPlaces *point,
                                   FourPair *pair, double stiffness, Wide limit, WideMask mask, const int block[QUAD],
                                   Multiplier *multipliers)
{
    FourTravel travel;
    FourRow row;
    FourVec3 arm[2];
    Wide x[FOUR];
    four_travel(world, pair, &travel);
    FourPlace place = four_place(world, lanes, point, pair->pose);
    FourVec3 slip = four_slip(world, lanes, point, place.n, &travel);
    Wide squared = four_dot(slip, slip);
    four_arms(pair, place.at, arm);
    four_row(pair, slip, arm, &row);
    Wide w = four_weight(pair, &row), scale = -stiffness * squared / w;
    four_multipliers(multipliers, block, x);
    FourVec3 lambda = four_add_scaled((FourVec3){x[0], x[1], x[2]}, scale, slip);
    mask &= (WideMask)(squared != 0.0) & (WideMask)(w > 0.0) & ~(WideMask)(four_norm(lambda) > limit);
    four_pair_push(pair, mask, &row, 1, &scale);
    four_set_multipliers(multipliers, block, mask, lambda, lambda);
    return mask;
}

/* A point of each: its normal, then its static friction. `moved` grows by the lanes whose poses changed. */
WIDE_INLINE int points_solve(const World *world, const ManifoldLanes *lanes, const PointPlaces *point,
                             const PointBlocks *block, FourPair *pair, const PositionSolve *how,
                             Multiplier *multipliers, WideMask *moved)
{
    FourPlace place = four_place(world, lanes, point, pair->pose);
    Wide C = four_contact_error(point, place.C, how), load;
    WideMask closed = ~(WideMask)(C >= 0.0), rubs = closed & (WideMask)(lanes->friction != 0.0);
    if (!four_any(closed))
        return 0;
    WideMask pushed = normals_solve(pair, &place, C, how->stiffness, closed, block->contact, multipliers, &load);
    *moved |= pushed;
    if (!pair->all_even)
        four_pair_frames(pair);
    if (four_any(rubs)) {
        *moved |= contacts_hold(world, lanes, point, pair, how->stiffness, lanes->friction * load, rubs,
                                block->friction, multipliers);
        if (!pair->all_even)
            four_pair_frames(pair);
    }
    return four_count(pushed & lanes->live) + 2 * four_count(rubs & lanes->live);
}

WIDE_ALONE long contact_quads_positions(const PositionQuads *quads, int from, int to, World *world,
                                        const PositionSolve *how, Multiplier *multipliers)
{
    long rows = 0;
    for (int q = from; q < to; q++) {
        const QuadUnits *units = &quads->manifolds.quads[q];
        const ManifoldLanes *lanes = &quads->lanes[q];
        FourPair pair;
        WideMask moved = {0};
        four_pair_at(world, units->body, &lanes->mass, &pair);
        for (int i = 0; i < units->count; i++) {
            PointBlocks block = point_blocks(world, units, i);
            rows +=
                points_solve(world, lanes, &quads->points[units->first + i], &block, &pair, how, multipliers, &moved);
        }
        four_pair_store(world, &pair, moved);
    }
    return rows;
}

/* Dynamic friction where mask is. */
WIDE_INLINE void points_rub(const FourPair *pair, const FourPoint *p, Wide limit, WideMask mask, FourVec3 *impulse,
                            FourVelocity V[2])
{
    FourVec3 slip = four_point_slip(V, p);
    Wide speed = four_norm(slip);
    FourRow row;
    mask &= (WideMask)(speed != 0.0);
    four_row(pair, four_scale(four_mask(mask, 1.0 / speed), slip), p->arm, &row);
    Wide most = speed / four_weight(pair, &row);
    Wide change = four_mask(mask, -four_choose((WideMask)(limit < most), limit, most));
    four_kick(pair, &row, change, V);
    *impulse = four_add_scaled(*impulse, change, row.u);
}

WIDE_INLINE void points_restitute(const FourPair *pair, const FourPoint *p, Wide e, const ContactVelocitySolve *how,
                                  WideMask mask, FourVec3 *impulse, FourVelocity V[2])
{
    FourVelocity predicted[2];
    FourRow row;
    four_pair_velocities(how->predicted, pair, predicted);
    Wide now = four_dot(p->n, four_point_velocity(V, p)), before = four_dot(p->n, four_point_velocity(predicted, p));
    Wide bounced = -e * before;
    WideMask fast = (WideMask)(wide_abs(now) > how->threshold) & (WideMask)(bounced > 0.0);
    four_row(pair, p->n, p->arm, &row);
    Wide change = four_mask(mask, (four_mask(fast, bounced) - now) / four_weight(pair, &row));
    four_kick(pair, &row, change, V);
    *impulse = four_add_scaled(*impulse, change, p->n);
}

WIDE_INLINE int velocities_four(World *world, const QuadUnits *units, const ManifoldLanes *lanes,
                                const PointPlaces *point, const ContactVelocitySolve *how,
                                const Multiplier *multipliers)
{
    FourPair pair;
    FourVelocity V[2];
    WideMask any = {0};
    int rows = 0;
    four_pair_at(world, units->body, &lanes->mass, &pair);
    four_pair_velocities(world->velocity, &pair, V);
    for (int i = 0; i < units->count; i++) {
        PointBlocks block = point_blocks(world, units, i);
        FourVec3 impulse[2];
        Wide x[FOUR];
        four_multipliers(multipliers, block.contact, x);
        WideMask pushed = ~(WideMask)(x[0] <= 0.0), rubs = pushed & (WideMask)(lanes->friction > 0.0);
        if (!four_any(pushed))
            continue;
        FourPoint p = four_point_at(world, lanes, &point[i], &pair);
        four_impulses(world, &block, impulse);
        points_rub(&pair, &p, lanes->friction * x[0] / how->h, rubs, &impulse[1], V);
        points_restitute(&pair, &p, lanes->restitution, how, pushed, &impulse[0], V);
        four_set_impulses(world, &block, impulse);
        any |= pushed;
        rows += 2 * four_count(rubs & lanes->live) + four_count(pushed & lanes->live);
    }
    four_store_velocities(world, &pair, any, V);
    return rows;
}

WIDE_ALONE long contact_quads_velocities(const PositionQuads *quads, int from, int to, World *world,
                                         const ContactVelocitySolve *how, const Multiplier *multipliers)
{
    long rows = 0;
    for (int q = from; q < to; q++) {
        const QuadUnits *units = &quads->manifolds.quads[q];
        rows += velocities_four(world, units, &quads->lanes[q], &quads->points[units->first], how, multipliers);
    }
    return rows;
}
