/* SPDX-License-Identifier: MIT */
/* How fast Gauss-Seidel sweeps contract, found by sweeping: the homogeneous system is swept from a start without
 * pattern, and the residuals x_k of all rows a window of s sweeps apart are held against
 *
 *     x_{k+2s} = a x_{k+s} + b x_k,       rate^s = the larger root of z^2 = a z + b,
 *
 * so that two slow modes of nearly the same rate, or a complex pair, are told apart: the ratio of two residuals alone
 * would take 1 / (their difference) sweeps to settle, and stand still on its way there. */
#ifndef RIGOR_BENCH_FROZEN_CONTRACTION_H
#define RIGOR_BENCH_FROZEN_CONTRACTION_H

#include "solvers/rows/rows.h"

typedef struct Contraction {
    double rate;
    int sweeps; /* that it took */
} Contraction;

/* Takes every row as unbounded, friction's too, and overwrites multipliers and biases. False when out of memory. */
bool contraction_measure(Contraction *contraction, RowSystem *system, const World *world);

#endif
