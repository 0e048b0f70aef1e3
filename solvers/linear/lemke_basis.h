/* SPDX-License-Identifier: MIT */
/* Bases of a complementarity problem: which z_i are not zero. Each is solved for z_b = -M_bb^-1 q_b, judged by what is
 * negative, and mended: block pivoting (Judice, Pires 1994) exchanges all that is wrong at once.
 *
 * The corners of a friction disc are exchanged as contacts change: a point that sticks holds both tangents by whichever
 * two corners its friction lies between, one that slides has the corner against its slip, or two of equal slip. */
#ifndef RIGOR_SOLVERS_LINEAR_LEMKE_BASIS_H
#define RIGOR_SOLVERS_LINEAR_LEMKE_BASIS_H

#include "solvers/linear/lemke.h"

/* A ratio or a share of the largest |q_i| below this is zero. */
#define LEMKE_ZERO 1e-11
/* Relative error below which no better solution is looked for. */
#define LEMKE_AIM 1e-12

/* Once M and q stand. */
void lemke_begin_bases(Lemke *lemke);

/* Changes the basis that `place` holds at most so many times, and keeps the best z found. `scale`: the largest |q_i|.
 */
void lemke_mend(Lemke *lemke, double guide, double scale, int changes);

#endif
