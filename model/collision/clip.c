/* SPDX-License-Identifier: MIT */
/* Clipping: the part of one feature that lies over the other, seen along the normal (Sutherland and Hodgman 1974).
 * Every point keeps the numbers of the vertices or edges it came from, which become its id. */
#include "model/collision/clip.h"

/* Segments whose directions differ by less (sine) touch along a line; beyond, at one point. */
#define PARALLEL_SINE 0.02

typedef struct ClipPoint {
    Vec3 at; /* on the incident surface */
    ClipName name;
} ClipPoint;

typedef struct ClipPolygon {
    int count;
    ClipPoint point[2 * FEATURE_MAX];
} ClipPolygon;

static ClipPoint clip_cross(const ClipPoint *p, const ClipPoint *q, double at_p, double at_q, uint32_t by, bool leaving)
{
    return (ClipPoint){vec3_add_scaled(p->at, at_p / (at_p - at_q), vec3_sub(q->at, p->at)),
                       clip_name_cross(p->name, by, leaving)};
}

/* at = outward.x - limit of every point. Whether one lies outside, where it is positive. */
static bool clip_measure(const ClipPolygon *polygon, Vec3 outward, double limit, double at[2 * FEATURE_MAX])
{
    bool cuts = false;
    for (int i = 0; i < polygon->count; i++) {
        at[i] = vec3_dot(outward, polygon->point[i].at) - limit;
        cuts = cuts || !(at[i] <= 0.0);
    }
    return cuts;
}

/* What lies where at <= 0. Two points are a segment: it has one edge, not two. */
static void clip_half(const ClipPolygon *polygon, const double at[2 * FEATURE_MAX], uint32_t by, ClipPolygon *kept)
{
    int n = polygon->count, edges = n <= 2 ? n - 1 : n;
    kept->count = 0;
    for (int i = 0; i < n; i++) {
        int k = i + 1 < n ? i + 1 : 0;
        bool inside = at[i] <= 0.0, room = kept->count + 2 <= 2 * FEATURE_MAX;
        if (inside && room)
            kept->point[kept->count++] = polygon->point[i];
        if (i < edges && inside != (at[k] <= 0.0) && room)
            kept->point[kept->count++] = clip_cross(&polygon->point[i], &polygon->point[k], at[i], at[k], by, inside);
    }
}

static void clip_begin(const Feature *incident, Vec3 offset, ClipPolygon *polygon)
{
    polygon->count = incident->count;
    for (int i = 0; i < incident->count; i++) {
        uint32_t v = incident->vertex[i], w = incident->vertex[i + 1 < incident->count ? i + 1 : 0];
        polygon->point[i] = (ClipPoint){vec3_add(incident->point[i], offset), clip_name_vertex(v, w)};
    }
}

void patch_clip(Patch *patch, const Feature *reference, const Feature *incident, Vec3 n, double separation,
                double margin)
{
    Vec3 offset = convex_round_offset(incident->radius, incident->axis, vec3_negate(n));
    ClipPolygon buffers[2], *polygon = &buffers[0], *next = &buffers[1];
    clip_begin(incident, offset, polygon);
    double size2 = 0.0, at[2 * FEATURE_MAX];
    for (int i = 1; i < reference->count; i++) {
        Vec3 d = vec3_sub(reference->point[i], reference->point[0]);
        size2 = fmax(size2, vec3_dot(d, d));
    }
    double growth = CLIP_GROWTH * sqrt(size2);
    for (int i = 0; i < reference->count && polygon->count > 0; i++) {
        int j = i + 1 < reference->count ? i + 1 : 0;
        Vec3 outward = vec3_cross(vec3_sub(reference->point[j], reference->point[i]), n);
        double length = vec3_norm(outward);
        if (!(length > 0.0) ||
            !clip_measure(polygon, outward, vec3_dot(outward, reference->point[i]) + growth * length, at))
            continue;
        clip_half(polygon, at, edge_label(reference->vertex[i], reference->vertex[j]), next);
        ClipPolygon *swap = polygon;
        polygon = next;
        next = swap;
    }
    double slope = vec3_dot(reference->normal, n);
    for (int i = 0; i < polygon->count && patch->count < PATCH_MAX; i++) {
        const ClipPoint *p = &polygon->point[i];
        /* Beyond the polygon's border its plane may lie outside of its solid: there the separation is the gap. */
        double gap = fmax(vec3_dot(reference->normal, vec3_sub(p->at, reference->point[0])) / slope, separation);
        if (!(gap < margin))
            continue;
        patch->touch[patch->count++] = (Touch){touch_id(p->name.over, p->name.own),
                                               vec3_add_scaled(p->at, -gap, n),
                                               vec3_sub(p->at, offset),
                                               0.0,
                                               incident->radius,
                                               gap};
    }
}

void patch_overlap_segments(Patch *patch, const Feature *one, const Feature *two, Vec3 n, double separation,
                            double margin)
{
    Vec3 d1 = vec3_sub(one->point[1], one->point[0]), d2 = vec3_sub(two->point[1], two->point[0]);
    double length1 = vec3_norm(d1), length2 = vec3_norm(d2);
    if (length1 == 0.0 || length2 == 0.0 || vec3_norm(vec3_cross(d1, d2)) > PARALLEL_SINE * length1 * length2)
        return;
    Vec3 u = vec3_scale(1.0 / length1, d1);
    double along = vec3_dot(u, d2), start = vec3_dot(u, vec3_sub(two->point[0], one->point[0]));
    double low2 = fmin(start, start + along), high2 = fmax(start, start + along);
    double t[2] = {fmax(0.0, low2), fmin(length1, high2)};
    if (t[0] > t[1])
        return;
    Vec3 offset1 = convex_round_offset(one->radius, one->axis, n);
    Vec3 offset2 = convex_round_offset(two->radius, two->axis, vec3_negate(n));
    for (int i = 0; i < 2 && patch->count < PATCH_MAX; i++) {
        /* How far segment 2 goes on beyond this end of segment 1; ends of segments of equal length are one. */
        double beyond = i == 0 ? -low2 : high2 - length1, same = CLIP_GROWTH * length1;
        int end2 = (i == 0) == (along > 0.0) ? 0 : 1;
        uint32_t label1 = beyond > -same ? vertex_label(one->vertex[i]) : edge_label(one->vertex[0], one->vertex[1]);
        uint32_t label2 = beyond < same ? vertex_label(two->vertex[end2]) : edge_label(two->vertex[0], two->vertex[1]);
        Vec3 point1 = vec3_add_scaled(one->point[0], t[i], u);
        Vec3 point2 = vec3_add_scaled(two->point[0], (t[i] - start) / along, d2);
        double gap = vec3_dot(n, vec3_sub(vec3_add(point2, offset2), vec3_add(point1, offset1)));
        double deeper = fmax(separation - gap, 0.0);
        point1 = vec3_add_scaled(point1, -0.5 * deeper, n);
        point2 = vec3_add_scaled(point2, 0.5 * deeper, n);
        gap += deeper;
        if (gap < margin)
            patch->touch[patch->count++] =
                (Touch){touch_id(label1, label2), point1, point2, one->radius, two->radius, gap};
    }
}

void patch_swap(Patch *patch)
{
    patch->normal = vec3_negate(patch->normal);
    if (patch->carrier != NORMAL_ALONG_CORES)
        patch->carrier = patch->carrier == NORMAL_ON_1 ? NORMAL_ON_2 : NORMAL_ON_1;
    for (int i = 0; i < patch->count; i++) {
        Touch t = patch->touch[i];
        patch->touch[i] = (Touch){t.id << 32 | t.id >> 32, t.point2, t.point1, t.radius2, t.radius1, t.gap};
    }
}
