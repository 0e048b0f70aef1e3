/* Jacobi with mass splitting (Tonge, Benevolenski, Voroshilov 2012): a body in n constraints is split into n copies of
 * mass m/n, each constraint is solved once against its own copies, and the copies are averaged:
 *
 *     r_i += change of the point solve with the local matrix  D_i = sum over its bodies of n_b J_b M_b^-1 J_b^T,
 *
 * all constraints at once. Momentum is kept whatever the order, and no parameter is needed for convergence. A problem
 * without bodies has no n_b: there D_i = n_i W_ii, n_i the blocks that i is coupled with, which is never less. */
#include "solvers/cone/backend.h"
#include "solvers/cone/sweep.h"

#include <stdlib.h>
#include <string.h>

typedef struct JacobiSplit {
    double *before[1];
} JacobiSplit;

static void *jacobi_split_method_create(const void *options)
{
    (void)options;
    return calloc(1, sizeof(JacobiSplit));
}

static void jacobi_split_method_destroy(void *self)
{
    if (self)
        cone_vectors_free(((JacobiSplit *)self)->before, 1);
    free(self);
}

static bool jacobi_split_method_reserve(void *self, int blocks, int rows)
{
    (void)blocks;
    return cone_vectors_reserve(((JacobiSplit *)self)->before, 1, rows);
}

static bool jacobi_split_method_begin(void *self, const ConeSystem *system, double *r, Status *status)
{
    (void)self, (void)system, (void)r, (void)status;
    return true;
}

static long jacobi_split_method_iterate(void *self, const ConeSystem *system, double *r)
{
    double *before = ((JacobiSplit *)self)->before[0];
    memcpy(before, r, sizeof *r * (size_t)system->rows);
    for (int i = 0; i < system->count; i++) {
        double u[CONE_MAX_SIZE], share = system->start[i + 1] - system->start[i];
        cone_block_velocity(system, i, before, u);
        cone_block_solve(system, i, 1.0, share, u, r + system->blocks[i].first);
    }
    return system->rows;
}

static const ConeMethod JACOBI_SPLIT_METHOD = {
    CONE_COULOMB,
    jacobi_split_method_create,
    jacobi_split_method_destroy,
    jacobi_split_method_reserve,
    jacobi_split_method_begin,
    jacobi_split_method_iterate,
};

CONE_BACKEND(jacobi_split, ConeOptions, 20, "impulses by Jacobi's method, bodies split among their constraints",
             "Tonge, Benevolenski, Voroshilov 2012")
