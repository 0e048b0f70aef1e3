/* SPDX-License-Identifier: MIT */
/* Joints: those that attach two points, or hold them at a distance, over lanes; others one by one (position.c). */
#include "model/block/pose.h"
#include "solvers/position/correction.h"
#include "solvers/position/unit.h"

/* Blocks of a kind where their bodies are. */
typedef struct JointLanes {
    const JointTerms *terms[LANES];
    LaneMask on; /* not switched off */
    Pair pair;
    LanesVec3 d; /* p2 - p1 */
    BothVec3 arm;
    LanesVec3 lambda;
    Softness soft;
} JointLanes;

LANE_INLINE void joints_at(const PositionSweep *sweep, const int *body, const int unit[LANES], JointLanes *joints)
{
    const World *world = sweep->world;
    const Block *block[LANES];
    LanesVec3 anchor[2];
    for (int i = 0; i < LANES; i++) {
        block[i] = &world->blocks[unit[i]];
        joints->terms[i] = block_terms(block[i]);
    }
    joints->on = (LaneMask)(LANE_FIELDS(block, off) == 0.0);
    joints->pair = pair_at(world, body);
    joints->pair.exact_turns = sweep->how->exact_turns;
    joints->lambda = gather_multipliers(sweep->multipliers, unit);
    lanes_gather_two(LANE_PLACES(joints->terms, seat.anchor[0].x), anchor);
    joints->arm = both_rotate(joints->pair.pose.q, both_vec3(anchor[0], anchor[1]));
    joints->d = both_difference(both_add(joints->pair.pose.x, joints->arm));
    joints->soft = softness_of(joints->terms, sweep->how);
}

LANE_INLINE int attach_solve(const PositionSweep *sweep, const int *body, const int unit[LANES], LaneMask live)
{
    JointLanes joints;
    LaneMask moved;
    joints_at(sweep, body, unit, &joints);
    LanesVec3 residual = residual_of(joints.d, &joints.soft, joints.lambda);
    PairRow row = pair_row(&joints.pair, residual, joints.arm);
    LaneMask solved = correct_along(&joints.pair, joints.on, &row, residual, &joints.soft, &joints.lambda, &moved);
    pair_store(sweep->world, &joints.pair, moved);
    scatter_multipliers(sweep->multipliers, unit, moved, joints.lambda, joints.lambda);
    return block_row_count(BLOCK_ATTACH) * mask_count(solved & live);
}

LANE_INLINE int distance_solve(const PositionSweep *sweep, const int *body, const int unit[LANES], LaneMask live)
{
    JointLanes joints;
    joints_at(sweep, body, unit, &joints);
    Lanes length = lanes_norm(joints.d), C = length - LANE_FIELDS(joints.terms, seat.rest), lambda = joints.lambda.x;
    Lanes most = LANE_FIELDS(joints.terms, max_force), rope = LANE_FIELDS(joints.terms, one_sided);
    LaneMask apart = (LaneMask)(length > MIN_DISTANCE * sweep->world->length_scale);
    PairRow row = pair_row(&joints.pair, lanes_scale(1.0 / length, joints.d), joints.arm);
    LaneMask solved = correct_scalar(&joints.pair, joints.on & apart, &row, C, -most,
                                     lanes_where((LaneMask)(rope == 0.0), most), sweep->how, &joints.soft, &lambda);
    pair_store(sweep->world, &joints.pair, solved);
    joints.lambda.x = lambda;
    scatter_multipliers(sweep->multipliers, unit, solved, joints.lambda, lanes_scale(lambda, row.u));
    return mask_count(solved & live);
}

LANE_CHOICE(joint_positions)
long LANE_BODY(joint_positions)(void *context, int from, int to)
{
    const PositionSweep *sweep = context;
    long rows = 0;
    for (int k = from; k < to; k++) {
#if LANES == 1
        int b = sweep->span.units ? sweep->span.units[k] : k;
        Block *block = &sweep->world->blocks[b];
        const int *body = block->body, *unit = &b, kind = position_joint_kind(block, sweep->how->whole);
        LaneMask live = true;
        if (kind == JOINTS_OTHER) {
            rows += position_solve_block(sweep->world, block, sweep->how, &sweep->multipliers[b]);
            continue;
        }
#else
        const ScheduleUnits *quad = &sweep->quads->joints.quads[sweep->span.first + k];
        const int *body = quad->body[0], *unit = quad->unit, kind = quad->count;
        LaneMask live = mask_first(quad->lanes);
#endif
        rows += kind == JOINTS_ATTACH ? attach_solve(sweep, body, unit, live) : distance_solve(sweep, body, unit, live);
    }
    return rows;
}
