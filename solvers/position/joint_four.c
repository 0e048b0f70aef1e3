/* solve_attach of position.c for four joints of one colour at once, a lane each. */
#include "solvers/position/four_place.h"

/* p2 - p1 and the arms, as solve_attach has them. */
WIDE_INLINE FourVec3 attach_error(const Block *const block[QUAD], const FourPair *pair, FourVec3 arm[2])
{
    FourVec3 anchor[2], p[2];
    four_gather_two((const double *[]){&block[0]->anchor[0].x, &block[1]->anchor[0].x, &block[2]->anchor[0].x,
                                       &block[3]->anchor[0].x},
                    anchor);
    for (int k = 0; k < 2; k++) {
        arm[k] = four_rotate(pair->pose[k].q, anchor[k]);
        p[k] = four_add(pair->pose[k].x, arm[k]);
    }
    return four_sub(p[1], p[0]);
}

/* a = alpha/h^2 */
WIDE_INLINE Wide attach_softness(const Block *const block[QUAD], const PositionSolve *how)
{
    Wide alpha = {block[0]->compliance, block[1]->compliance, block[2]->compliance, block[3]->compliance};
    WideMask rigid = (WideMask)(alpha == 0.0);
    if (how->by_stiffness || four_all(rigid))
        return wide_all(0.0);
    return four_choose(rigid, wide_all(0.0), alpha / (how->h * how->h));
}

WIDE_INLINE Wide attach_stiffness(const Block *const block[QUAD], const PositionSolve *how)
{
    Wide k = {block[0]->stiffness, block[1]->stiffness, block[2]->stiffness, block[3]->stiffness};
    WideMask own = (WideMask)(k == k);
    return how->stiffness * (how->by_stiffness ? four_choose(own, k, wide_all(1.0)) : wide_all(1.0));
}

WIDE_INLINE int attach_four(World *world, const QuadUnits *units, const PositionSolve *how, Multiplier *multipliers)
{
    const Block *block[QUAD];
    for (int i = 0; i < QUAD; i++)
        block[i] = &world->blocks[units->unit[i]];
    FourMass mass;
    FourPair pair;
    FourRow row;
    FourVec3 arm[2];
    Wide x[FOUR];
    four_masses(world, units->body, &mass);
    four_pair_at(world, units->body, &mass, &pair);
    four_multipliers(multipliers, units->unit, x);
    FourVec3 lambda = {x[0], x[1], x[2]};
    Wide a = attach_softness(block, how);
    FourVec3 residual = four_negate(four_add_scaled(attach_error(block, &pair, arm), a, lambda));
    Wide squared = four_dot(residual, residual);
    four_row(&pair, residual, arm, &row);
    Wide w = four_weight(&pair, &row);
    WideMask solved = (WideMask)(squared == 0.0), solves = ~solved & (WideMask)(w > 0.0);
    Wide scale = attach_stiffness(block, how) * squared / (w + a * squared);
    four_pair_push(&pair, solves, &row, 1, &scale);
    four_pair_store(world, &pair, solves);
    lambda = four_add_scaled(lambda, scale, residual);
    four_set_multipliers(multipliers, units->unit, solves, lambda, lambda);
    return block_row_count(BLOCK_ATTACH) * four_count((solved | solves) & four_live(units));
}

WIDE_ALONE long joint_quads_positions(const PositionQuads *quads, int from, int to, World *world,
                                      const PositionSolve *how, Multiplier *multipliers)
{
    long rows = 0;
    for (int q = from; q < to; q++) {
        const QuadUnits *units = &quads->joints.quads[q];
        bool off = false;
        for (int i = 0; i < units->lanes; i++)
            off = off || world->blocks[units->unit[i]].off;
        if (off)
            rows += position_solve_joints(world, how, multipliers, (SweepUnits){units->unit, units->lanes});
        else
            rows += attach_four(world, units, how, multipliers);
    }
    return rows;
}
