#include "bench/frozen_system.h"

#include "solvers/linear/complementarity.h"
#include "solvers/linear/schur.h"
#include "solvers/rows/dense.h"
#include "solvers/rows/newton.h"
#include "solvers/rows/newton_smooth.h"

#include <stdio.h>

#include <stdlib.h>
#include <string.h>

/* A direct solve beyond this takes more than a second. */
enum { DIRECT_MAX_ROWS = 3000 };

/* Sweeping ends at this residual, which is round-off, or with this much work, which takes some seconds. */
static const double CONVERGED = 1e-15;
static const double MAX_ROW_SOLVES = 2e8;
/* Newton goes a little beyond what counts as converged. */
static const double POLISHED = 0.1 * FROZEN_CONVERGED;
/* A matrix of 240 MB: a step takes seconds. */
static const size_t NEWTON_MAX_ROOM = 30000000;
enum { NEWTON_ROUNDS = 4, NEWTON_STEPS = 400 };
/* Pivoting takes a matrix of 32 MB, and seconds. Guided past dependent rows, and refined to the rows as they are. */
enum { PIVOT_MAX_VARIABLES = 2000 };
static const double PIVOT_GUIDE = 1e-4;
/* A dense factorisation a step: some seconds in all. */
enum { SMOOTH_MAX_ROWS = 600 };
/* Sweeps between two looks at the residual, and looks without gain before it counts as round-off. */
enum { SWEEPS_AT_ONCE = 16, IDLE_LOOKS = 16 };

/* The value of an option if the solver has it. */
static double option_or(const Run *run, const char *name, double otherwise)
{
    const Setting *setting = run_find_option(run, name);
    return setting ? setting_get(setting, run->options) : otherwise;
}

/* The friction law that a run's options declare. */
static FrictionModel frozen_friction(const Run *like)
{
    if (run_find_option(like, "facets"))
        return FRICTION_FACETS;
    const Setting *friction = run_find_option(like, "friction");
    const char *law = friction ? setting_get_choice(friction, like->options) : "cone";
    return strcmp(law, "pyramid") == 0 ? FRICTION_PYRAMID : strcmp(law, "box") == 0 ? FRICTION_BOX : FRICTION_CONE;
}

static RowSetup frozen_setup(const Run *like, const World *world, double h)
{
    const Setting *position = run_find_option(like, "position");
    bool baumgarte = position && strcmp(setting_get_choice(position, like->options), "baumgarte") == 0;
    return (RowSetup){.h = h,
                      .rate = baumgarte ? option_or(like, "beta", 0.0) / h : 0.0,
                      .relaxation = 1.0,
                      .manifold = true, /* the same solution in fewer sweeps */
                      .friction = frozen_friction(like),
                      .facets = (int)option_or(like, "facets", 0.0),
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

static void frozen_set(RowSystem *system, const double *lambda)
{
    for (int b = 0, row = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            system->blocks[b].lambda[i] = lambda[row++];
}

static void frozen_sweep(FrozenSystem *frozen, Velocity *velocity, double max_work)
{
    RowSystem *system = &frozen->system;
    double least = INFINITY, work = 0.0;
    for (int idle = 0; idle < IDLE_LOOKS && least > CONVERGED && work < max_work; idle++) {
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

/* Where points neither stick nor slide for sure: down a path of smooth systems. */
static bool frozen_smooth(FrozenSystem *frozen, Velocity *velocity, SmoothStart start)
{
    int steps;
    if (frozen->system.rows > SMOOTH_MAX_ROWS || !newton_smooth_applies(&frozen->system))
        return true;
    frozen->residual = newton_smooth_solve(&frozen->system, frozen->world, velocity, start, FROZEN_CONVERGED, &steps);
    frozen->newton_steps += steps;
    return !isnan(frozen->residual);
}

/* A polygon of friction makes a linear complementarity problem, which pivoting solves. What that finds is taken if it
 * leaves less. */
static bool frozen_pivot(FrozenSystem *frozen, Velocity *velocity)
{
    RowSystem *system = &frozen->system;
    const World *world = frozen->world;
    Complementarity problem = {0};
    const double *swept;
    if (frozen->setup.friction != FRICTION_FACETS ||
        complementarity_size(world, frozen->setup.facets) > PIVOT_MAX_VARIABLES)
        return true;
    size_t bodies = (size_t)world->body_count, rows = (size_t)row_system_multipliers(system, &swept);
    double *before = malloc(sizeof *before * (rows + 1));
    Velocity *after = malloc(sizeof *after * bodies);
    bool ok = before && after && complementarity_init(&problem, world, frozen->setup.facets) &&
              complementarity_reserve(&problem, world);
    if (ok) {
        memcpy(before, swept, sizeof *before * rows);
        memcpy(after, world->velocity, sizeof *after * bodies);
        complementarity_reduce(&problem, system, world, before);
        complementarity_solve(&problem, system, 0.0, PIVOT_GUIDE);
        row_system_apply(system, after);
        double residual = row_system_residual(system, after);
        if (residual < frozen->residual) {
            frozen->residual = residual;
            memcpy(velocity, after, sizeof *after * bodies);
        } else {
            frozen_set(system, before);
        }
    }
    complementarity_free(&problem);
    free(before);
    free(after);
    return ok;
}

/* Sweeps and Newton's steps in turn, as long as they lead on: sweeps find who touches and who slides, Newton the rest.
 * Paths in between: the short ones soon, the long ones before the last round. */
static bool frozen_polish(FrozenSystem *frozen, Velocity *velocity)
{
    RowSystem *system = &frozen->system;
    Newton newton;
    bool ok = newton_init(&newton, frozen->world);
    frozen->residual = row_system_residual(system, velocity);
    bool fits = ok && frozen->residual > POLISHED && newton_prepare(&newton, system, frozen->world, NEWTON_MAX_ROOM);
    for (int round = 0; fits && round < NEWTON_ROUNDS && frozen->residual > FROZEN_CONVERGED; round++) {
        if (round > 0)
            frozen_sweep(frozen, velocity, MAX_ROW_SOLVES / NEWTON_ROUNDS);
        frozen->residual = newton_solve(&newton, system, velocity, NEWTON_STEPS, POLISHED);
        frozen->newton_steps += newton.steps;
        if (frozen->residual > FROZEN_CONVERGED && round == 0)
            ok = frozen_smooth(frozen, velocity, SMOOTH_NEAR_BY) && frozen_pivot(frozen, velocity);
        else if (frozen->residual > FROZEN_CONVERGED && round == NEWTON_ROUNDS - 2)
            ok = frozen_smooth(frozen, velocity, SMOOTH_AFAR);
    }
    newton_free(&newton);
    return ok;
}

/* Leaves the solution in lambda and velocity, and its residual. */
static bool frozen_solve(FrozenSystem *frozen)
{
    RowSystem *system = &frozen->system;
    size_t size = sizeof(Velocity) * (size_t)frozen->world->body_count;
    bool direct = !frozen_has_bounds(system) && system->rows <= DIRECT_MAX_ROWS;
    frozen->velocity = malloc(size);
    if (!frozen->velocity || (direct && !frozen_solve_directly(frozen)))
        return false;
    memcpy(frozen->velocity, frozen->world->velocity, size);
    if (direct)
        row_system_apply(system, frozen->velocity);
    else {
        frozen_sweep(frozen, frozen->velocity, MAX_ROW_SOLVES);
        if (!frozen_polish(frozen, frozen->velocity))
            return false;
    }
    frozen->residual = system->rows > 0 ? row_system_residual(system, frozen->velocity) : 0.0;
    frozen->converged = frozen->residual <= FROZEN_CONVERGED;
    const double *lambda;
    int rows = row_system_multipliers(system, &lambda);
    frozen->lambda = malloc(sizeof *lambda * ((size_t)rows + 1));
    if (frozen->lambda)
        memcpy(frozen->lambda, lambda, sizeof *lambda * (size_t)rows);
    return frozen->lambda != NULL;
}

/* From the world as it is, at V*. */
static bool frozen_begin(FrozenSystem *frozen, const RowSetup *setup, Status *status)
{
    frozen->setup = *setup;
    bool ok = row_system_init(&frozen->system, frozen->world);
    if (ok) {
        row_system_prepare(&frozen->system, frozen->world, setup);
        ok = frozen_solve(frozen);
    }
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

bool frozen_system_init(FrozenSystem *frozen, World *world, const Run *like, double h, Status *status)
{
    RowSetup setup = frozen_setup(like, world, h);
    *frozen = (FrozenSystem){.world = world, .h = h};
    if (!motion_init(&frozen->motion, world, (const CommonOptions *)like->options))
        return status_set(status, STATUS_FAILED, "out of memory");
    world_begin_substep(world, h);
    motion_begin(&frozen->motion, world, h);
    return frozen_begin(frozen, &setup, status);
}

bool frozen_system_init_like(FrozenSystem *frozen, const FrozenSystem *other, const Run *like, Status *status)
{
    RowSetup setup = frozen_setup(like, other->world, other->h);
    *frozen = (FrozenSystem){.world = other->world, .h = other->h};
    return frozen_begin(frozen, &setup, status);
}

bool frozen_system_init_cone(FrozenSystem *frozen, const FrozenSystem *other, Status *status)
{
    RowSetup setup = other->setup;
    setup.friction = FRICTION_CONE;
    *frozen = (FrozenSystem){.world = other->world, .h = other->h};
    return frozen_begin(frozen, &setup, status);
}

bool frozen_system_is_like(const FrozenSystem *frozen, const Run *like)
{
    RowSetup a = frozen->setup, b = frozen_setup(like, frozen->world, frozen->h);
    return a.rate == b.rate && a.friction == b.friction && a.facets == b.facets && a.slop == b.slop &&
           a.push_speed == b.push_speed && a.restitution_threshold == b.restitution_threshold;
}

void frozen_system_law(const FrozenSystem *frozen, char *text, size_t size)
{
    static const char *const LAWS[] = {
        [FRICTION_CONE] = "cone", [FRICTION_PYRAMID] = "pyramid", [FRICTION_BOX] = "box"};
    bool rubs = false;
    for (int b = 0; b < frozen->system.count; b++)
        rubs = rubs || (frozen->system.blocks[b].kind == ROWS_CONTACT && frozen->system.blocks[b].count > 1);
    if (!rubs)
        text[0] = '\0';
    else if (frozen->setup.friction == FRICTION_FACETS)
        snprintf(text, size, "polygon of %d corners", frozen->setup.facets);
    else
        snprintf(text, size, "%s", LAWS[frozen->setup.friction]);
}

/* The sum of m |a.v - b.v|^2 and the same of spins. */
static double velocities_apart(const World *world, const Velocity *a, const Velocity *b)
{
    double sum = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        Vec3 v = vec3_sub(a[i].v, b[i].v), w = quat_rotate_inverse(world->pose[i].q, vec3_sub(a[i].w, b[i].w));
        sum += world->mass[i].mass * vec3_dot(v, v) + vec3_dot(vec3_mul(world->mass[i].inertia, w), w);
    }
    return sum;
}

double frozen_system_distance(const FrozenSystem *frozen, const FrozenSystem *other)
{
    const World *world = frozen->world;
    double off = velocities_apart(world, frozen->velocity, other->velocity);
    double whole = velocities_apart(world, other->velocity, world->velocity);
    return whole > 0.0 ? sqrt(off / whole) : sqrt(off);
}

void frozen_system_free(FrozenSystem *frozen)
{
    motion_free(&frozen->motion);
    row_system_free(&frozen->system);
    free(frozen->lambda);
    free(frozen->velocity);
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

double frozen_system_residual(FrozenSystem *frozen, const double *lambda)
{
    RowSystem *system = &frozen->system;
    size_t size = sizeof(Velocity) * (size_t)frozen->world->body_count;
    Velocity *velocity = malloc(size);
    if (!velocity)
        return NAN;
    memcpy(velocity, frozen->world->velocity, size);
    frozen_set(system, lambda);
    row_system_apply(system, velocity);
    double left = system->rows > 0 ? row_system_residual(system, velocity) : 0.0;
    free(velocity);
    return left;
}
