/* SPDX-License-Identifier: MIT */
/* Bounds of four bodies, or of four groups of them, side by side: all are compared with another's at once. */
#ifndef RIGOR_MODEL_COLLISION_BOUNDS_QUAD_H
#define RIGOR_MODEL_COLLISION_BOUNDS_QUAD_H

#include "model/collision/convex.h"
#include "model/lanes.h"

#include <float.h>

/* In single precision and rounded outwards; NaN where there are fewer, which overlaps nothing. */
typedef struct Quad {
    Float4 low[3], high[3]; /* x, y, z */
} Quad;

/* Twice the round-off of single precision. */
#define QUAD_OUTWARDS 0x1p-22f

/* At most x, which may be beyond single precision in a run that blows up. */
static inline float float_below(double x)
{
    float f = (float)x;
    return f > FLT_MAX ? FLT_MAX : f - fabsf(f) * QUAD_OUTWARDS;
}

static inline void quad_clear(Quad *quad)
{
    for (int k = 0; k < 3; k++)
        quad->low[k] = quad->high[k] = (Float4){NAN, NAN, NAN, NAN};
}

static inline void quad_set(Quad *quad, int lane, const Bounds *bounds)
{
    for (int k = 0; k < 3; k++) {
        quad->low[k][lane] = float_below(vec3_get(bounds->low, k));
        quad->high[k][lane] = -float_below(-vec3_get(bounds->high, k));
    }
}

/* The bounds in one lane, in every lane. */
static inline Quad quad_lane(const Quad *quad, int lane)
{
    Quad all;
    for (int k = 0; k < 3; k++) {
        float low = quad->low[k][lane], high = quad->high[k][lane];
        all.low[k] = (Float4){low, low, low, low};
        all.high[k] = (Float4){high, high, high, high};
    }
    return all;
}

/* One lane takes the bounds of all lanes of these quads; lanes of NaN are never smaller, nor larger. */
static inline void quad_enclose(Quad *quad, int lane, const Quad *inner, int count)
{
    for (int k = 0; k < 3; k++) {
        float low = inner[0].low[k][0], high = inner[0].high[k][0];
        for (int q = 0; q < count; q++)
            for (int i = 0; i < 4; i++) {
                low = inner[q].low[k][i] < low ? inner[q].low[k][i] : low;
                high = inner[q].high[k][i] > high ? inner[q].high[k][i] : high;
            }
        quad->low[k][lane] = low;
        quad->high[k][lane] = high;
    }
}

/* One bit for each lane that is set. */
static inline unsigned lanes_set(Int4 m)
{
#if defined(__SSE__)
    return (unsigned)__builtin_ia32_movmskps((Float4)m);
#else
    return (m[0] & 1u) | (m[1] & 2u) | (m[2] & 4u) | (m[3] & 8u);
#endif
}

/* Which lanes overlap. All comparisons before one branch: which of them fails cannot be foreseen. */
static inline unsigned quads_overlap(const Quad *a, const Quad *b)
{
    Int4 all = (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]);
    all &= (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]);
    all &= (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
    return lanes_set(all);
}

#endif
