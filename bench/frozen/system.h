/* SPDX-License-Identifier: MIT */
/* The velocity-level system of a frozen step (solvers/rows/rows.h), and its converged solution: what backends are held
 * against in `rigor solve`, each by the law of friction that it declares.
 *
 *     (J M^-1 J^T + s) lambda = b,   lower <= lambda <= upper,   friction within its cone, polygon or square
 *
 * Equality rows are solved directly (Cholesky, of least norm where rows depend on each other). Where bounds or contacts
 * take part, projected Gauss-Seidel sweeps come near, and Newton's method does the rest (bench/frozen/polish.h). */
#ifndef RIGOR_BENCH_FROZEN_SYSTEM_H
#define RIGOR_BENCH_FROZEN_SYSTEM_H

#include "bench/run/run.h"
#include "solvers/motion.h"
#include "solvers/rows/rows.h"

typedef struct FrozenSystem {
    World *world; /* borrowed: as the step begins, with V* = V + h M^-1 F */
    double h;
    Motion motion;
    RowSystem system;
    RowSetup setup;
    double *lambda;     /* N s, system.rows of them */
    Velocity *velocity; /* V* + M^-1 J^T lambda */
    int sweeps;         /* that it took; 0: solved directly */
    int newton_steps;
    double residual;
    bool converged; /* the residual is at most FROZEN_CONVERGED */
} FrozenSystem;

#define FROZEN_CONVERGED 1e-12

/* The world has its contacts' blocks; its velocities become V*. How rows are set up is read from the options of the run
 * `like`, as far as its solver has them: position, beta, slop, push_speed, restitution_threshold; else the errors of
 * rigid joints are left alone. False with a message; free copes with half-built ones. */
bool frozen_system_init(FrozenSystem *frozen, World *world, const Run *like, double h, Status *status);
void frozen_system_free(FrozenSystem *frozen);

/* The same step with the rows and the friction law of another run. */
bool frozen_system_init_like(FrozenSystem *frozen, const FrozenSystem *other, const Run *like, Status *status);
/* The same step and rows with Coulomb's cone. */
bool frozen_system_init_cone(FrozenSystem *frozen, const FrozenSystem *other, Status *status);

/* Whether a run has these rows and this law. */
bool frozen_system_is_like(const FrozenSystem *frozen, const Run *like);

/* "cone", "polygon of 8 corners" ... into text; nothing where nothing rubs. */
void frozen_system_law(const FrozenSystem *frozen, char *text, size_t size);

/* |V - V_other| / |V_other - V*| in the norm of the masses: how far apart two laws are in what they do. */
double frozen_system_distance(const FrozenSystem *frozen, const FrozenSystem *other);

/* |lambda - solution| / |solution| in the norm of A: the error in what the impulses do, which is unique even where rows
 * depend on each other. `lambda` has system.rows values. */
double frozen_system_error(FrozenSystem *frozen, const double *lambda);

/* What these multipliers leave of the system: the natural map of A lambda - b over |b|, the same judge for everybody.
 */
double frozen_system_residual(FrozenSystem *frozen, const double *lambda);

#endif
