/* SPDX-License-Identifier: MIT */
/* What the matrix of a frozen step says about the sweeps on it: A = J M^-1 J^T + s, split as D + L + U.
 *
 * Gauss-Seidel errors follow -(D + L)^-1 U, Jacobi errors 1 - D^-1 A, those of Jacobi with mass splitting 1 - P^-1 A, P
 * the part of sum_b n_b J_b M_b^-1 J_b^T that a block's point solve inverts (solvers/jacobi_split.c); their spectral
 * radii are the rates at which sweeps contract. Where rows are dependent, A is singular: the null space is no error,
 * and is left out. Rows at a bound no longer change as sweeps end, so they are left out too: limits and contacts that
 * do not push, and the friction of points that slide. The others count as equalities, row by row: `pgs` with
 * manifold=false, once nothing reaches or leaves a bound any more. */
#ifndef RIGOR_BENCH_FROZEN_SPECTRUM_H
#define RIGOR_BENCH_FROZEN_SPECTRUM_H

#include "bench/frozen/amplification.h"
#include "bench/frozen/colour_gain.h"
#include "bench/frozen/contraction.h"
#include "model/status.h"

typedef struct Spectrum {
    int rows, rank;
    double *eigenvalues; /* of A, 1/kg, angles counted in length scales; ascending, `rows` of them; owned */
    double condition;    /* largest over smallest nonzero eigenvalue; 1 for no rows */
    double gauss_seidel, jacobi, jacobi_split;
    double gauss_seidel_coloured; /* with the blocks in the order of their colours, which threads may share */
    ColourGain colours;
    Contraction measured; /* of Gauss-Seidel */
    /* Of errors in a substep, with warm start and with a cold one; NaN: not asked for, or too many rows. */
    double amplification, amplification_cold;
} Spectrum;

/* Of the step of length h from the world's state, which stays as it is; with `warm` (NULL: without) what it amplifies.
 */
bool spectrum_compute(Spectrum *spectrum, World *world, double h, const WarmStart *warm, Status *status);
void spectrum_free(Spectrum *spectrum);

#endif
