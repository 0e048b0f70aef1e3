/* SPDX-License-Identifier: MIT */
/* The normal where edges or corners meet. Overlap is least along the normal of a face, however the bodies touch:
 * between parallel edges it would jump from one body's face to the other's. Bodies that come near have no such doubt:
 * before they touch, n is along the nearest points. So all faces are moved inwards until the bodies are EDGE_GAP apart,
 * and n is along the nearest points of what is left (the margin of van den Bergen 2003, with a width that follows the
 * overlap). On a face, farther from its border than overlap + EDGE_GAP, that is the face's normal; between edges it
 * turns from face to face while they pass each other by EDGE_GAP. It is the same for both bodies, and lies in the cones
 * of normals of both features. */
#include "model/collision/collide.h"

/* A direction found anew that is this close (sine) to the old one is the old one. */
#define EDGE_SAME_SINE 1e-6

double edge_inset(const Convex *a, const Convex *b, double length, double separation)
{
    double limit = fmin(EDGE_MAX_INSET * length, fmin(convex_inset_max(a), convex_inset_max(b)));
    return fmin(0.5 * (EDGE_GAP * length - separation), limit);
}

void edge_soften_axis(const Convex *a, const Convex *b, double length, Axis *axis)
{
    if (!(axis->rival > axis->separation - EDGE_GAP * length))
        return;
    double inset = edge_inset(a, b, length, axis->separation);
    Axis inner;
    if (!(inset > 0.0) || gjk_distance(a, b, inset, &inner) == 0.0 ||
        vec3_norm(vec3_cross(inner.n, axis->n)) < EDGE_SAME_SINE)
        return;
    /* The overlap stays the least one: along n it may be deeper. */
    Vec3 middle = vec3_scale(0.5, vec3_add(inner.a, inner.b));
    axis->n = inner.n;
    axis->points_left = false;
    axis->a = vec3_add_scaled(middle, -0.5 * axis->separation, axis->n);
    axis->b = vec3_add_scaled(middle, 0.5 * axis->separation, axis->n);
}
