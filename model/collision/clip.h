/* SPDX-License-Identifier: MIT */
/* What clipping calls its points, whatever they are kept in. */
#ifndef RIGOR_MODEL_COLLISION_CLIP_H
#define RIGOR_MODEL_COLLISION_CLIP_H

#include "model/collision/collide.h"

/* The reference polygon is grown by this part of its size: faces of equal size on each other, as in a stack, then keep
 * the same vertices when they slide by round-off or by 1e-4 of their size. */
#define CLIP_GROWTH 2e-4

typedef struct ClipName {
    uint32_t own, over; /* labels in incident and reference; own 0: a corner of the reference */
    uint32_t edge;      /* label of the edge that leaves it; of the reference's if edge_over */
    bool edge_over;
} ClipName;

/* The same from both faces that share the edge. */
static inline uint32_t edge_label(uint32_t v, uint32_t w)
{
    uint32_t low = v < w ? v : w, high = v < w ? w : v;
    return LABEL_EDGE | (low & 0xfff) << 12 | (high & 0xfff);
}

static inline uint32_t vertex_label(uint32_t v)
{
    return LABEL_VERTEX | (v & 0xffffff);
}

/* Of the polygon's vertex v, which w follows. */
static inline ClipName clip_name_vertex(uint32_t v, uint32_t w)
{
    return (ClipName){vertex_label(v), 0, edge_label(v, w), false};
}

/* Where the edge that leaves p crosses the reference's edge `by`, outwards if it is leaving. */
static inline ClipName clip_name_cross(ClipName p, uint32_t by, bool leaving)
{
    ClipName c = p;
    c.own = p.edge_over ? 0 : p.edge;
    /* A corner of the reference is where two of its edges cut: either order names it alike. */
    c.over = p.edge_over ? LABEL_VERTEX | ((p.edge + by) & 0xffffff) : by;
    if (leaving) {
        c.edge = by;
        c.edge_over = true;
    }
    return c;
}

#endif
