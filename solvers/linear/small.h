/* Systems of a few rows, by elimination with the diagonal as pivots: enough for J M^-1 J^T of one block or one
 * manifold, which is symmetric and not negative. Row i begins at A + i stride. Inlined, so that the compiler knows a
 * caller's constants. */
#ifndef RIGOR_SOLVERS_LINEAR_SMALL_H
#define RIGOR_SOLVERS_LINEAR_SMALL_H

#include <stdbool.h>

#define SMALL_INLINE static inline __attribute__((always_inline))

enum { SMALL_MAX = 8 };

/* Below this share of its diagonal a pivot is round-off: the rows are not independent. */
#define SMALL_DEPENDENT 1e-12

/* The inverse by Gauss-Jordan; A is overwritten. False if a pivot is lost. */
SMALL_INLINE bool small_invert(int count, int stride, double *A, double *inverse)
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
SMALL_INLINE bool small_invert_triangle(int count, int stride, const double *A, double *inverse)
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
SMALL_INLINE void small_solve(int count, int stride, double *A, double *x)
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

/* The same for a symmetric A by L D L^T, which takes half the work; only its lower triangle is read. */
SMALL_INLINE void small_solve_symmetric(int count, int stride, double *A, double *x)
{
    double scale[SMALL_MAX]; /* 1 / D; column p of A becomes D_p L_ip */
    for (int p = 0; p < count; p++) {
        scale[p] = 1.0 / A[p * stride + p];
        for (int i = p + 1; i < count; i++) {
            double factor = A[i * stride + p] * scale[p];
            for (int j = p + 1; j <= i; j++)
                A[i * stride + j] -= factor * A[j * stride + p];
            x[i] -= factor * x[p];
        }
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int j = i + 1; j < count; j++)
            x[i] -= A[j * stride + i] * x[j];
        x[i] *= scale[i];
    }
}

#endif
