/* SPDX-License-Identifier: MIT */
/* Jacobi with mass splitting (Tonge, Benevolenski, Voroshilov 2012): a body in n constraints is split into n copies of
 * mass m/n, each constraint is solved once against its own copies, and the copies are averaged:
 *
 *     r_i += change of the point solve with the local matrix  D_i = sum over its bodies of n_b J_b M_b^-1 J_b^T,
 *
 * all constraints at once. Momentum is kept whatever the order, and no parameter is needed for convergence. A problem
 * without bodies has no n_b: there D_i = n_i W_ii, n_i the blocks that i is coupled with, which is never less. */
#include "solvers/cone/backend.h"
#include "solvers/cone/sweep.h"

#include <string.h>

/* D_i, row by row. */
static void jacobi_split_matrix(const ConeSystem *system, int i, double D[CONE_MAX_SIZE * CONE_MAX_SIZE])
{
    int size = system->blocks[i].size, coupled = system->start[i + 1] - system->start[i];
    for (int a = 0; a < size * size; a++)
        D[a] = system->split ? system->split[i][a] : coupled * system->value[system->at[system->diagonal[i]] + a];
}

static long jacobi_split_method_iterate(void *self, const ConeSystem *system, double *r)
{
    double *before = ((ConeMemory *)self)->vector[0];
    memcpy(before, r, sizeof *r * (size_t)system->rows);
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        double u[CONE_MAX_SIZE], D[CONE_MAX_SIZE * CONE_MAX_SIZE];
        cone_block_velocity(system, i, before, u);
        jacobi_split_matrix(system, i, D);
        cone_block_solve(block, D, 1.0, u, r + block->first);
    }
    return system->rows;
}

static const ConeMethod JACOBI_SPLIT_METHOD = {
    .law = CONE_COULOMB, .vectors = 1, .size = sizeof(ConeMemory), .iterate = jacobi_split_method_iterate};

static const Setting JACOBI_SPLIT_SETTINGS[] = {
    CONE_SETTINGS(20),
};

static const PhaseStep JACOBI_SPLIT_STEPS[] = {
    CONE_STEPS("all constraints at once, each against its own share of the masses"),
    {"velocity", PHASE_SWEEP, "points",
     "A body in n_b constraints is n_b copies of the mass m/n_b; each constraint is solved against its copies, and the "
     "copies are averaged.",
     "D_i = sum over its bodies of n_b J_b M_b^-1 J_b^T\nr_i <- point solve with D_i at u = W r + q of before"},
    {NULL},
};

static const Convention JACOBI_SPLIT_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu lambda_n"},
    {CONVENTION_NORMALS, NULL, NULL, "every point at once, against the last iteration's velocities"},
    {CONVENTION_ORDER, NULL, NULL, "with its normal, as one point"},
    CONE_CONVENTIONS,
};

const Solver jacobi_split_solver = {
    CONE_BACKEND,
    .name = "jacobi_split",
    .summary = "impulses by Jacobi's method, bodies split among their constraints",
    .reference = "Tonge, Benevolenski, Voroshilov 2012",
    SOLVER_SETTINGS(JACOBI_SPLIT_SETTINGS),
    .options_size = sizeof(ConeOptions),
    .row_bytes = 1500,
    .method = &JACOBI_SPLIT_METHOD,
    SOLVER_CONVENTIONS(JACOBI_SPLIT_CONVENTIONS),
    .steps = JACOBI_SPLIT_STEPS,
};
