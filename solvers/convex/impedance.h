/* SPDX-License-Identifier: MIT */
/* How MuJoCo makes a constraint soft. A row's impedance d in (0, 1) rises with its violation r from solimp_min to
 * solimp_max over solimp_width; it asks for the acceleration of a spring and a damper, and its regulariser is R:
 *
 *     aref = -B J v - K d r,   K = 1/(dmax time damping)^2,   B = 2/(dmax time),   R = (1 - d)/d A
 *
 * with A the diagonal of J M^-1 J^T or an approximation of it. time is at least two steps. */
#ifndef RIGOR_SOLVERS_CONVEX_IMPEDANCE_H
#define RIGOR_SOLVERS_CONVEX_IMPEDANCE_H

#include <math.h>

typedef struct Impedance {
    double time, damping;      /* s, 1: solref */
    double least, most, width; /* solimp: d at no violation, d beyond `width`, m or rad */
    double midpoint, power;    /* of the curve between */
} Impedance;

/* d stays within these. */
#define IMPEDANCE_LEAST 1e-4
#define IMPEDANCE_MOST 0.9999

static inline double impedance_clamp(double d)
{
    return fmin(fmax(d, IMPEDANCE_LEAST), IMPEDANCE_MOST);
}

/* d at violation r. */
static inline double impedance_at(const Impedance *i, double r)
{
    double least = impedance_clamp(i->least), most = impedance_clamp(i->most), mid = impedance_clamp(i->midpoint);
    if (least == most || i->width <= 1e-15)
        return 0.5 * (least + most);
    double x = fabs(r) / i->width, power = fmax(i->power, 1.0), y;
    if (x >= 1.0)
        return most;
    if (x <= mid)
        y = pow(x, power) / pow(mid, power - 1.0);
    else
        y = 1.0 - pow(1.0 - x, power) / pow(1.0 - mid, power - 1.0);
    return least + y * (most - least);
}

/* K and B for steps of length h. */
static inline double impedance_stiffness(const Impedance *i, double h)
{
    double root = impedance_clamp(i->most) * fmax(i->time, 2.0 * h) * i->damping;
    return 1.0 / (root * root);
}

static inline double impedance_damping(const Impedance *i, double h)
{
    return 2.0 / (impedance_clamp(i->most) * fmax(i->time, 2.0 * h));
}

#endif
