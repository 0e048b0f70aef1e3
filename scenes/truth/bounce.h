/* SPDX-License-Identifier: MIT */
/* A body that falls on a floor again and again: impacts at t_1 = sqrt(2 h / g), then t_(k+1) = t_k + 2 e^k v / g with
 * v = sqrt(2 g h); for e < 1 infinitely many of them, and rest from t_1 + 2 v e / (g (1 - e)) on. */
#ifndef RIGOR_SCENES_TRUTH_BOUNCE_H
#define RIGOR_SCENES_TRUTH_BOUNCE_H

typedef struct Bounce {
    double gravity;     /* m/s^2 */
    double height;      /* m, of the lowest point above the floor at t = 0, at rest */
    double restitution; /* 0..1 */
} Bounce;

/* Of the lowest point above the floor. */
double bounce_height(const Bounce *bounce, double t);

/* From when on it rests; infinite at e = 1 or without gravity. */
double bounce_rest(const Bounce *bounce);

#endif
