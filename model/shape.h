/* SPDX-License-Identifier: MIT */
/* Shapes and their mass properties. Axis of capsule and cylinder: y; of an ellipsoid: the axes of its frame. */
#ifndef RIGOR_MODEL_SHAPE_H
#define RIGOR_MODEL_SHAPE_H

#include "model/math3.h"
#include "model/status.h"

typedef enum ShapeKind {
    SHAPE_NONE,
    SHAPE_SPHERE,
    SHAPE_BOX,
    SHAPE_CAPSULE,
    SHAPE_CYLINDER,
    SHAPE_HULL,
    SHAPE_MESH,
    SHAPE_PLANE,
    SHAPE_ELLIPSOID,
} ShapeKind;

/* Whether it encloses something: neither no shape nor a plane. */
static inline bool shape_is_solid(ShapeKind kind)
{
    return kind != SHAPE_NONE && kind != SHAPE_PLANE;
}

/* A closed triangle surface, triangles counter-clockwise seen from outside. A hull is a mesh that is convex. */
typedef struct Mesh {
    int vertex_count, triangle_count;
    Vec3 *vertices;
    int (*triangles)[3];
    char *file; /* where it was read from, NULL for a hull */
} Mesh;

typedef struct Shape {
    ShapeKind kind;
    double radius;    /* sphere, capsule, cylinder */
    double length;    /* capsule: of its cylindrical part; cylinder */
    Vec3 size;        /* box: edge lengths */
    Vec3 radii;       /* ellipsoid: half its axes */
    Vec3 normal;      /* plane: unit, pointing out of the solid half-space */
    double offset;    /* plane: normal . x = offset */
    const Mesh *mesh; /* hull, mesh: vertices relative to the centre of mass */
} Shape;

/* Mass, centre and inertia in the shape's own frame; the inertia is about the centre. */
typedef struct MassProperties {
    double mass;
    Vec3 centre;
    Mat3 inertia;
} MassProperties;

Mesh *mesh_create(int vertex_count, const Vec3 *vertices, int triangle_count, const int (*triangles)[3]);
void mesh_destroy(Mesh *mesh);

/* The convex hull of points, as a mesh (libqhull). Fails if the points span no volume. */
Mesh *mesh_create_hull(int point_count, const Vec3 *points, Status *status);

/* Moves the vertices by -centre. */
void mesh_recentre(Mesh *mesh, Vec3 centre);

/* The box along the axes that holds all vertices. */
void mesh_bounds(const Mesh *mesh, Vec3 *low, Vec3 *high);

/* Fails if an edge is not shared by exactly two triangles in opposite senses: then it encloses nothing. */
bool mesh_check_closed(const Mesh *mesh, Status *status);

/* Volume integrals over the mesh by the divergence theorem. */
MassProperties mesh_mass_properties(const Mesh *mesh, double density);

/* Closed form for primitives, volume integrals for hull and mesh. Not for SHAPE_NONE or SHAPE_PLANE. */
MassProperties shape_mass_properties(const Shape *shape, double density);

/* What has these mass properties, placed: its centre at `at`, turned by `turn`. */
typedef struct MassPart {
    MassProperties solid;
    Vec3 at;
    Quat turn;
} MassPart;

/* Of all parts together, in the frame that they are placed in: Huygens and Steiner. */
MassProperties mass_properties_join(const MassPart *parts, int count);

/* I = R diag(moments) R^T with det R = +1 (LAPACKE dsyev). A diagonal tensor keeps its axes: R = 1. */
bool inertia_principal_axes(Mat3 inertia, Quat *axes, Vec3 *moments, Status *status);

/* The longest edge of the smallest box along the shape's own axes that holds it. Not for SHAPE_NONE or SHAPE_PLANE. */
double shape_longest_edge(const Shape *shape);

/* How far the shape reaches from its frame's origin along a unit direction: its support function. Not for SHAPE_NONE or
 * SHAPE_PLANE. */
double shape_reach(const Shape *shape, Vec3 direction);

/* The smallest distance that encloses the shape from its centre; infinite for a plane. */
double shape_bounding_radius(const Shape *shape);

/* The ellipsoid's point farthest along a direction (not zero), in its own frame: D^2 d / |D d|. */
Vec3 ellipsoid_support(Vec3 radii, Vec3 direction);

/* m, of a ball as curved as the ellipsoid is there: the square root of the product of both radii of curvature. */
double ellipsoid_curvature_radius(Vec3 radii, Vec3 direction);

/* The point of the ellipsoid's surface nearest to a point, in its own frame, and the outward normal there. */
Vec3 ellipsoid_nearest(Vec3 radii, Vec3 point, Vec3 *normal);

#endif
