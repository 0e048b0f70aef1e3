/* SPDX-License-Identifier: MIT */
#include "solvers/cone/backend.h"

#include "solvers/cone/assembly.h"
#include "solvers/motion.h"

#include <stdlib.h>
#include <string.h>

typedef struct ConeBackend {
    const ConeMethod *method;
    ConeOptions options;
    void *state; /* the method's */
    Motion motion;
    RowSystem rows;
    ConeAssembly assembly;
    int capacity;       /* blocks */
    double *scratch;    /* for residuals: a number a row, */
    Velocity *velocity; /* and what a body would have */
    bool started;       /* there are multipliers to start from */
} ConeBackend;

void cone_backend_destroy(void *self)
{
    ConeBackend *backend = self;
    if (!backend)
        return;
    cone_method_destroy(backend->method, backend->state);
    motion_free(&backend->motion);
    row_system_free(&backend->rows);
    cone_assembly_free(&backend->assembly);
    free(backend->scratch);
    free(backend->velocity);
    free(backend);
}

bool cone_backend_reserve(void *self, const World *world, Status *status)
{
    ConeBackend *backend = self;
    bool ok = row_system_reserve(&backend->rows, world) && cone_assembly_reserve(&backend->assembly, world);
    if (ok && (world->block_count > backend->capacity || !backend->scratch)) {
        int rows = BLOCK_MAX_ROWS * world->block_capacity;
        ok = cone_vectors_reserve(&backend->scratch, 1, rows) &&
             cone_method_reserve(backend->method, backend->state, rows);
        backend->capacity = world->block_capacity;
    }
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

static bool backend_init(void *self, const SolverTask *task, Status *status)
{
    ConeBackend *backend = self;
    const World *world = task->world;
    backend->method = task->solver->method;
    backend->options = *(const ConeOptions *)task->options;
    backend->state = cone_method_create(backend->method, task->options, status);
    backend->velocity = malloc(sizeof *backend->velocity * (size_t)world->body_count);
    if (!backend->state || !backend->velocity || !motion_init(&backend->motion, world, &backend->options.common) ||
        !row_system_init(&backend->rows, world) || !cone_backend_reserve(backend, world, status))
        return false;
    backend->started = task->goes_on;
    if (backend->started)
        row_system_recall_impulses(&backend->rows, world);
    return true;
}

void *cone_backend_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(ConeBackend), backend_init, cone_backend_destroy, status);
}

static void backend_begin(void *self, Step *step)
{
    ConeBackend *backend = self;
    const ConeOptions *o = &backend->options;
    RowSetup setup = {.h = step->h,
                      .rate = o->beta / step->h,
                      .relaxation = 1.0,
                      .keep = o->warm_start && backend->started ? 1.0 : 0.0,
                      .friction = FRICTION_CONE,
                      .slop = o->slop,
                      .push_speed = o->push_speed,
                      .restitution_threshold =
                          restitution_threshold_at(o->restitution_threshold, step->world, step->h)};
    Status status = {0};
    step_report_recovery(step, o->push_speed);
    motion_begin(&backend->motion, step->world, step->h);
    row_system_prepare(&backend->rows, step->world, &setup);
    if (!cone_assembly_fill(&backend->assembly, &backend->rows, step->world))
        step_report(step, "a patch's torque was bounded by the load that its contacts began with");
    if (!cone_method_begin(backend->method, backend->state, &backend->assembly.system, backend->assembly.r, &status))
        step_fail(step, "%s", status.message);
    backend->started = true;
}

static void backend_iterate(void *self, Step *step)
{
    ConeBackend *backend = self;
    step->row_solves += backend->method->iterate(backend->state, &backend->assembly.system, backend->assembly.r);
}

/* As `pgs` judges its own rows; a method of another law by its own. */
static double backend_residual(void *self, const Step *step)
{
    ConeBackend *backend = self;
    const World *world = step->world;
    if (backend->method->law != CONE_COULOMB)
        return cone_system_residual(&backend->assembly.system, backend->method->law, backend->assembly.r,
                                    backend->scratch)
            .scaled;
    memcpy(backend->velocity, world->velocity, sizeof *backend->velocity * (size_t)world->body_count);
    cone_assembly_store(&backend->assembly, &backend->rows);
    row_system_apply(&backend->rows, backend->velocity);
    return row_system_residual(&backend->rows, backend->velocity);
}

static void backend_move(void *self, Step *step)
{
    ConeBackend *backend = self;
    cone_assembly_store(&backend->assembly, &backend->rows);
    row_system_apply(&backend->rows, step->world->velocity);
    row_system_store_impulses(&backend->rows, step->world);
    motion_damp(&backend->motion, step->world, step->h);
    motion_move(&backend->motion, step->world, NULL, step->h);
}

int cone_backend_multipliers(void *self, const double **lambda)
{
    ConeBackend *backend = self;
    cone_assembly_store(&backend->assembly, &backend->rows);
    return row_system_multipliers(&backend->rows, lambda);
}

int cone_backend_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    ConeBackend *backend = self;
    phases[0] = (Phase){.name = "velocity",
                        .iterations = backend->options.common.iterations,
                        .enter = backend_begin,
                        .iterate = backend_iterate,
                        .residual = backend_residual};
    phases[1] = (Phase){.name = "move", .enter = backend_move};
    return 2;
}
