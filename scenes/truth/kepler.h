/* SPDX-License-Identifier: MIT */
/* The Kepler orbit with GM = 1 and semi-major axis 1, in the x-y plane, from periapsis at (1 - e, 0) counter-clockwise:
 *     E - e sin E = t,   position = (cos E - e, sqrt(1 - e^2) sin E). Its period is 2 pi. */
#ifndef RIGOR_SCENES_TRUTH_KEPLER_H
#define RIGOR_SCENES_TRUTH_KEPLER_H

#include "model/math3.h"

/* Position and velocity at time t, for 0 <= eccentricity < 1. */
void kepler_at(double eccentricity, double t, Vec3 *position, Vec3 *velocity);

#endif
