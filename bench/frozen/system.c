/* SPDX-License-Identifier: MIT */
#include "bench/frozen/system.h"

#include "bench/frozen/polish.h"
#include "solvers/systems/dense.h"
#include "solvers/systems/schur.h"

#include <stdio.h>

#include <stdlib.h>
#include <string.h>

/* A direct solve beyond this takes more than a second. */
enum { DIRECT_MAX_ROWS = 3000 };

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
    else if (!frozen_polish(frozen))
        return false;
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
