/* SPDX-License-Identifier: MIT */
/* Projected Gauss-Seidel on J M^-1 J^T lambda = b, matrix-free, for impulses (lecture 001): v = v* + M^-1 J^T lambda,
 *     sweeps: lambda_i <- clamp(lambda_i - (J_i v + bias_i)/A_ii), v follows;    x = x + h v.
 * Of a contact point the normal, then its two tangents with one common step, back to the disc mu lambda_n (after Catto
 * 2006); `manifold` solves the normals of a pair of bodies together. Slop, push and beta 0.2 are our choices.
 * Velocities alone drift: `position` says how errors are taken back. Baumgarte adds beta C/h to the velocity asked for,
 * split does so in velocities that live for one step only, ngs corrects positions after the step. Warm started
 * multipliers repeat Baumgarte's correction: `relax` takes it out, `warm_share` lets it fade (reports/ERRATA.md). */
#include "solvers/cone/sweep.h"
#include "solvers/motion.h"
#include "solvers/pgs/late_bounce.h"
#include "solvers/pgs/ngs.h"
#include "solvers/pgs/options.h"
#include "solvers/pgs/rolling.h"
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/row_schedule.h"

#include <stdlib.h>
#include <string.h>

typedef struct Pgs {
    PgsOptions options;
    Motion motion;
    RowSystem system;
    RowSchedule quads; /* in which order, and which at once */
    int order_capacity;
    int *order;       /* of blocks, for the passes over positions; NULL: as created */
    RowSystem split;  /* the system of the split pass: same rows, position errors only */
    Velocity *pseudo; /* its velocities */
    int ngs_capacity;
    Multiplier *ngs;
    bool started;     /* there are multipliers to start from */
    int substep;      /* of the frame, from 0 */
    Pose *frame;      /* poses as the frame began, where lever arms are taken there */
    Velocity *change; /* of order = jacobi: scratch, zero between sweeps */
    LateBounce bounce;
    ContactPins pins;
    Rolling rolling;
} Pgs;

static void pgs_destroy(void *self)
{
    Pgs *pgs = self;
    if (!pgs)
        return;
    motion_free(&pgs->motion);
    row_system_free(&pgs->system);
    row_system_free(&pgs->split);
    row_schedule_free(&pgs->quads);
    free(pgs->order);
    free(pgs->pseudo);
    free(pgs->ngs);
    free(pgs->frame);
    free(pgs->change);
    late_bounce_free(&pgs->bounce);
    contact_pins_free(&pgs->pins);
    rolling_free(&pgs->rolling);
    free(pgs);
}

static bool pgs_reserve_order(Pgs *pgs, const World *world)
{
    if (world->block_count < pgs->order_capacity)
        return true;
    int *grown = realloc(pgs->order, sizeof *grown * (size_t)(world->block_capacity + 1));
    pgs->order = grown ? grown : pgs->order;
    pgs->order_capacity = grown ? world->block_capacity + 1 : pgs->order_capacity;
    return grown != NULL;
}

static bool pgs_reserve(void *self, const World *world, Status *status)
{
    Pgs *pgs = self;
    bool ok = row_system_reserve(&pgs->system, world);
    if (pgs->options.position == PGS_SPLIT)
        ok = ok && row_system_reserve(&pgs->split, world);
    if (pgs->options.position == PGS_NGS && world->block_count > pgs->ngs_capacity) {
        Multiplier *grown = realloc(pgs->ngs, sizeof *grown * (size_t)world->block_capacity);
        pgs->ngs_capacity = grown ? world->block_capacity : pgs->ngs_capacity;
        pgs->ngs = grown ? grown : pgs->ngs;
        ok = ok && grown;
    }
    if (pgs->options.restitution == PGS_AT_FRAME)
        ok = ok && late_bounce_reserve(&pgs->bounce, world);
    ok = ok && row_schedule_reserve(&pgs->quads, world) && contact_pins_reserve(&pgs->pins, world) &&
         rolling_reserve(&pgs->rolling, world);
    if (pgs->options.order == PGS_COLOUR || pgs->options.axial == PGS_AXIAL_FIRST)
        ok = ok && pgs_reserve_order(pgs, world);
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

static void *pgs_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    Pgs *pgs = calloc(1, sizeof *pgs);
    if (pgs) {
        pgs->options = *(const PgsOptions *)task->options;
        pgs->pins = (ContactPins){.midway = pgs->options.contact_point, .look_ahead = pgs->options.look_ahead};
        pgs->pseudo = calloc((size_t)world->body_count, sizeof *pgs->pseudo);
        pgs->frame = calloc((size_t)world->body_count, sizeof *pgs->frame);
        pgs->change = calloc((size_t)world->body_count, sizeof *pgs->change);
    }
    if (!pgs || !pgs->pseudo || !pgs->frame || !pgs->change ||
        !motion_init(&pgs->motion, world, &pgs->options.common) || !row_system_init(&pgs->system, world) ||
        !pgs_reserve(pgs, world, status)) {
        pgs_destroy(pgs);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    pgs->started = task->goes_on;
    if (pgs->started)
        row_system_recall_impulses(&pgs->system, world);
    return pgs;
}

/* Where the normals come before friction, a point's tangents are solved together. */
static FrictionModel pgs_friction(const PgsOptions *o)
{
    bool point = !o->manifold && !o->normals_first;
    return o->friction == FRICTION_CONE && point ? FRICTION_DISC : (FrictionModel)o->friction;
}

static double pgs_threshold(const Pgs *pgs, const Step *step)
{
    return restitution_threshold_at(pgs->options.restitution_threshold, step->world, step->h);
}

static bool pgs_is_soft(const Pgs *pgs)
{
    return pgs->options.contact_hertz > 0.0 || pgs->options.joint_hertz > 0.0;
}

static RowSetup pgs_setup(const Pgs *pgs, const Step *step, double beta)
{
    const PgsOptions *o = &pgs->options;
    double h = step->h, contact = fmin(o->contact_hertz, o->contact_cap / h);
    return (RowSetup){.h = h,
                      .rate = beta / h,
                      .relaxation = o->relaxation,
                      .whole = o->block,
                      .some_off = isfinite(o->look_ahead),
                      .axial_apart = o->axial == PGS_AXIAL_FIRST,
                      .limit_slip = o->limit_slip,
                      .joint_masses = o->masses == PGS_MASSES_FRAME ? pgs->frame : NULL,
                      .point_masses = o->masses != PGS_MASSES_SUBSTEP ? pgs->frame : NULL,
                      .soft_joint = soft_rows(fmin(o->joint_hertz, o->joint_cap / h), o->joint_zeta, h),
                      .soft_contact = soft_rows(contact, o->contact_zeta, h),
                      .soft_ground = soft_rows(2.0 * contact, o->contact_zeta, h),
                      .keep = o->warm_start && pgs->started ? o->warm_share : 0.0,
                      .friction = pgs_friction(o),
                      .sweeps_only = o->position != PGS_SPLIT && (o->relax == 0 || pgs_is_soft(pgs)),
                      .manifold = o->manifold,
                      .normals_first = o->normals_first,
                      .friction_first = o->friction_first,
                      .enumerate = o->enumerate,
                      .levers = o->levers == PGS_AT_FRAME ? pgs->frame : NULL,
                      .slop = o->slop,
                      .push_speed = o->push_speed,
                      .restitution_threshold = o->restitution == PGS_AT_FRAME ? INFINITY : pgs_threshold(pgs, step)};
}

/* The share of the position errors that the velocities take back. */
static double pgs_bias_share(const Pgs *pgs)
{
    return pgs->options.position == PGS_BAUMGARTE ? pgs->options.beta : 0.0;
}

static void pgs_begin_frame(Pgs *pgs, const World *world)
{
    if (pgs->options.levers == PGS_AT_FRAME || pgs->options.masses != PGS_MASSES_SUBSTEP)
        memcpy(pgs->frame, world->pose, sizeof *pgs->frame * (size_t)world->body_count);
    if (pgs->options.restitution == PGS_AT_FRAME)
        late_bounce_begin_frame(&pgs->bounce, world);
}

/* Of passes over positions: joints' drives and limits first of their joint, then contacts. */
static void pgs_order_axial_first(Pgs *pgs, const World *world)
{
    joint_order_axial_first(world, pgs->order);
    for (int b = world->joint_block_count; b < world->block_count; b++)
        pgs->order[b] = b;
}

/* Joints' rows have changed. As a list they are not lined up: they mostly hang on each other, one after the other. */
static void pgs_order_joints(Pgs *pgs, const World *world)
{
    const PgsOptions *o = &pgs->options;
    bool by_colour = o->order == PGS_COLOUR;
    row_schedule_joints(&pgs->quads, &pgs->system, world, by_colour);
    if (by_colour && (o->position == PGS_SPLIT || o->position == PGS_NGS))
        schedule_list_blocks(&pgs->quads.joints, &pgs->quads.manifolds, world, pgs->order);
    if (!by_colour && o->axial == PGS_AXIAL_FIRST) {
        joint_order_axial_first(world, pgs->quads.joints.rest);
        pgs_order_axial_first(pgs, world);
    }
}

static void pgs_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    World *world = step->world;
    contact_pins_set(&pgs->pins, world);
    if (pgs->substep == 0)
        pgs_begin_frame(pgs, world);
    pgs->substep = (pgs->substep + 1) % pgs->options.common.substeps;
    RowSetup setup = pgs_setup(pgs, step, pgs_bias_share(pgs));
    row_schedule_manifolds(&pgs->quads, world, &setup, pgs->options.order == PGS_COLOUR);
    setup.quads = &pgs->quads;
    step_report_recovery(step, pgs->options.push_speed);
    motion_begin(&pgs->motion, world, step->h);
    row_system_prepare(&pgs->system, world, &setup);
    pgs_order_joints(pgs, world);
    if (setup.keep > 0.0)
        row_schedule_apply(&pgs->system, world->team, world->velocity);
    rolling_begin(&pgs->rolling, world, setup.keep);
    pgs->started = true;
}

static void pgs_iterate(void *self, Step *step)
{
    Pgs *pgs = self;
    World *world = step->world;
    step->row_solves += pgs->options.order == PGS_JACOBI
                            ? row_schedule_jacobi(&pgs->system, world, world->velocity, pgs->change)
                            : row_schedule_sweep(&pgs->system, world->team, world->velocity);
    if (pgs->rolling.count == 0)
        return;
    row_system_store_impulses(&pgs->system, world); /* whose normals bound it */
    step->row_solves += rolling_sweep(&pgs->rolling, world);
}

static double pgs_residual(void *self, const Step *step)
{
    return row_system_residual(&((Pgs *)self)->system, step->world->velocity);
}

static void pgs_end_velocity(Pgs *pgs, Step *step)
{
    row_system_store_impulses(&pgs->system, step->world);
    motion_damp(&pgs->motion, step->world, step->h);
}

static void pgs_move(void *self, Step *step)
{
    Pgs *pgs = self;
    pgs_end_velocity(pgs, step);
    motion_move(&pgs->motion, step->world, NULL, step->h);
}

/* Split: pseudo-velocities u with J u = -beta C/h for rigid rows that are violated; the others stay out. */
static void pgs_split_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    pgs_end_velocity(pgs, step);
    RowSetup setup = pgs_setup(pgs, step, pgs->options.beta);
    row_system_prepare_split(&pgs->split, &pgs->system, step->world, &setup);
    memset(pgs->pseudo, 0, sizeof *pgs->pseudo * (size_t)step->world->body_count);
}

static void pgs_split_iterate(void *self, Step *step)
{
    Pgs *pgs = self;
    step->row_solves += row_system_sweep(&pgs->split, pgs->pseudo, pgs->order);
}

/* Moves with v + u, keeps v. */
static void pgs_split_move(void *self, Step *step)
{
    Pgs *pgs = self;
    motion_move(&pgs->motion, step->world, pgs->pseudo, step->h);
}

/* NGS: nonlinear Gauss-Seidel on the positions, rigid blocks only; velocities stay. */
static void pgs_ngs_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    pgs_move(pgs, step);
    if (step->world->block_count > 0)
        memset(pgs->ngs, 0, sizeof *pgs->ngs * (size_t)step->world->block_count);
}

static void pgs_ngs_iterate(void *self, Step *step)
{
    Pgs *pgs = self;
    const PgsOptions *o = &pgs->options;
    PositionSolve how = {.h = step->h,
                         .stiffness = 1.0,
                         .whole = o->block,
                         .slop = o->slop,
                         .push_speed = o->push_speed,
                         .contact_share = o->ngs_share,
                         .contact_most = o->ngs_most,
                         .exact_turns = o->exact_turns,
                         .limits_give = o->axial == PGS_AXIAL_FIRST,
                         .only_push = o->ngs_only_push};
    bool together = o->manifold && o->ngs_only_push;
    step->row_solves += ngs_sweep(step->world, &how, together, pgs->order, pgs->ngs);
}

/* Soft rows become rigid ones, without errors but for gaps that are open; multipliers stay. */
static void pgs_prepare_rigid(Pgs *pgs, const Step *step, RowSetup *setup)
{
    const SoftRows rigid = {0};
    if (pgs->options.relax_at == PGS_RELAX_BEGIN)
        setup->contacts_at = step->world->pose_before;
    setup->soft_joint = setup->soft_contact = setup->soft_ground = rigid;
    setup->rate = 0.0;
    setup->keep = 1.0;
    setup->quads = pgs->system.quads;
    row_system_prepare(&pgs->system, step->world, setup);
}

/* The same rows once the positions have moved, without their errors: what a correction gave the velocities goes, and
 * with it the part of the multipliers that the next substep would repeat. */
static void pgs_relax_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    RowSetup setup = pgs_setup(pgs, step, pgs_bias_share(pgs));
    if (pgs_is_soft(pgs))
        pgs_prepare_rigid(pgs, step, &setup);
    else
        row_system_drop_errors(&pgs->system, &setup);
    pgs_order_joints(pgs, step->world);
}

static void pgs_relax_iterate(void *self, Step *step)
{
    pgs_iterate(self, step);
    row_system_store_impulses(&((Pgs *)self)->system, step->world);
}

/* Restitution of the frame, once its substeps are done. */
static void pgs_bounce(void *self, Step *step)
{
    Pgs *pgs = self;
    World *world = step->world;
    if (!late_bounce_awaits(&pgs->bounce, world))
        return;
    row_system_leave_quads(&pgs->system);
    late_bounce_note(&pgs->bounce, &pgs->system, world);
    if (pgs->substep != 0)
        return;
    step->row_solves += late_bounce_apply(&pgs->bounce, &pgs->system, world, pgs_threshold(pgs, step));
    row_system_store_impulses(&pgs->system, world);
}

static void pgs_drop_pins(void *self, Step *step)
{
    contact_pins_drop(&((Pgs *)self)->pins, step->world);
}

static int pgs_multipliers(void *self, const double **lambda)
{
    return row_system_multipliers(&((Pgs *)self)->system, lambda);
}

/* On problems given by W: the same point solve, without bodies to warm start from. What needs bodies, manifolds or
 * position errors is refused: under its own name it would be plain pgs. */
typedef struct PgsMethod {
    ConeMemory memory;
    double relaxation;
} PgsMethod;

static bool pgs_method_take(void *self, const void *options, Status *status)
{
    const PgsOptions *own = options;
    bool soft = own->contact_hertz > 0.0 || own->joint_hertz > 0.0;
    ((PgsMethod *)self)->relaxation = own->relaxation;
    if (own->manifold || own->normals_first || own->friction != FRICTION_CONE || own->order == PGS_JACOBI || soft)
        return status_set(status, STATUS_UNSUPPORTED,
                          "a problem given by W has rigid contact points alone: manifold=false, normals_first=false, "
                          "friction=cone, contact_hertz=0, joint_hertz=0, an order that is not jacobi");
    return true;
}

static long pgs_method_iterate(void *self, const ConeSystem *system, double *r)
{
    return cone_sweep(system, ((PgsMethod *)self)->relaxation, r);
}

static const ConeMethod PGS_METHOD = {
    .law = CONE_COULOMB, .size = sizeof(PgsMethod), .take = pgs_method_take, .iterate = pgs_method_iterate};

static int pgs_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    Pgs *pgs = self;
    int sweeps = pgs->options.position_iterations, count = 0;
    phases[count++] = (Phase){.name = "velocity",
                              .iterations = pgs->options.common.iterations,
                              .enter = pgs_begin,
                              .iterate = pgs_iterate,
                              .residual = pgs_residual};
    if (pgs->options.position == PGS_SPLIT) {
        phases[count++] =
            (Phase){.name = "split", .iterations = sweeps, .enter = pgs_split_begin, .iterate = pgs_split_iterate};
        phases[count++] = (Phase){.name = "move", .enter = pgs_split_move};
    } else if (pgs->options.position == PGS_NGS) {
        phases[count++] =
            (Phase){.name = "position", .iterations = sweeps, .enter = pgs_ngs_begin, .iterate = pgs_ngs_iterate};
    } else {
        phases[count++] = (Phase){.name = "move", .enter = pgs_move};
    }
    if (pgs->options.relax > 0)
        phases[count++] = (Phase){
            .name = "relax", .iterations = pgs->options.relax, .enter = pgs_relax_begin, .iterate = pgs_relax_iterate};
    if (pgs->options.restitution == PGS_AT_FRAME)
        phases[count++] = (Phase){.name = "restitution", .enter = pgs_bounce};
    if (contact_pins_wanted(&pgs->pins))
        phases[count++] = (Phase){.name = "surfaces", .enter = pgs_drop_pins};
    return count;
}

const Solver pgs_solver = {
    .abi = SOLVER_ABI,
    .name = "pgs",
    .summary = "impulses by projected Gauss-Seidel, warm started",
    .reference = "lecture 001; Catto 2005, 2006",
    .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS | CAN_CONTACTS | CAN_COULOMB | CAN_ROLLING | CAN_W,
    SOLVER_SETTINGS(PGS_SETTINGS),
    SOLVER_CONVENTIONS(PGS_CONVENTIONS),
    .steps = PGS_STEPS,
    .options_size = sizeof(PgsOptions),
    .create = pgs_create,
    .destroy = pgs_destroy,
    .reserve = pgs_reserve,
    .plan = pgs_plan,
    .multipliers = pgs_multipliers,
    .method = &PGS_METHOD,
};
