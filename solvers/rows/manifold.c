#include "solvers/rows/manifold.h"

#include "solvers/linear/small.h"

bool manifold_invert(int count, ManifoldMatrix A, ManifoldMatrix inverse)
{
    static const double SOFTENED = 1e-6; /* relative to the diagonal */
    for (int i = 0; i < count; i++)
        A[i][i] *= 1.0 + SOFTENED;
    if (count == MANIFOLD_MAX) /* a face: the compiler knows its length */
        return small_invert(MANIFOLD_MAX, MANIFOLD_MAX, A[0], inverse[0]);
    return small_invert(count, MANIFOLD_MAX, A[0], inverse[0]);
}
