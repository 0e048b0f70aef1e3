/* stick_velocity.c for four manifolds of one colour at once, a lane each. */
#include "solvers/position/four_point.h"

typedef struct PassFour {
    PointBlocks block[MANIFOLD_MAX];
    FourPoint point[MANIFOLD_MAX];
    FourVec3 impulse[MANIFOLD_MAX][2]; /* normal and friction */
} PassFour;

/* Takes `limit` less what is held from the slip, where mask is. */
WIDE_INLINE void points_slide(const FourPair *pair, const FourPoint *p, Wide limit, WideMask mask, FourVec3 *held,
                              FourVelocity V[2])
{
    FourVec3 slip = four_point_slip(V, p);
    Wide speed = four_norm(slip), left = limit - four_norm(*held);
    mask &= ~((WideMask)(speed == 0.0) | (WideMask)(left <= 0.0));
    if (!four_any(mask))
        return;
    FourRow row;
    four_row(pair, four_scale(four_mask(mask, 1.0 / speed), slip), p->arm, &row);
    Wide most = speed / four_weight(pair, &row);
    Wide impulse = four_mask(mask, -four_choose((WideMask)(left < most), left, most));
    four_kick(pair, &row, impulse, V);
    *held = four_add_scaled(*held, impulse, row.u);
}

/* Stops the points where mask is, at most back to where their contacts have given nothing. */
WIDE_INLINE void points_stop(const FourPair *pair, const FourPoint *p, WideMask mask, FourVec3 *given,
                             FourVelocity V[2])
{
    FourRow row;
    Wide now = four_dot(p->n, four_point_velocity(V, p));
    four_row(pair, p->n, p->arm, &row);
    Wide stop = -now / four_weight(pair, &row), back = -four_dot(p->n, *given);
    Wide impulse = four_mask(mask, four_choose((WideMask)(stop > back), stop, back));
    four_kick(pair, &row, impulse, V);
    *given = four_add_scaled(*given, impulse, p->n);
}

WIDE_INLINE void manifolds_release(const FourPair *pair, Wide friction, int count, PassFour *pass, FourVelocity V[2])
{
    Wide held = wide_all(0.0), limit = wide_all(0.0);
    for (int i = 0; i < count; i++) {
        held += four_norm(pass->impulse[i][1]);
        limit += friction * four_norm(pass->impulse[i][0]);
    }
    WideMask more = (WideMask)(held > limit);
    if (!four_any(more))
        return;
    Wide share = four_mask(more, 1.0 - limit / held);
    for (int i = 0; i < count; i++) {
        FourVec3 excess = four_scale(share, pass->impulse[i][1]);
        four_point_push(pair, &pass->point[i], four_negate(excess), V);
        pass->impulse[i][1] = four_sub(pass->impulse[i][1], excess);
    }
}

WIDE_INLINE int pass_four(World *world, const QuadUnits *units, const ManifoldLanes *lanes, const PointPlaces *point,
                          int count, const Multiplier *multipliers, double h)
{
    PassFour pass;
    FourPair pair;
    FourVelocity V[2];
    int rows = 0;
    four_pair_at(world, units->body, &lanes->mass, &pair);
    four_pair_velocities(world->velocity, &pair, V);
    for (int i = 0; i < count; i++) {
        Wide x[FOUR];
        pass.block[i] = point_blocks(world, units, i);
        four_multipliers(multipliers, pass.block[i].contact, x);
        four_impulses(world, &pass.block[i], pass.impulse[i]);
        pass.point[i] = four_point_at(world, lanes, &point[i], &pair);
        WideMask pushes = ~(WideMask)(x[0] <= 0.0), rubs = pushes & (WideMask)(lanes->friction > 0.0);
        if (!four_any(pushes))
            continue;
        points_slide(&pair, &pass.point[i], lanes->friction * (x[0] / h), rubs, &pass.impulse[i][1], V);
        points_stop(&pair, &pass.point[i], pushes, &pass.impulse[i][0], V);
        rows += 2 * four_count(rubs & four_live(units)) + four_count(pushes & four_live(units));
    }
    manifolds_release(&pair, lanes->friction, count, &pass, V);
    for (int i = 0; i < count; i++)
        four_set_impulses(world, &pass.block[i], pass.impulse[i]);
    four_store_velocities(world, &pair, ~(WideMask){0}, V);
    return rows;
}

WIDE_ALONE long stick_quads_velocities(const PositionQuads *quads, int from, int to, World *world,
                                       const Multiplier *multipliers, double h)
{
    long rows = 0;
    ADD_OF_QUADS(rows, pass_four, quads, from, to, world, multipliers, h)
    return rows;
}
