/* PBD (lectures 002, 004): one step a frame and n iterations over the constraints,
 *
 *     integrate x, q;   n times: correct every block's position error, each correction scaled by k;
 *     v = (x - x_prev)/h, w likewise;   velocity pass: joint damping, restitution and sliding friction.
 *
 * What the stiffness k in [0, 1] means depends on the step and on n, 1 - (1 - k)^n: it is no compliance, so scenes with
 * compliant joints are refused. With k = 1 this is XPBD with alpha = 0, to the bit. */
#include "solvers/position/bounce.h"
#include "solvers/position/contact.h"
#include "solvers/position/multipliers.h"
#include "solvers/position/stick.h"

#include <stdlib.h>
#include <string.h>

typedef struct PbdOptions {
    CommonOptions common;
    double stiffness;
    int contact; /* ContactForm */
    double slop, push_speed, restitution_threshold;
    int velocity_iterations;
} PbdOptions;

static const Setting PBD_SETTINGS[] = {
    COMMON_SETTINGS(1, 20),
    STOP_RESIDUAL_SETTING,
    PARAM_REAL(PbdOptions, stiffness, "k: the share of each error that a solve removes", 1, 0, 1),
    PARAM_CHOICE(PbdOptions, contact,
                 "as published, or static friction before the normals and a system a manifold (stick)",
                 CONTACT_PUBLISHED, 1, contact_form_names),
    SLOP_FROM(PbdOptions, 0),
    PUSH_SPEED_FROM(PbdOptions, INFINITY),
    RESTITUTION_THRESHOLD_FROM(PbdOptions, NAN),
    VELOCITY_ITERATIONS_SETTING(PbdOptions),
};

typedef struct Pbd {
    PbdOptions options;
    PositionSolve how;
    Motion motion;
    Multipliers lambda;
    Velocity *predicted; /* before the position solve */
    Bounce bounce;       /* stick */
} Pbd;

static void pbd_destroy(void *self)
{
    Pbd *pbd = self;
    if (!pbd)
        return;
    motion_free(&pbd->motion);
    multipliers_free(&pbd->lambda);
    bounce_free(&pbd->bounce);
    free(pbd->predicted);
    free(pbd);
}

static bool pbd_reserve(void *self, const World *world, Status *status)
{
    Pbd *pbd = self;
    return (multipliers_reserve(&pbd->lambda, world) && bounce_reserve(&pbd->bounce, world)) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static void *pbd_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    const PbdOptions *own = task->options;
    Pbd *pbd = calloc(1, sizeof *pbd);
    if (pbd) {
        pbd->options = *own;
        pbd->how = (PositionSolve){
            .stiffness = own->stiffness, .by_stiffness = true, .slop = own->slop, .push_speed = own->push_speed};
        pbd->predicted = calloc((size_t)world->body_count, sizeof *pbd->predicted);
    }
    if (!pbd || !pbd->predicted || !motion_init(&pbd->motion, world, &own->common) ||
        !multipliers_init(&pbd->lambda, world) ||
        (own->contact == CONTACT_STICK && !bounce_init(&pbd->bounce, world))) {
        pbd_destroy(pbd);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return pbd;
}

/* x_prev = x;  v = v + h f/m;  x = x + h v;  q and w likewise */
static void pbd_integrate(void *self, Step *step)
{
    Pbd *pbd = self;
    pbd->how.h = step->h;
    step_report_recovery(step, pbd->options.push_speed);
    motion_begin(&pbd->motion, step->world, step->h);
    memcpy(pbd->predicted, step->world->velocity, sizeof *pbd->predicted * (size_t)step->world->body_count);
    motion_predict(&pbd->motion, step->world, step->h);
    multipliers_clear(&pbd->lambda, step->world);
}

/* For every block: dx_i = -+ k w_i C n / (w1 + w2), which is M^-1 J^T dlambda, dlambda = -k C/(w1 + w2). */
static void pbd_solve_positions(void *self, Step *step)
{
    Pbd *pbd = self;
    World *world = step->world;
    Multiplier *lambda = pbd->lambda.of;
    bool stick = pbd->options.contact == CONTACT_STICK;
    if (stick)
        step->row_solves += stick_tangents(world, &pbd->how, lambda);
    for (int b = 0; b < world->joint_block_count; b++)
        step->row_solves += position_solve_block(world, &world->blocks[b], &pbd->how, &lambda[b]);
    step->row_solves +=
        stick ? stick_normals(world, &pbd->how, lambda) : contact_solve_positions(world, &pbd->how, lambda);
}

static double pbd_residual(void *self, const Step *step)
{
    const Pbd *pbd = self;
    return multipliers_residual(&pbd->lambda, &pbd->motion, step);
}

/* v = (x - x_prev)/h;  w = 2 vec(q q_prev^-1)/h */
static void pbd_update_velocities(void *self, Step *step)
{
    Pbd *pbd = self;
    motion_derive_velocities(&pbd->motion, step->world, step->h);
    multipliers_store_impulses(&pbd->lambda, step->world, step->h);
}

static double pbd_threshold(const Pbd *pbd, const Step *step)
{
    return restitution_threshold_at(pbd->options.restitution_threshold, step->world, step->h);
}

/* Friction where contacts slide, and restitution. */
static void pbd_solve_velocities(void *self, Step *step)
{
    Pbd *pbd = self;
    ContactVelocitySolve how = {step->h, pbd_threshold(pbd, step), pbd->predicted};
    step->row_solves += pbd->options.contact == CONTACT_STICK
                            ? stick_velocities(step->world, pbd->lambda.of, step->h)
                            : contact_solve_velocities(step->world, &how, pbd->lambda.of);
}

static void pbd_bounce_begin(void *self, Step *step)
{
    Pbd *pbd = self;
    pbd->bounce.threshold = pbd_threshold(pbd, step);
    bounce_begin(&pbd->bounce, step, pbd->lambda.of);
}

static void pbd_bounce(void *self, Step *step)
{
    bounce_sweep(&((Pbd *)self)->bounce, step);
}

static double pbd_bounce_residual(void *self, const Step *step)
{
    return bounce_residual(&((Pbd *)self)->bounce, step->world);
}

static void pbd_end(void *self, Step *step)
{
    Pbd *pbd = self;
    bounce_end(&pbd->bounce, step);
    motion_damp(&pbd->motion, step->world, step->h);
}

/* A substep, from top to bottom. The stick form has one phase more, for impacts. */
static int pbd_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const PbdOptions *o = &((Pbd *)self)->options;
    int count = 0;
    phases[count++] = (Phase){.name = "position",
                              .iterations = o->common.iterations,
                              .enter = pbd_integrate,
                              .iterate = pbd_solve_positions,
                              .residual = pbd_residual};
    phases[count++] =
        (Phase){.name = "velocity", .iterations = 1, .enter = pbd_update_velocities, .iterate = pbd_solve_velocities};
    if (o->contact == CONTACT_STICK)
        phases[count++] = (Phase){.name = "bounce",
                                  .iterations = o->velocity_iterations,
                                  .enter = pbd_bounce_begin,
                                  .iterate = pbd_bounce,
                                  .residual = pbd_bounce_residual,
                                  .stop = BOUNCE_CONVERGED};
    phases[count++] = (Phase){.name = "damp", .enter = pbd_end};
    return count;
}

static const Convention PBD_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu lambda_n"},
    {CONVENTION_NORMALS, "contact", "stick", "those of one pair of bodies together, after the joints"},
    {CONVENTION_NORMALS, NULL, NULL, "by row, point after point"},
    {CONVENTION_ORDER, "contact", "stick",
     "static before the normals, against the last substep's load; sliding in the velocity pass"},
    {CONVENTION_ORDER, NULL, NULL, "static after its normal, in full or not at all; sliding in the velocity pass"},
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},
    {CONVENTION_PUSH, NULL, NULL, "by position, {push_speed} m/s at most for overlap that was found"},
    {CONVENTION_RESTITUTION, "contact", "stick",
     "Newton, over all contacts of an impact; above {restitution_threshold} m/s"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "Newton, once a contact after the velocity update; above {restitution_threshold} m/s (auto: 2 g h)"},
    {CONVENTION_WARM_START, "contact", "stick", "nothing; the last substep's load bounds static friction"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};

const Solver pbd_solver = {
    .abi = SOLVER_ABI,
    .name = "pbd",
    .summary = "position-based with iterations and a stiffness",
    .reference = "lectures 002, 004; Mueller et al. 2006; contacts: Mueller et al. 2020",
    .capabilities = (CAN_ALL_JOINTS & ~CAN_COMPLIANCE) | CAN_STIFFNESS | CAN_CONTACTS | CAN_FRICTION,
    .settings = PBD_SETTINGS,
    .setting_count = sizeof PBD_SETTINGS / sizeof PBD_SETTINGS[0],
    .conventions = PBD_CONVENTIONS,
    .convention_count = sizeof PBD_CONVENTIONS / sizeof PBD_CONVENTIONS[0],
    .options_size = sizeof(PbdOptions),
    .create = pbd_create,
    .destroy = pbd_destroy,
    .reserve = pbd_reserve,
    .plan = pbd_plan,
};
