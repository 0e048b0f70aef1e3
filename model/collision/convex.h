/* SPDX-License-Identifier: MIT */
/* A shape placed in the world, as collision sees it: a convex core, rounded by a radius (sphere: a point; capsule: a
 * segment). Support points, bounds and supporting features are all that the collision of two shapes needs to know. */
#ifndef RIGOR_MODEL_COLLISION_CONVEX_H
#define RIGOR_MODEL_COLLISION_CONVEX_H

#include "model/collision/polyhedron.h"
#include "model/shape.h"

#include <stdint.h>

typedef struct Convex {
    ShapeKind kind;
    Vec3 x;        /* origin of the shape's frame, world */
    double radius; /* sphere, capsule: of the rounding; cylinder: its own */
    Mat3 turn;     /* shape's frame to world */
    Vec3 half; /* scale of poly: a box's half edges, 1 for hull and mesh; an ellipsoid's radii; y: half length of the
                * others */
    union {
        Vec3 normal; /* plane, world */
        Vec3 reach;  /* what a box reaches along its own axes: its half edges but for round-off */
    };
    double offset;          /* plane, world: solid where normal . x < offset */
    const Polyhedron *poly; /* box, hull, mesh */
} Convex;

typedef struct Bounds {
    Vec3 low, high;
} Bounds;

/* All comparisons before one branch: which of them fails cannot be foreseen. */
static inline bool bounds_overlap(const Bounds *a, const Bounds *b)
{
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
           (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

/* Of what has none that count. */
static inline bool bounds_are_empty(const Bounds *bounds)
{
    return bounds->low.x > bounds->high.x;
}

static inline Bounds bounds_widen(Bounds bounds, double wider)
{
    Vec3 w = vec3(wider, wider, wider);
    return (Bounds){vec3_sub(bounds.low, w), vec3_add(bounds.high, w)};
}

/* The pose is that of the shape's own frame. poly is the hull's or mesh's; a box has its own. */
void convex_place(Convex *convex, const Shape *shape, const Polyhedron *poly, Vec3 x, Quat q);

/* The point of the core farthest along a direction, world. Not for a plane. */
Vec3 convex_support(const Convex *convex, Vec3 direction);

/* The same for the core with all faces moved inwards by `inset`; and the core's own point that it comes from. */
Vec3 convex_support_inset(const Convex *convex, Vec3 direction, double inset);
Vec3 convex_support_outer(const Convex *convex, Vec3 direction, double inset);

/* How far the faces can be moved inwards, keeping their directions and at least half of the size; 0: not at all. */
double convex_inset_max(const Convex *convex);

/* Radius that the core is rounded by: zero but for sphere and capsule. */
static inline double convex_rounding(const Convex *convex)
{
    return convex->kind == SHAPE_SPHERE || convex->kind == SHAPE_CAPSULE ? convex->radius : 0.0;
}

/* The smallest box along the world's axes. Not for a plane. */
Bounds convex_bounds(const Convex *convex);

/* Unit axis of a cylinder, world; zero for every other kind. */
Vec3 convex_cylinder_axis(const Convex *convex);

/* Where a round surface of this radius lies against its core point, seen along the unit direction: along it, or for a
 * cylinder (unit axis) along its part normal to the axis, so that a rolling body needs no new contact point. */
Vec3 convex_round_offset(double radius, Vec3 axis, Vec3 direction);

/* Where the surface of this radius over a core point is, seen along a unit direction: as convex_round_offset, or of an
 * ellipsoid, whose core point is its centre, the point that is farthest along it. */
Vec3 convex_surface_offset(const Convex *convex, double radius, Vec3 direction);

/* Vertices of a cap as a polygon: its sides cut 1 - cos(pi/16), 2 %, of the radius, and it holds a square, which is
 * the largest manifold of four points. */
enum { CAP_SIDES = 16 };

/* Longest polygon that takes part in clipping; a longer face is thinned evenly. */
enum { FEATURE_MAX = 32 };

/* The part of a shape that a plane moving against `direction` touches first: a point, a segment, or a polygon that runs
 * counter-clockwise about its outward normal. Points lie on the core; the round surface lies `radius` beyond them. */
typedef struct Feature {
    int count;
    Vec3 point[FEATURE_MAX];
    uint32_t vertex[FEATURE_MAX]; /* number of the vertex in its shape */
    Vec3 normal;                  /* polygon, unit */
    double radius;
    Vec3 axis; /* of a cylinder's side, else zero: for convex_round_offset */
} Feature;

void convex_feature(const Convex *convex, Vec3 direction, Feature *feature);

/* The same face of a box, without its points. */
typedef struct BoxFace {
    const Convex *box;
    int number;    /* in polyhedron_cube */
    double cosine; /* between its normal and the direction */
} BoxFace;

BoxFace convex_box_face(const Convex *box, Vec3 direction);

/* Outward, unit. */
static inline Vec3 box_face_normal(const BoxFace *face)
{
    const double(*m)[3] = face->box->turn.m;
    int axis = face->number / 2;
    Vec3 n = vec3(m[0][axis], m[1][axis], m[2][axis]);
    return face->number % 2 ? n : vec3_negate(n);
}

static inline double box_face_area(const BoxFace *face)
{
    int axis = face->number / 2;
    return 4.0 * vec3_get(face->box->half, (axis + 1) % 3) * vec3_get(face->box->half, (axis + 2) % 3);
}

/* Reduces a polygon to its edge farthest along the direction. */
void feature_keep_edge(Feature *feature, Vec3 direction);

#endif
