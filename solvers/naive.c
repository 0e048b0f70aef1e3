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
    Pairwise *pairwise = self;
    phases[0] = (Phase){.name = "impulse",
                        .iterations = pairwise->options.common.iterations,
                        .enter = pairwise_begin,
                        .iterate = naive_pass,
                        .residual = pairwise_residual};
    phases[1] = (Phase){
        .name = "push", .iterations = pairwise->options.push_passes, .enter = pairwise_move, .iterate = pairwise_push};
    return 2;
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
    {"push", PHASE_ENTER, "", "the move, and bodies pushed apart or together by what is left of the errors"},
    MOVE_WORDS("push"),
    {"push", PHASE_SWEEP, "errors",
     "Pair by pair, at the poses as they are by now: the whole error of a joint; of an overlap what exceeds {slop} m, "
     "{push_speed} m/s at most. Velocities stay.",
     "x <- x - M^-1 J^T C/(w1 + w2)"},
    {NULL},
};

static const Convention NAIVE_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone: mu times the normal impulse of the same pass"},
    {CONVENTION_NORMALS, NULL, NULL, "by pair, one after the other"},
    {CONVENTION_ORDER, NULL, NULL, "with its normal's impulse"},
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},
    {CONVENTION_PUSH, NULL, NULL, "by position, after the step, all of it, {push_speed} m/s at most"},
    {CONVENTION_RESTITUTION, NULL, NULL, "(1 + e) v_n a pass; above {restitution_threshold} m/s"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};

const Solver naive_solver = {
    .abi = SOLVER_ABI,
    .name = "naive",
    .summary = "pairwise impulses, one pass, push-apart",
    .reference = "lecture 001, Naive Take",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION,
    .settings = NAIVE_SETTINGS,
    .setting_count = sizeof NAIVE_SETTINGS / sizeof NAIVE_SETTINGS[0],
    .conventions = NAIVE_CONVENTIONS,
    .convention_count = sizeof NAIVE_CONVENTIONS / sizeof NAIVE_CONVENTIONS[0],
    .steps = NAIVE_STEPS,
    .options_size = sizeof(PairwiseOptions),
    .create = pairwise_create,
    .destroy = pairwise_destroy,
    .reserve = pairwise_reserve,
    .plan = naive_plan,
};
