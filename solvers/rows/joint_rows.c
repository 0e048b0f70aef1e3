/* SPDX-License-Identifier: MIT */
/* The rows of a block act on the same velocities, so solving them one after the other is one small product: with
 * A = L + D + U of the block, the changes of its multipliers are dlambda = -T r, r = J V + bias + s lambda,
 * T = (D + L)^-1, or relaxed (D/w + L)^-1. T J and T bias are formed once a substep; T = A^-1 solves the block as a
 * whole instead. Rows with bounds are gone through one by one, the effect of one on the next being A_ji dlambda_i. */
#include "solvers/rows/joint_rows.h"

#include "model/cache.h"
#include "solvers/linear/small.h"
#include "solvers/rows/ball_rows.h"
#include "solvers/rows/row_columns.h"
#include "solvers/rows/row_kernel.h"

#include <string.h>

/* 1/s: the bias that the error of a row without compliance gives. */
static double row_error_rate(const Block *block, const RowSetup *setup)
{
    bool waits = setup->limits_wait && block_is_limit(block);
    return waits || (setup->axial_apart && block_terms(block)->driven) ? 0.0 : row_rigid_rate(setup);
}

/* The bias of row i; see RowSetup. */
static double row_bias(const Rows *rows, int i, const Block *block, const RowSetup *setup)
{
    bool gap = row_is_gap(rows->C[i], rows->lower[i], rows->upper[i]);
    double rate = gap || block_terms(block)->compliance > 0.0 ? 1.0 / setup->h : row_error_rate(block, setup);
    return rate * rows->C[i] - rows->velocity[i];
}

/* Four particles of three coordinates, one row. */
static void volume_prepare_masses(RowBlock *rb, const World *world)
{
    double sum = 0.0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            rb->B[0][3 * k + i] = world->mass[rb->body[k]].inv_mass * rb->J[0][3 * k + i];
            sum += rb->J[0][3 * k + i] * rb->B[0][3 * k + i];
        }
    rb->A[0][0] = sum;
}

LANE_INLINE void pair_prepare_masses(RowBlock *rb, int count, RowColumns *columns, const RowSystem *system,
                                     const double inv_mass[2])
{
    const Mat3 *const inv_inertia[2] = {&system->inv_inertia[rb->body[0]], &system->inv_inertia[rb->body[1]]};
    columns_load(columns->J, (const double(*)[ROW_WIDTH])rb->J, count);
    columns_times_inverse_mass(columns, inv_mass, inv_inertia);
    columns_couple(columns, rb->A);
}

/* Compliance becomes part of A. */
LANE_INLINE void block_add_softness(RowBlock *rb, int count)
{
    for (int i = 0; i < count; i++) {
        rb->A[i][i] += rb->soft[i];
        rb->step[i] = rb->A[i][i] > 0.0 ? 1.0 / rb->A[i][i] : 0.0;
    }
}

void row_block_prepare_masses(RowBlock *rb, const RowSystem *system, const World *world)
{
    const double inv_mass[2] = {world->mass[rb->body[0]].inv_mass, world->mass[rb->body[1]].inv_mass};
    RowColumns columns;
    pair_prepare_masses(rb, rb->count, &columns, system, inv_mass);
    columns_store_rows(columns.B, rb->B);
    block_add_softness(rb, rb->count);
}

/* Softens row i by that share of its own A_ii, which becomes part of A_ii. */
static void row_soften(RowBlock *rb, int i, double share)
{
    rb->soft[i] += share * rb->A[i][i];
    rb->A[i][i] += share * rb->A[i][i];
    rb->step[i] = rb->A[i][i] > 0.0 ? 1.0 / rb->A[i][i] : 0.0;
}

/* T of a bilateral block. False if it has none: dependent rows, or nothing moves. */
LANE_INLINE bool block_invert(RowBlock *rb, int count, const RowSetup *setup)
{
    double matrix[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            matrix[i][j] = rb->A[i][j];
    if (!setup->whole) {
        for (int i = 0; i < count && setup->relaxation != 1.0; i++)
            matrix[i][i] /= setup->relaxation;
        return small_invert_triangle(count, BLOCK_MAX_ROWS, matrix[0], rb->T[0]);
    }
    if (!small_invert(count, BLOCK_MAX_ROWS, matrix[0], rb->T[0]))
        return false;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            rb->T[i][j] *= setup->relaxation * (1.0 - rb->forgets);
    rb->forgets *= setup->relaxation;
    return true;
}

LANE_INLINE void joint_set_bias(JointRow *row, const RowBlock *rb, int count)
{
    for (int i = 0; i < count; i++) {
        row->Tbias[i] = 0.0;
        for (int j = 0; j < count; j++)
            row->Tbias[i] += rb->T[i][j] * rb->bias[j];
    }
}

/* Of one row. */
LANE_INLINE void joint_pack_alone(JointRow *row, const RowBlock *rb, const RowColumns *columns)
{
    double *number = row->TJ[0];
    for (int c = 0; c < 3; c++) {
        number[c] = rb->T[0][0] * columns->J[c][0];
        number[3 + c] = rb->T[0][0] * columns->J[3 + c][0];
        number[6 + c] = rb->T[0][0] * columns->J[9 + c][0];
        number[ALONE_LINEAR + c] = columns->J[c][0];
        number[ALONE_TURN + c] = columns->B[3 + c][0];
        number[ALONE_TURN + 3 + c] = columns->B[9 + c][0];
    }
}

/* T J, I^-1 times J's angular parts and, but for a ball, J's linear part, for the sweep. */
LANE_INLINE void joint_pack(JointRow *row, const RowBlock *rb, int count, const RowColumns *columns)
{
    const Lanes4 *J = columns->J, *B = columns->B;
    Lanes4 T[BLOCK_MAX_ROWS] = {{0.0}};
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            T[j][i] = rb->T[i][j];
    for (int c = 0; c < JOINT_COLUMNS; c++) {
        Lanes4 TJ = {0.0, 0.0, 0.0, 0.0};
        for (int j = 0; j < count; j++)
            TJ += T[j] * J[c < 6 ? c : c + 3][j];
        STORE4(row->TJ[c], TJ); /* the fourth number goes where the next column, or `turn`, begins */
    }
    columns_store(&B[3], &B[4], &B[5], &B[9], row->turn[0], 6);
    columns_store(&B[5], &B[9], &B[10], &B[11], row->turn[0] + 2, 6);
    for (int i = 0; i < count && !row->is_ball; i++)
        for (int c = 0; c < 3; c++)
            row->linear[i][c] = J[c][i];
}

/* C, bias, softness, bounds and J of a block; false if there is nothing to solve. */
LANE_INLINE bool block_set_rows(RowBlock *rb, const World *world, const Block *block, const RowSetup *setup)
{
    Rows rows;
    block_rows(world, block, &rows);
    rb->count = rows.count;
    rb->metres = block_metres(world, block->kind);
    rb->kind = block->kind == BLOCK_VOLUME ? ROWS_FOUR : ROWS_BILATERAL;
    memcpy(rb->body, block->body, sizeof rb->body);
    for (int k = 0; k < (block->kind == BLOCK_VOLUME ? 4 : 2); k++)
        rb->fixed[k] = world_is_fixed(world, rb->body[k]);
    double compliance = block_terms(block)->compliance, soft = compliance / (setup->h * setup->h);
    rb->is_soft = soft > 0.0;
    for (int i = 0; i < rows.count; i++) {
        memcpy(rb->J[i], rows.J[i], sizeof rb->J[i]);
        rb->C[i] = rows.C[i];
        rb->bias[i] = row_bias(&rows, i, block, setup);
        rb->soft[i] = soft;
        rb->lower[i] = rows.lower[i] * setup->h;
        rb->upper[i] = rows.upper[i] * setup->h;
        if (rb->kind == ROWS_BILATERAL && !(isinf(rb->lower[i]) && isinf(rb->upper[i])))
            rb->kind = ROWS_BOUNDED;
    }
    return rows.count > 0;
}

/* Compliance, or else the springs that rigid rows become where the setup says so. As a whole a block is soft by that
 * share of its whole A = K (1 + share): dlambda = -K^-1 (J V + bias)/(1 + share) - lambda share/(1 + share). */
LANE_INLINE void block_soften(RowBlock *rb, int count, const Block *block, const RowSetup *setup)
{
    double share = setup->soft_joint.share;
    rb->forgets = 0.0;
    block_add_softness(rb, count);
    if (share == 0.0 || rb->is_soft || block_terms(block)->law || (setup->axial_apart && block_terms(block)->driven))
        return;
    rb->is_soft = true;
    if (setup->whole && count > 1 && rb->kind == ROWS_BILATERAL) {
        rb->forgets = share / (1.0 + share);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (!row_is_gap(rb->C[i], rb->lower[i], rb->upper[i]))
            row_soften(rb, i, share);
        if (setup->limit_slip && rb->upper[i] == 0.0)
            rb->soft[i] = 0.0;
    }
}

/* A = J M^-1 J^T as it was at other poses, with the moments of inertia of now. */
static void pair_couple_at(RowBlock *rb, const RowSystem *system, const World *world, const Block *block,
                           const Pose *poses)
{
    const Mat3 *const inv_inertia[2] = {&system->inv_inertia[rb->body[0]], &system->inv_inertia[rb->body[1]]};
    const double inv_mass[2] = {world->mass[rb->body[0]].inv_mass, world->mass[rb->body[1]].inv_mass};
    World then = *world;
    Rows rows;
    RowColumns columns;
    then.pose = (Pose *)poses;
    block_rows(&then, block, &rows);
    columns_load(columns.J, (const double(*)[ROW_WIDTH])rows.J, rows.count);
    columns_times_inverse_mass(&columns, inv_mass, inv_inertia);
    columns_couple(&columns, rb->A);
}

/* The rows of two bodies: everything but J, bias and bounds, and the rates J V. */
LANE_INLINE void pair_prepare(RowSystem *system, const World *world, int b, int count, const RowSetup *setup,
                              double rates[4])
{
    RowBlock *rb = &system->blocks[b];
    JointRow *row = &system->joints[b];
    RowColumns columns;
    for (int i = 0; i < count; i++)
        row->lambda[i] = clamp(trace_drop(setup->keep * row->lambda[i]), rb->lower[i], rb->upper[i]);
    for (int k = 0; k < 2; k++) {
        row->body[k] = rb->body[k];
        row->inv_mass[k] = world->mass[rb->body[k]].inv_mass;
    }
    row->fixed = rows_fixed(row->inv_mass);
    row->is_ball = world->blocks[b].kind == BLOCK_ATTACH;
    pair_prepare_masses(rb, count, &columns, system, row->inv_mass);
    columns_rates(columns.J, &world->velocity[rb->body[0]], &world->velocity[rb->body[1]], rates);
    if (setup->joint_masses && count > 1)
        pair_couple_at(rb, system, world, &world->blocks[b], setup->joint_masses);
    block_soften(rb, count, &world->blocks[b], setup);
    bool packed = rb->kind == ROWS_BILATERAL && block_invert(rb, count, setup);
    if (!packed)
        rb->kind = ROWS_BOUNDED;
    else if (count == 1)
        joint_pack_alone(row, rb, &columns);
    else
        joint_pack(row, rb, count, &columns);
    if (packed)
        joint_set_bias(row, rb, count);
    if (!packed || !setup->sweeps_only)
        columns_store_rows(columns.B, rb->B);
}

/* Fills the rates J V as well. */
LANE_INLINE void joint_fill(RowSystem *system, const World *world, int b, const RowSetup *setup, double rates[4])
{
    RowBlock *rb = &system->blocks[b];
    JointRow *row = &system->joints[b];
    if (!block_set_rows(rb, world, &world->blocks[b], setup)) {
        memset(row->lambda, 0, sizeof row->lambda);
    } else if (rb->kind == ROWS_FOUR) {
        row->lambda[0] = clamp(trace_drop(setup->keep * row->lambda[0]), rb->lower[0], rb->upper[0]);
        volume_prepare_masses(rb, world);
        block_soften(rb, 1, &world->blocks[b], setup);
        rates[0] = four_rate(rb, world->velocity);
    } else if (rb->count == 3) {
        pair_prepare(system, world, b, 3, setup, rates);
    } else if (rb->count == 2) {
        pair_prepare(system, world, b, 2, setup, rates);
    } else {
        pair_prepare(system, world, b, 1, setup, rates);
    }
}

/* Every row's b^2; -b is the residual at lambda = 0. */
LANE_INLINE void block_square_b(const RowBlock *rb, const double rates[], double b2[BLOCK_MAX_ROWS])
{
    b2[0] = b2[1] = b2[2] = 0.0;
    for (int i = 0; i < rb->count; i++) {
        double given = rb->soft[i] * rb->lambda[i], r = rates[i] + (rb->bias[i] + given);
        double b_i = rb->metres * (r - given);
        b2[i] = b_i * b_i;
    }
}

/* One block; returns its rows. */
LANE_INLINE int joint_prepare(RowSystem *system, const World *world, int b, const RowSetup *setup)
{
    RowBlock *rb = &system->blocks[b];
    JointRow *row = &system->joints[b];
    double rates[4];
    rb->count = 0;
    rb->lambda = row->lambda;
    rb->B = system->B[b];
    if (!setup->part || setup->part[b])
        joint_fill(system, world, b, setup, rates);
    row->count = (short)rb->count;
    row->kind = (short)rb->kind;
    row->is_soft = rb->is_soft;
    row->is_bare = false;
    block_square_b(rb, rates, &system->multipliers[BLOCK_MAX_ROWS * b]);
    return rb->count;
}

LANE_VERSIONS static int joints_prepare(RowSystem *system, const World *world, const RowSetup *setup, const int *blocks,
                                        int count)
{
    int active = 0;
    for (int k = 0; k < count; k++)
        active += joint_prepare(system, world, blocks[k], setup);
    return active;
}

/* Rows before their lines are asked for. */
enum { AHEAD = 2 * LANES };

/* Balls wait until there are four. */
int joint_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup, int from, int to)
{
    int active = 0, waiting[LANES], count = 0;
    for (int b = from; b < to; b++) {
        if (!ball_rows_take(&world->blocks[b], setup) || (setup->part && !setup->part[b])) {
            active += joints_prepare(system, world, setup, &b, 1);
            continue;
        }
        waiting[count++] = b;
        cache_expect(&system->joints[b + AHEAD], sizeof(JointRow));
        if (count < LANES)
            continue;
        bool done = ball_rows_prepare(system, world, setup, waiting);
        active += done ? LANES * BLOCK_MAX_ROWS : joints_prepare(system, world, setup, waiting, LANES);
        count = 0;
    }
    return active + joints_prepare(system, world, setup, waiting, count);
}

void joint_order_axial_first(const World *world, int *order)
{
    int count = 0;
    for (int from = 0, to; from < world->joint_block_count; from = to) {
        for (to = from; to < world->joint_block_count && world->blocks[to].joint == world->blocks[from].joint;)
            to++;
        for (int axial = 1; axial >= 0; axial--)
            for (int b = from; b < to; b++)
                if (block_is_axial(&world->blocks[b]) == axial)
                    order[count++] = b;
    }
}

void row_system_renew(RowSystem *system, int b)
{
    const RowBlock *rb = &system->blocks[b];
    JointRow *row = &system->joints[b];
    row->count = (short)rb->count;
    row->kind = (short)rb->kind;
    if (rb->kind == ROWS_BILATERAL)
        joint_set_bias(row, rb, rb->count);
}

void joint_rows_split(RowSystem *split, const RowSystem *system, int b, const RowSetup *setup)
{
    RowBlock *rb = &split->blocks[b];
    split->joints[b] = system->joints[b];
    rb->lambda = split->joints[b].lambda;
    for (int i = 0; i < rb->count; i++) {
        rb->lambda[i] = 0.0;
        rb->bias[i] = setup->rate * rb->C[i];
    }
    row_system_renew(split, b);
}

void joint_rows_drop_errors(RowSystem *system, const RowSetup *setup)
{
    for (int b = 0; b < system->joint_count; b++) {
        RowBlock *rb = &system->blocks[b];
        for (int i = 0; i < rb->count && !rb->is_soft; i++)
            if (!row_is_gap(rb->C[i], rb->lower[i], rb->upper[i]))
                rb->bias[i] -= setup->rate * rb->C[i];
        row_system_renew(system, b);
    }
}

void joint_rows_command_drives(RowSystem *system, const World *world, double h, double rate)
{
    double squared = system->b_norm * system->b_norm;
    for (int b = 0; b < system->joint_count; b++) {
        RowBlock *rb = &system->blocks[b];
        double rates[BLOCK_MAX_ROWS];
        if (!block_terms(&world->blocks[b])->actuator || rb->count == 0)
            continue;
        row_block_rates(rb, world->velocity, rates);
        for (int i = 0; i < rb->count; i++) {
            double before = rates[i] + rb->bias[i];
            rb->bias[i] += (1.0 / h - rate) * rb->C[i];
            double after = rates[i] + rb->bias[i];
            squared += rb->metres * rb->metres * (after * after - before * before);
        }
        row_system_renew(system, b);
    }
    system->b_norm = sqrt(fmax(squared, 0.0));
}
