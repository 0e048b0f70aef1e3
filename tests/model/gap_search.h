/* SPDX-License-Identifier: MIT */
/* The largest gap of two placed shapes over all directions, by a dense search with local refinement. */
#ifndef RIGOR_TESTS_MODEL_GAP_SEARCH_H
#define RIGOR_TESTS_MODEL_GAP_SEARCH_H

#include "tests/model/shapes.h"

enum { SAMPLES = 1500, STARTS = 8 };

/* Evenly spread over the sphere. */
static inline Vec3 fibonacci(int i, int n)
{
    double y = 1.0 - (2.0 * i + 1.0) / n, r = sqrt(1.0 - y * y), angle = i * PI * (3.0 - sqrt(5.0));
    return vec3(r * cos(angle), y, r * sin(angle));
}

/* Climbs by trial steps that shrink; along ridges of the gap only a few directions rise, hence the many. */
static inline double climb(const Placed *one, const Placed *two, Vec3 n, Random *random)
{
    double best = shapes_gap(one, two, n);
    for (double step = 0.05; step > 1e-9; step *= 0.6)
        for (int k = 0; k < 24; k++) {
            Vec3 trial = vec3_unit(vec3_add_scaled(n, step, random_unit(random)));
            double gap = shapes_gap(one, two, trial);
            if (gap > best) {
                best = gap;
                n = trial;
            }
        }
    return best;
}

static inline double search(const Placed *one, const Placed *two, Random *random)
{
    double best[STARTS];
    Vec3 start[STARTS];
    for (int k = 0; k < STARTS; k++)
        best[k] = -INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        Vec3 n = fibonacci(i, SAMPLES);
        double gap = shapes_gap(one, two, n);
        int k = STARTS - 1;
        if (gap <= best[k])
            continue;
        for (; k > 0 && gap > best[k - 1]; k--) {
            best[k] = best[k - 1];
            start[k] = start[k - 1];
        }
        best[k] = gap;
        start[k] = n;
    }
    double largest = -INFINITY;
    for (int k = 0; k < STARTS; k++)
        largest = fmax(largest, climb(one, two, start[k], random));
    return largest;
}

#endif
