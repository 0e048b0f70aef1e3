/* SPDX-License-Identifier: MIT */
/* Does the outcome of impacts at one instant depend on the order in which they are taken? A ball that strikes two
 * others at once leaves to the side of the one that it hit last. Every order is tried as a list of priorities: of the
 * contacts that approach the first in the list bounces, until none does. */
#ifndef RIGOR_SOLVERS_TRUTH_IMPACT_ORDERS_H
#define RIGOR_SOLVERS_TRUTH_IMPACT_ORDERS_H

#include "solvers/systems/lagrange.h"

/* Events by these names; the motion is known up to the first of them. */
#define IMPACTS_NOT_UNIQUE "impacts at one instant whose outcome depends on their order: the fastest went first"
#define IMPACTS_TOO_MANY "more than 6 contacts in impacts at one instant: whether their order matters is not known"

typedef struct ImpactOrders {
    Velocity *start, *outcome; /* of the bodies: before the impacts, after them in the first order */
    bool *joined, *seen;       /* bodies that hang together with an impact; those of impacts looked at already */
} ImpactOrders;

bool impact_orders_init(ImpactOrders *orders, const World *world); /* false when out of memory */
void impact_orders_free(ImpactOrders *orders);

/* What to report of the impacts at hand; NULL: every order ends alike. The world's velocities stay as they are. `gap`
 * (m) and `rest` (m/s): contacts so near touch, and bounce when faster. Adds the rows solved. */
const char *impact_orders_report(ImpactOrders *orders, Lagrange *lagrange, World *world, double gap, double rest,
                                 long long *row_solves);

#endif
