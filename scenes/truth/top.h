/* SPDX-License-Identifier: MIT */
/* A rigid body turning about a fixed point under gravity: its own equations in body axes,
 *     J w' = r x m g_b - w x J w,   q' = q [0, w] / 2,   J about the point, r from the point to the centre of mass,
 * integrated to 1e-13 (scenes/truth/path.h): a truth that shares nothing with any solver. */
#ifndef RIGOR_SCENES_TRUTH_TOP_H
#define RIGOR_SCENES_TRUTH_TOP_H

#include "model/math3.h"
#include "scenes/truth/path.h"

typedef struct Top {
    double mass;  /* kg */
    Vec3 inertia; /* kg m^2, about the fixed point, in body axes */
    Vec3 arm;     /* m, from the fixed point to the centre of mass, in body axes */
    Vec3 gravity; /* m/s^2, world */
    Path path;
} Top;

typedef struct TopState {
    Quat orientation;
    Vec3 angular_velocity; /* body axes */
    Vec3 centre;           /* world, from the fixed point */
    Vec3 force;            /* N, of the fixed point on the top, world: m (a - g) */
} TopState;

/* Sets the path up, from an orientation and an angular velocity in body axes; the other fields are the caller's. The
 * top must then stay where it is in memory. */
void top_start(Top *top, Quat orientation, Vec3 angular_velocity);

/* False if the integrator could not keep its tolerance. */
bool top_at(Top *top, double t, TopState *state);

#endif
