/* Preparation and Gauss-Seidel sweeps of the velocity-level system. Inside a block the rows are solved one after the
 * other, as everywhere, but the effect of one on the next goes through A_ji dlambda_i instead of through the
 * velocities: the same iteration, with all dot products of the block in flight at once. */
#include "solvers/rows.h"

#include <stdlib.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Four doubles at a time: two SSE registers or one AVX register; the sums are the same either way. */
typedef double Double4 __attribute__((vector_size(32), aligned(8), may_alias));
#define LOAD4(p) (*(const Double4 *)(p))
#define STORE4(p, x) (*(Double4 *)(p) = (x))

/* The sweeps exist twice, for AVX2 and for any x86; the loader picks. Elsewhere one version serves. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SWEEP_VERSIONS __attribute__((target_clones("avx2", "default")))
#else
#define SWEEP_VERSIONS
#endif

bool row_system_init(RowSystem *system, const World *world)
{
    *system = (RowSystem){0};
    return row_system_reserve(system, world);
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
}

/* B = M^-1 J^T of one row, for two bodies of six or four particles of three coordinates. */
static void row_times_inverse_mass(const World *world, const RowBlock *rb, const Mat3 inv_inertia[2], const double *J,
                                   double *B)
{
    if (rb->four) {
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++)
                B[3 * k + i] = world->mass[rb->body[k]].inv_mass * J[3 * k + i];
        return;
    }
    for (int k = 0; k < 2; k++) {
        const double *j = J + 6 * k;
        Vec3 turn = mat3_mul_vec(inv_inertia[k], vec3(j[3], j[4], j[5]));
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

/* A^-1 of the leading count x count part, by Gauss-Jordan; A is symmetric positive definite. False if it is not. */
static bool invert_small(int count, const double A[3][3], double inverse[3][3])
{
    double m[3][6];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            m[i][j] = A[i][j];
            m[i][count + j] = i == j;
        }
    for (int p = 0; p < count; p++) {
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

/* The bias of one row; see RowBias. */
static double row_bias(double C, double lower, double upper, double compliance, double target, RowBias bias)
{
    bool gap = (lower == 0.0 && C > 0.0) || (upper == 0.0 && C < 0.0);
    double rate = gap || compliance > 0.0 ? 1.0 / bias.h : bias.rate;
    return rate * C - target;
}

static void row_block_prepare(RowBlock *rb, const World *world, const Block *block, RowBias bias, bool keep)
{
    Rows rows;
    block_rows(world, block, &rows);
    rb->count = rows.count;
    if (rows.count == 0) {
        memset(rb->lambda, 0, sizeof rb->lambda);
        return;
    }
    rb->four = block->kind == BLOCK_VOLUME;
    rb->bilateral = true;
    memcpy(rb->body, block->body, sizeof rb->body);
    Mat3 inv_inertia[2];
    for (int k = 0; k < 2; k++)
        inv_inertia[k] = world_inv_inertia(world, rb->body[k]);
    double soft = block->compliance / (bias.h * bias.h);
    for (int i = 0; i < rows.count; i++) {
        memcpy(rb->J[i], rows.J[i], sizeof rb->J[i]);
        row_times_inverse_mass(world, rb, (const Mat3 *)inv_inertia, rb->J[i], rb->B[i]);
        rb->C[i] = rows.C[i];
        rb->bias[i] = row_bias(rows.C[i], rows.lower[i], rows.upper[i], block->compliance, rows.velocity[i], bias);
        rb->soft[i] = soft;
        rb->lower[i] = rows.lower[i] * bias.h;
        rb->upper[i] = rows.upper[i] * bias.h;
        rb->lambda[i] = keep ? clamp(rb->lambda[i], rb->lower[i], rb->upper[i]) : 0.0;
        rb->bilateral = rb->bilateral && isinf(rb->lower[i]) && isinf(rb->upper[i]);
        for (int j = 0; j <= i; j++)
            rb->A[i][j] = rb->A[j][i] = row_dot(rb->J[i], rb->B[j]);
    }
    for (int i = 0; i < rows.count; i++) {
        rb->A[i][i] += soft;
        rb->step[i] = rb->A[i][i] > 0.0 ? 1.0 / rb->A[i][i] : 0.0;
    }
    rb->bilateral = rb->bilateral && rows.count > 1 && invert_small(rows.count, (const double(*)[3])rb->A, rb->inverse);
}

/* The coordinates of V that a block's rows act on. */
static ALWAYS_INLINE void row_gather(const RowBlock *rb, const Velocity *velocity, double V[ROW_WIDTH])
{
    if (rb->four) {
        for (int k = 0; k < 4; k++)
            memcpy(V + 3 * k, &velocity[rb->body[k]].v, sizeof(Vec3));
        return;
    }
    memcpy(V, &velocity[rb->body[0]], sizeof(Velocity));
    memcpy(V + 6, &velocity[rb->body[1]], sizeof(Velocity));
}

static ALWAYS_INLINE void row_scatter(const RowBlock *rb, Velocity *velocity, const double V[ROW_WIDTH])
{
    if (rb->four) {
        for (int k = 0; k < 4; k++)
            memcpy(&velocity[rb->body[k]].v, V + 3 * k, sizeof(Vec3));
        return;
    }
    memcpy(&velocity[rb->body[0]], V, sizeof(Velocity));
    memcpy(&velocity[rb->body[1]], V + 6, sizeof(Velocity));
}

/* r_i = J_i V + bias_i + s_i lambda_i of the first `count` rows */
static ALWAYS_INLINE void row_residuals(const RowBlock *rb, int count, const double *V, double r[])
{
    Double4 v0 = LOAD4(V), v1 = LOAD4(V + 4), v2 = LOAD4(V + 8);
    for (int i = 0; i < count; i++) {
        const double *J = rb->J[i];
        Double4 p = LOAD4(J) * v0 + LOAD4(J + 4) * v1 + LOAD4(J + 8) * v2;
        r[i] = ((p[0] + p[2]) + (p[1] + p[3])) + (rb->bias[i] + rb->soft[i] * rb->lambda[i]);
    }
}

/* V += sum_i B_i d_i */
static ALWAYS_INLINE void row_push(const RowBlock *rb, int count, const double d[], double *V)
{
    Double4 v0 = LOAD4(V), v1 = LOAD4(V + 4), v2 = LOAD4(V + 8);
    for (int i = 0; i < count; i++) {
        const double *B = rb->B[i];
        Double4 s = {d[i], d[i], d[i], d[i]};
        v0 += s * LOAD4(B);
        v1 += s * LOAD4(B + 4);
        v2 += s * LOAD4(B + 8);
    }
    STORE4(V, v0);
    STORE4(V + 4, v1);
    STORE4(V + 8, v2);
}

void row_system_prepare(RowSystem *system, const World *world, RowBias bias, bool keep_multipliers)
{
    double sum = 0.0;
    system->count = world->block_count;
    system->rows = 0;
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        row_block_prepare(rb, world, &world->blocks[b], bias, keep_multipliers);
        double V[ROW_WIDTH];
        row_gather(rb, world->velocity, V);
        for (int i = 0; i < rb->count; i++) {
            double b_i = row_dot(rb->J[i], V) + rb->bias[i];
            sum += b_i * b_i;
        }
        system->rows += rb->count;
    }
    system->b_norm = sqrt(sum);
}

void row_system_apply(const RowSystem *system, Velocity *velocity)
{
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double V[ROW_WIDTH];
        if (rb->count == 0)
            continue;
        row_gather(rb, velocity, V);
        row_push(rb, rb->count, rb->lambda, V);
        row_scatter(rb, velocity, V);
    }
}

/* dlambda_i = -relaxation r_i / A_ii, clamped; r_j += A_ji dlambda_i for the rows after it. */
static ALWAYS_INLINE void block_solve_rows(RowBlock *rb, int count, Velocity *velocity, double relaxation)
{
    double V[ROW_WIDTH], r[BLOCK_MAX_ROWS], d[BLOCK_MAX_ROWS];
    row_gather(rb, velocity, V);
    row_residuals(rb, count, V, r);
    for (int i = 0; i < count; i++) {
        double next = clamp(rb->lambda[i] - relaxation * rb->step[i] * r[i], rb->lower[i], rb->upper[i]);
        d[i] = next - rb->lambda[i];
        rb->lambda[i] = next;
        for (int j = i + 1; j < count; j++)
            r[j] += rb->A[j][i] * d[i];
    }
    row_push(rb, count, d, V);
    row_scatter(rb, velocity, V);
}

/* dlambda = -relaxation A^-1 r */
static ALWAYS_INLINE void block_solve_whole(RowBlock *rb, int count, Velocity *velocity, double relaxation)
{
    double V[ROW_WIDTH], r[BLOCK_MAX_ROWS], d[BLOCK_MAX_ROWS];
    row_gather(rb, velocity, V);
    row_residuals(rb, count, V, r);
    for (int i = 0; i < count; i++) {
        d[i] = 0.0;
        for (int j = 0; j < count; j++)
            d[i] -= relaxation * rb->inverse[i][j] * r[j];
        rb->lambda[i] += d[i];
    }
    row_push(rb, count, d, V);
    row_scatter(rb, velocity, V);
}

SWEEP_VERSIONS int row_system_sweep(RowSystem *system, Velocity *velocity, double relaxation, const int *order)
{
    for (int k = 0; k < system->count; k++) {
        RowBlock *rb = &system->blocks[order ? order[k] : k];
        if (rb->count == 3)
            block_solve_rows(rb, 3, velocity, relaxation);
        else if (rb->count == 2)
            block_solve_rows(rb, 2, velocity, relaxation);
        else if (rb->count == 1)
            block_solve_rows(rb, 1, velocity, relaxation);
    }
    return system->rows;
}

SWEEP_VERSIONS int row_system_sweep_blocks(RowSystem *system, Velocity *velocity, double relaxation, const int *order)
{
    for (int k = 0; k < system->count; k++) {
        RowBlock *rb = &system->blocks[order ? order[k] : k];
        if (rb->count == 0)
            continue;
        if (!rb->bilateral)
            block_solve_rows(rb, rb->count, velocity, relaxation);
        else if (rb->count == 3)
            block_solve_whole(rb, 3, velocity, relaxation);
        else
            block_solve_whole(rb, 2, velocity, relaxation);
    }
    return system->rows;
}

int row_system_jacobi(RowSystem *system, const Velocity *seen, Velocity *velocity, const double *share)
{
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        double V[ROW_WIDTH], r[BLOCK_MAX_ROWS], d[BLOCK_MAX_ROWS];
        if (rb->count == 0)
            continue;
        row_gather(rb, seen, V);
        row_residuals(rb, rb->count, V, r);
        for (int i = 0; i < rb->count; i++) {
            double next = clamp(rb->lambda[i] - share[b] * rb->step[i] * r[i], rb->lower[i], rb->upper[i]);
            d[i] = next - rb->lambda[i];
            rb->lambda[i] = next;
        }
        row_gather(rb, velocity, V);
        row_push(rb, rb->count, d, V);
        row_scatter(rb, velocity, V);
    }
    return system->rows;
}

double row_system_residual(const RowSystem *system, const Velocity *velocity)
{
    double sum = 0.0;
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double V[ROW_WIDTH], r[BLOCK_MAX_ROWS];
        if (rb->count == 0)
            continue;
        row_gather(rb, velocity, V);
        row_residuals(rb, rb->count, V, r);
        for (int i = 0; i < rb->count; i++) {
            double moved = clamp(rb->lambda[i] - rb->step[i] * r[i], rb->lower[i], rb->upper[i]);
            double natural = rb->A[i][i] * (rb->lambda[i] - moved);
            sum += natural * natural;
        }
    }
    return sum == 0.0 ? 0.0 : sqrt(sum) / (system->b_norm > 0.0 ? system->b_norm : 1.0);
}

void row_system_store_impulses(const RowSystem *system, World *world)
{
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        /* Where the second body's part of J stands: its v, its w, or the second particle's v. */
        int at = rb->four ? 3 : block_unit(world->blocks[b].kind) == UNIT_ANGLE ? 9 : 6;
        Vec3 sum = VEC3_ZERO;
        for (int i = 0; i < rb->count; i++)
            sum = vec3_add_scaled(sum, rb->lambda[i], vec3(rb->J[i][at], rb->J[i][at + 1], rb->J[i][at + 2]));
        world->block_impulse[b] = sum;
    }
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
