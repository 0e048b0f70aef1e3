/* SPDX-License-Identifier: MIT */
/* Narrow phase: where and how two placed shapes touch.
 *
 *   axis      the direction n of least overlap (or of the gap), by separating axes (two boxes), closed form (sphere,
 *             capsule, plane), GJK (apart) or the expanding polytope (overlapping); edges that meet are treated as
 * apart; features  what each shape shows along n (point, segment, face), clipped against each other: the touching
 * points; manifold  the deepest of these points, and those that span the largest area: at most four.
 *
 * Spheres, ellipsoids, boxes, capsules, cylinders and hulls collide with each other and with planes. A mesh collides
 * with planes only, by its vertices. Two planes do not collide. collide_supported() tells which pairs do. */
#ifndef RIGOR_MODEL_COLLISION_COLLIDE_H
#define RIGOR_MODEL_COLLISION_COLLIDE_H

#include "model/collision/convex.h"

/* The overlap that solvers commonly leave. Lengths here are parts of the world's length scale (the argument `length`),
 * so that the size of a scene makes no difference. */
#define OVERLAP_LEFT 0.005

bool collide_supported(ShapeKind one, ShapeKind two);

/* Shapes are apart or overlap by `separation` (m, negative: overlap) along n, which points from a to b. */
typedef struct Axis {
    Vec3 n;
    double separation; /* of the rounded shapes */
    Vec3 a, b;         /* nearest points of the cores */
    double rival;      /* separation along the next best axis of another direction; infinite: not known; minus
                        * infinite: there is none, or it cannot turn this one */
    /* Of two boxes a and b are seldom asked for: box_axis_points fills them, if they are left to it. */
    bool points_left, face_of_a;
    int edge_a, edge_b; /* whose product n is; -1: n is the normal of a face */
} Axis;

/* The touching point of least gap has this number in its id where no feature has another. */
enum { LABEL_VERTEX = 1 << 24, LABEL_EDGE = 2 << 24, LABEL_NEAREST = 3 << 24 };

/* Two points that face each other: surface 1 is at point1 + convex_round_offset(radius1, axis1, n), surface 2 at
 * point2 + convex_round_offset(radius2, axis2, -n), with axes zero where the normal lies along the cores; an
 * ellipsoid's point is its centre, and its surface where it is farthest along n. */
typedef struct Touch {
    uint64_t id; /* feature of body 1 in the upper half, of body 2 in the lower: the same while the features are */
    Vec3 point1, point2;
    double radius1, radius2;
    double gap; /* n.(surface 2 - surface 1) */
} Touch;

/* What holds the normal when the bodies move on: the face it belongs to, or, between round surfaces, the line through
 * the two core points. */
typedef enum NormalCarrier { NORMAL_ON_1, NORMAL_ON_2, NORMAL_ALONG_CORES, NORMAL_IN_WORLD } NormalCarrier;

enum { PATCH_MAX = 2 * FEATURE_MAX + 1, MANIFOLD_MAX = 4 };

typedef struct Patch {
    Vec3 normal; /* from 1 to 2, world, unit */
    NormalCarrier carrier;
    int count; /* 0: farther apart than the margin */
    Touch touch[PATCH_MAX];
} Patch;

/* All touching points of gap < margin (m), before reduction. Shapes must be supported. */
void collide(const Convex *one, const Convex *two, double length, double margin, Patch *patch);

/* Puts the touching points with these ids first, in this order: reduction keeps an earlier point unless a later one is
 * clearly better, so a manifold keeps its points. */
void patch_prefer(Patch *patch, const uint64_t *ids, int count);

/* Keeps at most MANIFOLD_MAX touching points: the deepest, and those that span the largest area. */
void patch_reduce(Patch *patch, double length);

/* The pieces. */

/* Core points nearer to each other than this part of the radii give no steady direction. */
#define CORES_APART 0.1

/* Distance of the cores with their faces moved inwards by `inset`, 0 if they overlap or touch to round-off; fills n and
 * the nearest points, as they lie on the cores themselves, if it is not 0. */
double gjk_distance(const Convex *a, const Convex *b, double inset, Axis *axis);
/* Bodies whose edges meet are taken this far apart. Where edges pass each other by less than the overlap that is left
 * anyway, it is not defined which face they touch. */
#define EDGE_GAP OVERLAP_LEFT
/* The most that each body is moved inwards. An overlap that this does not undo is no resting contact; its shortest way
 * out is the normal. */
#define EDGE_MAX_INSET 0.01
/* How far each body is moved inwards so that bodies of this separation are EDGE_GAP apart. */
double edge_inset(const Convex *a, const Convex *b, double length, double separation);
/* Turns the axis where edges or corners meet (collide_edge.c); the separation stays, and is that of the best axis. */
void edge_soften_axis(const Convex *a, const Convex *b, double length, Axis *axis);
/* Least overlap of the cores; one of them must have volume, else n is along the centres. */
void epa_axis(const Convex *a, const Convex *b, Axis *axis);

/* The same two, step by step for whoever looks: at each step the simplex or polytope in A - B, where it is nearest to
 * the origin, and the support point beyond, which is tried next. */
typedef struct GjkStep {
    int count;
    Vec3 points[4], nearest, support;
} GjkStep;

typedef struct GjkWatch {
    void (*step)(void *context, const GjkStep *step);
    void *context;
} GjkWatch;

typedef struct EpaStep {
    int point_count, face_count;
    const Vec3 *points;
    const int (*faces)[3];
    Vec3 normal; /* of the nearest face */
    double distance;
    Vec3 support;
} EpaStep;

typedef struct EpaWatch {
    void (*step)(void *context, const EpaStep *step);
    void *context;
} EpaWatch;

double gjk_distance_watched(const Convex *a, const Convex *b, Axis *axis, const GjkWatch *watch);
void epa_axis_watched(const Convex *a, const Convex *b, Axis *axis, const EpaWatch *watch);

/* For two boxes; it leaves a and b to box_axis_points. */
void box_box_axis(const Convex *a, const Convex *b, double length, Axis *axis);
void box_axis_points(const Convex *a, const Convex *b, Axis *axis);
/* Spheres and capsules. */
void round_axis(const Convex *a, const Convex *b, Axis *axis);
void sphere_cylinder_axis(const Convex *sphere, const Convex *cylinder, Axis *axis);
void sphere_box_axis(const Convex *sphere, const Convex *box, Axis *axis);
/* Beyond the square of a distance by this factor is farther than round-off can tell. */
#define CLEARLY_APART (1.0 + 1e-12)
/* Whether two spheres surely have a gap of the margin or more: most pairs, told without a root. */
static inline bool spheres_are_apart(const Convex *a, const Convex *b, double margin)
{
    Vec3 between = vec3_sub(b->x, a->x);
    double reach = a->radius + b->radius + margin;
    return vec3_dot(between, between) > CLEARLY_APART * (reach * reach);
}
void sphere_ellipsoid_axis(const Convex *sphere, const Convex *ellipsoid, Axis *axis);
/* The one point of a pair whose second is an ellipsoid, along its axis; the axis becomes that of a face it lies on. */
void ellipsoid_touch(const Convex *other, const Convex *ellipsoid, Axis *axis, Patch *patch);
/* The radius of the round surface that a point of the core lies under, seen along n; moves the rim's or side's point of
 * a cylinder to its axis. A cap is not round. */
double touch_core(const Convex *convex, Vec3 n, Vec3 *point);
/* Fills the whole patch. */
void sphere_sphere_touch(const Convex *a, const Convex *b, double margin, Patch *patch);
/* Fills the whole patch; `plane` is body 1. */
void plane_touch(const Convex *plane, const Convex *other, double margin, Patch *patch);

/* Appends to the patch the incident feature clipped against the reference polygon along n, which points out of the
 * reference; body 1 is the reference. No gap is below the axis's separation. */
void patch_clip(Patch *patch, const Feature *reference, const Feature *incident, Vec3 n, double separation,
                double margin);
/* The same for the faces of two boxes; the patch's carrier says whose the reference is. */
void patch_clip_boxes(Patch *patch, const BoxFace *reference, const BoxFace *incident, const Axis *axis, double margin);
/* Appends the ends of the overlap of two nearly parallel segments; nothing if they are not parallel. No gap is below
 * the axis's separation. */
void patch_overlap_segments(Patch *patch, const Feature *one, const Feature *two, Vec3 n, double separation,
                            double margin);
/* Exchanges bodies 1 and 2. */
void patch_swap(Patch *patch);

static inline uint64_t touch_id(uint32_t feature1, uint32_t feature2)
{
    return (uint64_t)feature1 << 32 | feature2;
}

#endif
