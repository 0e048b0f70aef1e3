/* SPDX-License-Identifier: MIT */
#include "reports/film/solid.h"

#include <math.h>

/* Round shapes are cut into so many slices around, and half of that from pole to pole. */
enum { SLICES = 20, RINGS = 10 };

static void box_faces(Vec3 size, FaceSink *sink, void *context)
{
    Vec3 half = vec3_scale(0.5, size);
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            Face face = {.count = 4, .edged = true};
            for (int c = 0; c < 4; c++) {
                /* Around the axis, the other way round on the far side. */
                int k = side > 0 ? c : 3 - c;
                double u = k == 0 || k == 3 ? -1.0 : 1.0, v = k < 2 ? -1.0 : 1.0, x[3];
                x[axis] = side;
                x[(axis + 1) % 3] = u;
                x[(axis + 2) % 3] = v;
                face.corner[c] = vec3(x[0] * half.x, x[1] * half.y, x[2] * half.z);
            }
            sink(context, &face);
        }
}

static Vec3 round_point(double radius, double height, double around)
{
    return vec3(radius * sin(around), height, radius * cos(around));
}

/* The band between two circles about y; a radius of 0 is a point. */
static void band_faces(double radius1, double y1, double radius2, double y2, bool edged, FaceSink *sink, void *context)
{
    for (int i = 0; i < SLICES; i++) {
        double a = 2.0 * PI * i / SLICES, b = 2.0 * PI * (i + 1) / SLICES;
        Face face = {.edged = edged};
        face.corner[face.count++] = round_point(radius1, y1, a);
        if (radius1 > 0.0)
            face.corner[face.count++] = round_point(radius1, y1, b);
        face.corner[face.count++] = round_point(radius2, y2, b);
        if (radius2 > 0.0)
            face.corner[face.count++] = round_point(radius2, y2, a);
        sink(context, &face);
    }
}

/* Two half spheres with a cylinder of that length between them. */
static void capsule_faces(double radius, double length, FaceSink *sink, void *context)
{
    for (int ring = 0; ring < RINGS; ring++) {
        double low = PI * ring / RINGS - PI / 2, high = PI * (ring + 1) / RINGS - PI / 2;
        double shift = 2 * ring < RINGS ? -0.5 * length : 0.5 * length;
        double r1 = ring == 0 ? 0.0 : radius * cos(low), r2 = ring == RINGS - 1 ? 0.0 : radius * cos(high);
        band_faces(r1, radius * sin(low) + shift, r2, radius * sin(high) + shift, false, sink, context);
        if (2 * (ring + 1) == RINGS && length > 0.0)
            band_faces(radius, -0.5 * length, radius, 0.5 * length, false, sink, context);
    }
}

static void mesh_faces(const Mesh *mesh, FaceSink *sink, void *context)
{
    for (int i = 0; i < mesh->triangle_count; i++) {
        Face face = {.count = 3};
        for (int c = 0; c < 3; c++)
            face.corner[c] = mesh->vertices[mesh->triangles[i][c]];
        sink(context, &face);
    }
}

/* Faces of a ball, stretched. */
typedef struct Scaled {
    Vec3 by;
    FaceSink *sink;
    void *context;
} Scaled;

static void scaled_face(void *context, const Face *face)
{
    const Scaled *scaled = context;
    Face stretched = *face;
    for (int c = 0; c < face->count; c++)
        stretched.corner[c] = vec3_mul(scaled->by, face->corner[c]);
    scaled->sink(scaled->context, &stretched);
}

void solid_faces(const Shape *shape, double radius, FaceSink *sink, void *context)
{
    double half = 0.5 * shape->length;
    switch (shape->kind) {
    case SHAPE_NONE:
        if (radius > 0.0)
            capsule_faces(radius, 0.0, sink, context);
        return;
    case SHAPE_SPHERE:
        capsule_faces(shape->radius, 0.0, sink, context);
        return;
    case SHAPE_CAPSULE:
        capsule_faces(shape->radius, shape->length, sink, context);
        return;
    case SHAPE_BOX:
        box_faces(shape->size, sink, context);
        return;
    case SHAPE_CYLINDER:
        band_faces(0.0, -half, shape->radius, -half, false, sink, context);
        band_faces(shape->radius, -half, shape->radius, half, false, sink, context);
        band_faces(shape->radius, half, 0.0, half, false, sink, context);
        return;
    case SHAPE_HULL:
    case SHAPE_MESH:
        if (shape->mesh)
            mesh_faces(shape->mesh, sink, context);
        return;
    case SHAPE_ELLIPSOID:
        capsule_faces(1.0, 0.0, scaled_face, &(Scaled){shape->radii, sink, context});
        return;
    case SHAPE_PLANE:
        return;
    }
}
