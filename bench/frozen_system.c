#include "bench/frozen_system.h"

#include "solvers/linear/schur.h"
#include "solvers/rows/dense.h"

#include <stdlib.h>
#include <string.h>

/* A direct solve beyond this takes more than a second. */
enum { DIRECT_MAX_ROWS = 3000 };

/* Sweeping ends at this residual, which is round-off, or with this much work, which takes some seconds. */
static const double CONVERGED = 1e-15;
static const double MAX_ROW_SOLVES = 2e8;
/* Sweeps between two looks at the residual, and looks without gain before it counts as round-off. */
enum { SWEEPS_AT_ONCE = 16, IDLE_LOOKS = 16 };

/* The value of an option if the solver has it. */
static double option_or(const Run *run, const char *name, double otherwise)
{
    const Setting *setting = run_find_option(run, name);
    return setting ? setting_get(setting, run->options) : otherwise;
}

static RowSetup frozen_setup(const Run *like, const World *world, double h)
{
    const Setting *position = run_find_option(like, "position");
    bool baumgarte = position && strcmp(setting_get_choice(position, like->options), "baumgarte") == 0;
    return (RowSetup){.h = h,
                      .rate = baumgarte ? option_or(like, "beta", 0.0) / h : 0.0,
                      .relaxation = 1.0,
                      .manifold = true, /* the same solution in fewer sweeps */
                      .slop = option_or(like, "slop", 0.0),
                      .push_speed = option_or(like, "push_speed", INFINITY),
                      .restitution_threshold =
                          restitution_threshold_at(option_or(like, "restitution_threshold", 0.0), world, h)};
}

static bool frozen_has_bounds(const RowSystem *system)
{
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            if (system->blocks[b].kind == ROWS_CONTACT || system->blocks[b].kind == ROWS_TORSION ||
                isfinite(system->blocks[b].lower[i]) || isfinite(system->blocks[b].upper[i]))
                return true;
    return false;
}

static bool frozen_solve_directly(FrozenSystem *frozen)
{
    Dense dense = {0};
    Schur schur = {0};
    int n = frozen->system.rows;
    bool ok = dense_init(&dense, frozen->world) && schur_init(&schur, n, n);
    if (ok) {
        dense_assemble(&dense, &frozen->system, frozen->world);
        schur_clear(&schur, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                *schur_at(&schur, i, j) = dense.A[i * (long)n + j];
        schur_factor(&schur);
        schur_solve(&schur, dense.b, dense.x);
        dense_store(&dense, &frozen->system);
    }
    dense_free(&dense);
    schur_free(&schur);
    return ok;
}

static void frozen_sweep(FrozenSystem *frozen, Velocity *velocity)
{
    RowSystem *system = &frozen->system;
    double least = INFINITY, work = 0.0;
    for (int idle = 0; idle < IDLE_LOOKS && least > CONVERGED && work < MAX_ROW_SOLVES; idle++) {
        for (int i = 0; i < SWEEPS_AT_ONCE; i++)
            work += row_system_sweep(system, velocity, NULL);
        frozen->sweeps += SWEEPS_AT_ONCE;
        double residual = row_system_residual(system, velocity);
        if (residual < 0.999 * least) {
            least = residual;
            idle = 0;
        }
    }
}

/* Leaves the solution in lambda, and its residual. */
static bool frozen_solve(FrozenSystem *frozen)
{
    RowSystem *system = &frozen->system;
    size_t size = sizeof(Velocity) * (size_t)frozen->world->body_count;
    Velocity *velocity = malloc(size);
    bool direct = !frozen_has_bounds(system) && system->rows <= DIRECT_MAX_ROWS;
    bool ok = velocity && (!direct || frozen_solve_directly(frozen));
    if (ok) {
        memcpy(velocity, frozen->world->velocity, size);
        if (direct)
            row_system_apply(system, velocity);
        else
            frozen_sweep(frozen, velocity);
        frozen->residual = system->rows > 0 ? row_system_residual(system, velocity) : 0.0;
        const double *lambda;
        int rows = row_system_multipliers(system, &lambda);
        frozen->lambda = malloc(sizeof *lambda * ((size_t)rows + 1));
        ok = frozen->lambda != NULL;
        if (ok)
            memcpy(frozen->lambda, lambda, sizeof *lambda * (size_t)rows);
    }
    free(velocity);
    return ok;
}

bool frozen_system_init(FrozenSystem *frozen, World *world, const Run *like, double h, Status *status)
{
    RowSetup setup = frozen_setup(like, world, h);
    *frozen = (FrozenSystem){.world = world, .h = h};
    bool ok = motion_init(&frozen->motion, world, (const CommonOptions *)like->options) &&
              row_system_init(&frozen->system, world);
    if (ok) {
        world_begin_substep(world, h);
        motion_begin(&frozen->motion, world, h);
        row_system_prepare(&frozen->system, world, &setup);
        ok = frozen_solve(frozen);
    }
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

void frozen_system_free(FrozenSystem *frozen)
{
    motion_free(&frozen->motion);
    row_system_free(&frozen->system);
    free(frozen->lambda);
}

/* x^T A x for x = lambda - minus: twice the kinetic energy of M^-1 J^T x, and s x^2. As a sum of squares it is right to
 * round-off also where x lies in the null space but for a little. */
static double frozen_energy(FrozenSystem *frozen, const double *lambda, const double *minus, Velocity *velocity)
{
    const RowSystem *system = &frozen->system;
    const World *world = frozen->world;
    double sum = 0.0;
    memset(velocity, 0, sizeof *velocity * (size_t)world->body_count);
    for (int b = 0, row = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double x[BLOCK_MAX_ROWS] = {0};
        for (int i = 0; i < rb->count; i++, row++) {
            x[i] = lambda[row] - (minus ? minus[row] : 0.0);
            sum += rb->soft[i] * x[i] * x[i];
        }
        if (rb->count > 0)
            row_block_push(rb, x, velocity);
    }
    for (int i = 1; i < world->body_count; i++) {
        Vec3 v = velocity[i].v, w = quat_rotate_inverse(world->pose[i].q, velocity[i].w);
        sum += world->mass[i].mass * vec3_dot(v, v) + vec3_dot(vec3_mul(world->mass[i].inertia, w), w);
    }
    return sum;
}

double frozen_system_error(FrozenSystem *frozen, const double *lambda)
{
    Velocity *velocity = malloc(sizeof *velocity * (size_t)frozen->world->body_count);
    if (!velocity)
        return NAN;
    double off = frozen_energy(frozen, lambda, frozen->lambda, velocity);
    double whole = frozen_energy(frozen, frozen->lambda, NULL, velocity);
    free(velocity);
    return whole > 0.0 ? sqrt(off / whole) : sqrt(off);
}
