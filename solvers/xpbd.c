/* SPDX-License-Identifier: MIT */
/* XPBD with substeps (lectures 000, 002, 004):
 *
 *     for n substeps:  integrate x, q;   solve every block for its position error;   v = (x - x_prev)/h, w likewise;
 *                      velocity pass: joint damping, restitution and sliding friction.
 *
 * alpha = 0 is rigid, alpha > 0 a spring by backward Euler, whatever the step. Multipliers start at zero in every
 * substep and are tracked over its iterations (the slides' form without tracking is right for one iteration only).
 * How a block is solved: solvers/position/position.c; contacts: solvers/position/contact_kernel.h, or
 * stick_tangents_kernel.h. */
#include "solvers/position/position_based.h"

typedef struct XpbdOptions {
    PositionBasedOptions based;
    int block, exact_turns, no_axial, normals_first, push_all;
} XpbdOptions;

static const Setting XPBD_SETTINGS[] = {
    COMMON_SETTINGS(20, 1),
    STOP_RESIDUAL_SETTING,
    PARAM_BOOL(XpbdOptions, block, "solve the rows of a block as a whole, not along its error", false),
    PARAM_BOOL(XpbdOptions, exact_turns, "corrections turn bodies by exp(phi), not by q + q [0, phi/2], normalised",
               false),
    PARAM_BOOL(XpbdOptions, no_axial, "drives, and limits of angles and slides, are left out, as solver2d does", false),
    PARAM_BOOL(XpbdOptions, normals_first, "all normals of a pair of bodies before its friction; else point by point",
               false),
    PARAM_BOOL(XpbdOptions, push_all, "push_speed bounds every correction of a contact; else of overlap that was found",
               false),
    POSITION_CONTACT_SETTINGS,
};

static void *xpbd_create(const SolverTask *task, Status *status)
{
    const XpbdOptions *own = task->options;
    return position_based_create(task->world, &own->based,
                                 (PositionSolve){.stiffness = 1.0,
                                                 .whole = own->block,
                                                 .exact_turns = own->exact_turns,
                                                 .no_axial = own->no_axial,
                                                 .normals_first = own->normals_first,
                                                 .push_all = own->push_all},
                                 status);
}

const Solver xpbd_solver = {
    .abi = SOLVER_ABI,
    .name = "xpbd",
    .summary = "position-based with substeps and compliance",
    .reference = "lectures 000, 002, 004; Macklin et al. 2016, 2019; Mueller et al. 2020",
    .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(XPBD_SETTINGS),
    SOLVER_CONVENTIONS(position_conventions),
    .steps = position_steps,
    .options_size = sizeof(XpbdOptions),
    .create = xpbd_create,
    .destroy = position_based_destroy,
    .reserve = position_based_reserve,
    .plan = position_based_plan,
};
