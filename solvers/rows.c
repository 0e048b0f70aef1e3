/* Preparation and Gauss-Seidel sweeps of the velocity-level system.
 * The rows of a block act on the same velocities, so solving them one after the other is one small product: with
 * A = L + D + U of the block, the changes of its multipliers are dlambda = -T r, T = (D + L)^-1 (relaxed: (D/w +
 * L)^-1), r = J V + bias + s lambda. T J and T bias are formed once a substep; T = A^-1 solves the block as a whole
 * instead. Rows with bounds are gone through one by one, the effect of one on the next being A_ji dlambda_i. */
#include "solvers/rows.h"

#include "solvers/contact_rows.h"
#include "solvers/row_kernel.h"

#include <stdlib.h>
#include <string.h>

/* The sweeps exist twice, for AVX2 and for any x86; the loader picks. Elsewhere one version serves. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SWEEP_VERSIONS __attribute__((target_clones("avx2", "default")))
#else
#define SWEEP_VERSIONS
#endif

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

bool row_system_reserve(RowSystem *system, const World *world)
{
    if (world->block_count <= system->capacity)
        return true;
    int capacity = world->block_capacity;
    RowBlock *blocks = realloc(system->blocks, sizeof *blocks * (size_t)capacity);
    if (!blocks)
        return false;
    system->blocks = blocks;
    double *multipliers = realloc(system->multipliers, sizeof *multipliers * BLOCK_MAX_ROWS * (size_t)capacity);
    if (!multipliers)
        return false;
    system->multipliers = multipliers;
    memset(blocks + system->capacity, 0, sizeof *blocks * (size_t)(capacity - system->capacity));
    system->capacity = capacity;
    return true;
}

void row_system_free(RowSystem *system)
{
    free(system->blocks);
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

/* The inverse of a count x count matrix by Gauss-Jordan, its diagonal as pivots. False if a pivot is lost. */
static bool invert_small(int count, const double A[3][3], double inverse[3][3])
{
    double m[3][6];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            m[i][j] = A[i][j];
            m[i][count + j] = i == j;
        }
    for (int p = 0; p < count; p++) {
        /* Below this share of its diagonal a pivot is round-off: the rows are not independent. */
        if (!(m[p][p] > 1e-12 * A[p][p]))
            return false;
        double scale = 1.0 / m[p][p];
        for (int j = 0; j < 2 * count; j++)
            m[p][j] *= scale;
        for (int i = 0; i < count; i++) {
            double factor = m[i][p];
            for (int j = 0; i != p && j < 2 * count; j++)
                m[i][j] -= factor * m[p][j];
        }
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            inverse[i][j] = m[i][count + j];
    return true;
}

/* T of a bilateral block, T J and T bias. False if the block has no such T: dependent rows, or nothing moves. */
static bool row_block_prepare_product(RowBlock *rb, const RowSetup *setup)
{
    double matrix[3][3];
    for (int i = 0; i < rb->count; i++)
        for (int j = 0; j < rb->count; j++)
            matrix[i][j] = setup->whole || j < i ? rb->A[i][j] : i == j ? rb->A[i][i] / setup->relaxation : 0.0;
    if (!invert_small(rb->count, (const double(*)[3])matrix, rb->T))
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
    double rate = row_is_gap(C, lower, upper) || compliance > 0.0 ? 1.0 / setup->h : setup->rate;
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

static void row_block_prepare(RowBlock *rb, const RowSystem *system, const World *world, const Block *block,
                              const RowSetup *setup)
{
    Rows rows;
    block_rows(world, block, &rows);
    rb->count = rows.count;
    if (rows.count == 0) {
        memset(rb->lambda, 0, sizeof rb->lambda);
        return;
    }
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
    if (bilateral && row_block_prepare_product(rb, setup))
        rb->kind = ROWS_BILATERAL;
}

void row_system_prepare(RowSystem *system, const World *world, const RowSetup *setup)
{
    double sum = 0.0;
    system->count = world->block_count;
    system->rows = 0;
    system->relaxation = setup->relaxation;
    system->friction = setup->friction;
    for (int i = 0; i < world->body_count; i++)
        system->inv_inertia[i] = world_inv_inertia(world, i);
    contact_rows_prepare(system, world, setup);
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        if (setup->part && !setup->part[b])
            rb->count = 0;
        else if (b < world->joint_block_count)
            row_block_prepare(rb, system, world, &world->blocks[b], setup);
        double r[BLOCK_MAX_ROWS] = {0};
        if (rb->count > 0)
            block_residuals(rb, world->velocity, r);
        for (int i = 0; i < rb->count; i++) {
            double b_i = r[i] - rb->soft[i] * rb->lambda[i]; /* -b: the residual at lambda = 0 */
            sum += b_i * b_i;
        }
        system->rows += rb->count;
    }
    system->b_norm = sqrt(sum);
}

/* Only the normal row of a contact has a position error, beyond the slop. */
static void contact_block_to_split(RowBlock *rb, const RowSetup *setup)
{
    rb->count = rb->kind == ROWS_CONTACT || rb->kind == ROWS_BOUNDED ? 1 : 0;
    rb->kind = ROWS_BOUNDED;
    rb->follows = false;
    rb->group = 0;
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
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &split->blocks[b];
        *rb = system->blocks[b];
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
    contact_rows_drop_errors(system, world, setup);
}

void row_system_apply(const RowSystem *system, Velocity *velocity)
{
    for (int b = 0; b < system->count; b++)
        if (system->blocks[b].count > 0)
            block_push(&system->blocks[b], system->blocks[b].lambda, velocity);
}

SWEEP_VERSIONS static int row_sweep(RowSystem *system, int block_count, Velocity *velocity, const int *order)
{
    int rows = 0;
    for (int k = 0; k < block_count; k++) {
        RowBlock *rb = &system->blocks[order ? order[k] : k];
        if (rb->count == 0)
            continue;
        rows += rb->count;
        if (rb->follows)
            continue;
        if (rb->group > 0)
            group_solve(rb, velocity, system->relaxation, system->friction);
        else if (rb->kind == ROWS_CONTACT)
            block_solve_contact(rb, velocity, system->relaxation, system->friction);
        else if (rb->kind == ROWS_TORSION)
            torsion_solve(system, rb, velocity);
        else if (rb->kind != ROWS_BILATERAL)
            block_solve_bounded(rb, velocity, system->relaxation);
        else if (rb->count == 3)
            block_solve_bilateral(rb, 3, velocity);
        else if (rb->count == 2)
            block_solve_bilateral(rb, 2, velocity);
        else
            block_solve_bilateral(rb, 1, velocity);
    }
    return rows;
}

int row_system_sweep(RowSystem *system, Velocity *velocity, const int *order)
{
    return row_sweep(system, system->count, velocity, order);
}

int row_system_sweep_part(RowSystem *system, Velocity *velocity, const int *order, int count)
{
    return row_sweep(system, count, velocity, order);
}

int row_system_sweep_joints(RowSystem *system, const World *world, Velocity *velocity)
{
    return row_sweep(system, world->joint_block_count, velocity, NULL);
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
        for (int i = 0; i < rb->count; i++)
            d[i] = row_change(rb, i, r[i], share[b]);
        block_push(rb, d, velocity);
        rows += rb->count;
    }
    return rows;
}

double row_system_residual(const RowSystem *system, const Velocity *velocity)
{
    double sum = 0.0;
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double r[BLOCK_MAX_ROWS] = {0};
        if (rb->count == 0)
            continue;
        if (rb->kind == ROWS_TORSION) {
            sum += contact_patch_residual(system, rb, velocity);
            continue;
        }
        block_residuals(rb, velocity, r);
        for (int i = 0; i < rb->count; i++) {
            double moved = clamp(rb->lambda[i] - rb->step[i] * r[i], rb->lower[i], rb->upper[i]);
            double natural = rb->A[i][i] * (rb->lambda[i] - moved);
            if (rb->kind != ROWS_CONTACT || i == 0)
                sum += natural * natural;
        }
        if (rb->kind == ROWS_CONTACT)
            sum += contact_friction_residual(system, rb, r);
    }
    return sum == 0.0 ? 0.0 : sqrt(sum) / (system->b_norm > 0.0 ? system->b_norm : 1.0);
}

/* sum of lambda_i times the part of J_i at `at`: where the second body's v or w stands, or the second particle's v */
static Vec3 row_block_impulse(const RowBlock *rb, int first, int last, int at)
{
    Vec3 sum = VEC3_ZERO;
    for (int i = first; i < last; i++)
        sum = vec3_add_scaled(sum, rb->lambda[i], vec3(rb->J[i][at], rb->J[i][at + 1], rb->J[i][at + 2]));
    return sum;
}

Vec3 row_system_on_body2(const RowSystem *system, const World *world, int b)
{
    const RowBlock *rb = &system->blocks[b];
    BlockKind kind = world->blocks[b].kind;
    if (kind == BLOCK_FRICTION) {
        const RowBlock *point = &system->blocks[world->blocks[b].normal_block];
        return row_block_impulse(point, 1, point->count, 6);
    }
    int at = kind == BLOCK_VOLUME ? 3 : block_unit(kind) == UNIT_ANGLE ? 9 : 6;
    return row_block_impulse(rb, 0, kind == BLOCK_CONTACT && rb->count > 0 ? 1 : rb->count, at);
}

void row_system_store_impulses(const RowSystem *system, World *world)
{
    for (int b = 0; b < system->count; b++)
        world->block_impulse[b] = row_system_on_body2(system, world, b);
}

int row_system_multipliers(RowSystem *system, const double **lambda)
{
    int count = 0;
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            system->multipliers[count++] = system->blocks[b].lambda[i];
    *lambda = system->multipliers;
    return count;
}
