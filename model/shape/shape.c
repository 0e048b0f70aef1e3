/* SPDX-License-Identifier: MIT */
/* Mass properties of the primitives in closed form, about their centre. All solids: a sphere is 2/5 m r^2, and not the
 * 2/3 m r^2 of a shell that lecture 004 prints. Axis of capsule and cylinder: y. */
#include "model/shape.h"

#include <assert.h>

static MassProperties shape_mass(double mass, double Ixx, double Iyy, double Izz)
{
    return (MassProperties){mass, VEC3_ZERO, mat3_diagonal(vec3(Ixx, Iyy, Izz))};
}

static MassProperties sphere_mass(double r, double density)
{
    double m = density * 4.0 / 3.0 * PI * r * r * r, I = 0.4 * m * r * r;
    return shape_mass(m, I, I, I);
}

static MassProperties box_mass(Vec3 size, double density)
{
    double m = density * size.x * size.y * size.z;
    double xx = size.x * size.x, yy = size.y * size.y, zz = size.z * size.z;
    return shape_mass(m, m * (yy + zz) / 12.0, m * (xx + zz) / 12.0, m * (xx + yy) / 12.0);
}

static MassProperties cylinder_mass(double r, double l, double density)
{
    double m = density * PI * r * r * l, across = m * (3.0 * r * r + l * l) / 12.0;
    return shape_mass(m, across, 0.5 * m * r * r, across);
}

/* A cylinder and two half balls. A half ball of mass h has its centre 3/8 r from its flat face and 2/5 h r^2 about
 * any axis through that face's centre, so about the capsule's centre h (2/5 r^2 + l^2/4 + 3/8 r l). */
static MassProperties capsule_mass(double r, double l, double density)
{
    MassProperties middle = cylinder_mass(r, l, density), ends = sphere_mass(r, density);
    double along = middle.inertia.m[1][1] + ends.inertia.m[1][1];
    double across = middle.inertia.m[0][0] + ends.mass * (0.4 * r * r + 0.25 * l * l + 0.375 * r * l);
    return shape_mass(middle.mass + ends.mass, across, along, across);
}

MassProperties shape_mass_properties(const Shape *shape, double density)
{
    switch (shape->kind) {
    case SHAPE_SPHERE:
        return sphere_mass(shape->radius, density);
    case SHAPE_BOX:
        return box_mass(shape->size, density);
    case SHAPE_CAPSULE:
        return capsule_mass(shape->radius, shape->length, density);
    case SHAPE_CYLINDER:
        return cylinder_mass(shape->radius, shape->length, density);
    default:
        assert(shape->kind == SHAPE_HULL || shape->kind == SHAPE_MESH);
        return mesh_mass_properties(shape->mesh, density);
    }
}

static double mesh_bounding_radius(const Mesh *mesh)
{
    double largest = 0.0;
    for (int i = 0; i < mesh->vertex_count; i++)
        largest = fmax(largest, vec3_norm(mesh->vertices[i]));
    return largest;
}

double shape_bounding_radius(const Shape *shape)
{
    switch (shape->kind) {
    case SHAPE_NONE:
        return 0.0;
    case SHAPE_SPHERE:
        return shape->radius;
    case SHAPE_BOX:
        return 0.5 * vec3_norm(shape->size);
    case SHAPE_CAPSULE:
        return shape->radius + 0.5 * shape->length;
    case SHAPE_CYLINDER:
        return hypot(shape->radius, 0.5 * shape->length);
    case SHAPE_PLANE:
        return INFINITY;
    default:
        return mesh_bounding_radius(shape->mesh);
    }
}

static double mesh_longest_edge(const Mesh *mesh)
{
    Vec3 low, high;
    mesh_bounds(mesh, &low, &high);
    return vec3_largest(vec3_sub(high, low));
}

double shape_longest_edge(const Shape *shape)
{
    switch (shape->kind) {
    case SHAPE_SPHERE:
        return 2.0 * shape->radius;
    case SHAPE_BOX:
        return vec3_largest(shape->size);
    case SHAPE_CAPSULE:
        return 2.0 * shape->radius + shape->length;
    case SHAPE_CYLINDER:
        return fmax(2.0 * shape->radius, shape->length);
    default:
        assert(shape->kind == SHAPE_HULL || shape->kind == SHAPE_MESH);
        return mesh_longest_edge(shape->mesh);
    }
}
