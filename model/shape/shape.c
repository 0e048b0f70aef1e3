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

static MassProperties ellipsoid_mass(Vec3 radii, double density)
{
    double m = density * 4.0 / 3.0 * PI * radii.x * radii.y * radii.z;
    double xx = radii.x * radii.x, yy = radii.y * radii.y, zz = radii.z * radii.z;
    return shape_mass(m, 0.2 * m * (yy + zz), 0.2 * m * (xx + zz), 0.2 * m * (xx + yy));
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
    case SHAPE_ELLIPSOID:
        return ellipsoid_mass(shape->radii, density);
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
    case SHAPE_ELLIPSOID:
        return vec3_largest(shape->radii);
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
    case SHAPE_ELLIPSOID:
        return 2.0 * vec3_largest(shape->radii);
    default:
        assert(shape->kind == SHAPE_HULL || shape->kind == SHAPE_MESH);
        return mesh_longest_edge(shape->mesh);
    }
}

static double mesh_reach(const Mesh *mesh, Vec3 d)
{
    double reach = -INFINITY;
    for (int i = 0; i < mesh->vertex_count; i++)
        reach = fmax(reach, vec3_dot(d, mesh->vertices[i]));
    return reach;
}

double shape_reach(const Shape *shape, Vec3 d)
{
    double across = hypot(d.x, d.z), along = 0.5 * shape->length * fabs(d.y);
    switch (shape->kind) {
    case SHAPE_SPHERE:
        return shape->radius;
    case SHAPE_BOX:
        return 0.5 * (shape->size.x * fabs(d.x) + shape->size.y * fabs(d.y) + shape->size.z * fabs(d.z));
    case SHAPE_CAPSULE:
        return shape->radius + along;
    case SHAPE_CYLINDER:
        return shape->radius * across + along;
    case SHAPE_ELLIPSOID:
        return vec3_norm(vec3_mul(shape->radii, d));
    default:
        assert(shape->kind == SHAPE_HULL || shape->kind == SHAPE_MESH);
        return mesh_reach(shape->mesh, d);
    }
}

/* m (|d|^2 1 - d d^T) */
static void inertia_add_point(Mat3 *inertia, double mass, Vec3 d)
{
    const double c[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia->m[i][j] += mass * ((i == j ? vec3_dot(d, d) : 0.0) - c[i] * c[j]);
}

MassProperties mass_properties_join(const MassPart *parts, int count)
{
    MassProperties all = {0};
    Vec3 first = VEC3_ZERO;
    for (int k = 0; k < count; k++) {
        all.mass += parts[k].solid.mass;
        first = vec3_add_scaled(first, parts[k].solid.mass, parts[k].at);
    }
    if (all.mass == 0.0)
        return all;
    all.centre = vec3_scale(1.0 / all.mass, first);
    for (int k = 0; k < count; k++) {
        Mat3 R = mat3_from_quat(parts[k].turn);
        Mat3 turned = mat3_mul(mat3_mul(R, parts[k].solid.inertia), mat3_transpose(R));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                all.inertia.m[i][j] += turned.m[i][j];
        inertia_add_point(&all.inertia, parts[k].solid.mass, vec3_sub(parts[k].at, all.centre));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            all.inertia.m[i][j] = all.inertia.m[j][i];
    return all;
}
