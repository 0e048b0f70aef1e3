/* SPDX-License-Identifier: MIT */
/* The velocity-level system as a whole: memory, preparation, Gauss-Seidel sweeps, residual. Joints' blocks are in
 * joint_rows.c and joint_sweep.c, contacts in contact_rows.c and contact_sweep.c. */
#include "solvers/rows/rows.h"

#include "solvers/rows/ball_rows.h"
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/joint_rows.h"
#include "solvers/rows/row_kernel.h"
#include "solvers/rows/row_schedule.h"

#include <stdlib.h>
#include <string.h>

/* A matrix of 800 MB; one factorisation takes some ten seconds. */
enum { DENSE_MAX_ROWS = 10000 };

bool row_count_fits_dense(const World *world, const char *solver, Status *status)
{
    int rows = row_count_all(world);
    return rows <= DENSE_MAX_ROWS ||
           status_set(status, STATUS_UNSUPPORTED,
                      "solver %s cannot run this scene: its dense matrix takes %d rows at most, not %d", solver,
                      DENSE_MAX_ROWS, rows);
}

bool row_system_init(RowSystem *system, const World *world)
{
    *system = (RowSystem){.points_of = calloc((size_t)world->body_count, sizeof *system->points_of),
                          .inv_inertia = calloc((size_t)world->body_count, sizeof *system->inv_inertia)};
    return system->points_of && system->inv_inertia && row_system_reserve(system, world);
}

/* Of a point's two blocks one is packed, of a patch's three two. */
static int contact_room(int blocks)
{
    return 2 * blocks / 3 + 1;
}

static bool grow(void **array, size_t size)
{
    void *grown = realloc(*array, size);
    *array = grown ? grown : *array;
    return grown != NULL;
}

/* The joints' multipliers are all that a system keeps from one preparation to the next. */
bool row_system_reserve(RowSystem *system, const World *world)
{
    if (world->block_count <= system->capacity)
        return true;
    size_t capacity = (size_t)world->block_capacity;
    size_t contacts = (size_t)contact_room(world->block_capacity - world->joint_block_count);
    if (!system->joints) {
        system->joint_count = world->joint_block_count;
        system->joints = calloc((size_t)system->joint_count + 1, sizeof *system->joints);
    }
    free(system->blocks);
    free(system->B);
    system->blocks = calloc(capacity, sizeof *system->blocks);
    system->B = calloc(capacity, sizeof *system->B); /* zeroed by the kernel, so only what is used takes memory */
    if (!system->joints || !system->blocks || !system->B ||
        !grow((void **)&system->multipliers, sizeof *system->multipliers * BLOCK_MAX_ROWS * capacity) ||
        !grow((void **)&system->packed, sizeof *system->packed * capacity) ||
        !grow((void **)&system->contacts, sizeof *system->contacts * contacts) ||
        !grow((void **)&system->first_row, sizeof *system->first_row * (contacts + 1)) ||
        !grow((void **)&system->inverses, sizeof *system->inverses * contacts))
        return false;
    system->capacity = (int)capacity;
    return true;
}

void row_system_free(RowSystem *system)
{
    free(system->blocks);
    free(system->B);
    free(system->joints);
    free(system->packed);
    free(system->contacts);
    free(system->first_row);
    free(system->inverses);
    free(system->multipliers);
    free(system->points_of);
    free(system->inv_inertia);
}

/* Turns that are worth a thread's while. */
enum { PREPARE_LEAST = 64 };

static long prepare_joints(void *context, int from, int to)
{
    const RowWork *job = context;
    return joint_rows_prepare(job->system, job->world, job->setup, from, to);
}

/* Quads that are worth a thread's while. */
enum { QUADS_LEAST = 16 };

static long prepare_manifolds(RowWork *job)
{
    const World *world = job->world;
    if (!job->system->quads)
        return team_share(world->team, world->manifold_count, PREPARE_LEAST, contacts_prepare_one, job);
    const Schedule *colours = &job->system->quads->manifolds;
    job->span = (ScheduleSpan){.units = colours->rest};
    return team_share(world->team, colours->quad_count, QUADS_LEAST, contacts_prepare, job) +
           team_share(world->team, colours->rest_start[colours->count], PREPARE_LEAST, contacts_prepare_one, job);
}

void row_system_prepare(RowSystem *system, const World *world, const RowSetup *setup)
{
    system->pace = world->length_scale;
    system->count = world->block_count;
    system->plain_count = world->joint_block_count;
    system->joint_rate = row_rigid_rate(setup);
    system->relaxation = setup->relaxation;
    system->friction = setup->friction;
    system->facets = setup->facets;
    system->together = setup->manifold;
    system->normals_first = setup->normals_first;
    system->friction_first = setup->friction_first;
    system->enumerate = setup->enumerate;
    system->quads = setup->quads;
    World contacts = *world;
    contacts.pose = setup->contacts_at ? (Pose *)setup->contacts_at : world->pose;
    contact_rows_place(system, world);
    RowWork job = {.system = system, .world = world, .setup = setup};
    RowWork of_contacts = {.system = system, .world = &contacts, .setup = setup};
    team_share(world->team, world->body_count, PREPARE_LEAST, bodies_inv_inertia, &job);
    system->rows = (int)(team_share(world->team, system->joint_count, PREPARE_LEAST, prepare_joints, &job) +
                         prepare_manifolds(&of_contacts));
    contact_rows_finish(system, world, setup);
    double sum = 0.0;
    for (int i = 0; i < BLOCK_MAX_ROWS * (system->joint_count + system->contact_count); i++)
        sum += system->multipliers[i];
    system->b_norm = sqrt(sum);
}

void row_system_copy_back(const RowSystem *system)
{
    if (!system->quads)
        return;
    joint_quads_copy_back(system);
    contact_quads_copy_back(system);
}

void row_system_leave_quads(RowSystem *system)
{
    row_system_copy_back(system);
    system->quads = NULL;
}

void row_system_unpack(RowSystem *system)
{
    system->plain_count = system->count;
    system->contact_count = system->unit_count = 0;
}

/* Only the normal row of a contact has a position error, beyond the slop. Its multiplier is where the packed one would
 * be. */
static void contact_split(RowSystem *split, const RowSystem *system, int b, const RowSetup *setup)
{
    RowBlock *rb = &split->blocks[b];
    rb->lambda = split->contacts[system->packed[b]].lambda;
    rb->count = rb->kind == ROWS_CONTACT || rb->kind == ROWS_BOUNDED ? 1 : 0;
    rb->kind = ROWS_BOUNDED;
    rb->bias[0] = fmax(setup->rate * fmin(rb->C[0] + setup->slop, 0.0), -setup->push_speed);
    rb->lambda[0] = 0.0;
}

void row_system_prepare_split(RowSystem *split, const RowSystem *system, const World *world, const RowSetup *setup)
{
    split->count = system->count;
    split->relaxation = system->relaxation;
    split->rows = 0;
    row_system_unpack(split);
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &split->blocks[b];
        *rb = system->blocks[b];
        if (rb->count > 0 && (rb->is_soft || row_is_gap(rb->C[0], rb->lower[0], rb->upper[0])))
            rb->count = 0;
        if (b < world->joint_block_count)
            joint_rows_split(split, system, b, setup);
        else if (rb->count > 0)
            contact_split(split, system, b, setup);
        split->rows += rb->count;
    }
}

void row_system_drop_errors(RowSystem *system, const RowSetup *setup)
{
    if (system->quads)
        joint_quads_copy_back(system);
    joint_rows_drop_errors(system, setup);
    contact_rows_drop_errors(system, setup);
}

void row_system_apply(RowSystem *system, Velocity *velocity)
{
    joint_rows_apply(system, NULL, 0, system->joint_count, velocity);
    for (int b = system->joint_count; b < system->plain_count; b++)
        if (system->blocks[b].count > 0)
            block_push(&system->blocks[b], system->blocks[b].lambda, velocity);
    contacts_apply_one(&(RowWork){.system = system, .velocity = velocity}, 0, system->unit_count);
}

/* One block, wherever its rows are: returns their number. */
static int block_solve(RowSystem *system, int b, Velocity *velocity)
{
    if (b < system->joint_count) {
        if (system->joints[b].count > 0)
            joint_row_solve(system, b, velocity);
        return system->joints[b].count;
    }
    if (b < system->plain_count) {
        if (system->blocks[b].count > 0)
            block_solve_bounded(&system->blocks[b], velocity, system->relaxation);
        return system->blocks[b].count;
    }
    if (system->packed[b] < 0)
        return 0;
    ContactRow *row = &system->contacts[system->packed[b]];
    contact_row_solve_one(system, row, velocity);
    return row->count;
}

int row_system_sweep_part(RowSystem *system, Velocity *velocity, const int *order, int count)
{
    int rows = 0;
    for (int k = 0; k < count; k++)
        rows += block_solve(system, order[k], velocity);
    return rows;
}

int row_system_sweep(RowSystem *system, Velocity *velocity, const int *order)
{
    if (order)
        return row_system_sweep_part(system, velocity, order, system->count);
    int rows = joint_rows_sweep(system, NULL, 0, system->joint_count, velocity);
    for (int b = system->joint_count; b < system->plain_count; b++)
        rows += block_solve(system, b, velocity);
    RowWork work = {.system = system, .velocity = velocity};
    return rows + (int)contacts_sweep_one(&work, 0, system->unit_count);
}

int row_system_sweep_joints(RowSystem *system, Velocity *velocity)
{
    return joint_rows_sweep(system, NULL, 0, system->joint_count, velocity);
}

void row_block_rates(const RowBlock *rb, const Velocity *velocity, double rates[BLOCK_MAX_ROWS])
{
    block_rates(rb, velocity, rates);
}

void row_block_residuals(const RowBlock *rb, const Velocity *velocity, double r[BLOCK_MAX_ROWS])
{
    block_residuals(rb, velocity, r);
}

void row_block_push(const RowBlock *rb, const double d[BLOCK_MAX_ROWS], Velocity *velocity)
{
    block_push(rb, d, velocity);
}

int row_system_jacobi(RowSystem *system, const World *world, const Velocity *seen, Velocity *velocity,
                      const double *share)
{
    int rows = 0;
    for (int b = 0; b < world->joint_block_count; b++) {
        RowBlock *rb = &system->blocks[b];
        double r[BLOCK_MAX_ROWS] = {0}, d[BLOCK_MAX_ROWS] = {0};
        if (rb->count == 0)
            continue;
        block_residuals(rb, seen, r);
        for (int i = 0; i < rb->count && rb->kind != ROWS_BILATERAL; i++)
            d[i] = row_change(rb, i, r[i], share[b]);
        for (int i = 0; i < rb->count && rb->kind == ROWS_BILATERAL; i++) {
            for (int j = 0; j < rb->count; j++)
                d[i] -= share[b] * rb->T[i][j] * r[j];
            rb->lambda[i] += d[i];
        }
        block_push(rb, d, velocity);
        rows += rb->count;
    }
    return rows;
}

/* `sum` with the squared natural map of a block's rows added, each row for itself. */
static double row_block_residual(const RowBlock *rb, const Velocity *velocity, double sum)
{
    double r[BLOCK_MAX_ROWS] = {0};
    block_residuals(rb, velocity, r);
    for (int i = 0; i < rb->count && rb->forgets > 0.0; i++)
        for (int j = 0; j < rb->count; j++)
            r[i] += rb->forgets / (1.0 - rb->forgets) * rb->A[i][j] * rb->lambda[j];
    for (int i = 0; i < rb->count; i++) {
        double moved = clamp(rb->lambda[i] - rb->step[i] * r[i], rb->lower[i], rb->upper[i]);
        double natural = rb->metres * rb->A[i][i] * (rb->lambda[i] - moved);
        sum += natural * natural;
    }
    return sum;
}

double row_system_residual(const RowSystem *system, const Velocity *velocity)
{
    double sum = 0.0;
    row_system_copy_back(system);
    for (int b = 0; b < system->plain_count; b++) {
        if (b < system->joint_count && system->joints[b].is_bare)
            sum = ball_rows_residual(system, b, velocity, sum);
        else if (system->blocks[b].count > 0)
            sum = row_block_residual(&system->blocks[b], velocity, sum);
    }
    sum = contact_rows_residual(system, velocity, sum);
    return sum == 0.0 ? 0.0 : sqrt(sum) / (system->b_norm > 0.0 ? system->b_norm : system->pace);
}
