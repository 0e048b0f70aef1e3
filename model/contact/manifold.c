/* SPDX-License-Identifier: MIT */
/* At most four of the touching points: the deepest, the farthest from it, and on either side of the line through these
 * the one that adds the largest triangle. A later point replaces an earlier one only where it is clearly better, so
 * that round-off does not choose among equals and the same points are kept in the next detection. */
#include "model/collision/collide.h"

/* Deeper by less than this part of the length scale is equally deep: a face that rocks by 1e-4 rad keeps its points.
 * 1 % of the margin. */
#define SAME_DEPTH 1e-4
/* A distance or area must be larger by this part. */
#define CLEARLY_LARGER 1.1

static int deepest_touch(const Patch *patch, double length)
{
    int best = 0;
    for (int i = 1; i < patch->count; i++)
        if (patch->touch[i].gap < patch->touch[best].gap - SAME_DEPTH * length)
            best = i;
    return best;
}

void patch_prefer(Patch *patch, const uint64_t *ids, int count)
{
    int front = 0;
    for (int k = 0; k < count; k++) {
        if (front < patch->count && patch->touch[front].id == ids[k]) { /* as a rule */
            front++;
            continue;
        }
        for (int i = front + 1; i < patch->count; i++)
            if (patch->touch[i].id == ids[k]) {
                Touch touch = patch->touch[i];
                for (int m = i; m > front; m--)
                    patch->touch[m] = patch->touch[m - 1];
                patch->touch[front++] = touch;
                break;
            }
    }
}

void patch_reduce(Patch *patch, double length)
{
    if (patch->count <= MANIFOLD_MAX)
        return;
    int chosen[MANIFOLD_MAX] = {deepest_touch(patch, length), -1, -1, -1};
    Vec3 first = patch->touch[chosen[0]].point1, line = VEC3_ZERO;
    double best = 0.0;
    for (int i = 0; i < patch->count; i++) {
        Vec3 d = vec3_sub(patch->touch[i].point1, first);
        double distance = vec3_norm(d);
        if (i != chosen[0] && distance > CLEARLY_LARGER * best) {
            best = distance;
            chosen[1] = i;
            line = d;
        }
    }
    double left = 0.0, right = 0.0;
    for (int i = 0; i < patch->count; i++) {
        Vec3 d = vec3_sub(patch->touch[i].point1, first);
        double area = vec3_dot(patch->normal, vec3_cross(line, d));
        if (area > CLEARLY_LARGER * left) {
            left = area;
            chosen[2] = i;
        } else if (-area > CLEARLY_LARGER * right) {
            right = -area;
            chosen[3] = i;
        }
    }
    /* In their old order, which does not depend on which of them is deepest now. */
    int kept = 0;
    for (int i = 0; i < patch->count; i++)
        for (int k = 0; k < MANIFOLD_MAX; k++)
            if (chosen[k] == i) {
                patch->touch[kept++] = patch->touch[i];
                break;
            }
    patch->count = kept;
}
