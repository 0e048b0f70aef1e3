/* A chain between two fixed points at one height.
 *
 * Continuous: y = a cosh(x / a), span / length = asinh(u) / u with u = length / (2 a); the end's tension is
 * sqrt(a^2 + (length / 2)^2) / length of the weight.
 * Rigid links, the load w_i at each link's centre: with the pull (-H, V) at the left end, moment balance about link i's
 * centre turns it along (H, c_i - V), c_i = w_1 + ... + w_(i-1) + w_i / 2. */
#ifndef RIGOR_SCENES_TRUTH_CATENARY_H
#define RIGOR_SCENES_TRUTH_CATENARY_H

#include <stdbool.h>

typedef struct Catenary {
    double sag;     /* m, of the lowest point below the ends */
    double tension; /* at an end, over the weight */
} Catenary;

/* The continuous chain; 0 < span < length (m). */
Catenary catenary_solve(double span, double length);

/* H and V (N) of `count` links of `length` each; false if there is no equilibrium with H > 0. */
bool catenary_solve_links(int count, double length, const double *weight, double span, double *H, double *V);

#endif
