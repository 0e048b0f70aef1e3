/* Preparation and Gauss-Seidel sweeps of the velocity-level system.
 * The rows of a block act on the same velocities, so solving them one after the other is one small product: with
 * A = L + D + U of the block, the changes of its multipliers are dlambda = -T r, T = (D + L)^-1 (relaxed: (D/w +
 * L)^-1), r = J V + bias + s lambda. T J and T bias are formed once a substep; T = A^-1 solves the block as a whole
 * instead. Rows with bounds are gone through one by one, the effect of one on the next being A_ji dlambda_i. */
#include "solvers/rows.h"

#include <stdlib.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Four doubles at a time: two SSE registers or one AVX register; the sums are the same either way. */
typedef double Double4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Double2 __attribute__((vector_size(16), aligned(8), may_alias));
#define LOAD4(p) (*(const Double4 *)(p))
#define LOAD2(p) (*(const Double2 *)(p))
#define STORE4(p, x) (*(Double4 *)(p) = (x))
#define STORE2(p, x) (*(Double2 *)(p) = (x))

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

/* The bias of one row; see RowSetup. */
static double row_bias(double C, double lower, double upper, double compliance, double target, const RowSetup *setup)
{
    bool gap = (lower == 0.0 && C > 0.0) || (upper == 0.0 && C < 0.0);
    double rate = gap || compliance > 0.0 ? 1.0 / setup->h : setup->rate;
    return rate * C - target;
}

static void row_block_prepare(RowBlock *rb, const World *world, const Block *block, const RowSetup *setup)
{
    Rows rows;
    block_rows(world, block, &rows);
    rb->count = rows.count;
    rb->four = rows.count > 0 && block->kind == BLOCK_VOLUME;
    if (rows.count == 0) {
        memset(rb->lambda, 0, sizeof rb->lambda);
        return;
    }
    rb->bilateral = true;
    memcpy(rb->body, block->body, sizeof rb->body);
    Mat3 inv_inertia[2];
    for (int k = 0; k < 2; k++)
        inv_inertia[k] = world_inv_inertia(world, rb->body[k]);
    double soft = block->compliance / (setup->h * setup->h);
    for (int i = 0; i < rows.count; i++) {
        memcpy(rb->J[i], rows.J[i], sizeof rb->J[i]);
        row_times_inverse_mass(world, rb, (const Mat3 *)inv_inertia, rb->J[i], rb->B[i]);
        rb->C[i] = rows.C[i];
        rb->bias[i] = row_bias(rows.C[i], rows.lower[i], rows.upper[i], block->compliance, rows.velocity[i], setup);
        rb->soft[i] = soft;
        rb->lower[i] = rows.lower[i] * setup->h;
        rb->upper[i] = rows.upper[i] * setup->h;
        rb->lambda[i] = setup->keep_multipliers ? clamp(rb->lambda[i], rb->lower[i], rb->upper[i]) : 0.0;
        rb->bilateral = rb->bilateral && isinf(rb->lower[i]) && isinf(rb->upper[i]);
        for (int j = 0; j <= i; j++)
            rb->A[i][j] = rb->A[j][i] = row_dot(rb->J[i], rb->B[j]);
    }
    for (int i = 0; i < rows.count; i++) {
        rb->A[i][i] += soft;
        rb->step[i] = rb->A[i][i] > 0.0 ? 1.0 / rb->A[i][i] : 0.0;
    }
    rb->is_soft = soft > 0.0;
    rb->bilateral = rb->bilateral && !rb->four && row_block_prepare_product(rb, setup);
}

/* The velocities that a block's rows act on, in registers. A body's six numbers are loaded and stored as four and two,
 * always at the same places: the next block that needs them finds them in the store buffer. */
typedef struct RowVelocity {
    Double4 a[2];
    Double2 b[2];
} RowVelocity;

static ALWAYS_INLINE void row_gather(const RowBlock *rb, const Velocity *velocity, RowVelocity *V)
{
    for (int k = 0; k < 2; k++) {
        const double *u = (const double *)&velocity[rb->body[k]];
        V->a[k] = LOAD4(u);
        V->b[k] = LOAD2(u + 4);
    }
}

static ALWAYS_INLINE void row_scatter(const RowBlock *rb, Velocity *velocity, const RowVelocity *V)
{
    for (int k = 0; k < 2; k++) {
        double *u = (double *)&velocity[rb->body[k]];
        STORE4(u, V->a[k]);
        STORE2(u + 4, V->b[k]);
    }
}

static ALWAYS_INLINE double row_times_velocity(const double *J, const RowVelocity *V)
{
    Double4 a = LOAD4(J) * V->a[0] + LOAD4(J + 6) * V->a[1];
    Double2 b = LOAD2(J + 4) * V->b[0] + LOAD2(J + 10) * V->b[1];
    return ((a[0] + a[2]) + b[0]) + ((a[1] + a[3]) + b[1]);
}

/* V += sum_i B_i d_i */
static ALWAYS_INLINE void row_push(const RowBlock *rb, int count, const double d[], RowVelocity *V)
{
    for (int i = 0; i < count; i++) {
        const double *B = rb->B[i];
        Double4 d4 = {d[i], d[i], d[i], d[i]};
        Double2 d2 = {d[i], d[i]};
        V->a[0] += d4 * LOAD4(B);
        V->b[0] += d2 * LOAD2(B + 4);
        V->a[1] += d4 * LOAD4(B + 6);
        V->b[1] += d2 * LOAD2(B + 10);
    }
}

/* The same for a volume's one row over four particles. */
static double four_rate(const RowBlock *rb, const Velocity *velocity)
{
    double r = 0.0;
    for (int k = 0; k < 4; k++) {
        const double *J = rb->J[0] + 3 * k;
        r += vec3_dot(vec3(J[0], J[1], J[2]), velocity[rb->body[k]].v);
    }
    return r;
}

static void four_push(const RowBlock *rb, double d, Velocity *velocity)
{
    for (int k = 0; k < 4; k++) {
        const double *B = rb->B[0] + 3 * k;
        Vec3 *v = &velocity[rb->body[k]].v;
        *v = vec3_add_scaled(*v, d, vec3(B[0], B[1], B[2]));
    }
}

static ALWAYS_INLINE void block_rates(const RowBlock *rb, const Velocity *velocity, double r[])
{
    RowVelocity V;
    if (rb->four) {
        r[0] = four_rate(rb, velocity);
        return;
    }
    row_gather(rb, velocity, &V);
    for (int i = 0; i < rb->count; i++)
        r[i] = row_times_velocity(rb->J[i], &V);
}

/* r_i = J_i V + bias_i + s_i lambda_i */
static ALWAYS_INLINE void block_residuals(const RowBlock *rb, const Velocity *velocity, double r[])
{
    block_rates(rb, velocity, r);
    for (int i = 0; i < rb->count; i++)
        r[i] += rb->bias[i] + rb->soft[i] * rb->lambda[i];
}

static ALWAYS_INLINE void block_push(const RowBlock *rb, const double d[], Velocity *velocity)
{
    RowVelocity V;
    if (rb->four) {
        four_push(rb, d[0], velocity);
        return;
    }
    row_gather(rb, velocity, &V);
    row_push(rb, rb->count, d, &V);
    row_scatter(rb, velocity, &V);
}

void row_block_rates(const RowBlock *block, const Velocity *velocity, double rates[BLOCK_MAX_ROWS])
{
    block_rates(block, velocity, rates);
}

void row_block_push(const RowBlock *block, const double d[BLOCK_MAX_ROWS], Velocity *velocity)
{
    block_push(block, d, velocity);
}

void row_system_prepare(RowSystem *system, const World *world, const RowSetup *setup)
{
    double sum = 0.0;
    system->count = world->block_count;
    system->rows = 0;
    system->relaxation = setup->relaxation;
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        row_block_prepare(rb, world, &world->blocks[b], setup);
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

void row_system_prepare_split(RowSystem *split, const RowSystem *system, double rate)
{
    split->count = system->count;
    split->relaxation = system->relaxation;
    split->rows = 0;
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &split->blocks[b];
        *rb = system->blocks[b];
        if (rb->count == 0)
            continue;
        bool gap = (rb->lower[0] == 0.0 && rb->C[0] > 0.0) || (rb->upper[0] == 0.0 && rb->C[0] < 0.0);
        if (rb->is_soft || gap)
            rb->count = 0;
        for (int i = 0; i < rb->count; i++) {
            rb->lambda[i] = rb->Tbias[i] = 0.0;
            rb->bias[i] = rate * rb->C[i];
        }
        for (int i = 0; rb->bilateral && i < rb->count; i++)
            for (int j = 0; j < rb->count; j++)
                rb->Tbias[i] += rb->T[i][j] * rb->bias[j];
        split->rows += rb->count;
    }
}

void row_system_apply(const RowSystem *system, Velocity *velocity)
{
    for (int b = 0; b < system->count; b++)
        if (system->blocks[b].count > 0)
            block_push(&system->blocks[b], system->blocks[b].lambda, velocity);
}

/* lambda + step towards r = 0, within its bounds; returns the change. */
static ALWAYS_INLINE double row_change(RowBlock *rb, int i, double r, double relaxation)
{
    double next = clamp(rb->lambda[i] - relaxation * rb->step[i] * r, rb->lower[i], rb->upper[i]);
    double d = next - rb->lambda[i];
    rb->lambda[i] = next;
    return d;
}

/* dlambda = -T r = -(T J V + T bias + T s lambda), for a block without bounds */
static ALWAYS_INLINE void block_solve_bilateral(RowBlock *rb, int count, Velocity *velocity)
{
    RowVelocity V;
    double d[BLOCK_MAX_ROWS];
    row_gather(rb, velocity, &V);
    for (int i = 0; i < count; i++)
        d[i] = -(rb->Tbias[i] + row_times_velocity(rb->TJ[i], &V));
    if (rb->is_soft)
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                d[i] -= rb->T[i][j] * rb->soft[j] * rb->lambda[j];
    for (int i = 0; i < count; i++)
        rb->lambda[i] += d[i];
    row_push(rb, count, d, &V);
    row_scatter(rb, velocity, &V);
}

/* dlambda_i = -relaxation r_i / A_ii, clamped; r_j += A_ji dlambda_i for the rows after it. */
static ALWAYS_INLINE void block_solve_bounded(RowBlock *rb, Velocity *velocity, double relaxation)
{
    double r[BLOCK_MAX_ROWS], d[BLOCK_MAX_ROWS];
    block_residuals(rb, velocity, r);
    for (int i = 0; i < rb->count; i++) {
        d[i] = row_change(rb, i, r[i], relaxation);
        for (int j = i + 1; j < rb->count; j++)
            r[j] += rb->A[j][i] * d[i];
    }
    block_push(rb, d, velocity);
}

SWEEP_VERSIONS int row_system_sweep(RowSystem *system, Velocity *velocity, const int *order)
{
    for (int k = 0; k < system->count; k++) {
        RowBlock *rb = &system->blocks[order ? order[k] : k];
        if (rb->count == 0)
            continue;
        if (!rb->bilateral)
            block_solve_bounded(rb, velocity, system->relaxation);
        else if (rb->count == 3)
            block_solve_bilateral(rb, 3, velocity);
        else if (rb->count == 2)
            block_solve_bilateral(rb, 2, velocity);
        else
            block_solve_bilateral(rb, 1, velocity);
    }
    return system->rows;
}

int row_system_jacobi(RowSystem *system, const Velocity *seen, Velocity *velocity, const double *share)
{
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        double r[BLOCK_MAX_ROWS] = {0}, d[BLOCK_MAX_ROWS] = {0};
        if (rb->count == 0)
            continue;
        block_residuals(rb, seen, r);
        for (int i = 0; i < rb->count; i++)
            d[i] = row_change(rb, i, r[i], share[b]);
        block_push(rb, d, velocity);
    }
    return system->rows;
}

double row_system_residual(const RowSystem *system, const Velocity *velocity)
{
    double sum = 0.0;
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double r[BLOCK_MAX_ROWS] = {0};
        if (rb->count == 0)
            continue;
        block_residuals(rb, velocity, r);
        for (int i = 0; i < rb->count; i++) {
            double moved = clamp(rb->lambda[i] - rb->step[i] * r[i], rb->lower[i], rb->upper[i]);
            double natural = rb->A[i][i] * (rb->lambda[i] - moved);
            sum += natural * natural;
        }
    }
    return sum == 0.0 ? 0.0 : sqrt(sum) / (system->b_norm > 0.0 ? system->b_norm : 1.0);
}

Vec3 row_system_on_body2(const RowSystem *system, const World *world, int b)
{
    const RowBlock *rb = &system->blocks[b];
    /* Where the second body's part of J stands: its v, its w, or the second particle's v. */
    int at = rb->four ? 3 : block_unit(world->blocks[b].kind) == UNIT_ANGLE ? 9 : 6;
    Vec3 sum = VEC3_ZERO;
    for (int i = 0; i < rb->count; i++)
        sum = vec3_add_scaled(sum, rb->lambda[i], vec3(rb->J[i][at], rb->J[i][at + 1], rb->J[i][at + 2]));
    return sum;
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
