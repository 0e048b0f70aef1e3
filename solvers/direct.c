/* SPDX-License-Identifier: MIT */
/* The velocity-level system solved exactly in every substep, by sparse block LDL^T (block_ldl.h) in the order of the
 * constraint graph (constraint_graph.h):
 *
 *     (J M^-1 J^T + s) lambda = -(J V* + bias),    lower <= lambda <= upper;     V = V* + M^-1 J^T lambda.
 *
 * The system of `pgs` without its iteration: stiff at any length and mass ratio. Bounds by an active set: let go what
 * exceeds its bounds, catch what violates, solve again. Errors are taken back by a Newton step after the move. A drive
 * asks for all of its error in one step, C/h, whatever `position` says: that is its command, not drift. */
#include "solvers/motion.h"
#include "solvers/rows/joint_rows.h"
#include "solvers/systems/joint_projection.h"

#include <stdlib.h>
#include <string.h>

/* Passes of the active set that change all rows at once; then one row a pass, the first, which cannot cycle. */
enum { DIRECT_PASSES_AT_ONCE = 8, DIRECT_PASSES = 60 };
/* A bound or a gap counts as violated beyond this share of the right side's norm: round-off must not toggle rows. */
#define DIRECT_TOLERANCE 1e-12

typedef enum DirectPosition { DIRECT_PROJECTION, DIRECT_BAUMGARTE, DIRECT_NONE } DirectPosition;

static const char *const DIRECT_POSITIONS[] = {"projection", "baumgarte", "none", NULL};

typedef struct DirectOptions {
    CommonOptions common;
    int position;
    double beta;
    int position_iterations;
} DirectOptions;

static const Setting DIRECT_SETTINGS[] = {
    COMMON_SETTINGS_DIRECT(10),
    PARAM_CHOICE(DirectOptions, position, "how position errors are taken back", DIRECT_PROJECTION, 2, DIRECT_POSITIONS),
    PARAM_REAL(DirectOptions, beta, "share of the error taken back in a substep (baumgarte)", 0.2, 0, 2.5),
    PARAM_INT(DirectOptions, position_iterations, "Newton steps of the projection", 1, 1, 100),
};

typedef struct Direct {
    Arrays arrays;
    DirectOptions options;
    Motion motion;
    RowSystem system;
    JointSolve joints;
    JointProjection projection;
    bool (*held)[BLOCK_MAX_ROWS];
    double (*goal)[BLOCK_MAX_ROWS]; /* multipliers of rows that are not held: the bound they are at */
    bool bounded;                   /* some row has bounds */
} Direct;

static void direct_destroy(void *self)
{
    Direct *direct = self;
    if (!direct)
        return;
    arrays_free(&direct->arrays);
    motion_free(&direct->motion);
    row_system_free(&direct->system);
    joint_projection_free(&direct->projection);
    joint_solve_free(&direct->joints);
    free(direct);
}

static bool direct_init(void *self, const SolverTask *task, Status *status)
{
    Direct *direct = self;
    const World *world = task->world;
    Arrays *own = &direct->arrays;
    size_t blocks = (size_t)world->block_count + 1;
    (void)status;
    direct->options = *(const DirectOptions *)task->options;
    return OWN_ARRAY(own, direct->held, blocks) && OWN_ARRAY(own, direct->goal, blocks) &&
           motion_init(&direct->motion, world, &direct->options.common) && row_system_init(&direct->system, world) &&
           joint_projection_init(&direct->projection, world) && joint_solve_init(&direct->joints, world);
}

static void *direct_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(Direct), direct_init, direct_destroy, status);
}

/* A limit that is not reached starts free, all else held; a drive without force is no row at all. */
static void direct_guess_active(Direct *direct)
{
    direct->bounded = false;
    for (int b = 0; b < direct->system.count; b++) {
        const RowBlock *rb = &direct->system.blocks[b];
        for (int i = 0; i < rb->count; i++) {
            bool open = (rb->lower[i] == 0.0 && rb->C[i] > 0.0) || (rb->upper[i] == 0.0 && rb->C[i] < 0.0);
            direct->held[b][i] = !open && rb->lower[i] < rb->upper[i];
            direct->goal[b][i] = 0.0;
            direct->bounded = direct->bounded || isfinite(rb->lower[i]) || isfinite(rb->upper[i]);
        }
    }
}

static void direct_begin(void *self, Step *step)
{
    Direct *direct = self;
    double beta = direct->options.position == DIRECT_BAUMGARTE ? direct->options.beta : 0.0;
    RowSetup setup = {.h = step->h, .rate = beta / step->h, .relaxation = 1.0};
    motion_begin(&direct->motion, step->world, step->h);
    row_system_prepare(&direct->system, step->world, &setup);
    joint_rows_command_drives(&direct->system, step->world, step->h, setup.rate);
    direct_guess_active(direct);
}

/* Lets go or catches one row; true if it changed. r = J V + s lambda + bias. */
static bool direct_revise_row(Direct *direct, int b, int i, double r)
{
    const RowBlock *rb = &direct->system.blocks[b];
    double lambda = rb->lambda[i], tolerance = DIRECT_TOLERANCE * direct->system.b_norm / rb->metres;
    if (direct->held[b][i]) {
        bool low = lambda<rb->lower[i] - tolerance * rb->step[i], high = lambda> rb->upper[i] + tolerance * rb->step[i];
        direct->held[b][i] = !low && !high;
        direct->goal[b][i] = low ? rb->lower[i] : rb->upper[i];
        return low || high;
    }
    bool caught = rb->lower[i] < rb->upper[i] && (direct->goal[b][i] == rb->lower[i] ? r < -tolerance : r > tolerance);
    direct->held[b][i] = caught;
    return caught;
}

static int direct_revise(Direct *direct, const Velocity *velocity, bool only_first)
{
    int changes = 0;
    for (int b = 0; b < direct->system.count; b++) {
        const RowBlock *rb = &direct->system.blocks[b];
        double r[BLOCK_MAX_ROWS];
        if (rb->count == 0 || rb->kind == ROWS_BILATERAL)
            continue;
        row_block_residuals(rb, velocity, r);
        for (int i = 0; i < rb->count; i++) {
            changes += direct_revise_row(direct, b, i, r[i]);
            if (only_first && changes > 0)
                return changes;
        }
    }
    return changes;
}

/* The cap was reached: bounds come before velocities. */
static void direct_clamp(Direct *direct, Velocity *velocity)
{
    for (int b = 0; b < direct->system.count; b++) {
        RowBlock *rb = &direct->system.blocks[b];
        double d[BLOCK_MAX_ROWS];
        for (int i = 0; i < rb->count; i++) {
            d[i] = clamp(rb->lambda[i], rb->lower[i], rb->upper[i]) - rb->lambda[i];
            rb->lambda[i] += d[i];
        }
        if (rb->count > 0)
            row_block_push(rb, d, velocity);
    }
}

static void direct_solve(Direct *direct, Step *step)
{
    const bool(*held)[BLOCK_MAX_ROWS] = (const bool(*)[BLOCK_MAX_ROWS])direct->held;
    const double(*goal)[BLOCK_MAX_ROWS] = (const double(*)[BLOCK_MAX_ROWS])direct->goal;
    RowSystem *system = &direct->system;
    joint_solve_factor(&direct->joints, step->world, system, held);
    if (direct->joints.redundant)
        step_report(step, JOINT_SOLVE_REDUNDANT);
    step->row_solves +=
        system->rows * joint_solve_take(&direct->joints, step->world, system, held, goal, step->world->velocity);
}

static void direct_iterate(void *self, Step *step)
{
    Direct *direct = self;
    Velocity *velocity = step->world->velocity;
    int pass = 0, changes = 1;
    for (; changes > 0 && pass < DIRECT_PASSES; pass++) {
        direct_solve(direct, step);
        changes = direct->bounded ? direct_revise(direct, velocity, pass >= DIRECT_PASSES_AT_ONCE) : 0;
    }
    if (changes == 0)
        return;
    direct_clamp(direct, velocity);
    step_report(step, "bounds did not settle: clamped");
}

static double direct_residual(void *self, const Step *step)
{
    return row_system_residual(&((Direct *)self)->system, step->world->velocity);
}

static void direct_project(void *self, Step *step)
{
    Direct *direct = self;
    joint_projection_take(&direct->projection, &direct->joints, step);
}

static void direct_move(void *self, Step *step)
{
    Direct *direct = self;
    row_system_store_impulses(&direct->system, step->world);
    motion_damp(&direct->motion, step->world, step->h);
    motion_move(&direct->motion, step->world, NULL, step->h);
}

static int direct_multipliers(void *self, const double **lambda)
{
    return row_system_multipliers(&((Direct *)self)->system, lambda);
}

static int direct_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    Direct *direct = self;
    bool project = direct->options.position == DIRECT_PROJECTION;
    phases[0] = (Phase){.name = "velocity",
                        .iterations = 1,
                        .enter = direct_begin,
                        .iterate = direct_iterate,
                        .residual = direct_residual};
    phases[1] = (Phase){.name = "position",
                        .iterations = project ? direct->options.position_iterations : 0,
                        .enter = direct_move,
                        .iterate = direct_project};
    return 2;
}

static const PhaseStep DIRECT_STEPS[] = {
    {"velocity", PHASE_ENTER, "", "the impulses of all joints at once, exactly"},
    FLIGHT_WORDS("velocity"),
    {"velocity", PHASE_ENTER, "rows", "The share {beta} of an error is taken back; a drive asks for all of its own.",
     "bias = {beta} C/h,  drives: C/h", "position", "baumgarte"},
    {"velocity", PHASE_ENTER, "rows", "Errors wait; a drive asks for all of its own.", "bias = 0,  drives: C/h"},
    {"velocity", PHASE_SWEEP, "system",
     "Block LDL^T in the order of the constraint graph; on a chain or tree in linear time.",
     "(J M^-1 J^T + s) lambda = -(J v* + bias),  s = alpha/h^2\nv = v* + M^-1 J^T lambda"},
    {"velocity", PHASE_SWEEP, "bounds",
     "An active set: what exceeds its bounds is let go, what is violated is caught, and all is solved again.",
     "lower <= lambda <= upper"},
    {"position", PHASE_ENTER, "", "the move, and a Newton step on the poses", NULL, "position", "projection"},
    {"position", PHASE_ENTER, "", "the move"},
    MOVE_WORDS("position"),
    {"position", PHASE_SWEEP, "project", "What is violated is taken back; velocities stay.",
     "J M^-1 J^T mu = -C,  x <- x + M^-1 J^T mu", "position", "projection"},
    {NULL},
};

const Solver direct_solver = {
    .abi = SOLVER_ABI,
    .name = "direct",
    .summary = "impulses by sparse block LDL^T, exact, linear time on chains and trees",
    .reference = "Baraff 1996",
    .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS,
    SOLVER_SETTINGS(DIRECT_SETTINGS),
    .steps = DIRECT_STEPS,
    .options_size = sizeof(DirectOptions),
    .row_bytes = 1300,
    .create = direct_create,
    .destroy = direct_destroy,
    .plan = direct_plan,
    .multipliers = direct_multipliers,
};
