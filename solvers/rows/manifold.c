#include "solvers/rows/manifold.h"

int manifold_count(const World *world, int b)
{
    const Block *first = &world->blocks[b];
    int count = 1;
    for (int k = b + 2; count < MANIFOLD_MAX && k < world->block_count; k += 2, count++) {
        const Block *next = &world->blocks[k];
        if (next->kind != BLOCK_CONTACT || next->body[0] != first->body[0] || next->body[1] != first->body[1])
            break;
    }
    return count;
}

static inline __attribute__((always_inline)) void invert(int count, ManifoldMatrix A, ManifoldMatrix inverse)
{
    static const double DEPENDENT = 1e-6; /* relative to the diagonal */
    for (int i = 0; i < count; i++) {
        A[i][i] *= 1.0 + DEPENDENT;
        for (int j = 0; j < count; j++)
            inverse[i][j] = i == j;
    }
    for (int p = 0; p < count; p++) {
        double scale = 1.0 / A[p][p];
        for (int j = 0; j < count; j++) {
            A[p][j] *= scale;
            inverse[p][j] *= scale;
        }
        for (int i = 0; i < count; i++) {
            double factor = A[i][p];
            for (int j = 0; i != p && j < count; j++) {
                A[i][j] -= factor * A[p][j];
                inverse[i][j] -= factor * inverse[p][j];
            }
        }
    }
}

void manifold_invert(int count, ManifoldMatrix A, ManifoldMatrix inverse)
{
    if (count == MANIFOLD_MAX)
        invert(MANIFOLD_MAX, A, inverse); /* a face: the compiler knows its length */
    else
        invert(count, A, inverse);
}
