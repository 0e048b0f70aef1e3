/* SPDX-License-Identifier: MIT */
/* Impacts at one instant, for trajectory.h: Newton's restitution pair by pair, the fastest first, until no pair
 * approaches. Balls in a row pass an impact on as real ones do, which are never quite in touch: (1, 0, 0) becomes
 * (0, 0, 1), where one simultaneous solve would give (-1/3, 2/3, 2/3). Joints hold in each of them. Where another order
 * would end otherwise, that is said (impact_orders.h). */
#ifndef RIGOR_SOLVERS_TRUTH_IMPACT_H
#define RIGOR_SOLVERS_TRUTH_IMPACT_H

#include "solvers/truth/impact_orders.h"

/* How far bodies may go in a step, so that none passes through another, m; infinite without contacts. */
double impact_reach(const World *world);

typedef struct ImpactSlack {
    double gap;           /* m: contacts within it touch */
    double looseness;     /* 1, or how many times less exact the heights are that count as rest */
    ImpactOrders *orders; /* scratch */
} ImpactSlack;

bool impact_touches(const Lagrange *lagrange, const World *world, int b, double gap);

/* m/s, how fast contact b closes; negative: it opens. */
double impact_closing_speed(const Lagrange *lagrange, const World *world, int b);

/* Of contacts that touch overlaps are put back, and what approaches bounces. Slow approaches are left for
 * impulses without bounce. `t` is the time since the substep began; `impulse`, of each block, grows. Returns
 * how many bounced. */
int impact_bounce(Lagrange *lagrange, Step *step, double t, const ImpactSlack *slack, Vec3 *impulse);

/* J V of each contact that does not act; zero for all other blocks. */
void impact_closing(Lagrange *lagrange, const World *world, double *closing);

#endif
