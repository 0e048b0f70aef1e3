/* SPDX-License-Identifier: MIT */
/* PBD (lectures 002, 004): one step a frame and n iterations over the constraints,
 *
 *     integrate x, q;   n times: correct every block's position error, each correction scaled by k;
 *     v = (x - x_prev)/h, w likewise;   velocity pass: joint damping, restitution and sliding friction.
 *
 * What the stiffness k in [0, 1] means depends on the step and on n, 1 - (1 - k)^n: it is no compliance. A
 * compliant joint has its k from its scene (model/rows/pbd_stiffness.h). With k = 1 this is XPBD with alpha = 0, to the
 * bit.
 */
#include "solvers/position/position_based.h"

typedef struct PbdOptions {
    PositionBasedOptions based;
    double stiffness;
} PbdOptions;

static const Setting PBD_SETTINGS[] = {
    COMMON_SETTINGS(1, 20),
    STOP_RESIDUAL_SETTING,
    PARAM_REAL(PbdOptions, stiffness, "k: the share of each error that a solve removes", 1, 0, 1),
    POSITION_CONTACT_SETTINGS,
};

static void *pbd_create(const SolverTask *task, Status *status)
{
    const PbdOptions *own = task->options;
    PositionSolve how = {.stiffness = own->stiffness, .by_stiffness = true};
    return position_based_create(task->world, &own->based, how, status);
}

const Solver pbd_solver = {
    .abi = SOLVER_ABI,
    .name = "pbd",
    .summary = "position-based with iterations and a stiffness",
    .reference = "lectures 002, 004; Mueller et al. 2006; contacts: Mueller et al. 2020",
    .capabilities = (CAN_ALL_JOINTS & ~CAN_COMPLIANCE) | CAN_STIFFNESS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(PBD_SETTINGS),
    SOLVER_CONVENTIONS(position_conventions),
    .steps = position_steps,
    .options_size = sizeof(PbdOptions),
    .create = pbd_create,
    .destroy = position_based_destroy,
    .reserve = position_based_reserve,
    .plan = position_based_plan,
};
