/* SPDX-License-Identifier: MIT */
/* Equal, smooth, elastic spheres in free space, exactly: between impacts each flies straight, an impact exchanges the
 * velocities along the line of centres. Two spheres at r apart with relative velocity v meet when |r + v t| = 2 radius.
 * Impacts are taken one by one in order of time, each found by that quadratic: an event-driven simulation. A sphere's
 * state is only touched by its own impacts, so that what is asked does not change what is answered. */
#ifndef RIGOR_SCENES_TRUTH_SPHERES_H
#define RIGOR_SCENES_TRUTH_SPHERES_H

#include "model/math3.h"

#include <stddef.h>

/* A sphere since its last impact. */
typedef struct Sphere {
    Vec3 x, v;   /* at `time` */
    double time; /* s */
    double next; /* when it meets `partner`, the first that it meets; infinite: never */
    int partner;
} Sphere;

typedef struct Spheres {
    int count;
    double radius;
    long impacts;     /* so far */
    Sphere *now;      /* both arrays lie behind the struct: one allocation */
    Vec3 (*start)[2]; /* position and velocity at t = 0 */
} Spheres;

/* Freed with free(); NULL when out of memory. */
Spheres *spheres_create(int count, double radius, const Vec3 *x, const Vec3 *v);

/* Runs all impacts up to time t; back to the start first if t is before the last one. */
void spheres_run(Spheres *spheres, double t);

/* Where sphere i is at a time that spheres_run has been given last. */
Vec3 sphere_at(const Spheres *spheres, int i, double t);

#endif
