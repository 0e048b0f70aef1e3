/* SPDX-License-Identifier: MIT */
/* Shapes of a scene file. Hulls and meshes come in any frame; the world shifts them to their centre of mass. */
#include "scenes/file/file.h"

#include <stdlib.h>
#include <string.h>

/* In the order of ShapeKind, from SHAPE_SPHERE on. */
const char *const file_shape_names[] = {"sphere", "box",   "capsule",   "cylinder", "hull",
                                        "mesh",   "plane", "ellipsoid", NULL};

/* A normal that is unit to within round-off is kept as it is, so that what was written reads back. */
static const double UNIT_ROUND_OFF = 1e-14;

/* The keys of one shape and the numbers behind them. */
static bool read_round(Node node, bool long_too, Shape *shape)
{
    static const char *const sphere_keys[] = {"radius", NULL}, *const long_keys[] = {"radius", "length", NULL};
    Node radius = node_get(&node, "radius"), length = node_get(&node, "length");
    return node_object(node, long_too ? long_keys : sphere_keys) && node_required(radius) &&
           node_positive(radius, &shape->radius) &&
           (!long_too || (node_required(length) && node_positive(length, &shape->length)));
}

/* The one key of a box or an ellipsoid: three lengths. */
static bool read_lengths(Node node, const char *key, Vec3 *lengths)
{
    const char *const keys[] = {key, NULL};
    Node three = node_get(&node, key);
    if (!node_object(node, keys) || !node_required(three) || !node_vec3(three, lengths))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!(vec3_get(*lengths, (int)i) > 0.0))
            return node_fail(node_at(&three, i), "must be positive");
    return true;
}

static bool read_plane(Node node, Shape *shape)
{
    static const char *const keys[] = {"normal", "offset", NULL};
    shape->normal = vec3(0, 1, 0);
    if (!node_object(node, keys) || !node_direction(node_get(&node, "normal"), &shape->normal) ||
        !node_real(node_get(&node, "offset"), &shape->offset))
        return false;
    if (fabs(vec3_dot(shape->normal, shape->normal) - 1.0) > UNIT_ROUND_OFF)
        shape->normal = vec3_unit(shape->normal);
    return true;
}

/* The hull of its own corners: inner points may change how libqhull cuts faces into triangles, and a written file
 * holds the corners alone. */
static Mesh *hull_of_corners(size_t count, const Vec3 *points, Status *status)
{
    Mesh *mesh = mesh_create_hull((int)count, points, status);
    while (mesh && (size_t)mesh->vertex_count < count) {
        Mesh *whole = mesh;
        count = (size_t)whole->vertex_count;
        mesh = mesh_create_hull(whole->vertex_count, whole->vertices, status);
        mesh_destroy(whole);
    }
    return mesh;
}

static bool read_hull(Node node, Mesh **mesh)
{
    static const char *const keys[] = {"points", NULL};
    Node points = node_get(&node, "points");
    if (!node_object(node, keys) || !node_required(points) || !node_array(points))
        return false;
    size_t count = json_array_size(points.value);
    Vec3 *values = malloc(sizeof *values * (count + 1));
    bool ok = values || node_fail(points, "out of memory");
    for (size_t i = 0; ok && i < count; i++)
        ok = node_vec3(node_at(&points, i), &values[i]);
    if (ok) {
        Status why = {0};
        *mesh = hull_of_corners(count, values, &why);
        ok = *mesh || node_fail(points, "%s", why.message);
    }
    free(values);
    return ok;
}

static bool read_mesh(Node node, Mesh **mesh)
{
    static const char *const keys[] = {"file", NULL};
    Node file = node_get(&node, "file");
    const char *name = NULL;
    if (!node_object(node, keys) || !node_required(file) || !node_text(file, &name))
        return false;
    Status why = {0};
    *mesh = obj_read_beside(node.reader->path, name, &why);
    return (*mesh && mesh_check_closed(*mesh, &why)) || node_fail(file, "%s", why.message);
}

bool file_read_kind(Node node, Shape *shape, Mesh **mesh)
{
    *shape = (Shape){0};
    *mesh = NULL;
    int kind = -1, kinds = 0;
    for (int k = 0; file_shape_names[k]; k++)
        if (json_object_get(node.value, file_shape_names[k])) {
            kind = kind < 0 ? k : kind;
            kinds++;
        }
    if (kinds != 1)
        return node_fail(node, "must have one key, the kind of shape");
    shape->kind = (ShapeKind)(SHAPE_SPHERE + kind);
    Node inner = node_get(&node, file_shape_names[kind]);
    bool ok = shape->kind == SHAPE_BOX         ? read_lengths(inner, "size", &shape->size)
              : shape->kind == SHAPE_ELLIPSOID ? read_lengths(inner, "radii", &shape->radii)
              : shape->kind == SHAPE_HULL      ? read_hull(inner, mesh)
              : shape->kind == SHAPE_MESH      ? read_mesh(inner, mesh)
              : shape->kind == SHAPE_PLANE     ? read_plane(inner, shape)
                                               : read_round(inner, shape->kind != SHAPE_SPHERE, shape);
    shape->mesh = *mesh;
    return ok;
}

bool file_read_shape(Node node, Shape *shape, Mesh **mesh)
{
    *shape = (Shape){0};
    *mesh = NULL;
    return !node.value || (node_object(node, file_shape_names) && file_read_kind(node, shape, mesh));
}

static bool write_points(json_t *object, const Vec3 *points, int count)
{
    json_t *array = file_put_part(object, "points", json_array());
    bool ok = array;
    for (int i = 0; ok && i < count; i++)
        ok = json_array_append_new(array, file_write_vec3(points[i])) == 0;
    return ok;
}

bool file_write_kind(json_t *object, const Shape *shape, const Vec3 *points)
{
    json_t *inner = file_put_part(object, file_shape_names[shape->kind - SHAPE_SPHERE], json_object());
    switch (shape->kind) {
    case SHAPE_BOX:
        return file_put(inner, "size", file_write_vec3(shape->size));
    case SHAPE_ELLIPSOID:
        return file_put(inner, "radii", file_write_vec3(shape->radii));
    case SHAPE_HULL:
        return write_points(inner, points, shape->mesh->vertex_count);
    case SHAPE_MESH:
        return shape->mesh->file && file_put(inner, "file", json_string(shape->mesh->file));
    case SHAPE_PLANE:
        return file_put(inner, "normal", file_write_vec3(shape->normal)) &&
               file_put(inner, "offset", json_real(shape->offset));
    case SHAPE_SPHERE:
        return file_put(inner, "radius", json_real(shape->radius));
    default:
        return file_put(inner, "radius", json_real(shape->radius)) &&
               file_put(inner, "length", json_real(shape->length));
    }
}

bool file_write_shape(json_t *body, const World *world, int index)
{
    const Shape *shape = &world->bodies[index].shape;
    return shape->kind == SHAPE_NONE ||
           file_write_kind(file_put_part(body, "shape", json_object()), shape, world->hull_points[index]);
}
