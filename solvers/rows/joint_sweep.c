/* SPDX-License-Identifier: MIT */
/* Sweeps over joints' blocks. A lane is a row: the columns of T J, times one velocity each, give all rates at once, and
 * the changes are sent on row by row. */
#include "solvers/rows/joint_rows.h"

#include "solvers/rows/row_packed.h"

LANE_CHOICE(joint_row_solve)
LANE_CHOICE(joint_rows_sweep)
LANE_CHOICE(joint_rows_apply)

/* The velocities of a joint's bodies, v in lanes 0 to 2 and w in lanes 1 to 3. */
typedef struct JointVelocity {
    Lanes4 v[2], w[2];
} JointVelocity;

/* What the last joint left its second body with, if it moves. In a chain the next joint begins there, and has it at
 * hand, not from memory. */
typedef struct Held {
    int body;        /* whose v and w they are; -1: none */
    int body_of_row; /* likewise, of one row alone: whose four and two numbers (RowVelocity) */
    Lanes4 v, w;
} Held;

static const Held NOTHING = {.body = -1, .body_of_row = -1};

LANE_INLINE void joint_load(const Velocity *velocity, Lanes4 *v, Lanes4 *w)
{
    const double *u = (const double *)velocity;
    *v = LOAD4(u);
    *w = __builtin_shufflevector(*v, __builtin_shufflevector(LOAD2(u + 4), LOAD2(u + 4), 0, 1, -1, -1), 2, 3, 4, 5);
}

LANE_INLINE void joint_gather(const JointRow *row, const Velocity *velocity, const Held *held, JointVelocity *V)
{
    joint_load(&velocity[row->body[1]], &V->v[1], &V->w[1]);
    if (row->body[0] == held->body) {
        V->v[0] = held->v;
        V->w[0] = held->w;
    } else {
        joint_load(&velocity[row->body[0]], &V->v[0], &V->w[0]);
    }
}

LANE_INLINE void joint_scatter(const JointRow *row, Velocity *velocity, const JointVelocity *V, Held *held)
{
    RowVelocity u;
    for (int k = 0; k < 2; k++) {
        u.a[k] = __builtin_shufflevector(V->v[k], V->w[k], 0, 1, 2, 5);
        u.b[k] = __builtin_shufflevector(V->w[k], V->w[k], 2, 3);
    }
    row_scatter(row->body, row->fixed, velocity, &u);
    *held = (Held){row->fixed & 2 ? -1 : row->body[1], -1, V->v[1], V->w[1]};
}

#define ALL_LANES(x, i) __builtin_shufflevector((x), (x), i, i, i, i)

/* T J V of all rows, each sum as in row_times_velocity. The second body's numbers come from memory, which has them long
 * before the first's are there. */
LANE_INLINE Lanes4 joint_rates(const JointRow *row, const Velocity *velocity, const JointVelocity *V)
{
    const double *p = row->TJ[0], *u = (const double *)&velocity[row->body[1]];
    Lanes4 v = V->v[0], w = V->w[0];
    Lanes4 a0 = LOAD4(p) * ALL_LANES(v, 0) - LOAD4(p) * u[0];
    Lanes4 a1 = LOAD4(p + 3) * ALL_LANES(v, 1) - LOAD4(p + 3) * u[1];
    Lanes4 a2 = LOAD4(p + 6) * ALL_LANES(v, 2) - LOAD4(p + 6) * u[2];
    Lanes4 a3 = LOAD4(p + 9) * ALL_LANES(w, 1) + LOAD4(p + 18) * u[3];
    Lanes4 b0 = LOAD4(p + 12) * ALL_LANES(w, 2) + LOAD4(p + 21) * u[4];
    Lanes4 b1 = LOAD4(p + 15) * ALL_LANES(w, 3) + LOAD4(p + 24) * u[5];
    return ((a0 + a2) + b0) + ((a1 + a3) + b1);
}

/* V -= M^-1 J^T e */
LANE_INLINE void joint_push(const JointRow *row, int count, bool is_ball, Lanes4 e, JointVelocity *V)
{
    const Lanes4 of[BLOCK_MAX_ROWS] = {ALL_LANES(e, 0), ALL_LANES(e, 1), ALL_LANES(e, 2)};
    const double *turn = row->turn[0], *linear = row->linear[0]; /* loads begin one number before their three */
    double m1 = row->inv_mass[0], m2 = row->inv_mass[1];
    if (is_ball) {
        V->v[0] += e * m1;
        V->v[1] -= e * m2;
    }
    for (int i = 0; i < count; i++) {
        if (!is_ball) {
            Lanes4 before = LOAD4(linear + 3 * i - 1), u = __builtin_shufflevector(before, before, 1, 2, 3, 3);
            V->v[0] -= of[i] * (m1 * u);
            V->v[1] += of[i] * (m2 * u);
        }
        V->w[0] -= of[i] * LOAD4(turn + 6 * i - 1);
        V->w[1] -= of[i] * LOAD4(turn + 6 * i + 2);
    }
}

/* dlambda = -T r = -(T J V + T bias + T s lambda), for a block without bounds */
LANE_INLINE void joint_solve(JointRow *row, const RowBlock *rb, int count, bool is_ball, Velocity *velocity, Held *held)
{
    JointVelocity V;
    joint_gather(row, velocity, held, &V);
    Lanes4 e = LOAD4(row->Tbias) + joint_rates(row, velocity, &V);
    if (__builtin_expect(row->is_soft, 0) && rb->forgets > 0.0)
        e += LOAD4(row->lambda) * rb->forgets;
    else if (__builtin_expect(row->is_soft, 0))
        for (int j = 0; j < count; j++) {
            Lanes4 T = {rb->T[0][j], count > 1 ? rb->T[1][j] : 0.0, count > 2 ? rb->T[2][j] : 0.0, 0.0};
            e += T * rb->soft[j] * row->lambda[j];
        }
    Lanes4 lambda = LOAD4(row->lambda);
    STORE4(row->lambda, __builtin_shufflevector(lambda - e, lambda, 0, 1, 2, 7)); /* what follows stays */
    joint_push(row, count, is_ball, e, &V);
    joint_scatter(row, velocity, &V, held);
}

LANE_INLINE void row_begin(const JointRow *row, const Velocity *velocity, const Held *held, RowVelocity *V)
{
    row_gather(row->body, velocity, V);
    if (row->body[0] == held->body_of_row) {
        V->a[0] = held->v;
        V->b[0] = __builtin_shufflevector(held->w, held->w, 0, 1);
    }
}

LANE_INLINE void row_end(const JointRow *row, Velocity *velocity, const RowVelocity *V, Held *held)
{
    row_scatter(row->body, row->fixed, velocity, V);
    *held = (Held){-1, row->fixed & 2 ? -1 : row->body[1], V->a[1],
                   __builtin_shufflevector(V->b[1], V->b[1], 0, 1, -1, -1)};
}

/* The same for a row that is alone. */
LANE_INLINE void row_solve(JointRow *row, const RowBlock *rb, Velocity *velocity, Held *held)
{
    const double *p = row->TJ[0];
    RowVelocity V;
    row_begin(row, velocity, held, &V);
    double d = -(row->Tbias[0] + packed_rate(p, &V));
    if (row->is_soft)
        d -= rb->T[0][0] * rb->soft[0] * row->lambda[0];
    row->lambda[0] += d;
    packed_push(row->inv_mass, p + ALONE_LINEAR, p + ALONE_TURN, d, &V);
    row_end(row, velocity, &V, held);
}

LANE_INLINE void block_solve(RowSystem *system, int b, Velocity *velocity, Held *held)
{
    JointRow *row = &system->joints[b];
    if (row->kind != ROWS_BILATERAL) {
        block_solve_bounded(&system->blocks[b], velocity, system->relaxation);
        held->body = held->body_of_row = -1;
    } else if (row->is_ball) {
        joint_solve(row, &system->blocks[b], 3, true, velocity, held);
    } else if (row->count == 3) {
        joint_solve(row, &system->blocks[b], 3, false, velocity, held);
    } else if (row->count == 2) {
        joint_solve(row, &system->blocks[b], 2, false, velocity, held);
    } else {
        row_solve(row, &system->blocks[b], velocity, held);
    }
}

void LANE_BODY(joint_row_solve)(RowSystem *system, int b, Velocity *velocity)
{
    Held held = NOTHING;
    block_solve(system, b, velocity, &held);
}

int LANE_BODY(joint_rows_sweep)(RowSystem *system, const int *blocks, int from, int to, Velocity *velocity)
{
    JointRow *joints = system->joints;
    int rows = 0;
    Held held = NOTHING;
    for (int k = from; k < to; k++) {
        int b = blocks ? blocks[k] : k, of_joint = joints[b].count;
        if (of_joint > 0)
            block_solve(system, b, velocity, &held);
        rows += of_joint;
    }
    return rows;
}

LANE_INLINE void joint_apply(const RowSystem *system, int b, Velocity *velocity, Held *held)
{
    const JointRow *row = &system->joints[b];
    if (row->count == 0)
        return;
    if (row->kind != ROWS_BILATERAL) {
        block_push(&system->blocks[b], row->lambda, velocity);
        held->body = held->body_of_row = -1;
    } else if (row->count == 1) {
        const double *p = row->TJ[0];
        RowVelocity V;
        row_begin(row, velocity, held, &V);
        packed_push(row->inv_mass, p + ALONE_LINEAR, p + ALONE_TURN, row->lambda[0], &V);
        row_end(row, velocity, &V, held);
    } else {
        JointVelocity V;
        Lanes4 lambda = LOAD4(row->lambda);
        joint_gather(row, velocity, held, &V);
        if (row->is_ball)
            joint_push(row, 3, true, -lambda, &V);
        else
            joint_push(row, row->count, false, -lambda, &V);
        joint_scatter(row, velocity, &V, held);
    }
}

void LANE_BODY(joint_rows_apply)(const RowSystem *system, const int *blocks, int from, int to, Velocity *velocity)
{
    Held held = NOTHING;
    for (int k = from; k < to; k++)
        joint_apply(system, blocks ? blocks[k] : k, velocity, &held);
}
