/* SPDX-License-Identifier: MIT */
/* J M^-1 J^T + alpha/h^2 of all of a world's rows at its poses, dense and factored: for integrators that solve for the
 * multipliers of joints directly. Dependent rows have multipliers of least norm (schur.h). */
#ifndef RIGOR_SOLVERS_SYSTEMS_ROW_SCHUR_H
#define RIGOR_SOLVERS_SYSTEMS_ROW_SCHUR_H

#include "solvers/rows/rows.h"
#include "solvers/systems/schur.h"

typedef struct RowSchur {
    RowSystem rows; /* J and M^-1 J^T */
    Schur schur;
    Velocity *push; /* J^T of impulses, on each body: N s, N m s; scratch otherwise */
} RowSchur;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool row_schur_init(RowSchur *system, const World *world);
void row_schur_free(RowSchur *system);

/* At the current poses; h is the time that a soft row's alpha/h^2 is taken with. */
void row_schur_factor(RowSchur *system, const World *world, double h);

/* push = J^T of the impulses, row by row, as the rows were factored. */
void row_schur_collect(RowSchur *system, const World *world, const double *impulse);

/* C of every row at the current poses, times scale; J V. */
void row_schur_errors(const RowSchur *system, const World *world, double scale, double *error);
void row_schur_rates(const RowSchur *system, const Velocity *velocity, double scale, double *rate);

/* The largest |C|: lengths over the length scale, angles in rad. */
double row_schur_largest(const RowSchur *system, const World *world);

/* block_impulse becomes, or grows by, what the impulses give the second bodies. */
void row_schur_give(RowSchur *system, World *world, const double *impulse, bool add);

#endif
