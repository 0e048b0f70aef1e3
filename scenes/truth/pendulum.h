/* SPDX-License-Identifier: MIT */
/* The plane pendulum released from rest, exactly: J theta'' = -m g r sin(theta), theta from hanging straight down
 * towards +x. One form serves a point mass (inertia = 0: the bead on its circle, the particle on its rod) and a rigid
 * body. With k = sin(amplitude/2), k' = cos(amplitude/2), omega^2 = m g r / J and u = omega t:
 *     theta = 2 atan2(k cn u, k'),   theta' = -2 omega k k' sn u / dn u. */
#ifndef RIGOR_SCENES_TRUTH_PENDULUM_H
#define RIGOR_SCENES_TRUTH_PENDULUM_H

#include "model/math3.h"

typedef struct Pendulum {
    double gravity;   /* m/s^2 */
    double mass;      /* kg */
    double arm;       /* m, from the pivot to the centre of mass */
    double inertia;   /* kg m^2, about the centre of mass */
    double amplitude; /* rad, strictly between -pi and pi */
} Pendulum;

typedef struct PendulumState {
    double angle, rate, acceleration; /* rad, rad/s, rad/s^2 */
    Vec3 centre;                      /* m, from the pivot */
    Vec3 force;                       /* N, of the pivot (rod, wire) on the pendulum: m (a - g) */
} PendulumState;

PendulumState pendulum_at(const Pendulum *pendulum, double t);

/* When it first passes `angle`, which lies between the amplitude and hanging, s; infinite without gravity. */
double pendulum_time(const Pendulum *pendulum, double angle);

#endif
