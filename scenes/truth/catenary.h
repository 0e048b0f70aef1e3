/* SPDX-License-Identifier: MIT */
/* A chain of rigid links between two fixed points at one height, the load w_i at each link's centre: with the pull
 * (-H, V) at the left end, moment balance about link i's centre turns it along (H, c_i - V),
 * c_i = w_1 + ... + w_(i-1) + w_i / 2. With ever more links its shape tends to y = a cosh(x / a). */
#ifndef RIGOR_SCENES_TRUTH_CATENARY_H
#define RIGOR_SCENES_TRUTH_CATENARY_H

#include <stdbool.h>

/* H and V (N) of `count` links of `length` each; false if there is no equilibrium with H > 0. */
bool catenary_solve_links(int count, double length, const double *weight, double span, double *H, double *V);

#endif
