/* SPDX-License-Identifier: MIT */
/* Laws of an impact at one point with Coulomb friction, over its rows (n, t1, t2): speeds w = W r + q after the impulse
 * r.
 *
 *     Newton     w_n = -e q_n, Coulomb's law on the whole impulse (modes.h)
 *     Poisson    r_n = (1 + e) r_n of the compression, which ends where w_n = 0; Coulomb's law on the whole impulse
 *     Routh      the same r_n, friction against the slip of each moment while the impulse grows: for impacts in a plane
 *
 * Newton's may gain energy where a slip stops or turns round, Routh's never does (Stronge 1990). */
#ifndef RIGOR_SOLVERS_TRUTH_IMPACT_LAW_H
#define RIGOR_SOLVERS_TRUTH_IMPACT_LAW_H

#include <stdbool.h>

typedef enum ImpactLaw { IMPACT_NEWTON, IMPACT_POISSON, IMPACT_ROUTH } ImpactLaw;

/* One point: its rows, Coulomb's and Poisson's coefficients. */
typedef struct ImpactPoint {
    double W[3][3], q[3];
    double friction, restitution;
} ImpactPoint;

/* r_t for r[0] as it is: no slip if the cone allows it, else on the cone and against the slip after the impact. */
void impact_law_rub(const ImpactPoint *point, double r[3]);

/* False: the slip does not stay on one line. */
bool impact_law_routh(const ImpactPoint *point, double r[3]);

#endif
