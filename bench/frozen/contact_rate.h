/* SPDX-License-Identifier: MIT */
/* How fast a contact C = (p_j - p_i) . n_i opens, in the two terms of its derivative,
 *
 *     dC/dt = (v_j + w_j x r_j - v_i - w_i x r_i) . n_i  +  (p_j - p_i) . (w_i x n_i),
 *
 * the second of which the lecture ignores (001, Contact constraints). Where the points are found p_j - p_i is a
 * multiple of n_i, so that it is zero, however deep they overlap and however fast they turn; it grows as the points
 * move on with their bodies until they are found anew. */
#ifndef RIGOR_BENCH_FROZEN_CONTACT_RATE_H
#define RIGOR_BENCH_FROZEN_CONTACT_RATE_H

#include "model/collision/collide.h"
#include "model/world.h"

typedef struct ContactRate {
    double kept, neglected; /* m/s */
    double speed;           /* m/s, of the two points against each other */
} ContactRate;

/* Of a touching point of bodies i and j, the unit normal fixed to i; after `later` s of the motion that both have now,
 * points and normal carried along. */
ContactRate contact_rate(const World *world, int i, int j, const Touch *touch, Vec3 normal, double later);

#endif
