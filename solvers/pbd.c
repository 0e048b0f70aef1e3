/* PBD (lectures 002, 004): one step a frame and n iterations over the constraints,
 *
 *     integrate x, q;   n times: correct every block's position error, each correction scaled by k;
 *     v = (x - x_prev)/h, w likewise;   velocity pass: joint damping, restitution and sliding friction.
 *
 * What the stiffness k in [0, 1] means depends on the step and on n, 1 - (1 - k)^n: it is no compliance. A
 * compliant joint has its k from its scene (model/pbd_stiffness.h). With k = 1 this is XPBD with alpha = 0, to the bit.
 */
#include "solvers/position/position_based.h"
#include "solvers/position/stick.h"

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

/* x_prev = x;  v = v + h f/m;  x = x + h v;  q and w likewise */
static void pbd_integrate(void *self, Step *step)
{
    PositionBased *pbd = self;
    position_based_begin(pbd, step);
    motion_predict(&pbd->motion, step->world, step->h);
    multipliers_clear(&pbd->lambda, step->world);
}

/* For every block: dx_i = -+ k w_i C n / (w1 + w2), which is M^-1 J^T dlambda, dlambda = -k C/(w1 + w2). */
static void pbd_solve_positions(void *self, Step *step)
{
    PositionBased *pbd = self;
    if (pbd->options.contact == CONTACT_STICK)
        position_based_tangents(pbd, step);
    position_based_joints(pbd, step);
    position_based_contacts(pbd, step);
}

/* v = (x - x_prev)/h;  w = 2 vec(q q_prev^-1)/h */
static void pbd_update_velocities(void *self, Step *step)
{
    PositionBased *pbd = self;
    motion_derive_velocities(&pbd->motion, step->world, step->h);
    multipliers_store_impulses(&pbd->lambda, step->world, step->h);
}

/* A substep, from top to bottom. The stick form has one phase more, for impacts. */
static int pbd_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const PositionBased *pbd = self;
    phases[0] = (Phase){.name = "position",
                        .iterations = pbd->options.common.iterations,
                        .enter = pbd_integrate,
                        .iterate = pbd_solve_positions,
                        .residual = position_based_residual};
    phases[1] = (Phase){
        .name = "velocity", .iterations = 1, .enter = pbd_update_velocities, .iterate = position_based_velocities};
    return position_based_end_plan(pbd, phases, 2);
}

const Solver pbd_solver = {
    .abi = SOLVER_ABI,
    .name = "pbd",
    .summary = "position-based with iterations and a stiffness",
    .reference = "lectures 002, 004; Mueller et al. 2006; contacts: Mueller et al. 2020",
    .capabilities = (CAN_ALL_JOINTS & ~CAN_COMPLIANCE) | CAN_STIFFNESS | CAN_CONTACTS | CAN_FRICTION,
    .settings = PBD_SETTINGS,
    .setting_count = sizeof PBD_SETTINGS / sizeof PBD_SETTINGS[0],
    .conventions = position_conventions,
    .convention_count = POSITION_CONVENTIONS,
    .steps = position_steps,
    .options_size = sizeof(PbdOptions),
    .create = pbd_create,
    .destroy = position_based_destroy,
    .reserve = position_based_reserve,
    .plan = pbd_plan,
};
