/* SPDX-License-Identifier: MIT */
/* One correction of poses by a joint's rows, a lane a joint (position.h has the equations). */
#ifndef RIGOR_SOLVERS_POSITION_CORRECTION_H
#define RIGOR_SOLVERS_POSITION_CORRECTION_H

#include "solvers/position/pair.h"
#include "solvers/position/position.h"

/* How a block gives way. */
typedef struct Softness {
    Lanes a, stiffness; /* alpha/h^2, k */
} Softness;

LANE_INLINE Softness softness_of(const JointTerms *const terms[LANES], const PositionSolve *how)
{
    Lanes alpha = LANE_FIELDS(terms, compliance), k = LANE_FIELDS(terms, stiffness), none = lanes_all(0.0);
    LaneMask rigid = (LaneMask)(alpha == 0.0), own = (LaneMask)(k == k);
    bool soft = !how->by_stiffness && !mask_all(rigid);
    Softness softness;
    softness.a = soft ? lanes_choose(rigid, none, alpha / (how->h * how->h)) : none;
    softness.stiffness = how->stiffness * (how->by_stiffness ? lanes_choose(own, k, lanes_all(1.0)) : lanes_all(1.0));
    return softness;
}

/* -(C + a Lambda) of an error vector */
LANE_INLINE LanesVec3 residual_of(LanesVec3 error, const Softness *soft, LanesVec3 lambda)
{
    return lanes_negate(lanes_add_scaled(error, soft->a, lambda));
}

/* Several rows, along the residual, whose row this is. With n = residual / |residual| written out, no root is needed:
 * dlambda n = residual |residual|^2 / (residual^T W residual + a |residual|^2). The pair's poses and lambda follow
 * where mask is and something is left to solve; returns the lanes that are solved, or were. */
LANE_INLINE LaneMask correct_along(Pair *pair, LaneMask mask, const PairRow *row, LanesVec3 residual,
                                   const Softness *soft, LanesVec3 *lambda, LaneMask *moved)
{
    Lanes squared = lanes_dot(residual, residual), w = pair_weight(pair, row);
    LaneMask solved = mask & (LaneMask)(squared == 0.0), solves = mask & mask_not(solved) & (LaneMask)(w > 0.0);
    Lanes scale = soft->stiffness * squared / (w + soft->a * squared);
    *moved = solves;
    *lambda = lanes_add_scaled(*lambda, scale, residual);
    if (mask_any(solves))
        pair_push(pair, solves, row, 1, &scale);
    return solved | solves;
}

/* One row with a signed error: lambda stays within its bounds (forces), so a limit that holds again lets go. Returns
 * the lanes that are solved. */
LANE_INLINE LaneMask correct_scalar(Pair *pair, LaneMask mask, const PairRow *row, Lanes C, Lanes lower, Lanes upper,
                                    const PositionSolve *how, const Softness *soft, Lanes *lambda)
{
    LaneMask satisfied =
        ((LaneMask)(lower == 0.0) & (LaneMask)(C >= 0.0)) | ((LaneMask)(upper == 0.0) & (LaneMask)(C <= 0.0));
    Lanes w = pair_weight(pair, row), h2 = lanes_all(how->h * how->h);
    Lanes next = *lambda + soft->stiffness * (-C - soft->a * *lambda) / (w + soft->a);
    mask &= mask_not(satisfied & (LaneMask)(*lambda == 0.0)) & (LaneMask)(w > 0.0);
    lower *= h2;
    upper *= h2;
    next = lanes_choose((LaneMask)(next < lower), lower, lanes_choose((LaneMask)(next > upper), upper, next));
    Lanes dlambda = next - *lambda;
    *lambda = next;
    if (mask_any(mask))
        pair_push(pair, mask, row, 1, &dlambda);
    return mask;
}

#endif
