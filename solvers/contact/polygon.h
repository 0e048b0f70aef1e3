/* SPDX-License-Identifier: MIT */
/* The regular polygon of friction: `facets` corners on a circle, the first at (1, 0) times its radius. */
#ifndef RIGOR_SOLVERS_CONTACT_POLYGON_H
#define RIGOR_SOLVERS_CONTACT_POLYGON_H

#include "model/math3.h"

/* The facet that a point lies over: the direction n of its outward normal. */
static inline void polygon_facet(int facets, double u, double v, double n[2])
{
    double wide = 2.0 * PI / facets, angle = (floor(atan2(v, u) / wide) + 0.5) * wide;
    n[0] = cos(angle);
    n[1] = sin(angle);
}

static inline bool polygon_holds(int facets, double radius, double u, double v)
{
    double n[2];
    polygon_facet(facets, u, v, n);
    return n[0] * u + n[1] * v <= radius * cos(PI / facets);
}

/* The point of the polygon that is nearest to (u, v). */
static inline void polygon_project(int facets, double radius, double *u, double *v)
{
    double n[2], inner = radius * cos(PI / facets), half = radius * sin(PI / facets);
    polygon_facet(facets, *u, *v, n);
    double out = n[0] * *u + n[1] * *v, along = clamp(n[0] * *v - n[1] * *u, -half, half);
    if (out <= inner)
        return;
    *u = inner * n[0] - along * n[1];
    *v = inner * n[1] + along * n[0];
}

#endif
