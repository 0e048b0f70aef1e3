/* SPDX-License-Identifier: MIT */
/* Shapes of every kind with random sizes, and their support functions written anew, so that collision is held against
 * something that shares no code with it. */
#ifndef RIGOR_TESTS_MODEL_SHAPES_H
#define RIGOR_TESTS_MODEL_SHAPES_H

#include "model/collision/collide.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

enum { SHAPES_HULL_POINTS = 14 };

typedef struct Placed {
    Shape shape;
    Vec3 x;
    Quat q;
    Polyhedron *poly;
} Placed;

static inline Mesh *shapes_hull(Random *random, double radius)
{
    Vec3 points[SHAPES_HULL_POINTS];
    Status status = {0};
    for (int i = 0; i < SHAPES_HULL_POINTS; i++)
        points[i] = vec3_scale(radius, random_arrow(random, 0.5, 1.0));
    Mesh *mesh = mesh_create_hull(SHAPES_HULL_POINTS, points, &status);
    assert_non_null(mesh);
    return mesh;
}

static inline Placed shapes_random(Random *random, ShapeKind kind)
{
    Placed placed = {.shape = {.kind = kind}, .x = random_vec3(random, 1.0), .q = random_quat(random)};
    placed.shape.radius = random_in(random, 0.15, 0.6);
    placed.shape.length = random_in(random, 0.2, 1.2);
    placed.shape.size = random_sides(random, 0.3, 1.4);
    if (kind == SHAPE_ELLIPSOID)
        placed.shape.radii = random_sides(random, 0.15, 0.7);
    if (kind == SHAPE_HULL) {
        placed.shape.mesh = shapes_hull(random, random_in(random, 0.3, 0.8));
        placed.poly = polyhedron_create(placed.shape.mesh, true);
    }
    if (kind == SHAPE_PLANE) {
        placed.shape.normal = random_unit(random);
        placed.shape.offset = random_in(random, -0.3, 0.3);
    }
    return placed;
}

static inline void shapes_free(Placed *placed)
{
    polyhedron_destroy(placed->poly);
    mesh_destroy((Mesh *)placed->shape.mesh);
}

static inline Convex shapes_convex(const Placed *placed)
{
    Convex convex;
    convex_place(&convex, &placed->shape, placed->poly, placed->x, placed->q);
    return convex;
}

/* max over the solid of direction . x */
static inline double shapes_height(const Placed *placed, Vec3 direction)
{
    const Shape *s = &placed->shape;
    Vec3 d = quat_rotate_inverse(placed->q, direction);
    double height = 0.0, length = vec3_norm(d);
    switch (s->kind) {
    case SHAPE_SPHERE:
        height = s->radius * length;
        break;
    case SHAPE_CAPSULE:
        height = s->radius * length + 0.5 * s->length * fabs(d.y);
        break;
    case SHAPE_CYLINDER:
        height = s->radius * sqrt(d.x * d.x + d.z * d.z) + 0.5 * s->length * fabs(d.y);
        break;
    case SHAPE_BOX:
        height = 0.5 * (s->size.x * fabs(d.x) + s->size.y * fabs(d.y) + s->size.z * fabs(d.z));
        break;
    case SHAPE_ELLIPSOID: {
        Vec3 r = s->radii;
        height = sqrt(r.x * r.x * d.x * d.x + r.y * r.y * d.y * d.y + r.z * r.z * d.z * d.z);
        break;
    }
    default:
        height = -INFINITY;
        for (int v = 0; v < s->mesh->vertex_count; v++)
            height = fmax(height, vec3_dot(d, s->mesh->vertices[v]));
    }
    return height + vec3_dot(direction, placed->x);
}

/* Gap between the two along a unit direction from one to two; its maximum over all directions is the separation. */
static inline double shapes_gap(const Placed *one, const Placed *two, Vec3 n)
{
    return -shapes_height(one, n) - shapes_height(two, vec3_negate(n));
}

/* Surface points of a touching point: beyond the core along n, for a rolling cylinder along n's part across its axis.
 */
static inline Vec3 shapes_offset(const Convex *convex, const Patch *patch, double radius, Vec3 direction)
{
    if (convex->kind == SHAPE_ELLIPSOID)
        return convex_surface_offset(convex, radius, direction);
    Vec3 axis = patch->carrier == NORMAL_ALONG_CORES ? VEC3_ZERO : convex_cylinder_axis(convex);
    return convex_round_offset(radius, axis, direction);
}

static inline Vec3 shapes_surface1(const Convex *one, const Patch *patch, const Touch *touch)
{
    return vec3_add(touch->point1, shapes_offset(one, patch, touch->radius1, patch->normal));
}

static inline Vec3 shapes_surface2(const Convex *two, const Patch *patch, const Touch *touch)
{
    return vec3_add(touch->point2, shapes_offset(two, patch, touch->radius2, vec3_negate(patch->normal)));
}

static inline double shapes_least_gap(const Patch *patch)
{
    double least = INFINITY;
    for (int i = 0; i < patch->count; i++)
        least = fmin(least, patch->touch[i].gap);
    return least;
}

#endif
