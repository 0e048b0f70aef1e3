/* XPBD with substeps (lectures 000, 002, 004):
 *
 *     for n substeps:  integrate x, q;   solve every block for its position error;   v = (x - x_prev)/h, w likewise;
 *                      velocity pass: joint damping, restitution and sliding friction.
 *
 * alpha = 0 is rigid, alpha > 0 a spring by backward Euler, whatever the step. Multipliers start at zero in every
 * substep and are tracked over its iterations (the slides' form without tracking is right for one iteration only).
 * How a block is solved: solvers/position/position.c; contacts: solvers/position/contact.c, or stick.h. */
#include "solvers/position/bounce.h"
#include "solvers/position/contact.h"
#include "solvers/position/multipliers.h"
#include "solvers/position/stick.h"

#include <stdlib.h>
#include <string.h>

typedef struct XpbdOptions {
    CommonOptions common;
    int block;
    int contact; /* ContactForm */
    double slop, push_speed, restitution_threshold;
    int velocity_iterations;
} XpbdOptions;

static const Setting XPBD_SETTINGS[] = {
    COMMON_SETTINGS(20, 1),
    STOP_RESIDUAL_SETTING,
    PARAM_BOOL(XpbdOptions, block, "solve the rows of a block as a whole, not along its error", false),
    PARAM_CHOICE(XpbdOptions, contact,
                 "as published, or static friction before the normals and a system a manifold (stick)",
                 CONTACT_PUBLISHED, 1, contact_form_names),
    SLOP_FROM(XpbdOptions, 0),
    PUSH_SPEED_FROM(XpbdOptions, INFINITY),
    RESTITUTION_THRESHOLD_FROM(XpbdOptions, NAN),
    VELOCITY_ITERATIONS_SETTING(XpbdOptions),
};

typedef struct Xpbd {
    XpbdOptions options;
    PositionSolve how;
    Motion motion;
    Multipliers lambda;
    Velocity *predicted; /* before the position solve */
    Bounce bounce;       /* stick */
} Xpbd;

static void xpbd_destroy(void *self)
{
    Xpbd *xpbd = self;
    if (!xpbd)
        return;
    motion_free(&xpbd->motion);
    multipliers_free(&xpbd->lambda);
    bounce_free(&xpbd->bounce);
    free(xpbd->predicted);
    free(xpbd);
}

static bool xpbd_reserve(void *self, const World *world, Status *status)
{
    Xpbd *xpbd = self;
    return (multipliers_reserve(&xpbd->lambda, world) && bounce_reserve(&xpbd->bounce, world)) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static void *xpbd_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    const XpbdOptions *own = task->options;
    Xpbd *xpbd = calloc(1, sizeof *xpbd);
    if (xpbd) {
        xpbd->options = *own;
        xpbd->how =
            (PositionSolve){.stiffness = 1.0, .whole = own->block, .slop = own->slop, .push_speed = own->push_speed};
        xpbd->predicted = calloc((size_t)world->body_count, sizeof *xpbd->predicted);
    }
    if (!xpbd || !xpbd->predicted || !motion_init(&xpbd->motion, world, &own->common) ||
        !multipliers_init(&xpbd->lambda, world) ||
        (own->contact == CONTACT_STICK && !bounce_init(&xpbd->bounce, world))) {
        xpbd_destroy(xpbd);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return xpbd;
}

/* x_prev = x;  v = v + h f/m;  x = x + h v;  q and w likewise;  lambda = 0 */
static void xpbd_integrate(void *self, Step *step)
{
    Xpbd *xpbd = self;
    xpbd->how.h = step->h;
    step_report_recovery(step, xpbd->options.push_speed);
    motion_begin(&xpbd->motion, step->world, step->h);
    memcpy(xpbd->predicted, step->world->velocity, sizeof *xpbd->predicted * (size_t)step->world->body_count);
    motion_predict(&xpbd->motion, step->world, step->h);
    multipliers_clear(&xpbd->lambda, step->world);
}

/* For every block: dlambda = (-C - a lambda)/(w1 + w2 + a), a = alpha/h^2; lambda += dlambda; x, q follow. */
static void xpbd_solve_positions(void *self, Step *step)
{
    Xpbd *xpbd = self;
    World *world = step->world;
    Multiplier *lambda = xpbd->lambda.of;
    bool stick = xpbd->options.contact == CONTACT_STICK;
    if (stick)
        step->row_solves += stick_tangents(world, &xpbd->how, lambda);
    for (int b = 0; b < world->joint_block_count; b++)
        step->row_solves += position_solve_block(world, &world->blocks[b], &xpbd->how, &lambda[b]);
    step->row_solves +=
        stick ? stick_normals(world, &xpbd->how, lambda) : contact_solve_positions(world, &xpbd->how, lambda);
}

static double xpbd_residual(void *self, const Step *step)
{
    const Xpbd *xpbd = self;
    return multipliers_residual(&xpbd->lambda, &xpbd->motion, step);
}

/* v = (x - x_prev)/h;  w = 2 vec(q q_prev^-1)/h */
static void xpbd_update_velocities(void *self, Step *step)
{
    Xpbd *xpbd = self;
    motion_derive_velocities(&xpbd->motion, step->world, step->h);
    multipliers_store_impulses(&xpbd->lambda, step->world, step->h);
}

static double xpbd_threshold(const Xpbd *xpbd, const Step *step)
{
    return restitution_threshold_at(xpbd->options.restitution_threshold, step->world, step->h);
}

/* Friction where contacts slide, and restitution. */
static void xpbd_solve_velocities(void *self, Step *step)
{
    Xpbd *xpbd = self;
    ContactVelocitySolve how = {step->h, xpbd_threshold(xpbd, step), xpbd->predicted};
    step->row_solves += xpbd->options.contact == CONTACT_STICK
                            ? stick_velocities(step->world, xpbd->lambda.of, step->h)
                            : contact_solve_velocities(step->world, &how, xpbd->lambda.of);
}

static void xpbd_bounce_begin(void *self, Step *step)
{
    Xpbd *xpbd = self;
    xpbd->bounce.threshold = xpbd_threshold(xpbd, step);
    bounce_begin(&xpbd->bounce, step, xpbd->lambda.of);
}

static void xpbd_bounce(void *self, Step *step)
{
    bounce_sweep(&((Xpbd *)self)->bounce, step);
}

static double xpbd_bounce_residual(void *self, const Step *step)
{
    return bounce_residual(&((Xpbd *)self)->bounce, step->world);
}

static void xpbd_end(void *self, Step *step)
{
    Xpbd *xpbd = self;
    bounce_end(&xpbd->bounce, step);
    motion_damp(&xpbd->motion, step->world, step->h);
}

/* A substep, from top to bottom. The stick form has one phase more, for impacts. */
static int xpbd_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const XpbdOptions *o = &((Xpbd *)self)->options;
    int count = 0;
    phases[count++] = (Phase){.name = "position",
                              .iterations = o->common.iterations,
                              .enter = xpbd_integrate,
                              .iterate = xpbd_solve_positions,
                              .residual = xpbd_residual};
    phases[count++] =
        (Phase){.name = "velocity", .iterations = 1, .enter = xpbd_update_velocities, .iterate = xpbd_solve_velocities};
    if (o->contact == CONTACT_STICK)
        phases[count++] = (Phase){.name = "bounce",
                                  .iterations = o->velocity_iterations,
                                  .enter = xpbd_bounce_begin,
                                  .iterate = xpbd_bounce,
                                  .residual = xpbd_bounce_residual,
                                  .stop = BOUNCE_CONVERGED};
    phases[count++] = (Phase){.name = "damp", .enter = xpbd_end};
    return count;
}

static const Convention XPBD_CONVENTIONS[] = {
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

const Solver xpbd_solver = {
    .abi = SOLVER_ABI,
    .name = "xpbd",
    .summary = "position-based with substeps and compliance",
    .reference = "lectures 000, 002, 004; Macklin et al. 2016, 2019; Mueller et al. 2020",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION,
    .settings = XPBD_SETTINGS,
    .setting_count = sizeof XPBD_SETTINGS / sizeof XPBD_SETTINGS[0],
    .conventions = XPBD_CONVENTIONS,
    .convention_count = sizeof XPBD_CONVENTIONS / sizeof XPBD_CONVENTIONS[0],
    .options_size = sizeof(XpbdOptions),
    .create = xpbd_create,
    .destroy = xpbd_destroy,
    .reserve = xpbd_reserve,
    .plan = xpbd_plan,
};
