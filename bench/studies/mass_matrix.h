/* SPDX-License-Identifier: MIT */
/* Forward dynamics in the Lagrangian view, of a tree of joints: with all of its coordinates q
 *
 *     M(q) q'' + h(q, q') = tau,    M_kl = sum over the bodies i of J_ik^T M_i J_il,
 *
 * J_ik the velocity of body i if coordinate k alone goes at speed 1, M_i its mass and world inertia; h what keeps
 * q'' = 0 (bench/studies/inverse.h). Solving for q'' costs the cube of the coordinates' number, where Featherstone's
 * recursion (solvers/tree/articulated.h), which never has M, is linear: two ways to the same accelerations. */
#ifndef RIGOR_BENCH_STUDIES_MASS_MATRIX_H
#define RIGOR_BENCH_STUDIES_MASS_MATRIX_H

#include "model/status.h"
#include "solvers/tree/articulated.h"

/* Coordinates at most: a matrix of a million numbers. */
enum { MASS_MATRIX_MOST = 1000 };

/* M of the tree as it is placed, dof_count^2 numbers. False when out of memory. */
bool mass_matrix_fill(const Articulated *tree, const World *world, double *M);

/* q'' = M^-1 (tau - h) for tau = 0, by Cholesky. False with a message: M is not positive definite, or out of memory. */
bool mass_matrix_accelerations(const double *M, int count, const double *h, double *qddot, Status *status);

/* The largest |M q'' + h| over the largest |h|: how well accelerations obey the equation; 0 if all of it is zero. */
double mass_matrix_residual(const double *M, int count, const double *h, const double *qddot);

#endif
