/* Preparation and Gauss-Seidel sweeps of the velocity-level system.
 * The rows of a block act on the same velocities, so solving them one after the other is one small product: with
 * A = L + D + U of the block, the changes of its multipliers are dlambda = -T r, T = (D + L)^-1 (relaxed: (D/w +
 * L)^-1), r = J V + bias + s lambda. T J and T bias are formed once a substep; T = A^-1 solves the block as a whole
 * instead. Rows with bounds are gone through one by one, the effect of one on the next being A_ji dlambda_i. */
#include "solvers/rows/rows.h"

#include "solvers/linear/small.h"
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/row_kernel.h"

#include <stdlib.h>
#include <string.h>

/* A matrix of 800 MB; one factorisation takes some ten seconds. */
enum { DENSE_MAX_ROWS = 10000 };

int row_count_all(const World *world)
{
    int rows = 0;
    for (int b = 0; b < world->block_count; b++)
        rows += block_row_count(world->blocks[b].kind);
    return rows;
}

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

bool row_system_reserve(RowSystem *system, const World *world)
{
    if (world->block_count <= system->capacity)
        return true;
    size_t old = (size_t)system->capacity, capacity = (size_t)world->block_capacity;
    size_t contacts = (size_t)contact_room(world->block_capacity - world->joint_block_count);
    if (!grow((void **)&system->blocks, sizeof *system->blocks * capacity) ||
        !grow((void **)&system->lambda, sizeof *system->lambda * BLOCK_MAX_ROWS * capacity) ||
        !grow((void **)&system->multipliers, sizeof *system->multipliers * BLOCK_MAX_ROWS * capacity) ||
        !grow((void **)&system->contacts, sizeof *system->contacts * contacts) ||
        !grow((void **)&system->inverses, sizeof *system->inverses * contacts))
        return false;
    memset(system->blocks + old, 0, sizeof *system->blocks * (capacity - old));
    memset(system->lambda + BLOCK_MAX_ROWS * old, 0, sizeof *system->lambda * BLOCK_MAX_ROWS * (capacity - old));
    for (size_t b = 0; b < capacity; b++)
        system->blocks[b].lambda = system->lambda + BLOCK_MAX_ROWS * b;
    system->capacity = (int)capacity;
    return true;
}

void row_system_free(RowSystem *system)
{
    free(system->blocks);
    free(system->lambda);
    free(system->contacts);
    free(system->inverses);
    free(system->multipliers);
    free(system->points_of);
    free(system->inv_inertia);
}

/* B = M^-1 J^T of one row, for two bodies of six or four particles of three coordinates. */
static void row_times_inverse_mass(const World *world, const RowBlock *rb, const Mat3 *inv_inertia, const double *J,
                                   double *B)
{
    if (rb->kind == ROWS_FOUR) {
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++)
                B[3 * k + i] = world->mass[rb->body[k]].inv_mass * J[3 * k + i];
        return;
    }
    for (int k = 0; k < 2; k++) {
        const double *j = J + 6 * k;
        Vec3 turn = mat3_mul_vec(inv_inertia[rb->body[k]], vec3(j[3], j[4], j[5]));
        for (int i = 0; i < 3; i++) {
            B[6 * k + i] = world->mass[rb->body[k]].inv_mass * j[i];
            B[6 * k + 3 + i] = vec3_get(turn, i);
        }
    }
}

static double row_dot(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < ROW_WIDTH; i++)
        sum += a[i] * b[i];
    return sum;
}

/* T of a bilateral block, T J and T bias. False if the block has no such T: dependent rows, or nothing moves. */
static bool row_block_prepare_product(RowBlock *rb, const RowSetup *setup)
{
    double matrix[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS];
    for (int i = 0; i < rb->count; i++)
        for (int j = 0; j < rb->count; j++)
            matrix[i][j] = setup->whole || j < i ? rb->A[i][j] : i == j ? rb->A[i][i] / setup->relaxation : 0.0;
    if (!small_invert(rb->count, BLOCK_MAX_ROWS, matrix[0], rb->T[0]))
        return false;
    for (int i = 0; i < rb->count; i++) {
        double scale = setup->whole ? setup->relaxation : 1.0;
        memset(rb->TJ[i], 0, sizeof rb->TJ[i]);
        rb->Tbias[i] = 0.0;
        for (int j = 0; j < rb->count; j++) {
            rb->T[i][j] *= scale;
            rb->Tbias[i] += rb->T[i][j] * rb->bias[j];
            for (int c = 0; c < ROW_WIDTH; c++)
                rb->TJ[i][c] += rb->T[i][j] * rb->J[j][c];
        }
    }
    return true;
}

/* A limit that is not reached yet. */
static bool row_is_gap(double C, double lower, double upper)
{
    return (lower == 0.0 && C > 0.0) || (upper == 0.0 && C < 0.0);
}

/* The bias of one row; see RowSetup. */
static double row_bias(double C, double lower, double upper, double compliance, double target, const RowSetup *setup)
{
    double rigid = setup->soft_joint.share > 0.0 ? setup->soft_joint.rate : setup->rate;
    double rate = row_is_gap(C, lower, upper) || compliance > 0.0 ? 1.0 / setup->h : rigid;
    return rate * C - target;
}

void row_block_prepare_masses(RowBlock *rb, const RowSystem *system, const World *world)
{
    for (int i = 0; i < rb->count; i++) {
        row_times_inverse_mass(world, rb, system->inv_inertia, rb->J[i], rb->B[i]);
        for (int j = 0; j <= i; j++)
            rb->A[i][j] = rb->A[j][i] = row_dot(rb->J[i], rb->B[j]);
        rb->A[i][i] += rb->soft[i];
        rb->step[i] = rb->A[i][i] > 0.0 ? 1.0 / rb->A[i][i] : 0.0;
    }
}

void row_block_soften(RowBlock *rb, int i, double share)
{
    rb->soft[i] += share * rb->A[i][i];
    rb->A[i][i] += share * rb->A[i][i];
    rb->step[i] = rb->A[i][i] > 0.0 ? 1.0 / rb->A[i][i] : 0.0;
}

static void row_block_prepare(RowBlock *rb, const RowSystem *system, const World *world, const Block *block,
                              const RowSetup *setup)
{
    Rows rows;
    block_rows(world, block, &rows);
    rb->count = rows.count;
    if (rows.count == 0) {
        memset(rb->lambda, 0, sizeof *rb->lambda * BLOCK_MAX_ROWS);
        return;
    }
    rb->metres = block_metres(world, block->kind);
    bool bilateral = block->kind != BLOCK_VOLUME;
    rb->kind = block->kind == BLOCK_VOLUME ? ROWS_FOUR : ROWS_BOUNDED;
    memcpy(rb->body, block->body, sizeof rb->body);
    memcpy(rb->J, rows.J, sizeof rb->J[0] * (size_t)rows.count);
    double soft = block->compliance / (setup->h * setup->h);
    rb->is_soft = soft > 0.0;
    for (int i = 0; i < rows.count; i++) {
        rb->C[i] = rows.C[i];
        rb->bias[i] = row_bias(rows.C[i], rows.lower[i], rows.upper[i], block->compliance, rows.velocity[i], setup);
        rb->soft[i] = soft;
        rb->lower[i] = rows.lower[i] * setup->h;
        rb->upper[i] = rows.upper[i] * setup->h;
        rb->lambda[i] = clamp(setup->keep * rb->lambda[i], rb->lower[i], rb->upper[i]);
        bilateral = bilateral && isinf(rb->lower[i]) && isinf(rb->upper[i]);
    }
    row_block_prepare_masses(rb, system, world);
    bool soften = setup->soft_joint.share > 0.0 && !rb->is_soft;
    for (int i = 0; soften && i < rb->count; i++)
        if (!row_is_gap(rb->C[i], rb->lower[i], rb->upper[i]))
            row_block_soften(rb, i, setup->soft_joint.share);
    rb->is_soft = rb->is_soft || soften;
    if (bilateral && row_block_prepare_product(rb, setup))
        rb->kind = ROWS_BILATERAL;
}

void row_system_prepare(RowSystem *system, const World *world, const RowSetup *setup)
{
    double sum = 0.0; /* of b_i^2; -b is the residual at lambda = 0 */
    system->pace = world->length_scale;
    system->count = world->block_count;
    system->plain_count = world->joint_block_count;
    system->rows = 0;
    system->relaxation = setup->relaxation;
    system->friction = setup->friction;
    system->facets = setup->facets;
    for (int i = 0; i < world->body_count; i++)
        system->inv_inertia[i] = world_inv_inertia(world, i);
    for (int b = 0; b < system->plain_count; b++) {
        RowBlock *rb = &system->blocks[b];
        if (setup->part && !setup->part[b])
            rb->count = 0;
        else
            row_block_prepare(rb, system, world, &world->blocks[b], setup);
        double r[BLOCK_MAX_ROWS] = {0};
        if (rb->count > 0)
            block_residuals(rb, world->velocity, r);
        for (int i = 0; i < rb->count; i++) {
            double b_i = rb->metres * (r[i] - rb->soft[i] * rb->lambda[i]);
            sum += b_i * b_i;
        }
        system->rows += rb->count;
    }
    system->b_norm = sqrt(contact_rows_prepare(system, world, setup, sum));
}

void row_system_unpack(RowSystem *system)
{
    system->plain_count = system->count;
    system->contact_count = 0;
}

/* Only the normal row of a contact has a position error, beyond the slop. */
static void contact_block_to_split(RowBlock *rb, const RowSetup *setup)
{
    rb->count = rb->kind == ROWS_CONTACT || rb->kind == ROWS_BOUNDED ? 1 : 0;
    rb->kind = ROWS_BOUNDED;
    rb->bias[0] = fmax(setup->rate * fmin(rb->C[0] + setup->slop, 0.0), -setup->push_speed);
    rb->lambda[0] = 0.0;
}

/* T bias of a block whose bias has changed. */
static void row_block_renew_bias(RowBlock *rb)
{
    for (int i = 0; rb->kind == ROWS_BILATERAL && i < rb->count; i++) {
        rb->Tbias[i] = 0.0;
        for (int j = 0; j < rb->count; j++)
            rb->Tbias[i] += rb->T[i][j] * rb->bias[j];
    }
}

static void joint_block_to_split(RowBlock *rb, const RowSetup *setup)
{
    for (int i = 0; i < rb->count; i++) {
        rb->lambda[i] = 0.0;
        rb->bias[i] = setup->rate * rb->C[i];
    }
    row_block_renew_bias(rb);
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
        rb->lambda = split->lambda + BLOCK_MAX_ROWS * b;
        if (rb->count == 0)
            continue;
        if (rb->is_soft || row_is_gap(rb->C[0], rb->lower[0], rb->upper[0]))
            rb->count = 0;
        else if (b < world->joint_block_count)
            joint_block_to_split(rb, setup);
        else
            contact_block_to_split(rb, setup);
        split->rows += rb->count;
    }
}

void row_system_drop_errors(RowSystem *system, const World *world, const RowSetup *setup)
{
    for (int b = 0; b < world->joint_block_count; b++) {
        RowBlock *rb = &system->blocks[b];
        for (int i = 0; i < rb->count && !rb->is_soft; i++)
            if (!row_is_gap(rb->C[i], rb->lower[i], rb->upper[i]))
                rb->bias[i] -= setup->rate * rb->C[i];
        row_block_renew_bias(rb);
    }
    contact_rows_drop_errors(system, setup);
}

void row_system_apply(const RowSystem *system, Velocity *velocity)
{
    for (int b = 0; b < system->plain_count; b++)
        if (system->blocks[b].count > 0)
            block_push(&system->blocks[b], system->blocks[b].lambda, velocity);
    contact_rows_apply(system, velocity);
}

static ALWAYS_INLINE void block_solve(RowBlock *rb, Velocity *velocity, double relaxation)
{
    if (rb->kind != ROWS_BILATERAL)
        block_solve_bounded(rb, velocity, relaxation);
    else if (rb->count == 3)
        block_solve_bilateral(rb, 3, velocity);
    else if (rb->count == 2)
        block_solve_bilateral(rb, 2, velocity);
    else
        block_solve_bilateral(rb, 1, velocity);
}

SWEEP_VERSIONS static int plain_sweep(RowSystem *system, int block_count, Velocity *velocity)
{
    int rows = 0;
    for (int b = 0; b < block_count; b++) {
        RowBlock *rb = &system->blocks[b];
        if (rb->count > 0)
            block_solve(rb, velocity, system->relaxation);
        rows += rb->count;
    }
    return rows;
}

int row_system_sweep_part(RowSystem *system, Velocity *velocity, const int *order, int count)
{
    int rows = 0;
    for (int k = 0; k < count; k++) {
        RowBlock *rb = &system->blocks[order[k]];
        rows += rb->count;
        if (rb->count > 0 && order[k] >= system->plain_count)
            contact_row_solve(system, &system->contacts[rb->packed], velocity);
        else if (rb->count > 0)
            block_solve(rb, velocity, system->relaxation);
    }
    return rows;
}

int row_system_sweep(RowSystem *system, Velocity *velocity, const int *order)
{
    if (order)
        return row_system_sweep_part(system, velocity, order, system->count);
    int rows = plain_sweep(system, system->plain_count, velocity);
    return rows + contact_rows_sweep(system, velocity);
}

int row_system_sweep_joints(RowSystem *system, const World *world, Velocity *velocity)
{
    return plain_sweep(system, world->joint_block_count, velocity);
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
    for (int b = 0; b < system->plain_count; b++)
        if (system->blocks[b].count > 0)
            sum = row_block_residual(&system->blocks[b], velocity, sum);
    sum = contact_rows_residual(system, velocity, sum);
    return sum == 0.0 ? 0.0 : sqrt(sum) / (system->b_norm > 0.0 ? system->b_norm : system->pace);
}
