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
#include "solvers/rows/rows.h"
#include "solvers/systems/constraint_graph.h"

#include <stdlib.h>
#include <string.h>

/* Passes of the active set that change all rows at once; then one row a pass, the first, which cannot cycle. */
enum { DIRECT_PASSES_AT_ONCE = 8, DIRECT_PASSES = 60 };
/* A bound or a gap counts as violated beyond this share of the right side's norm: round-off must not toggle rows. */
#define DIRECT_TOLERANCE 1e-12

/* How much redundant rows are relaxed, as a share of (J M^-1 J^T)_ii: well above round-off, so that near repetitions do
 * no harm; each pass takes back what the last left but for this share over the smallest eigenvalue. */
#define DIRECT_RELAX 1e-7
enum { DIRECT_RELAXED_PASSES = 2 };

/* A Newton step on the positions that works leaves less than this share, or round-off, of the length scale; else up to
 * so many. */
#define DIRECT_NEWTON_SHARE 0.1
#define DIRECT_ROUND_OFF 1e-10
enum { DIRECT_NEWTON_STEPS = 6 };

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
    RowSystem system, correction;
    ConstraintGraph graph;
    ConstraintGraph relaxed; /* the same for relaxed rows, in a better order, if `graph` has loops and none for them */
    bool (*held)[BLOCK_MAX_ROWS];
    double (*goal)[BLOCK_MAX_ROWS]; /* multipliers of rows that are not held: the bound they are at */
    Velocity *shift;                /* of a projection */
    bool bounded;                   /* some row has bounds */
    bool redundant;                 /* rows that repeat others have been seen */
} Direct;

static void direct_destroy(void *self)
{
    Direct *direct = self;
    if (!direct)
        return;
    arrays_free(&direct->arrays);
    motion_free(&direct->motion);
    row_system_free(&direct->system);
    row_system_free(&direct->correction);
    constraint_graph_free(&direct->graph);
    constraint_graph_free(&direct->relaxed);
    free(direct);
}

/* More rigid rows than the bodies have freedom: some repeat others for certain, and nothing needs to find out. */
static bool direct_has_too_many_rows(const World *world)
{
    int rows = 0, freedom = 0;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            freedom += vec3_is_zero(world->mass[i].inv_inertia) ? 3 : 6;
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        const JointTerms *terms = block_terms(block);
        bool held = !block->off && terms->compliance == 0.0 && !block_is_limit(block) && !terms->actuator;
        bool moves = false;
        for (int k = 0; k < block_body_count(block); k++)
            moves = moves || !world_is_fixed(world, block->body[k]);
        rows += held && moves ? block_row_count(block->kind) : 0;
    }
    return rows > freedom;
}

static bool direct_init(void *self, const SolverTask *task, Status *status)
{
    Direct *direct = self;
    const World *world = task->world;
    Arrays *own = &direct->arrays;
    size_t blocks = (size_t)world->block_count + 1;
    (void)status;
    direct->options = *(const DirectOptions *)task->options;
    direct->redundant = direct_has_too_many_rows(world);
    return OWN_ARRAY(own, direct->held, blocks) && OWN_ARRAY(own, direct->goal, blocks) &&
           OWN_ARRAY(own, direct->shift, (size_t)world->body_count) &&
           motion_init(&direct->motion, world, &direct->options.common) && row_system_init(&direct->system, world) &&
           row_system_init(&direct->correction, world) &&
           constraint_graph_init(&direct->graph, world, direct->redundant) &&
           (!direct->graph.loops || direct->redundant || constraint_graph_init(&direct->relaxed, world, true));
}

static void *direct_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(Direct), direct_init, direct_destroy, status);
}

/* Drives: bias C/h - speed instead of rate C - speed. */
static void direct_command_drives(RowSystem *system, const World *world, const RowSetup *setup)
{
    double squared = system->b_norm * system->b_norm;
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        double rate[BLOCK_MAX_ROWS];
        if (!block_terms(&world->blocks[b])->actuator || rb->count == 0)
            continue;
        row_block_rates(rb, world->velocity, rate);
        for (int i = 0; i < rb->count; i++) {
            double before = rate[i] + rb->bias[i];
            rb->bias[i] += (1.0 / setup->h - setup->rate) * rb->C[i];
            double after = rate[i] + rb->bias[i];
            squared += rb->metres * rb->metres * (after * after - before * before);
        }
    }
    system->b_norm = sqrt(fmax(squared, 0.0));
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
    direct_command_drives(&direct->system, step->world, &setup);
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

/* Once rows have been seen to repeat others, all are relaxed, and the share that this leaves is taken back. */
static void direct_solve(Direct *direct, Step *step, RowSystem *system, Velocity *velocity)
{
    const bool(*held)[BLOCK_MAX_ROWS] = (const bool(*)[BLOCK_MAX_ROWS])direct->held;
    const double(*goal)[BLOCK_MAX_ROWS] = (const double(*)[BLOCK_MAX_ROWS])direct->goal;
    ConstraintGraph *graph = &direct->graph;
    if (!direct->redundant)
        direct->redundant = constraint_graph_factor(graph, step->world, system, held, 0.0) > 0;
    if (direct->redundant) {
        graph = direct->relaxed.ldl.node_count > 0 ? &direct->relaxed : graph;
        constraint_graph_factor(graph, step->world, system, held, DIRECT_RELAX);
        step_report(step, "redundant rows: all were relaxed");
    }
    for (int pass = 0; pass < (direct->redundant ? DIRECT_RELAXED_PASSES : 1); pass++) {
        constraint_graph_solve(graph, step->world, system, held, goal, velocity);
        step->row_solves += system->rows;
    }
}

static void direct_iterate(void *self, Step *step)
{
    Direct *direct = self;
    Velocity *velocity = step->world->velocity;
    int pass = 0, changes = 1;
    for (; changes > 0 && pass < DIRECT_PASSES; pass++) {
        direct_solve(direct, step, &direct->system, velocity);
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

/* Rigid rows that are violated; drives have their command, soft rows their force. */
static void direct_prepare_correction(Direct *direct, const World *world, double h)
{
    RowSystem *system = &direct->correction;
    row_system_prepare(system, world, &(RowSetup){.h = h, .relaxation = 1.0});
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        for (int i = 0; i < rb->count; i++) {
            bool open = (rb->lower[i] == 0.0 && rb->C[i] >= 0.0) || (rb->upper[i] == 0.0 && rb->C[i] <= 0.0);
            direct->held[b][i] = !open && !rb->is_soft && !block_terms(&world->blocks[b])->actuator;
            direct->goal[b][i] = 0.0;
            rb->bias[i] = rb->C[i];
            system->rows -= !direct->held[b][i];
        }
    }
}

/* The largest error of a held row, m. */
static double direct_largest_error(const Direct *direct)
{
    double largest = 0.0;
    for (int b = 0; b < direct->correction.count; b++)
        for (int i = 0; i < direct->correction.blocks[b].count; i++)
            if (direct->held[b][i])
                largest = fmax(largest, direct->correction.blocks[b].metres * fabs(direct->correction.blocks[b].C[i]));
    return largest;
}

/* One Newton step on the positions: M dx = J^T mu, J dx = -C. */
static void direct_project_once(Direct *direct, Step *step)
{
    World *world = step->world;
    memset(direct->shift, 0, sizeof *direct->shift * (size_t)world->body_count);
    direct_solve(direct, step, &direct->correction, direct->shift);
    for (int i = 1; i < world->body_count; i++) {
        Pose *pose = &world->pose[i];
        pose->x = vec3_add(pose->x, direct->shift[i].v);
        pose->q = quat_unit(quat_mul(quat_exp(direct->shift[i].w), pose->q));
    }
    direct_prepare_correction(direct, world, step->h);
}

/* Where bodies turn by much in a step, one Newton step leaves too much, and errors grow from step to step: then more
 * follow, and it is said. */
static void direct_project(void *self, Step *step)
{
    Direct *direct = self;
    direct_prepare_correction(direct, step->world, step->h);
    double before = direct_largest_error(direct), left = before;
    double round_off = DIRECT_ROUND_OFF * step->world->length_scale;
    for (int i = 0; i < DIRECT_NEWTON_STEPS && (i == 0 || left > fmax(DIRECT_NEWTON_SHARE * before, round_off)); i++) {
        if (i == 1)
            step_report(step, "one Newton step on the positions did not suffice: more were taken");
        direct_project_once(direct, step);
        left = direct_largest_error(direct);
    }
    if (left > fmax(before, round_off))
        step_report(step, "the projection of positions did not converge");
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
