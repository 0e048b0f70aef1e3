/* SPDX-License-Identifier: MIT */
/* The torque-free rigid body, exactly: I w' = -w x I w in body axes, for any three moments and any spin: both regimes
 * of the polhode, the separatrix between them, symmetric bodies and steady spins. */
#ifndef RIGOR_SCENES_TRUTH_SPIN_H
#define RIGOR_SCENES_TRUTH_SPIN_H

#include "model/math3.h"

/* A spin as spin_from works it out. In the body axes a, b, c (b the middle moment, c the axis that the angular
 * momentum circulates about) w = (A cn u, B sn u, C dn u) with u = u0 + rate t and the parameter 1 - mc. */
typedef struct Spin {
    Vec3 inertia;
    Vec3 start;  /* body-frame angular velocity at t = 0 */
    bool steady; /* it stays so; then nothing below is set */
    int a, b, c;
    double A, B, C, rate, u0, mc;
    double period;       /* of dn, in u; infinite on the separatrix */
    double turn;         /* rad, precession in one such period */
    double momentum;     /* |L| */
    double energy_twice; /* 2 T */
    Vec3 axis;           /* unit, body: c, on the side where L is */
} Spin;

/* Principal moments (positive) and the angular velocity at t = 0 in the principal axes. */
Spin spin_from(Vec3 inertia, Vec3 angular_velocity);

/* Angular velocity in body axes at time t >= 0. */
Vec3 spin_velocity(const Spin *spin, double t);

/* Orientation at time t >= 0; the identity at t = 0. */
Quat spin_orientation(const Spin *spin, double t);

#endif
