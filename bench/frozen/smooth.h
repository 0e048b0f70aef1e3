/* SPDX-License-Identifier: MIT */
/* Coulomb's law smoothed, for Newton's method (Fukushima, Luo, Tseng 2002):
 *
 *     x + z - sqrt((x - z)^2 + 4 eta^2 e) = 0,   eta -> 0,   in the Jordan algebra of the cone |x_t| <= x_0
 *
 * x = w (mu r_n, r_t), z = (u_n / mu + |u_t|, u_t): Coulomb's law after De Saxce. A path of smooth systems leads to the
 * solution also where points neither stick nor slide for sure, where sweeps and Newton's method on the natural map get
 * stuck. For friction cones, limits and joints. */
#ifndef RIGOR_BENCH_FROZEN_SMOOTH_H
#define RIGOR_BENCH_FROZEN_SMOOTH_H

#include "solvers/cone/newton.h"

typedef struct SmoothLaw {
    NewtonLaw law;
    double eta;   /* m/s */
    bool holds;   /* the slip: the law is then an associated one, whose path does not turn back */
    double *slip; /* |u_t| where it is held, m/s, by row of the normals; the caller's, as long as r */
    int steps;    /* taken so far */
} SmoothLaw;

/* With nothing held. */
SmoothLaw smooth_law(double *slip);

/* Whether it can take this system: no row has two bounds, or one that is not zero. */
bool smooth_law_applies(const ConeSystem *system);

/* Down the path from r and eta, as far as it can be followed, at most to `most` steps in all; `scale` is the size of
 * speeds, m/s. */
void smooth_law_follow(SmoothLaw *smooth, ConeNewton *newton, const ConeSystem *system, double eta, double scale,
                       int most, double *r);

/* Holds every point's slip where it is now; returns how much that changed, |.|, m/s. */
double smooth_law_hold(SmoothLaw *smooth, ConeNewton *newton, const ConeSystem *system, const double *r);

#endif
