/* SPDX-License-Identifier: MIT */
/* A block's rows at the poses of a substep's beginning, with what their impulses lambda (N s) do to its bodies:
 *     J V + bias + s lambda = 0,    V <- V + B dlambda,    B = M^-1 J^T,    A = J B + s,    s = alpha/h^2. */
#ifndef RIGOR_MODEL_ROWS_PREPARED_ROWS_H
#define RIGOR_MODEL_ROWS_PREPARED_ROWS_H

#include "model/rows/row_apply.h"

typedef struct PreparedRows {
    Rows rows;
    double B[BLOCK_MAX_ROWS][ROW_WIDTH];
    double s;                      /* 1/kg */
    Mat3 A, inverse;               /* of A; rows that are missing are those of the unit matrix */
    double step[BLOCK_MAX_ROWS];   /* 1 / A_ii; as the inverse zero where neither body moves */
    double bias[BLOCK_MAX_ROWS];   /* m/s */
    double lambda[BLOCK_MAX_ROWS]; /* zero at first */
    double bounce;                 /* m/s, of a contact that was hit: e times the approach; zero at first */
} PreparedRows;

/* A servo of bounded force: it cannot be put into place, so its error becomes a speed, as far as its force reaches. (A
 * motor has its speed already.) */
static inline bool block_is_weak_servo(const Block *block)
{
    const JointTerms *terms = block_terms(block);
    return terms->actuator && !terms->driven && !isinf(terms->max_force);
}

/* A limit that is not reached yet. */
static inline bool rows_is_gap(const Rows *rows, int i)
{
    return (rows->lower[i] == 0.0 && rows->C[i] > 0.0) || (rows->upper[i] == 0.0 && rows->C[i] < 0.0);
}

/* Whether no row has a bound: the block can be solved as a whole. */
static inline bool rows_are_free(const Rows *rows)
{
    for (int i = 0; i < rows->count; i++)
        if (!isinf(rows->lower[i]) || !isinf(rows->upper[i]))
            return false;
    return true;
}

/* The inverse of a block's A by elimination: not negative, so the diagonal will do as pivots. By cofactors a long thin
 * body would lose digits, as many as its A is uneven. */
static inline Mat3 rows_invert(Mat3 A)
{
    Mat3 T = mat3_diagonal(vec3(1, 1, 1));
    for (int p = 0; p < BLOCK_MAX_ROWS; p++) {
        double scale = 1.0 / A.m[p][p];
        for (int j = 0; j < BLOCK_MAX_ROWS; j++) {
            A.m[p][j] *= scale;
            T.m[p][j] *= scale;
        }
        for (int i = 0; i < BLOCK_MAX_ROWS; i++) {
            double factor = A.m[i][p];
            for (int j = 0; i != p && j < BLOCK_MAX_ROWS; j++) {
                A.m[i][j] -= factor * A.m[p][j];
                T.m[i][j] -= factor * T.m[p][j];
            }
        }
    }
    return T;
}

/* Of the error of a rigid row `rate` (1/s) times C becomes a speed; a gap that is open and a spring always have C/h. */
static inline void rows_prepare(const World *world, const Block *block, double h, double rate, PreparedRows *p)
{
    double alpha = block_terms(block)->compliance;
    *p = (PreparedRows){.s = alpha / (h * h), .A = mat3_diagonal(vec3(1, 1, 1))};
    block_rows(world, block, &p->rows);
    for (int i = 0; i < p->rows.count; i++) {
        row_times_inverse_mass(world, block, p->rows.J[i], p->B[i]);
        for (int j = 0; j <= i; j++)
            p->A.m[i][j] = p->A.m[j][i] = row_coupling(p->rows.J[i], p->B[j]);
        p->A.m[i][i] += p->s;
        p->step[i] = p->A.m[i][i] > 0.0 ? 1.0 / p->A.m[i][i] : 0.0;
        p->bias[i] = (rows_is_gap(&p->rows, i) || alpha > 0.0 ? 1.0 / h : rate) * p->rows.C[i] - p->rows.velocity[i];
    }
    if (p->rows.count > 0 && p->step[0] > 0.0)
        p->inverse = rows_invert(p->A);
}

/* J V + bias + s lambda of row i */
static inline double rows_residual(const PreparedRows *p, const Block *block, const Velocity *V, int i)
{
    return row_rate(p->rows.J[i], block, V) + p->bias[i] + p->s * p->lambda[i];
}

/* A^-1 (J V + bias + s lambda) of the block as a whole; rows that have bounds each by its own A_ii. */
static inline Vec3 rows_solve(const PreparedRows *p, const Block *block, const Velocity *V)
{
    double r[BLOCK_MAX_ROWS] = {0};
    for (int i = 0; i < p->rows.count; i++)
        r[i] = rows_residual(p, block, V, i);
    if (rows_are_free(&p->rows))
        return mat3_mul_vec(p->inverse, vec3(r[0], r[1], r[2]));
    return vec3(p->step[0] * r[0], p->step[1] * r[1], p->step[2] * r[2]);
}

/* Length scales or radians a second; a limit or a contact that parts more slowly touches: round-off must not decide
 * which constraints act. */
#define ROWS_TOUCHING 1e-9

/* Whether the block acts on its bodies: it has something to solve at velocities V, or has pushed already. A limit or a
 * gap that does not close has nothing; friction is part of its contact. */
static inline bool rows_act(const PreparedRows *p, const World *world, const Block *block, const Velocity *V)
{
    bool below = !isinf(p->rows.lower[0]), above = !isinf(p->rows.upper[0]);
    if (p->rows.count == 0 || block->kind == BLOCK_FRICTION || block->kind == BLOCK_TORSION)
        return false;
    double touching = ROWS_TOUCHING * world->length_scale / block_metres(world, block->kind);
    return below == above || p->lambda[0] != 0.0 || (below ? 1.0 : -1.0) * rows_residual(p, block, V, 0) < touching;
}

/* lambda of row i within its bounds, by which a row that may only push, or only pull, never takes back what it gave. */
static inline double rows_onward(const PreparedRows *p, int i, double h, double lambda)
{
    double lower = h * p->rows.lower[i], upper = h * p->rows.upper[i];
    bool pushes = isinf(upper) && !isinf(lower), pulls = isinf(lower) && !isinf(upper);
    return clamp(lambda, pushes ? p->lambda[i] : lower, pulls ? p->lambda[i] : upper);
}

#endif
