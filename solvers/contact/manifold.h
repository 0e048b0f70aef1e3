/* SPDX-License-Identifier: MIT */
/* The normals of one pair of bodies solved together: equal points then carry equal loads, whatever their order. */
#ifndef RIGOR_SOLVERS_CONTACT_MANIFOLD_H
#define RIGOR_SOLVERS_CONTACT_MANIFOLD_H

#include "model/contact.h"

/* Four points of a face are dependent: a little is added to the diagonal, relative to it. */
#define MANIFOLD_SOFTENED 1e-6

typedef double ManifoldMatrix[MANIFOLD_MAX][MANIFOLD_MAX];

/* x >= 0 with r + K (x - lambda) zero where x is not, and nowhere negative: all sets of points that push are tried,
 * from all to none (total enumeration, Murty 1988). False: none fits, to round-off. */
bool manifold_enumerate(int count, const ManifoldMatrix K, const double *lambda, const double *r,
                        double x[MANIFOLD_MAX]);

#endif
