/* SPDX-License-Identifier: MIT */
#include "solvers/systems/mixed_lcp.h"
#include "solvers/contact/polygon.h"
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/joint_rows.h"

#include <stdlib.h>
#include <string.h>

const char *const lcp_levels[] = {"velocity", "acceleration", NULL};

/* Two matrices of 128 MB; a solve takes minutes. */
enum { LCP_MAX_VARIABLES = 4000 };

/* Guides the path past dependent rows, such as the four points of a face, far above the round-off of its pivots; the
 * solution is refined to that of the rows as they are. Of all loads of equal effect it gives the most even. */
static const double LCP_GUIDE = 1e-4;

/* Added to the unit diagonal where there is no solution: rows that contradict each other then share their error, and
 * the others are off by a millionth. */
static const double LCP_SOFTNESS = 1e-6;

/* Sweeps that guess what is active, where there are so many variables that they cost less than the pivots they save. */
enum { LCP_GUESS_SWEEPS = 100, LCP_GUESS_FROM = 100 };
/* A contact that then parts more slowly than this share of the speeds asked for may yet be closed. */
static const double LCP_GUESS_OPEN = 0.1;

/* Sweeps when pivoting fails even so: enough for any problem small enough for this backend to look settled. */
enum { LCP_SWEEPS = 1000 };

typedef struct MixedLcp {
    Arrays arrays, of_blocks;
    MixedLcpOptions options;
    Motion motion;
    RowSystem system;
    Complementarity problem;
    JointProjection projection; /* position=projection */
    const char *name;
    Velocity *swept; /* by the sweeps that begin a solve */
    /* level=acceleration */
    int capacity;
    bool *part;                  /* of each block: it takes part in the solve at hand */
    double (*k)[BLOCK_MAX_ROWS]; /* of each block: h Jdot V - J V, as the step begins */
    Vec3 *impact;                /* N s, of each block */
} MixedLcp;

/* m/s; a closed contact that parts more slowly is closed at velocity level, too. */
static const double LCP_CLOSED_SPEED = 1e-9;
/* A gap below this share of the scene's length counts as closed at position level. */
static const double LCP_CLOSED_GAP = 1e-6;

void mixed_lcp_destroy(void *self)
{
    MixedLcp *lcp = self;
    if (!lcp)
        return;
    motion_free(&lcp->motion);
    row_system_free(&lcp->system);
    complementarity_free(&lcp->problem);
    joint_projection_free(&lcp->projection);
    arrays_free(&lcp->arrays);
    arrays_free(&lcp->of_blocks);
    free(lcp);
}

static bool lcp_fits(const MixedLcp *lcp, const World *world, Status *status)
{
    int facets = lcp->options.facets, size = complementarity_size(world, facets, lcp->problem.form);
    return size <= LCP_MAX_VARIABLES ||
           status_set(status, STATUS_UNSUPPORTED,
                      "solver %s cannot run this scene: it takes %d variables at most (%d a contact point), not %d",
                      lcp->name, LCP_MAX_VARIABLES, facets + 2, size);
}

static bool lcp_projects(const MixedLcp *lcp)
{
    return lcp->options.position == LCP_PROJECTION;
}

static bool lcp_reserve_blocks(MixedLcp *lcp, const World *world)
{
    if (lcp->of_blocks.last && world->block_count <= lcp->capacity)
        return true;
    size_t count = (size_t)world->block_capacity + 1;
    arrays_free(&lcp->of_blocks);
    lcp->capacity = world->block_capacity;
    return OWN_ARRAY(&lcp->of_blocks, lcp->part, count) && OWN_ARRAY(&lcp->of_blocks, lcp->k, count) &&
           OWN_ARRAY(&lcp->of_blocks, lcp->impact, count);
}

bool mixed_lcp_reserve(void *self, const World *world, Status *status)
{
    MixedLcp *lcp = self;
    return lcp_fits(lcp, world, status) &&
           ((lcp_reserve_blocks(lcp, world) && row_system_reserve(&lcp->system, world) &&
             complementarity_reserve(&lcp->problem, world) &&
             (!lcp_projects(lcp) || joint_projection_reserve(&lcp->projection, world))) ||
            status_set(status, STATUS_FAILED, "out of memory"));
}

static bool lcp_init(MixedLcp *lcp, const SolverTask *task, EliminationForm form, Status *status)
{
    const World *world = task->world;
    lcp->options = *(const MixedLcpOptions *)task->options;
    lcp->name = task->solver->name;
    lcp->problem.form = form;
    if (lcp->options.facets % 2 != 0)
        return status_set(status, STATUS_USAGE, "option 'facets' of %s: must be even, not %d", lcp->name,
                          lcp->options.facets);
    if (!lcp_fits(lcp, world, status) || !OWN_ARRAY(&lcp->arrays, lcp->swept, (size_t)world->body_count) ||
        !motion_init(&lcp->motion, world, &lcp->options.common) || !row_system_init(&lcp->system, world) ||
        !complementarity_init(&lcp->problem, world, lcp->options.facets, form) || !lcp_reserve_blocks(lcp, world) ||
        (lcp_projects(lcp) && !joint_projection_init(&lcp->projection, world)))
        return false;
    if (task->goes_on)
        row_system_recall_impulses(&lcp->system, world);
    return true;
}

static bool lcp_init_dense(void *self, const SolverTask *task, Status *status)
{
    return lcp_init(self, task, ELIMINATE_DENSE, status);
}

static bool lcp_init_sparse(void *self, const SolverTask *task, Status *status)
{
    return lcp_init(self, task, ELIMINATE_SPARSE, status);
}

void *mixed_lcp_create(const SolverTask *task, EliminationForm form, Status *status)
{
    return solver_create(task, sizeof(MixedLcp), form == ELIMINATE_DENSE ? lcp_init_dense : lcp_init_sparse,
                         mixed_lcp_destroy, status);
}

static RowSetup lcp_setup(const MixedLcp *lcp, const World *world, double h)
{
    const MixedLcpOptions *o = &lcp->options;
    return (RowSetup){.h = h,
                      .rate = o->position == LCP_NONE ? 0.0 : o->beta / h,
                      .keep = 1.0,
                      .relaxation = 1.0,
                      .friction = FRICTION_FACETS,
                      .facets = o->facets,
                      .slop = o->slop,
                      .push_speed = o->push_speed,
                      .restitution_threshold = restitution_threshold_at(o->restitution_threshold, world, h)};
}

/* Errors of joints wait for the projection, and a drive asks for all of its own; contacts have no other way. */
static void lcp_leave_errors(MixedLcp *lcp, const World *world, const RowSetup *setup)
{
    joint_rows_drop_errors(&lcp->system, setup);
    joint_rows_command_drives(&lcp->system, world, setup->h, 0.0);
}

static void lcp_begin(void *self, Step *step)
{
    MixedLcp *lcp = self;
    RowSetup setup = lcp_setup(lcp, step->world, step->h);
    step_report_recovery(step, lcp->options.push_speed);
    motion_begin(&lcp->motion, step->world, step->h);
    row_system_prepare(&lcp->system, step->world, &setup);
    if (lcp_projects(lcp))
        lcp_leave_errors(lcp, step->world, &setup);
}

/* Level acceleration, before forces act: which contacts are closed, and whether one of them is run into. */
static bool lcp_find_closed(MixedLcp *lcp, const World *world)
{
    bool impact = false;
    for (int b = 0; b < world->block_count; b++) {
        const RowBlock *rb = &lcp->system.blocks[b];
        double rates[BLOCK_MAX_ROWS] = {0};
        lcp->part[b] = true;
        if (world->blocks[b].kind != BLOCK_CONTACT || rb->count == 0)
            continue;
        row_block_rates(rb, world->velocity, rates);
        lcp->part[b] = rb->C[0] <= LCP_CLOSED_GAP * world->length_scale && rates[0] <= LCP_CLOSED_SPEED;
        impact = impact || (lcp->part[b] && rates[0] < -LCP_CLOSED_SPEED);
    }
    return impact;
}

/* The impact, apart: impulses that leave v+ >= -e v- at closed contacts. */
static void lcp_begin_impact(void *self, Step *step)
{
    MixedLcp *lcp = self;
    World *world = step->world;
    RowSetup setup = lcp_setup(lcp, world, step->h);
    setup.rate = 0.0;
    for (int b = 0; b < world->block_count; b++)
        lcp->impact[b] = VEC3_ZERO;
    row_system_prepare(&lcp->system, world, &setup);
    if (!lcp_find_closed(lcp, world)) {
        lcp->system.rows = 0; /* nothing to solve */
        return;
    }
    setup.part = lcp->part;
    row_system_prepare(&lcp->system, world, &setup);
}

/* Then accelerations: J a + Jdot V >= 0 _|_ lambda >= 0 at contacts that are closed at both levels; with V* = V + h a
 * free that is J V* - J V + h Jdot V. Joints and friction stay at velocity level. */
static void lcp_begin_acceleration(void *self, Step *step)
{
    MixedLcp *lcp = self;
    World *world = step->world;
    RowSetup setup = lcp_setup(lcp, world, step->h);
    if (lcp->system.rows > 0) {
        row_system_store_impulses(&lcp->system, world);
        memcpy(lcp->impact, world->block_impulse, sizeof *lcp->impact * (size_t)world->block_count);
    }
    row_system_prepare(&lcp->system, world, &setup);
    lcp_find_closed(lcp, world);
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        double rates[BLOCK_MAX_ROWS] = {0};
        if (world->blocks[b].kind != BLOCK_CONTACT || !lcp->part[b] || lcp->system.blocks[b].count == 0)
            continue;
        block_rows_bias(world, &world->blocks[b], lcp->k[b]);
        row_block_rates(&lcp->system.blocks[b], world->velocity, rates);
        lcp->k[b][0] = step->h * lcp->k[b][0] - rates[0];
    }
    motion_begin(&lcp->motion, world, step->h);
    setup.part = lcp->part;
    row_system_prepare(&lcp->system, world, &setup);
    if (lcp_projects(lcp))
        lcp_leave_errors(lcp, world, &setup);
    for (int b = world->joint_block_count; b < world->block_count; b++)
        if (world->blocks[b].kind == BLOCK_CONTACT && lcp->system.blocks[b].count > 0)
            contact_row_set_bias(&lcp->system, b, lcp->k[b][0]);
}

/* Where friction lies on a facet, and not at a corner, it is weaker than Coulomb's. */
static void lcp_report_facets(const MixedLcp *lcp, Step *step)
{
    const double round_off = 1e-9;
    for (int b = 0; b < lcp->system.count; b++) {
        const RowBlock *rb = &lcp->system.blocks[b];
        if (rb->count < 2 || rb->kind != ROWS_CONTACT)
            continue; /* a friction block's rows, and its multipliers, are its contact's */
        double limit = rb->mu * rb->lambda[0] * (1.0 - round_off);
        if (hypot(rb->lambda[1], rb->lambda[2]) < limit &&
            !polygon_holds(lcp->options.facets, limit, rb->lambda[1], rb->lambda[2])) {
            step_report(step, "friction between two corners of its polygon: up to 1 - cos(pi/facets) too weak");
            return;
        }
    }
}

static bool lcp_pivot(MixedLcp *lcp, Step *step, double softness)
{
    LemkeEnd end = complementarity_solve(&lcp->problem, &lcp->system, step->world, softness, LCP_GUIDE);
    step->row_solves += complementarity_pivoted_rows(&lcp->problem) * lcp->problem.lemke.pivots;
    return end == LEMKE_SOLVED;
}

/* About the multipliers, by sweeps over the same rows from those of the last substep: the pivoting begins with what
 * they find active, and with contacts that hardly open: of all loads of equal effect the most even is wanted, and
 * sweeps leave some points without. */
static const double *lcp_guess(MixedLcp *lcp, Step *step)
{
    RowSystem *system = &lcp->system;
    const World *world = step->world;
    const double *swept;
    if (complementarity_size(world, lcp->options.facets, lcp->problem.form) < LCP_GUESS_FROM)
        return NULL;
    memcpy(lcp->swept, world->velocity, sizeof *lcp->swept * (size_t)world->body_count);
    row_system_apply(system, lcp->swept);
    for (int i = 0; i < LCP_GUESS_SWEEPS; i++)
        step->row_solves += row_system_sweep(system, lcp->swept, NULL);
    row_system_multipliers(system, &swept);
    double open = LCP_GUESS_OPEN * system->b_norm / sqrt(system->rows), *lambda = system->multipliers;
    for (int b = 0; b < system->count; lambda += system->blocks[b++].count) {
        RowBlock *rb = &system->blocks[b];
        double r[BLOCK_MAX_ROWS];
        if (world->blocks[b].kind == BLOCK_CONTACT && rb->count > 0) {
            row_block_residuals(rb, lcp->swept, r);
            lambda[0] = lambda[0] > 0.0 ? lambda[0] : fmax(rb->step[0] * (open - r[0]), 0.0);
        }
        for (int i = 0; i < rb->count; i++)
            rb->lambda[i] = 0.0;
    }
    return swept;
}

static void lcp_solve(void *self, Step *step)
{
    MixedLcp *lcp = self;
    Velocity *velocity = step->world->velocity;
    if (lcp->system.rows == 0)
        return;
    complementarity_reduce(&lcp->problem, &lcp->system, step->world, lcp_guess(lcp, step));
    step->row_solves += complementarity_eliminated_rows(&lcp->problem);
    if (complementarity_is_deficient(&lcp->problem))
        step_report(step, lcp->problem.form == ELIMINATE_DENSE ? "dependent rows: multipliers of least norm"
                                                               : JOINT_SOLVE_REDUNDANT);
    bool solved = lcp_pivot(lcp, step, 0.0);
    if (!solved) {
        step_report(step, "no exact solution found: softened");
        solved = lcp_pivot(lcp, step, LCP_SOFTNESS);
    }
    if (solved) {
        lcp_report_facets(lcp, step);
        row_system_apply(&lcp->system, velocity);
        return;
    }
    step_report(step, "pivoting failed: swept instead");
    row_system_apply(&lcp->system, velocity); /* what the last substep's multipliers begin with */
    for (int i = 0; i < LCP_SWEEPS; i++)
        step->row_solves += row_system_sweep(&lcp->system, velocity, NULL);
}

static double lcp_residual(void *self, const Step *step)
{
    return row_system_residual(&((MixedLcp *)self)->system, step->world->velocity);
}

static void lcp_move(void *self, Step *step)
{
    MixedLcp *lcp = self;
    row_system_store_impulses(&lcp->system, step->world);
    for (int b = 0; lcp->options.level == LCP_ACCELERATION && b < step->world->block_count; b++)
        step->world->block_impulse[b] = vec3_add(step->world->block_impulse[b], lcp->impact[b]);
    motion_damp(&lcp->motion, step->world, step->h);
    motion_move(&lcp->motion, step->world, NULL, step->h);
}

int mixed_lcp_multipliers(void *self, const double **lambda)
{
    return row_system_multipliers(&((MixedLcp *)self)->system, lambda);
}

static void lcp_project(void *self, Step *step)
{
    MixedLcp *lcp = self;
    joint_projection_take(&lcp->projection, &lcp->problem.joints.solve, step);
}

int mixed_lcp_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    int count = 0;
    const MixedLcp *lcp = self;
    bool apart = lcp->options.level == LCP_ACCELERATION, projects = lcp_projects(lcp);
    if (apart)
        phases[count++] = (Phase){"impact", 1, lcp_begin_impact, lcp_solve, NULL};
    phases[count++] = (Phase){apart ? "acceleration" : "velocity", 1, apart ? lcp_begin_acceleration : lcp_begin,
                              lcp_solve, lcp_residual};
    phases[count++] = (Phase){"move", projects ? 1 : 0, lcp_move, projects ? lcp_project : NULL, NULL};
    return count;
}
