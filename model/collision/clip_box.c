/* SPDX-License-Identifier: MIT */
/* Clipping of two boxes' faces: clip.c for four corners, or four sides, at a time, to the same bits. */
#include "model/collision/clip.h"
#include "model/lanes/row.h"
#include "model/lanes/vectors.h"

/* Four sides cut a quadrilateral to eight points; a crossing that round-off doubles has room, too. */
enum { BOX_POLYGON_MAX = 12 };

/* A corner of the incident face, or what became of it. */
typedef struct BoxPoint {
    double at[4];      /* x, y, z, and a number without meaning */
    double outside[4]; /* how far it is outside of each side of the reference, times the side's length */
    ClipName name;
} BoxPoint;

typedef struct BoxPolygon {
    int count;
    BoxPoint point[BOX_POLYGON_MAX];
} BoxPolygon;

/* The corners of a cube's faces, in the order of polyhedron_cube's loops. */
static const double FACE_CORNERS[6][3][4] = {
    {{-1, -1, -1, -1}, {-1, -1, 1, 1}, {-1, 1, 1, -1}}, {{1, 1, 1, 1}, {-1, 1, 1, -1}, {-1, -1, 1, 1}},
    {{-1, 1, 1, -1}, {-1, -1, -1, -1}, {-1, -1, 1, 1}}, {{-1, -1, 1, 1}, {1, 1, 1, 1}, {-1, 1, 1, -1}},
    {{-1, -1, 1, 1}, {-1, 1, 1, -1}, {-1, -1, -1, -1}}, {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {1, 1, 1, 1}}};

/* The names of these corners, and of the edges that leave them. */
#define EDGE_NAME(v, w) (LABEL_EDGE | ((v) < (w) ? (v) << 12 | (w) : (w) << 12 | (v)))
#define CORNER_NAME(v, w)                                                                                              \
    {                                                                                                                  \
        LABEL_VERTEX | (v), 0, EDGE_NAME(v, w), false                                                                  \
    }
#define FACE_NAME(a, b, c, d)                                                                                          \
    {                                                                                                                  \
        CORNER_NAME(a, b), CORNER_NAME(b, c), CORNER_NAME(c, d), CORNER_NAME(d, a)                                     \
    }
static const ClipName FACE_NAMES[6][4] = {FACE_NAME(0, 4, 6, 2), FACE_NAME(1, 3, 7, 5), FACE_NAME(0, 1, 5, 4),
                                          FACE_NAME(2, 6, 7, 3), FACE_NAME(0, 2, 3, 1), FACE_NAME(4, 5, 7, 6)};

LANE_INLINE Lanes lanes_next(Lanes x)
{
    return __builtin_shufflevector(x, x, 1, 2, 3, 0);
}

LANE_INLINE LanesVec3 face_corners(const BoxFace *face)
{
    const Convex *box = face->box;
    const double(*m)[3] = box->turn.m, (*corner)[4] = FACE_CORNERS[face->number];
    Lanes x = lanes_all(box->half.x) * lanes_load(corner[0]), y = lanes_all(box->half.y) * lanes_load(corner[1]);
    Lanes z = lanes_all(box->half.z) * lanes_load(corner[2]);
    return (LanesVec3){lanes_all(box->x.x) + lane_row_combine(m[0][0], x, m[0][1], y, m[0][2], z),
                       lanes_all(box->x.y) + lane_row_combine(m[1][0], x, m[1][1], y, m[1][2], z),
                       lanes_all(box->x.z) + lane_row_combine(m[2][0], x, m[2][1], y, m[2][2], z)};
}

/* The half-planes of the reference's four sides, grown: inside where outward.p <= limit. */
typedef struct BoxSides {
    LanesVec3 outward;
    Lanes limit;
} BoxSides;

LANE_INLINE BoxSides face_sides(LanesVec3 corner, Vec3 n)
{
    double size2[4], length[4];
    LanesVec3 from_first = lanes_sub(corner, lanes_same(vec3(corner.x[0], corner.y[0], corner.z[0])));
    lanes_store(size2, lanes_dot(from_first, from_first));
    double largest = size2[1] > size2[2] ? size2[1] : size2[2];
    double growth = CLIP_GROWTH * sqrt(largest > size2[3] ? largest : size2[3]);
    LanesVec3 next = {lanes_next(corner.x), lanes_next(corner.y), lanes_next(corner.z)};
    LanesVec3 outward = lanes_cross(lanes_sub(next, corner), lanes_same(n));
    lanes_store(length, lanes_dot(outward, outward));
    for (int i = 0; i < 4; i++)
        length[i] = sqrt(length[i]);
    return (BoxSides){outward, lanes_dot(outward, corner) + lanes_all(growth) * lanes_load(length)};
}

/* Returns the sides that it is not inside of. */
LANE_INLINE LaneMask point_place(BoxPoint *point, const BoxSides *sides, Lanes at)
{
    Lanes outside = lanes_dot(sides->outward, lanes_same(vec3(at[0], at[1], at[2]))) - sides->limit;
    lanes_store(point->at, at);
    lanes_store(point->outside, outside);
    return ~(outside <= lanes_all(0.0));
}

/* A bit for each side. */
LANE_INLINE unsigned sides_of(LaneMask mask)
{
    mask &= (LaneMask){1, 2, 4, 8};
    return (unsigned)(mask[0] | mask[1] | mask[2] | mask[3]);
}

/* Returns the sides that cut the face. */
LANE_INLINE unsigned face_begin(BoxPolygon *polygon, const BoxFace *face, const BoxSides *sides)
{
    LanesVec3 corners = face_corners(face);
    Lanes corner[4] = {corners.x, corners.y, corners.z, corners.z};
    LaneMask cuts = {0, 0, 0, 0};
    lanes4_turn(corner);
    polygon->count = 4;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        cuts |= point_place(&polygon->point[i], sides, corner[i]);
        polygon->point[i].name = FACE_NAMES[face->number][i];
    }
    return sides_of(cuts);
}

/* A bit for each point inside of the side. */
static inline unsigned polygon_inside(const BoxPolygon *polygon, int side)
{
    unsigned inside = 0;
    for (int i = 0; i < polygon->count; i++)
        inside |= (unsigned)(polygon->point[i].outside[side] <= 0.0) << i;
    return inside;
}

/* What lies inside. Two points are a segment: it has one edge, not two. Returns the sides that new points are not
 * inside of, be it by round-off. */
LANE_INLINE unsigned polygon_cut(const BoxPolygon *from, const BoxSides *sides, int side, unsigned inside, uint32_t by,
                                 BoxPolygon *to)
{
    int n = from->count, edges = n <= 2 ? n - 1 : n;
    LaneMask cuts = {0, 0, 0, 0};
    to->count = 0;
    for (int i = 0; i < n && to->count + 2 <= BOX_POLYGON_MAX; i++) {
        int k = i + 1 < n ? i + 1 : 0;
        const BoxPoint *p = &from->point[i], *q = &from->point[k];
        bool is_inside = inside >> i & 1;
        if (is_inside)
            to->point[to->count++] = *p;
        if (i >= edges || is_inside == (inside >> k & 1))
            continue;
        Lanes at = lanes_load(p->at), part = lanes_all(p->outside[side] / (p->outside[side] - q->outside[side]));
        BoxPoint *cross = &to->point[to->count++];
        cuts |= point_place(cross, sides, at + part * (lanes_load(q->at) - at));
        cross->name = clip_name_cross(p->name, by, is_inside);
    }
    return sides_of(cuts);
}

/* Cuts the polygon of buffer 0 by these sides, in their order; the result is one of the two buffers. */
LANE_INLINE const BoxPolygon *polygon_clip(BoxPolygon buffers[2], const BoxSides *sides, unsigned cuts,
                                           const ClipName names[4])
{
    BoxPolygon *polygon = &buffers[0], *next = &buffers[1];
    for (int side = 0; side < 4; side++) {
        unsigned inside = cuts >> side & 1 ? polygon_inside(polygon, side) : ~0u;
        if (inside == ~0u || inside == (1u << polygon->count) - 1)
            continue;
        cuts |= polygon_cut(polygon, sides, side, inside, names[side].edge, next);
        BoxPolygon *swap = polygon;
        polygon = next;
        next = swap;
    }
    return polygon;
}

/* Gaps along n of four points to the reference's plane. */
LANE_INLINE Lanes points_gap(const BoxPoint point[4], const BoxFace *reference, Vec3 first, Vec3 n, double separation)
{
    Vec3 normal = box_face_normal(reference);
    Lanes p[4] = {lanes_load(point[0].at), lanes_load(point[1].at), lanes_load(point[2].at), lanes_load(point[3].at)};
    lanes4_turn(p);
    LanesVec3 from_first = lanes_sub((LanesVec3){p[0], p[1], p[2]}, lanes_same(first));
    Lanes gap = lanes_dot(lanes_same(normal), from_first) / lanes_all(vec3_dot(normal, n));
    /* Beyond the polygon's border its plane may lie outside of its solid: there the separation is the gap. */
    Lanes least = lanes_all(separation);
    return lanes_choose(gap > least, gap, least);
}

LANE_INLINE void touch_set(Touch *touch, const BoxPoint *point, double gap, Lanes n, bool swapped)
{
    Lanes own = lanes_load(point->at), over = own + lanes_all(-gap) * n;
    ClipName name = point->name;
    touch->id = swapped ? touch_id(name.own, name.over) : touch_id(name.over, name.own);
    lane_row_store(&touch->point1, swapped ? own : over);
    lane_row_store(&touch->point2, swapped ? over : own);
    touch->radius1 = touch->radius2 = 0.0;
    touch->gap = gap;
}

LANE_CHOICE(patch_clip_boxes)
void LANE_BODY(patch_clip_boxes)(Patch *patch, const BoxFace *reference, const BoxFace *incident, const Axis *axis,
                                 double margin)
{
    bool swapped = patch->carrier == NORMAL_ON_2;
    double sign = swapped ? -1.0 : 1.0; /* of n, out of the reference, against the axis */
    Vec3 n = vec3_scale(sign, axis->n);
    Lanes direction = lanes_all(sign) * lane_row(&axis->n);
    BoxPolygon buffers[2];
    LanesVec3 corner = face_corners(reference);
    Vec3 first = vec3(corner.x[0], corner.y[0], corner.z[0]);
    BoxSides sides = face_sides(corner, n);
    unsigned cuts = face_begin(&buffers[0], incident, &sides);
    const BoxPolygon *polygon = polygon_clip(buffers, &sides, cuts, FACE_NAMES[reference->number]);
    for (int from = 0; from < polygon->count; from += 4) {
        double gap[4];
        lanes_store(gap, points_gap(&polygon->point[from], reference, first, n, axis->separation));
        for (int i = 0; i < 4 && from + i < polygon->count; i++)
            if (gap[i] < margin)
                touch_set(&patch->touch[patch->count++], &polygon->point[from + i], gap[i], direction, swapped);
    }
}
