/* Four joints of one colour at once, a lane each: solve_attach of position.c, and solve_scalar for distances. */
#include "model/block_pose.h"
#include "solvers/position/four_place.h"

/* Four blocks of a kind where their bodies are. */
typedef struct JointsFour {
    const JointTerms *terms[QUAD];
    FourMass mass;
    FourPair pair;
    FourVec3 d, arm[2];   /* p2 - p1, and from the centres to p1, p2 */
    Wide lambda[FOUR];    /* and a number more */
    Wide soft, stiffness; /* a = alpha/h^2, k */
} JointsFour;

#define OF_TERMS(t, field) ((Wide){t[0]->field, t[1]->field, t[2]->field, t[3]->field})

WIDE_INLINE Wide joints_softness(const JointTerms *const t[QUAD], const PositionSolve *how)
{
    Wide alpha = OF_TERMS(t, compliance);
    WideMask rigid = (WideMask)(alpha == 0.0);
    if (how->by_stiffness || four_all(rigid))
        return wide_all(0.0);
    return four_choose(rigid, wide_all(0.0), alpha / (how->h * how->h));
}

WIDE_INLINE Wide joints_stiffness(const JointTerms *const t[QUAD], const PositionSolve *how)
{
    Wide k = OF_TERMS(t, stiffness);
    WideMask own = (WideMask)(k == k);
    return how->stiffness * (how->by_stiffness ? four_choose(own, k, wide_all(1.0)) : wide_all(1.0));
}

WIDE_INLINE void joints_at(const World *world, const QuadUnits *units, const PositionSolve *how,
                           const Multiplier *multipliers, JointsFour *joints)
{
    const JointTerms **t = joints->terms;
    FourVec3 anchor[2], p[2];
    for (int i = 0; i < QUAD; i++)
        t[i] = block_terms(&world->blocks[units->unit[i]]);
    four_masses(world, units->body, &joints->mass);
    four_pair_at(world, units->body, &joints->mass, &joints->pair);
    four_multipliers(multipliers, units->unit, joints->lambda);
    four_gather_two((const double *[]){&t[0]->seat.anchor[0].x, &t[1]->seat.anchor[0].x, &t[2]->seat.anchor[0].x,
                                       &t[3]->seat.anchor[0].x},
                    anchor);
    for (int k = 0; k < 2; k++) {
        joints->arm[k] = four_rotate(joints->pair.pose[k].q, anchor[k]);
        p[k] = four_add(joints->pair.pose[k].x, joints->arm[k]);
    }
    joints->d = four_sub(p[1], p[0]);
    joints->soft = joints_softness(t, how);
    joints->stiffness = joints_stiffness(t, how);
}

WIDE_INLINE int attach_four(World *world, const QuadUnits *units, const PositionSolve *how, Multiplier *multipliers)
{
    JointsFour joints;
    FourRow row;
    joints_at(world, units, how, multipliers, &joints);
    FourVec3 lambda = {joints.lambda[0], joints.lambda[1], joints.lambda[2]};
    FourVec3 residual = four_negate(four_add_scaled(joints.d, joints.soft, lambda));
    Wide squared = four_dot(residual, residual);
    four_row(&joints.pair, residual, joints.arm, &row);
    Wide w = four_weight(&joints.pair, &row);
    WideMask solved = (WideMask)(squared == 0.0), solves = ~solved & (WideMask)(w > 0.0);
    Wide scale = joints.stiffness * squared / (w + joints.soft * squared);
    four_pair_push(&joints.pair, solves, &row, 1, &scale);
    four_pair_store(world, &joints.pair, solves);
    lambda = four_add_scaled(lambda, scale, residual);
    four_set_multipliers(multipliers, units->unit, solves, lambda, lambda);
    return block_row_count(BLOCK_ATTACH) * four_count((solved | solves) & four_live(units));
}

WIDE_INLINE int distance_four(World *world, const QuadUnits *units, const PositionSolve *how, Multiplier *multipliers)
{
    JointsFour joints;
    FourRow row;
    joints_at(world, units, how, multipliers, &joints);
    const JointTerms **t = joints.terms;
    Wide length = four_norm(joints.d), C = length - OF_TERMS(t, seat.rest), lambda = joints.lambda[0];
    Wide most = OF_TERMS(t, max_force), lower = -most, h2 = wide_all(how->h * how->h);
    WideMask rope = -(WideMask){t[0]->one_sided, t[1]->one_sided, t[2]->one_sided, t[3]->one_sided};
    Wide upper = four_mask(~rope, most);
    WideMask satisfied =
        ((WideMask)(lower == 0.0) & (WideMask)(C >= 0.0)) | ((WideMask)(upper == 0.0) & (WideMask)(C <= 0.0));
    four_row(&joints.pair, four_scale(1.0 / length, joints.d), joints.arm, &row);
    Wide w = four_weight(&joints.pair, &row);
    WideMask solves = (WideMask)(length > MIN_DISTANCE * world->length_scale) &
                      ~(satisfied & (WideMask)(lambda == 0.0)) & (WideMask)(w > 0.0);
    Wide next = lambda + joints.stiffness * (-C - joints.soft * lambda) / (w + joints.soft);
    lower *= h2;
    upper *= h2;
    next = four_choose((WideMask)(next < lower), lower, four_choose((WideMask)(next > upper), upper, next));
    Wide dlambda = next - lambda;
    four_pair_push(&joints.pair, solves, &row, 1, &dlambda);
    four_pair_store(world, &joints.pair, solves);
    four_set_multipliers(multipliers, units->unit, solves, (FourVec3){next, joints.lambda[1], joints.lambda[2]},
                         four_scale(next, row.u));
    return four_count(solves & four_live(units));
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
        else if (units->count == JOINTS_ATTACH)
            rows += attach_four(world, units, how, multipliers);
        else
            rows += distance_four(world, units, how, multipliers);
    }
    return rows;
}
