/* SPDX-License-Identifier: MIT */
#include "solvers/contact/manifold.h"

#include "solvers/linear/small.h"

static void manifold_soften(int count, ManifoldMatrix A)
{
    for (int i = 0; i < count; i++)
        A[i][i] *= 1.0 + MANIFOLD_SOFTENED;
}

/* The set's points are stopped, those outside let go. */
static bool manifold_try(int count, const ManifoldMatrix K, const double *lambda, const double *r, unsigned set,
                         double x[MANIFOLD_MAX])
{
    ManifoldMatrix A, inverse;
    double left[MANIFOLD_MAX];
    int in[MANIFOLD_MAX], size = 0;
    for (int i = 0; i < count; i++) {
        x[i] = set >> i & 1u ? lambda[i] : 0.0;
        left[i] = r[i];
        for (int j = 0; j < count; j++)
            left[i] -= set >> j & 1u ? 0.0 : K[i][j] * lambda[j];
        if (set >> i & 1u)
            in[size++] = i;
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            A[i][j] = K[in[i]][in[j]];
    manifold_soften(size, A);
    if (!small_invert(size, MANIFOLD_MAX, A[0], inverse[0]))
        return false;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            x[in[i]] -= inverse[i][j] * left[in[j]];
    for (int i = 0; i < count; i++) {
        double rate = r[i];
        for (int j = 0; j < count; j++)
            rate += K[i][j] * (x[j] - lambda[j]);
        if (x[i] < 0.0 || (!(set >> i & 1u) && rate < 0.0))
            return false;
    }
    return true;
}

bool manifold_enumerate(int count, const ManifoldMatrix K, const double *lambda, const double *r,
                        double x[MANIFOLD_MAX])
{
    for (unsigned set = 1u << count; set-- > 0;)
        if (manifold_try(count, K, lambda, r, set, x))
            return true;
    return false;
}
