/* SPDX-License-Identifier: MIT */
/* How far two bodies are apart along the best of many directions: a lower bound of their distance, so that a gap that
 * is not negative proves that they do not overlap. Exact where the direction of least gap is among those tried: faces
 * of boxes and hulls, the axes of the world, the line of centres. */
#ifndef RIGOR_TESTS_SCENES_APART_H
#define RIGOR_TESTS_SCENES_APART_H

#include "model/world.h"

/* max of d.x over the body */
static inline double apart_support(const World *world, int body, Vec3 d)
{
    const Shape *shape = &world->bodies[body].shape;
    Vec3 local = quat_rotate_inverse(world_reported_orientation(world, body), d), half = vec3_scale(0.5, shape->size);
    double reach = 0.0;
    switch (shape->kind) {
    case SHAPE_SPHERE:
        reach = shape->radius;
        break;
    case SHAPE_BOX:
        reach = half.x * fabs(local.x) + half.y * fabs(local.y) + half.z * fabs(local.z);
        break;
    case SHAPE_CAPSULE:
        reach = shape->radius + 0.5 * shape->length * fabs(local.y);
        break;
    case SHAPE_CYLINDER:
        reach = shape->radius * hypot(local.x, local.z) + 0.5 * shape->length * fabs(local.y);
        break;
    case SHAPE_HULL:
        reach = -INFINITY;
        for (int i = 0; i < shape->mesh->vertex_count; i++)
            reach = fmax(reach, vec3_dot(local, shape->mesh->vertices[i]));
        break;
    default:
        return INFINITY;
    }
    return vec3_dot(d, world->pose[body].x) + reach;
}

static inline double apart_along(const World *world, int one, int two, Vec3 d)
{
    return -apart_support(world, two, vec3_negate(d)) - apart_support(world, one, d);
}

static inline double apart_both_ways(const World *world, int one, int two, Vec3 d)
{
    return fmax(apart_along(world, one, two, d), apart_along(world, one, two, vec3_negate(d)));
}

/* Along the normals of a body's faces. */
static inline double apart_faces(const World *world, int of, int one, int two)
{
    Quat q = world_reported_orientation(world, of);
    double best = -INFINITY;
    for (int k = 0; k < 3; k++)
        best = fmax(best, apart_both_ways(world, one, two, quat_rotate(q, vec3_axis(k))));
    const Mesh *mesh = world->bodies[of].shape.mesh;
    for (int t = 0; mesh && t < mesh->triangle_count; t++) {
        const Vec3 *v = mesh->vertices;
        const int *corner = mesh->triangles[t];
        Vec3 n = vec3_cross(vec3_sub(v[corner[1]], v[corner[0]]), vec3_sub(v[corner[2]], v[corner[0]]));
        best = fmax(best, apart_both_ways(world, one, two, quat_rotate(q, vec3_unit(n))));
    }
    return best;
}

/* m; of a plane and a body exact. */
static inline double apart(const World *world, int one, int two)
{
    const Shape *a = &world->bodies[one].shape, *b = &world->bodies[two].shape;
    if (a->kind == SHAPE_PLANE)
        return -apart_support(world, two, vec3_negate(a->normal)) - a->offset;
    if (b->kind == SHAPE_PLANE)
        return apart(world, two, one);
    Vec3 between = vec3_sub(world->pose[two].x, world->pose[one].x);
    double distance = vec3_norm(between), far = distance - shape_bounding_radius(a) - shape_bounding_radius(b);
    if (far > 0.0)
        return far;
    double best = distance > 0.0 ? apart_along(world, one, two, vec3_scale(1.0 / distance, between)) : -INFINITY;
    best = fmax(best, fmax(apart_faces(world, one, one, two), apart_faces(world, two, one, two)));
    for (int k = 0; k < 3; k++)
        best = fmax(best, apart_both_ways(world, one, two, vec3_axis(k)));
    enum { DIRECTIONS = 300 }; /* spread over the sphere on a golden spiral */
    for (int i = 0; best < 0.0 && i < DIRECTIONS; i++) {
        double y = 1.0 - (2.0 * i + 1.0) / DIRECTIONS, r = sqrt(1.0 - y * y), turn = 2.399963229728653 * i;
        best = fmax(best, apart_along(world, one, two, vec3(r * cos(turn), y, r * sin(turn))));
    }
    return best;
}

/* Whether a joint or an exception keeps them from colliding, or both are fixed, or one has no shape. */
static inline bool apart_ignored(const World *world, int one, int two)
{
    if (world->bodies[one].shape.kind == SHAPE_NONE || world->bodies[two].shape.kind == SHAPE_NONE ||
        (world->bodies[one].fixed && world->bodies[two].fixed))
        return true;
    for (int j = 0; j < world->joint_count; j++) {
        const int *body = world->joints[j].def.body;
        if ((body[0] == one && body[1] == two) || (body[0] == two && body[1] == one))
            return true;
    }
    return false;
}

#endif
