/* Numbers of four rows side by side, a lane each, and what a sweep does with them. As in row_packed.h nine numbers p
 * hold a row, J = (p[0..2], p[3..5], -p[0..2], p[6..8]); every sum runs as there. */
#ifndef RIGOR_SOLVERS_ROWS_QUAD_LANES_H
#define RIGOR_SOLVERS_ROWS_QUAD_LANES_H

#include "solvers/rows/quad.h"
#include "solvers/rows/row_kernel.h"

typedef long long Mask4 __attribute__((vector_size(32), aligned(8), may_alias));

/* What ContactRow has from lambda on, number by number. */
typedef struct PointLanes {
    Double4 lambda[BLOCK_MAX_ROWS], bias, soft, A, step, coupling[2], bound, slide_step, tangent[3], inv_mass[2];
    Double4 row[BLOCK_MAX_ROWS][CONTACT_ROW_WIDTH];
} PointLanes;

/* RowSystem's inverses: columns of w (J B)^-1. */
typedef struct InverseLanes {
    Double4 column[MANIFOLD_MAX][MANIFOLD_MAX];
} InverseLanes;

/* Of the first and the second bodies: v, w. */
typedef struct QuadVelocity {
    Double4 u[2][6];
} QuadVelocity;

/* Four lanes, as four numbers at each p. */
static ALWAYS_INLINE void lanes_store(double *const p[QUAD], const Double4 x[QUAD])
{
    Double4 turned[QUAD] = {x[0], x[1], x[2], x[3]};
    wide_turn(turned);
    for (int i = 0; i < QUAD; i++)
        STORE4(p[i], turned[i]);
}

/* The rows at `at`, of which there are up to four, from their lanes. */
static ALWAYS_INLINE void points_store(const PointLanes *lanes, ContactRow *rows, const int at[QUAD], int count)
{
    enum { NUMBERS = sizeof(PointLanes) / sizeof(Double4) };
    ContactRow nowhere;
    double *p[QUAD];
    for (int i = 0; i < QUAD; i++)
        p[i] = (i < count ? &rows[at[i]] : &nowhere)->lambda;
#pragma GCC unroll 16
    for (int c = 0; c < NUMBERS; c += QUAD) {
        int from = c < NUMBERS - QUAD ? c : NUMBERS - QUAD;
        lanes_store((double *[]){p[0] + from, p[1] + from, p[2] + from, p[3] + from}, (const Double4 *)lanes + from);
    }
}

/* A body's six numbers are loaded and stored as four and two, as in row_gather. */
static ALWAYS_INLINE void quad_gather(const QuadUnits *units, const Velocity *velocity, QuadVelocity *V)
{
    for (int k = 0; k < 2; k++) {
        Double2 last[QUAD];
        for (int i = 0; i < QUAD; i++) {
            const double *u = (const double *)&velocity[units->body[k][i]];
            V->u[k][i] = LOAD4(u);
            last[i] = LOAD2(u + 4);
        }
        wide_turn(V->u[k]);
        Double4 one = __builtin_shufflevector(last[0], last[2], 0, 1, 2, 3);
        Double4 two = __builtin_shufflevector(last[1], last[3], 0, 1, 2, 3);
        V->u[k][4] = __builtin_shufflevector(one, two, 0, 4, 2, 6);
        V->u[k][5] = __builtin_shufflevector(one, two, 1, 5, 3, 7);
    }
}

/* The other way round, to each lane's `to`. */
static ALWAYS_INLINE void quad_write(const Double4 u[6], Velocity *const to[QUAD])
{
    Double4 first[QUAD] = {u[0], u[1], u[2], u[3]};
    Double4 one = __builtin_shufflevector(u[4], u[5], 0, 4, 2, 6),
            two = __builtin_shufflevector(u[4], u[5], 1, 5, 3, 7);
    wide_turn(first);
    for (int i = 0; i < QUAD; i++)
        STORE4((double *)to[i], first[i]);
    STORE2((double *)to[0] + 4, __builtin_shufflevector(one, one, 0, 1));
    STORE2((double *)to[1] + 4, __builtin_shufflevector(two, two, 0, 1));
    STORE2((double *)to[2] + 4, __builtin_shufflevector(one, one, 2, 3));
    STORE2((double *)to[3] + 4, __builtin_shufflevector(two, two, 2, 3));
}

/* Fixed bodies, which units may share, are not written. */
static ALWAYS_INLINE void quad_scatter(const QuadUnits *units, const Double4 inv_mass[2], Velocity *velocity,
                                       const QuadVelocity *V)
{
    for (int k = 0; k < 2; k++) {
        Velocity nowhere[QUAD], *to[QUAD];
        for (int i = 0; i < QUAD; i++)
            to[i] = &velocity[units->body[k][i]];
        for (int i = 0; i < QUAD && units->has_fixed; i++)
            to[i] = inv_mass[k][i] != 0.0 ? to[i] : &nowhere[i];
        quad_write(V->u[k], to);
    }
}

/* J V of each lane's row. */
static ALWAYS_INLINE Double4 quad_rate(const Double4 *p, const QuadVelocity *V)
{
    const Double4 *v1 = V->u[0], *v2 = V->u[1], *w1 = v1 + 3, *w2 = v2 + 3;
    Double4 a0 = p[0] * v1[0] - p[0] * v2[0], a1 = p[1] * v1[1] - p[1] * v2[1], a2 = p[2] * v1[2] - p[2] * v2[2];
    Double4 a3 = p[3] * w1[0] + p[6] * w2[0], b0 = p[4] * w1[1] + p[7] * w2[1], b1 = p[5] * w1[2] + p[8] * w2[2];
    return ((a0 + a2) + b0) + ((a1 + a3) + b1);
}

/* V += M^-1 J^T d: `linear` is p, `turn` the six numbers I^-1 times its angular parts. */
static ALWAYS_INLINE void quad_push(const Double4 inv_mass[2], const Double4 *linear, const Double4 *turn, Double4 d,
                                    QuadVelocity *V)
{
    for (int i = 0; i < 3; i++) {
        V->u[0][i] += d * (inv_mass[0] * linear[i]);
        V->u[0][3 + i] += d * turn[i];
        V->u[1][i] -= d * (inv_mass[1] * linear[i]);
        V->u[1][3 + i] += d * turn[3 + i];
    }
}

/* Whether a lane of a comparison is true, or all are. */
static ALWAYS_INLINE bool any_lane(Mask4 mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

static ALWAYS_INLINE bool all_lanes(Mask4 mask)
{
    return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
}

/* mask ? x : y, lane by lane */
static ALWAYS_INLINE Double4 choose_lanes(Mask4 mask, Double4 x, Double4 y)
{
    return (Double4)(((Mask4)x & mask) | ((Mask4)y & ~mask));
}

/* Takes back what happened to the lanes of the mask. */
static ALWAYS_INLINE void quad_restore(Mask4 mask, const QuadVelocity *before, QuadVelocity *V)
{
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 6; c++)
            V->u[k][c] = choose_lanes(mask, before->u[k][c], V->u[k][c]);
}

#endif
