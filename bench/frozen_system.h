/* The velocity-level system of a frozen step (solvers/rows/rows.h), and its converged solution: what backends are held
 * against in `rigor solve`.
 *
 *     (J M^-1 J^T + s) lambda = b,   lower <= lambda <= upper,   friction within its cone
 *
 * Equality rows are solved directly (Cholesky, of least norm where rows depend on each other); where bounds or contacts
 * take part, or there are too many rows for a matrix, projected Gauss-Seidel sweeps until nothing is left to gain. */
#ifndef RIGOR_BENCH_FROZEN_SYSTEM_H
#define RIGOR_BENCH_FROZEN_SYSTEM_H

#include "bench/run.h"
#include "solvers/motion.h"
#include "solvers/rows/rows.h"

typedef struct FrozenSystem {
    World *world; /* borrowed: as the step begins, with V* = V + h M^-1 F */
    double h;
    Motion motion;
    RowSystem system;
    double *lambda; /* N s, system.rows of them */
    int sweeps;     /* that it took; 0: solved directly */
    double residual;
} FrozenSystem;

/* The world has its contacts' blocks; its velocities become V*. How rows are set up is read from the options of the run
 * `like`, as far as its solver has them: position, beta, slop, push_speed, restitution_threshold; else the errors of
 * rigid joints are left alone. False with a message; free copes with half-built ones. */
bool frozen_system_init(FrozenSystem *frozen, World *world, const Run *like, double h, Status *status);
void frozen_system_free(FrozenSystem *frozen);

/* |lambda - solution| / |solution| in the norm of A: the error in what the impulses do, which is unique even where rows
 * depend on each other. `lambda` has system.rows values. */
double frozen_system_error(FrozenSystem *frozen, const double *lambda);

#endif
