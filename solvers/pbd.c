/* PBD (lectures 002, 004): one step a frame and n iterations over the constraints, each correction scaled by a
 * stiffness k in [0, 1]. What k means depends on the step and on n, 1 - (1 - k)^n: it is no compliance, so scenes with
 * compliant joints are refused. With k = 1 this is XPBD with alpha = 0, to the bit. */
#include "solvers/position/bounce.h"
#include "solvers/position/position_based.h"

typedef struct PbdOptions {
    CommonOptions common;
    double stiffness;
    double restitution_threshold, push_speed;
    int velocity_iterations;
} PbdOptions;

static const Setting PBD_SETTINGS[] = {
    COMMON_SETTINGS(1, 20),
    STOP_RESIDUAL_SETTING,
    PARAM_REAL(PbdOptions, stiffness, "k: the share of each error that a solve removes", 1, 0, 1),
    RESTITUTION_THRESHOLD_SETTING(PbdOptions),
    PUSH_SPEED_SETTING(PbdOptions),
    VELOCITY_ITERATIONS_SETTING(PbdOptions),
};

static void *pbd_create(const SolverTask *task, Status *status)
{
    const PbdOptions *own = task->options;
    PositionBasedSetup setup = {own->common,     own->stiffness,          false, own->restitution_threshold,
                                own->push_speed, own->velocity_iterations};
    return position_based_create(task->world, &setup, status);
}

const Solver pbd_solver = {
    .abi = SOLVER_ABI,
    .name = "pbd",
    .summary = "position-based with iterations and a stiffness",
    .reference = "lectures 002, 004; Mueller et al. 2006",
    .capabilities = (CAN_ALL_JOINTS & ~CAN_COMPLIANCE) | CAN_CONTACTS | CAN_FRICTION,
    .settings = PBD_SETTINGS,
    .setting_count = sizeof PBD_SETTINGS / sizeof PBD_SETTINGS[0],
    .options_size = sizeof(PbdOptions),
    .create = pbd_create,
    .destroy = position_based_destroy,
    .reserve = position_based_reserve,
    .plan = position_based_plan,
};
