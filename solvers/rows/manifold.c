#include "solvers/rows/manifold.h"

#include "solvers/linear/small.h"

static void manifold_soften(int count, ManifoldMatrix A)
{
    static const double SOFTENED = 1e-6; /* relative to the diagonal */
    for (int i = 0; i < count; i++)
        A[i][i] *= 1.0 + SOFTENED;
}

bool manifold_invert(int count, ManifoldMatrix A, ManifoldMatrix inverse)
{
    manifold_soften(count, A);
    if (count == MANIFOLD_MAX) /* a face: the compiler knows its length */
        return small_invert(MANIFOLD_MAX, MANIFOLD_MAX, A[0], inverse[0]);
    return small_invert(count, MANIFOLD_MAX, A[0], inverse[0]);
}

void manifold_solve(int count, ManifoldMatrix A, double x[MANIFOLD_MAX])
{
    manifold_soften(count, A);
    if (count == MANIFOLD_MAX)
        small_solve_symmetric(MANIFOLD_MAX, MANIFOLD_MAX, A[0], x);
    else
        small_solve_symmetric(count, MANIFOLD_MAX, A[0], x);
}
