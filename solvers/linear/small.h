/* SPDX-License-Identifier: MIT */
/* Systems of a few rows, by elimination with the diagonal as pivots: enough for J M^-1 J^T of one block or one
 * manifold, which is symmetric and not negative; small_divide takes any matrix. Row i begins at A + i stride. Inlined,
 * so that the compiler knows a caller's constants. */
#ifndef RIGOR_SOLVERS_LINEAR_SMALL_H
#define RIGOR_SOLVERS_LINEAR_SMALL_H

#include "model/lanes.h"

enum { SMALL_MAX = 8 };

/* Below this share of its diagonal a pivot is round-off: the rows are not independent. */
#define SMALL_DEPENDENT 1e-12

/* The inverse by Gauss-Jordan; A is overwritten. False if a pivot is lost. */
LANE_INLINE bool small_invert(int count, int stride, double *A, double *inverse)
{
    double diagonal[SMALL_MAX];
    for (int i = 0; i < count; i++) {
        diagonal[i] = A[i * stride + i];
        for (int j = 0; j < count; j++)
            inverse[i * stride + j] = i == j;
    }
    for (int p = 0; p < count; p++) {
        double *pivot = A + p * stride, *unit = inverse + p * stride;
        if (!(pivot[p] > SMALL_DEPENDENT * diagonal[p]))
            return false;
        double scale = 1.0 / pivot[p];
        for (int j = 0; j < count; j++) {
            pivot[j] *= scale;
            unit[j] *= scale;
        }
        for (int i = 0; i < count; i++) {
            double factor = A[i * stride + p];
            for (int j = 0; i != p && j < count; j++) {
                A[i * stride + j] -= factor * pivot[j];
                inverse[i * stride + j] -= factor * unit[j];
            }
        }
    }
    return true;
}

/* The inverse of the lower triangle of A, above which it writes zeros. False if a diagonal is not positive. */
LANE_INLINE bool small_invert_triangle(int count, int stride, const double *A, double *inverse)
{
    for (int i = 0; i < count; i++) {
        const double *row = A + i * stride;
        if (!(row[i] > 0.0))
            return false;
        double scale = 1.0 / row[i];
        for (int j = 0; j < count; j++) {
            double sum = i == j;
            for (int k = j; k < i; k++)
                sum -= row[k] * inverse[k * stride + j];
            inverse[i * stride + j] = j <= i ? sum * scale : 0.0;
        }
    }
    return true;
}

/* A x = b, x in place of b; A is overwritten and must be regular. */
LANE_INLINE void small_solve(int count, int stride, double *A, double *x)
{
    for (int p = 0; p < count; p++)
        for (int i = p + 1; i < count; i++) {
            double factor = A[i * stride + p] / A[p * stride + p];
            for (int j = p; j < count; j++)
                A[i * stride + j] -= factor * A[p * stride + j];
            x[i] -= factor * x[p];
        }
    for (int i = count - 1; i >= 0; i--) {
        for (int j = i + 1; j < count; j++)
            x[i] -= A[i * stride + j] * x[j];
        x[i] /= A[i * stride + i];
    }
}

/* The same for a symmetric A by L D L^T, which takes half the work; only its lower triangle is read. `Number` may be
 * several doubles side by side, a system each. */
#define SMALL_SOLVE_SYMMETRIC(name, Number)                                                                            \
    LANE_INLINE void name(int count, int stride, Number *A, Number *x)                                                 \
    {                                                                                                                  \
        Number scale[SMALL_MAX]; /* 1 / D; column p of A becomes D_p L_ip */                                           \
        for (int p = 0; p < count; p++) {                                                                              \
            scale[p] = 1.0 / A[p * stride + p];                                                                        \
            for (int i = p + 1; i < count; i++) {                                                                      \
                Number factor = A[i * stride + p] * scale[p];                                                          \
                for (int j = p + 1; j <= i; j++)                                                                       \
                    A[i * stride + j] -= factor * A[j * stride + p];                                                   \
                x[i] -= factor * x[p];                                                                                 \
            }                                                                                                          \
        }                                                                                                              \
        for (int i = count - 1; i >= 0; i--) {                                                                         \
            for (int j = i + 1; j < count; j++)                                                                        \
                x[i] -= A[j * stride + i] * x[j];                                                                      \
            x[i] *= scale[i];                                                                                          \
        }                                                                                                              \
    }

SMALL_SOLVE_SYMMETRIC(small_solve_symmetric, double)

LANE_INLINE void small_swap_rows(int count, int stride, double *A, int one, int two)
{
    for (int j = 0; j < count; j++) {
        double swap = A[one * stride + j];
        A[one * stride + j] = A[two * stride + j];
        A[two * stride + j] = swap;
    }
}

/* Q <- P^-1 Q, f <- P^-1 f, for any P: the largest of a column is its pivot, and one that is zero counts as one. P is
 * overwritten. */
LANE_INLINE void small_divide(int count, int stride, double *P, double *Q, double *f)
{
    for (int p = 0; p < count; p++) {
        int best = p;
        for (int i = p + 1; i < count; i++)
            if (fabs(P[i * stride + p]) > fabs(P[best * stride + p]))
                best = i;
        if (best != p) {
            small_swap_rows(count, stride, P, p, best);
            small_swap_rows(count, stride, Q, p, best);
            small_swap_rows(1, 1, f, p, best);
        }
        double pivot = P[p * stride + p] != 0.0 ? P[p * stride + p] : 1.0;
        for (int i = 0; i < count; i++) {
            double factor = i == p ? 0.0 : P[i * stride + p] / pivot;
            for (int j = 0; factor != 0.0 && j < count; j++) {
                P[i * stride + j] -= factor * P[p * stride + j];
                Q[i * stride + j] -= factor * Q[p * stride + j];
            }
            f[i] -= factor * f[p];
        }
    }
    for (int i = 0; i < count; i++) {
        double pivot = P[i * stride + i] != 0.0 ? P[i * stride + i] : 1.0;
        f[i] /= pivot;
        for (int j = 0; j < count; j++)
            Q[i * stride + j] /= pivot;
    }
}

#endif
