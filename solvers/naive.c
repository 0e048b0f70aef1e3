/* SPDX-License-Identifier: MIT */
/* Naive take 1 (lecture 001): the constraints are applied in pairs, once, each block of a pair with the impulse that
 * would be right if it were alone,
 *     lambda = -(J M^-1 J^T)^-1 J v,
 * then the bodies are pushed apart (or together) by what is left of the position error, once (push_passes: again, as
 * long as it is there). Nothing is remembered and nothing is repeated: what one pair repairs the next one breaks. */
#include "solvers/naive/pairwise.h"

static const Setting NAIVE_SETTINGS[] = {COMMON_SETTINGS(1, 1), PAIRWISE_SETTINGS};

static void naive_pass(void *self, Step *step)
{
    Pairwise *pairwise = self;
    pairwise_begin_pass(pairwise);
    World *world = step->world;
    step->row_solves += row_system_sweep_joints(&pairwise->system, world->velocity);
    pairwise_end_pass(pairwise);
    step->row_solves += pairwise_collide_all(
        pairwise, world, &(Contest){.seen = world->velocity, .velocity = world->velocity, .h = step->h});
}

static int naive_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    return pairwise_plan(self, naive_pass, phases);
}

static const PhaseStep NAIVE_STEPS[] = {
    {"impulse", PHASE_ENTER, "", "each pair gets the impulse that would be right if it were alone"},
    FLIGHT_WORDS("impulse"),
    {"impulse", PHASE_ENTER, "rows", "Every block's error and Jacobian; its rows are solved together.",
     "A = J M^-1 J^T"},
    {"impulse", PHASE_SWEEP, "joints", "Block by block: what makes its rows stand still.",
     "lambda = -A^-1 J v,  v <- v + M^-1 J^T lambda"},
    {"impulse", PHASE_SWEEP, "contacts",
     "Point by point, where bodies approach and touch within the substep; faster than {restitution_threshold} m/s they "
     "bounce. Then friction, as much as stops the slip, within the cone of this impulse.",
     "f = -(1 + e) v_n/(w1 + w2),  |f_t| <= mu f"},
    PAIRWISE_PUSH_WORDS,
    {NULL},
};

static const Convention NAIVE_CONVENTIONS[] = {
    {CONVENTION_NORMALS, NULL, NULL, "by pair, one after the other"},
    PAIRWISE_CONVENTIONS,
};

const Solver naive_solver = {
    .abi = SOLVER_ABI,
    .name = "naive",
    .summary = "pairwise impulses, one pass, push-apart",
    .reference = "lecture 001, Naive Take",
    .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(NAIVE_SETTINGS),
    SOLVER_CONVENTIONS(NAIVE_CONVENTIONS),
    .steps = NAIVE_STEPS,
    .options_size = sizeof(PairwiseOptions),
    .create = pairwise_create,
    .destroy = pairwise_destroy,
    .reserve = pairwise_reserve,
    .plan = naive_plan,
};
