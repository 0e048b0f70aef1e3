/* SPDX-License-Identifier: MIT */
/* Naive take 2 (lecture 001): the pairs are gone through again and again in one tick; in a pass every constraint sees
 * the same velocities, and its impulse is averaged over those it competes with: divided by the larger number of
 * constraints in contact with either of its bodies (joint blocks and contact points, not scalar rows; one divisor for
 * both bodies, so that momentum is kept; counted before every pass). Then one push-apart. Slow: with n constraints on a
 * body a pass takes back only 1/n of an error that one of them sees alone. */
#include "solvers/naive/pairwise.h"

#include <string.h>

static const Setting NAIVE_AVG_SETTINGS[] = {COMMON_SETTINGS(1, 10), PAIRWISE_SETTINGS};

static void naive_avg_pass(void *self, Step *step)
{
    Pairwise *pairwise = self;
    World *world = step->world;
    pairwise_count_competitors(pairwise, world, step->h);
    pairwise_begin_pass(pairwise);
    memcpy(pairwise->seen, world->velocity, sizeof *pairwise->seen * (size_t)world->body_count);
    step->row_solves += row_system_jacobi(&pairwise->system, world, pairwise->seen, world->velocity, pairwise->share);
    pairwise_end_pass(pairwise);
    Contest contest = {.seen = pairwise->seen, .velocity = world->velocity, .share = pairwise->share, .h = step->h};
    step->row_solves += pairwise_collide_all(pairwise, world, &contest);
}

static int naive_avg_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    return pairwise_plan(self, naive_avg_pass, phases);
}

static const PhaseStep NAIVE_AVG_STEPS[] = {
    {"impulse", PHASE_ENTER, "", "passes in which all pairs see the same velocities, and impulses are averaged"},
    FLIGHT_WORDS("impulse"),
    {"impulse", PHASE_ENTER, "rows", "Every block's error and Jacobian; its rows are solved together.",
     "A = J M^-1 J^T"},
    {"impulse", PHASE_SWEEP, "joints",
     "All blocks against the velocities that the pass began with; n is the larger number of constraints that act on "
     "one of its bodies.",
     "lambda = -A^-1 J v / n,  v <- v + M^-1 J^T lambda"},
    {"impulse", PHASE_SWEEP, "contacts",
     "All points likewise, where bodies approach and touch within the substep; faster than {restitution_threshold} m/s "
     "they bounce. Then friction, within the cone of what the point has given.",
     "f = -(1 + e) v_n/(w1 + w2) / n,  |f_t| <= mu f"},
    PAIRWISE_PUSH_WORDS,
    {NULL},
};

static const Convention NAIVE_AVG_CONVENTIONS[] = {
    {CONVENTION_NORMALS, NULL, NULL, "by pair, all from the same velocities, averaged over a body's constraints"},
    PAIRWISE_CONVENTIONS,
};

const Solver naive_avg_solver = {
    .abi = SOLVER_ABI,
    .name = "naive_avg",
    .summary = "pairwise impulses, repeated and averaged, push-apart",
    .reference = "lecture 001, Naive Take 2",
    .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(NAIVE_AVG_SETTINGS),
    SOLVER_CONVENTIONS(NAIVE_AVG_CONVENTIONS),
    .steps = NAIVE_AVG_STEPS,
    .options_size = sizeof(PairwiseOptions),
    .create = pairwise_create,
    .destroy = pairwise_destroy,
    .reserve = pairwise_reserve,
    .plan = naive_avg_plan,
};
