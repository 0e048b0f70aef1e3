#include "solvers/rows/manifold.h"

#include "solvers/linear/small.h"
#include "solvers/rows/row_kernel.h"

static void manifold_soften(int count, ManifoldMatrix A)
{
    for (int i = 0; i < count; i++)
        A[i][i] *= 1.0 + MANIFOLD_SOFTENED;
}

/* Gauss-Jordan as small_invert has it, a row of four at a time: rows and columns without a point are those of the unit
 * matrix. */
WIDE_VERSIONS bool manifold_invert(int count, ManifoldMatrix A, ManifoldMatrix inverse)
{
    Double4 row[MANIFOLD_MAX], unit[MANIFOLD_MAX];
    double diagonal[MANIFOLD_MAX];
    bool regular = true;
    if (count < MANIFOLD_MAX)
        manifold_soften(count, A);
    for (int i = 0; i < MANIFOLD_MAX && count < MANIFOLD_MAX; i++)
        for (int j = 0; j < MANIFOLD_MAX; j++)
            A[i][j] = i < count && j < count ? A[i][j] : i == j;
    for (int i = 0; i < MANIFOLD_MAX; i++) {
        unit[i] = (Double4){i == 0, i == 1, i == 2, i == 3};
        row[i] = LOAD4(A[i]);
        if (count == MANIFOLD_MAX) /* softened here: a number stored by itself would hold the load of its row up */
            row[i] *= 1.0 + MANIFOLD_SOFTENED * unit[i];
        diagonal[i] = row[i][i];
    }
    for (int p = 0; p < MANIFOLD_MAX && regular; p++) {
        regular = row[p][p] > SMALL_DEPENDENT * diagonal[p];
        double scale = regular ? 1.0 / row[p][p] : 1.0;
        row[p] *= scale;
        unit[p] *= scale;
        for (int i = 0; i < MANIFOLD_MAX && regular; i++) {
            double factor = row[i][p];
            if (i == p)
                continue;
            row[i] -= factor * row[p];
            unit[i] -= factor * unit[p];
        }
    }
    for (int i = 0; i < MANIFOLD_MAX; i++)
        STORE4(inverse[i], unit[i]);
    return regular;
}

void manifold_solve(int count, ManifoldMatrix A, double x[MANIFOLD_MAX])
{
    manifold_soften(count, A);
    if (count == MANIFOLD_MAX)
        small_solve_symmetric(MANIFOLD_MAX, MANIFOLD_MAX, A[0], x);
    else
        small_solve_symmetric(count, MANIFOLD_MAX, A[0], x);
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
    if (!manifold_invert(size, A, inverse))
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
