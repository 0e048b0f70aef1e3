/* SPDX-License-Identifier: MIT */
/* The inner loops of the velocity-level sweeps, to be inlined into them. */
#ifndef RIGOR_SOLVERS_ROWS_ROW_KERNEL_H
#define RIGOR_SOLVERS_ROWS_ROW_KERNEL_H

#include "model/lanes.h"
#include "solvers/rows/rows.h"

#define LOAD4(p) (*(const Lanes4 *)(p))
#define LOAD2(p) (*(const Lanes2 *)(p))
#define STORE4(p, x) (*(Lanes4 *)(p) = (x))
#define STORE2(p, x) (*(Lanes2 *)(p) = (x))

/* The velocities that a block's rows act on, in registers. A body's six numbers are loaded and stored as four and two,
 * always at the same places: the next block that needs them finds them in the store buffer. */
typedef struct RowVelocity {
    Lanes4 a[2];
    Lanes2 b[2];
} RowVelocity;

LANE_INLINE void row_gather(const int body[2], const Velocity *velocity, RowVelocity *V)
{
    for (int k = 0; k < 2; k++) {
        const double *u = (const double *)&velocity[body[k]];
        V->a[k] = LOAD4(u);
        V->b[k] = LOAD2(u + 4);
    }
}

LANE_INLINE void row_store(int body, int k, Velocity *velocity, const RowVelocity *V)
{
    double *u = (double *)&velocity[body];
    STORE4(u, V->a[k]);
    STORE2(u + 4, V->b[k]);
}

/* The bits of those that have no inverse mass. They stand beside the bodies' numbers: a sweep knows early where it will
 * write, and the next row's loads need not wait for it. */
static inline unsigned char rows_fixed(const double inv_mass[2])
{
    return (unsigned char)((inv_mass[0] == 0.0) | (inv_mass[1] == 0.0) << 1);
}

/* A fixed body (bit k of `fixed`) is never written: rows that share it may be solved at once. What it would get goes
 * nowhere; a store that is made or not would let the compiler put off all that leads to it. */
LANE_INLINE void row_scatter(const int body[2], unsigned fixed, Velocity *velocity, const RowVelocity *V)
{
    Velocity nowhere[2];
    for (int k = 0; k < 2; k++)
        row_store(0, k, fixed >> k & 1 ? &nowhere[k] : &velocity[body[k]], V);
}

/* The two halves of a rate, (a0 + a2) + b0 and (a1 + a3) + b1: every rate is summed in this order. */
LANE_INLINE Lanes2 row_halves(Lanes4 a, Lanes2 b)
{
    return (__builtin_shufflevector(a, a, 0, 1) + __builtin_shufflevector(a, a, 2, 3)) + b;
}

LANE_INLINE double row_times_velocity(const double *J, const RowVelocity *V)
{
    Lanes4 a = LOAD4(J) * V->a[0] + LOAD4(J + 6) * V->a[1];
    Lanes2 b = LOAD2(J + 4) * V->b[0] + LOAD2(J + 10) * V->b[1];
    Lanes2 halves = row_halves(a, b);
    return halves[0] + halves[1];
}

/* V += B_i d_i */
LANE_INLINE void row_push(const RowBlock *rb, int count, const double d[], RowVelocity *V)
{
    for (int i = 0; i < count; i++) {
        const double *B = rb->B[i];
        Lanes4 d4 = {d[i], d[i], d[i], d[i]};
        Lanes2 d2 = {d[i], d[i]};
        V->a[0] += d4 * LOAD4(B);
        V->b[0] += d2 * LOAD2(B + 4);
        V->a[1] += d4 * LOAD4(B + 6);
        V->b[1] += d2 * LOAD2(B + 10);
    }
}

/* The same for a volume's one row over four particles. */
static inline double four_rate(const RowBlock *rb, const Velocity *velocity)
{
    double r = 0.0;
    for (int k = 0; k < 4; k++) {
        const double *J = rb->J[0] + 3 * k;
        r += vec3_dot(vec3(J[0], J[1], J[2]), velocity[rb->body[k]].v);
    }
    return r;
}

static inline void four_push(const RowBlock *rb, double d, Velocity *velocity)
{
    for (int k = 0; k < 4; k++) {
        if (rb->fixed[k])
            continue;
        const double *B = rb->B[0] + 3 * k;
        Vec3 *v = &velocity[rb->body[k]].v;
        *v = vec3_add_scaled(*v, d, vec3(B[0], B[1], B[2]));
    }
}

LANE_INLINE void block_rates(const RowBlock *rb, const Velocity *velocity, double r[])
{
    RowVelocity V;
    if (rb->kind == ROWS_FOUR) {
        r[0] = four_rate(rb, velocity);
        return;
    }
    row_gather(rb->body, velocity, &V);
    for (int i = 0; i < rb->count; i++)
        r[i] = row_times_velocity(rb->J[i], &V);
}

/* r_i = J_i V + bias_i + s_i lambda_i */
LANE_INLINE void block_residuals(const RowBlock *rb, const Velocity *velocity, double r[])
{
    block_rates(rb, velocity, r);
    for (int i = 0; i < rb->count; i++)
        r[i] += rb->bias[i] + rb->soft[i] * rb->lambda[i];
}

LANE_INLINE void block_push(const RowBlock *rb, const double d[], Velocity *velocity)
{
    RowVelocity V;
    if (rb->kind == ROWS_FOUR) {
        four_push(rb, d[0], velocity);
        return;
    }
    row_gather(rb->body, velocity, &V);
    row_push(rb, rb->count, d, &V);
    for (int k = 0; k < 2; k++)
        if (!rb->fixed[k])
            row_store(rb->body[k], k, velocity, &V);
}

/* lambda + step towards r = 0, within its bounds; returns the change. */
LANE_INLINE double row_change(RowBlock *rb, int i, double r, double relaxation)
{
    double next = clamp(rb->lambda[i] - relaxation * rb->step[i] * r, rb->lower[i], rb->upper[i]);
    double d = next - rb->lambda[i];
    rb->lambda[i] = next;
    return d;
}

/* dlambda_i = -relaxation r_i / A_ii, clamped; r_j += A_ji dlambda_i for the rows after it. */
LANE_INLINE void block_solve_bounded(RowBlock *rb, Velocity *velocity, double relaxation)
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

#endif
