/* SPDX-License-Identifier: MIT */
#include "bench/problems/parts.h"

#include <stdlib.h>

bool triplets_add(Triplets *matrix, int row, int column, double x)
{
    if (matrix->count == matrix->capacity) {
        long capacity = matrix->capacity > 0 ? 2 * matrix->capacity : 64;
        ConeEntry *grown = realloc(matrix->list, sizeof *grown * (size_t)capacity);
        if (!grown)
            return false;
        matrix->list = grown;
        matrix->capacity = capacity;
    }
    matrix->list[matrix->count++] = (ConeEntry){row, column, x};
    return true;
}

void triplets_free(Triplets *matrix)
{
    free(matrix->list);
    *matrix = (Triplets){0};
}

void problem_parts_free(ProblemParts *parts)
{
    Triplets *matrices[] = {&parts->W, &parts->V, &parts->R, &parts->M, &parts->H, &parts->G};
    double *vectors[] = {parts->q, parts->s, parts->f, parts->w, parts->b, parts->mu, parts->kinds};
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++)
        triplets_free(matrices[i]);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        free(vectors[i]);
    *parts = (ProblemParts){0};
}
