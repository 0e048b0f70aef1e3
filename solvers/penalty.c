/* Force-based simulation (lecture 002): a spring and a damper on every row that is violated,
 *
 *     f = -k C - c (J V - target),   within the row's bounds;    V+ = V* + h M^-1 J^T f;    x+ = x + h V+.
 *
 * k is plain, as in the lecture: stiff is fast and unstable, soft is squishy and late. c = `damping` k, so that with
 * mu = the largest eigenvalue of J M^-1 J^T K a mode obeys z^2 - (2 - mu (h^2 + h damping)) z + 1 - mu h damping = 0:
 * stable while mu (h^2 + 2 h damping) < 4. mu comes from power iteration, one product a substep, started from the last.
 * A compliant row is its own spring, k = 1/alpha. Unlike `pgs` nothing is solved: errors are what carries the load. */
#include "solvers/penalty.h"

#include "solvers/motion.h"
#include "solvers/rows.h"

#include <stdlib.h>
#include <string.h>

/* Products before the first substep: the start vector alternates like the stiffest mode of a chain, and the estimate's
 * error falls with the square of the eigenvalues' ratio. */
enum { POWER_START = 40 };

typedef struct PenaltyOptions {
    CommonOptions common;
    double stiffness;
    double angular_stiffness;
    double damping;
} PenaltyOptions;

/* Defaults: links of half a kilogram and 0.2 m (mu = 3e5 1/s^2) stay stable at dt = 1/60 with ten substeps, and a
 * kilogram hangs 1 mm low. */
static const Setting PENALTY_SETTINGS[] = {
    COMMON_SETTINGS(10, 1),
    PARAM_REAL(PenaltyOptions, stiffness, "k of a length (N/m) or volume row", 1e4, 0, 1e15),
    PARAM_REAL(PenaltyOptions, angular_stiffness, "k of an angular row (N m/rad)", 1e2, 0, 1e15),
    PARAM_REAL(PenaltyOptions, damping, "c/k of every rigid row (s)", 1e-3, 0, 1e3),
};

typedef struct Penalty {
    PenaltyOptions options;
    Motion motion;
    RowSystem system;
    int mode_capacity;
    double (*mode)[BLOCK_MAX_ROWS]; /* of the stiffest oscillation, row by row */
    Velocity *push;                 /* M^-1 J^T K mode */
    bool started;
    double mu; /* 1/s^2 */
} Penalty;

double penalty_stable_step(const void *self)
{
    const Penalty *penalty = self;
    double tau = penalty->options.damping;
    return penalty->mu > 0.0 ? sqrt(tau * tau + 4.0 / penalty->mu) - tau : INFINITY;
}

static void penalty_destroy(void *self)
{
    Penalty *penalty = self;
    if (!penalty)
        return;
    motion_free(&penalty->motion);
    row_system_free(&penalty->system);
    free(penalty->mode);
    free(penalty->push);
    free(penalty);
}

static bool penalty_reserve(void *self, const World *world, Status *status)
{
    Penalty *penalty = self;
    bool ok = row_system_reserve(&penalty->system, world);
    if (ok && world->block_count > penalty->mode_capacity) {
        void *grown = realloc(penalty->mode, sizeof *penalty->mode * (size_t)world->block_capacity);
        penalty->mode = grown ? grown : penalty->mode;
        for (int b = penalty->mode_capacity; grown && b < world->block_capacity; b++)
            for (int i = 0; i < BLOCK_MAX_ROWS; i++)
                penalty->mode[b][i] = b % 2 == 0 ? 1.0 : -1.0;
        penalty->mode_capacity = grown ? world->block_capacity : penalty->mode_capacity;
        ok = grown;
    }
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

static void *penalty_create(const World *world, const void *options, Status *status)
{
    Penalty *penalty = calloc(1, sizeof *penalty);
    if (penalty) {
        penalty->options = *(const PenaltyOptions *)options;
        penalty->push = calloc((size_t)world->body_count, sizeof *penalty->push);
    }
    if (!penalty || !penalty->push || !motion_init(&penalty->motion, world, &penalty->options.common) ||
        !row_system_init(&penalty->system, world) || !penalty_reserve(penalty, world, status)) {
        penalty_destroy(penalty);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return penalty;
}

static double penalty_stiffness(const Penalty *penalty, const Block *block)
{
    if (block->compliance > 0.0)
        return 1.0 / block->compliance;
    return block_unit(block->kind) == UNIT_ANGLE ? penalty->options.angular_stiffness : penalty->options.stiffness;
}

/* A limit that is not reached carries nothing. */
static bool penalty_is_open(const RowBlock *rb, int i)
{
    return (rb->lower[i] == 0.0 && rb->C[i] >= 0.0) || (rb->upper[i] == 0.0 && rb->C[i] <= 0.0);
}

/* lambda = h f of one block's rows at the substep's beginning; RowBlock's bounds are impulses already. */
static void penalty_spring(const Penalty *penalty, const Block *block, RowBlock *rb, const Velocity *velocity, double h)
{
    double rate[BLOCK_MAX_ROWS], k = penalty_stiffness(penalty, block);
    double c = block->compliance > 0.0 ? 0.0 : k * penalty->options.damping;
    row_block_rates(rb, velocity, rate);
    for (int i = 0; i < rb->count; i++) {
        double target = block->driven ? block->speed : 0.0;
        double impulse = -h * (k * rb->C[i] + c * (rate[i] - target));
        rb->lambda[i] = penalty_is_open(rb, i) ? 0.0 : clamp(impulse, rb->lower[i], rb->upper[i]);
    }
}

/* mode <- A K mode / |.|, and mu = mode.K A K mode / mode.K mode: A K is symmetric in the product of K. */
static void penalty_power_step(Penalty *penalty, const World *world)
{
    const RowSystem *system = &penalty->system;
    double norm = 0.0, along = 0.0, largest = 0.0;
    memset(penalty->push, 0, sizeof *penalty->push * (size_t)world->body_count);
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double k = penalty_stiffness(penalty, &world->blocks[b]), d[BLOCK_MAX_ROWS];
        if (rb->count == 0)
            continue;
        for (int i = 0; i < rb->count; i++) {
            d[i] = penalty_is_open(rb, i) ? 0.0 : k * penalty->mode[b][i];
            norm += d[i] * penalty->mode[b][i];
        }
        row_block_push(rb, d, penalty->push);
    }
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double k = penalty_stiffness(penalty, &world->blocks[b]), rate[BLOCK_MAX_ROWS];
        if (rb->count == 0)
            continue;
        row_block_rates(rb, penalty->push, rate);
        for (int i = 0; i < rb->count; i++) {
            along += penalty_is_open(rb, i) ? 0.0 : k * penalty->mode[b][i] * rate[i];
            penalty->mode[b][i] = rate[i];
            largest = fmax(largest, fabs(rate[i]));
        }
    }
    penalty->mu = norm > 0.0 ? along / norm : 0.0;
    for (int b = 0; b < system->count && largest > 0.0; b++)
        for (int i = 0; i < BLOCK_MAX_ROWS; i++)
            penalty->mode[b][i] /= largest;
}

static void penalty_begin(void *self, Step *step)
{
    Penalty *penalty = self;
    motion_begin(&penalty->motion, step->world, step->h);
    row_system_prepare(&penalty->system, step->world, &(RowSetup){.h = step->h, .relaxation = 1.0});
    for (int i = 0; i < (penalty->started ? 1 : POWER_START); i++)
        penalty_power_step(penalty, step->world);
    penalty->started = true;
    if (step->h > penalty_stable_step(penalty))
        step_report(step, "step is longer than the springs' stable limit");
}

static void penalty_push(void *self, Step *step)
{
    Penalty *penalty = self;
    World *world = step->world;
    for (int b = 0; b < penalty->system.count; b++)
        if (penalty->system.blocks[b].count > 0)
            penalty_spring(penalty, &world->blocks[b], &penalty->system.blocks[b], world->velocity_before, step->h);
    row_system_apply(&penalty->system, world->velocity);
    row_system_store_impulses(&penalty->system, world);
    step->row_solves += penalty->system.rows;
}

static void penalty_move(void *self, Step *step)
{
    Penalty *penalty = self;
    motion_damp(&penalty->motion, step->world, step->h);
    motion_move(&penalty->motion, step->world, step->h);
}

static int penalty_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){"force", 1, penalty_begin, penalty_push, NULL};
    phases[1] = (Phase){"move", 0, penalty_move, NULL, NULL};
    return 2;
}

const Solver penalty_solver = {
    .abi = SOLVER_ABI,
    .name = "penalty",
    .summary = "forces: a spring and a damper on every violation",
    .reference = "lecture 002; Moore and Wilhelms 1988",
    .capabilities = CAN_ALL_JOINTS,
    .settings = PENALTY_SETTINGS,
    .setting_count = sizeof PENALTY_SETTINGS / sizeof PENALTY_SETTINGS[0],
    .options_size = sizeof(PenaltyOptions),
    .create = penalty_create,
    .destroy = penalty_destroy,
    .reserve = penalty_reserve,
    .plan = penalty_plan,
};
