/* SPDX-License-Identifier: MIT */
/* Two bodies of a world, as the narrow phase sees them: how far apart or how deep in each other, along which direction,
 * by which method and in how many steps. */
#ifndef RIGOR_BENCH_STUDIES_COLLIDE_PAIR_H
#define RIGOR_BENCH_STUDIES_COLLIDE_PAIR_H

#include "model/collision/collide.h"
#include "model/world.h"

typedef enum PairMethod { PAIR_CLOSED_FORM, PAIR_SEPARATING_AXES, PAIR_GJK, PAIR_EPA, PAIR_METHODS } PairMethod;

extern const char *const pair_method_names[PAIR_METHODS]; /* "closed form", "separating axes", "gjk", "epa" */

typedef struct PairReport {
    double separation; /* m; negative: overlap */
    Vec3 normal;       /* unit, from the first to the second */
    Vec3 points[2];    /* witnesses, on the two surfaces */
    PairMethod method;
    int iterations; /* support points of GJK and EPA together, axes tried, 1 of a closed form */
    Patch manifold; /* what becomes of it: the touching points, at most four; none: farther apart than the margin */
} PairReport;

/* `length` and `margin` as of collide(). */
void pair_examine(const Convex *one, const Convex *two, double length, double margin, PairReport *report);

/* The same of two bodies, of several shapes the nearest or deepest pair; false with a message if their shapes do not
 * collide. */
bool pair_report(World *world, int one, int two, PairReport *report, Status *status);

#endif
