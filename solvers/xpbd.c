/* XPBD with substeps (lectures 000, 002, 004):
 *
 *     for n substeps:  integrate x, q;   solve every block for its position error;   v = (x - x_prev)/h, w likewise;
 *                      velocity pass: joint damping, restitution and sliding friction.
 *
 * alpha = 0 is rigid, alpha > 0 a spring by backward Euler, whatever the step. Multipliers start at zero in every
 * substep and are tracked over its iterations (the slides' form without tracking is right for one iteration only).
 * How a block is solved: solvers/position/position.c; contacts: solvers/position/contact_kernel.h, or stick.h. */
#include "solvers/position/position_based.h"
#include "solvers/position/stick.h"

typedef struct XpbdOptions {
    PositionBasedOptions based;
    int block, exact_turns, no_axial;
} XpbdOptions;

static const Setting XPBD_SETTINGS[] = {
    COMMON_SETTINGS(20, 1),
    STOP_RESIDUAL_SETTING,
    PARAM_BOOL(XpbdOptions, block, "solve the rows of a block as a whole, not along its error", false),
    PARAM_BOOL(XpbdOptions, exact_turns, "corrections turn bodies by exp(phi), not by q + q [0, phi/2], normalised",
               false),
    PARAM_BOOL(XpbdOptions, no_axial, "drives, and limits of angles and slides, are left out, as solver2d does", false),
    POSITION_CONTACT_SETTINGS,
};

static void *xpbd_create(const SolverTask *task, Status *status)
{
    const XpbdOptions *own = task->options;
    return position_based_create(
        task->world, &own->based,
        (PositionSolve){
            .stiffness = 1.0, .whole = own->block, .exact_turns = own->exact_turns, .no_axial = own->no_axial},
        status);
}

/* x_prev = x;  v = v + h f/m;  x = x + h v;  q and w likewise;  lambda = 0 */
static void xpbd_integrate(void *self, Step *step)
{
    PositionBased *xpbd = self;
    position_based_begin(xpbd, step);
    for (int b = 0; xpbd->how.no_axial && b < step->world->joint_block_count; b++)
        if (step->world->blocks[b].kind == BLOCK_TWIST || step->world->blocks[b].kind == BLOCK_SLIDE)
            step_report(step, "a drive, or a limit of an angle or slide, was left out");
    motion_predict(&xpbd->motion, step->world, step->h);
    multipliers_clear(&xpbd->lambda, step->world);
}

/* For every block: dlambda = (-C - a lambda)/(w1 + w2 + a), a = alpha/h^2; lambda += dlambda; x, q follow. */
static void xpbd_solve_positions(void *self, Step *step)
{
    PositionBased *xpbd = self;
    if (xpbd->options.contact == CONTACT_STICK)
        position_based_tangents(xpbd, step);
    position_based_joints(xpbd, step);
    position_based_contacts(xpbd, step);
}

/* v = (x - x_prev)/h;  w = 2 vec(q q_prev^-1)/h */
static void xpbd_update_velocities(void *self, Step *step)
{
    PositionBased *xpbd = self;
    motion_derive_velocities(&xpbd->motion, step->world, step->h);
    multipliers_store_impulses(&xpbd->lambda, step->world, step->h);
}

/* A substep, from top to bottom. The stick form has one phase more, for impacts. */
static int xpbd_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const PositionBased *xpbd = self;
    phases[0] = (Phase){.name = "position",
                        .iterations = xpbd->options.common.iterations,
                        .enter = xpbd_integrate,
                        .iterate = xpbd_solve_positions,
                        .residual = position_based_residual};
    phases[1] = (Phase){
        .name = "velocity", .iterations = 1, .enter = xpbd_update_velocities, .iterate = position_based_velocities};
    return position_based_end_plan(xpbd, phases, 2);
}

const Solver xpbd_solver = {
    .abi = SOLVER_ABI,
    .name = "xpbd",
    .summary = "position-based with substeps and compliance",
    .reference = "lectures 000, 002, 004; Macklin et al. 2016, 2019; Mueller et al. 2020",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION,
    .settings = XPBD_SETTINGS,
    .setting_count = sizeof XPBD_SETTINGS / sizeof XPBD_SETTINGS[0],
    .conventions = position_conventions,
    .convention_count = POSITION_CONVENTIONS,
    .steps = position_steps,
    .options_size = sizeof(XpbdOptions),
    .create = xpbd_create,
    .destroy = position_based_destroy,
    .reserve = position_based_reserve,
    .plan = xpbd_plan,
};
