/* SPDX-License-Identifier: MIT */
/* A body comes into the world: its mass, its principal axes, its own copies of what its definition points at. */
#include "model/world/body.h"

#include <stdlib.h>
#include <string.h>

/* The shape's mass properties for the definition's density, or for 1. A hull or mesh is recentred on the way. */
static bool world_solid_of(const BodyDef *def, Mesh *mesh, MassProperties *solid, Status *status)
{
    Status open;
    if (mesh && !mesh_check_closed(mesh, &open))
        return status_set(status, STATUS_FAILED, "body %s: %s", def->name, open.message);
    *solid = shape_mass_properties(&def->shape, def->density > 0.0 ? def->density : 1.0);
    if (!(solid->mass > 0.0))
        return status_set(status, STATUS_FAILED, "body %s: its shape has no volume%s", def->name,
                          solid->mass < 0.0 ? ", it is inside out" : "");
    if (mesh)
        mesh_recentre(mesh, solid->centre);
    return true;
}

static bool world_mass_overflows(const BodyDef *def, Status *status)
{
    return status_set(status, STATUS_FAILED, "body %s: its mass or inertia is beyond double precision", def->name);
}

/* Moments as given, about axes that are the principal ones unless there are products. */
static bool given_inertia(const BodyDef *def, Mass *mass, Quat *principal, Status *status)
{
    Vec3 d = def->inertia, p = def->products;
    mass->inertia = d;
    if (vec3_is_zero(p))
        return true;
    Mat3 tensor = {{{d.x, p.x, p.y}, {p.x, d.y, p.z}, {p.y, p.z, d.z}}};
    Status why = {0};
    return inertia_principal_axes(tensor, principal, &mass->inertia, &why) ||
           status_set(status, why.code, "body %s: %s", def->name, why.message);
}

static bool shape_inertia(const BodyDef *def, MassProperties *solid, Mass *mass, Quat *principal, Status *status)
{
    double scale = mass->mass / solid->mass;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            solid->inertia.m[i][j] *= scale;
    if (!isfinite(solid->inertia.m[0][0] + solid->inertia.m[1][1] + solid->inertia.m[2][2]))
        return world_mass_overflows(def, status);
    return inertia_principal_axes(solid->inertia, principal, &mass->inertia, status);
}

/* Mass, principal moments and axes of a definition. */
static bool world_mass_of(const BodyDef *def, Mesh *mesh, Mass *mass, Quat *principal, Status *status)
{
    *mass = (Mass){0};
    *principal = QUAT_IDENTITY;
    bool has_shape = shape_is_solid(def->shape.kind);
    MassProperties solid = {0};
    if (has_shape && !world_solid_of(def, mesh, &solid, status))
        return false;
    if (def->fixed)
        return true;
    mass->mass = def->density > 0.0 && has_shape ? solid.mass : def->mass;
    if (def->shape_count > 0 && !def->has_inertia) {
        if (!body_mass_of_shapes(def, mass, principal, status))
            return false;
    } else if (def->has_inertia) {
        if (!given_inertia(def, mass, principal, status))
            return false;
    } else if (has_shape && mass->mass > 0.0) {
        if (!shape_inertia(def, &solid, mass, principal, status))
            return false;
    }
    if (!(mass->mass > 0.0))
        return def->fused || status_set(status, STATUS_FAILED, "body %s: a moving body needs a mass", def->name);
    mass->inv_mass = 1.0 / mass->mass;
    if (!vec3_is_zero(mass->inertia))
        mass->inv_inertia = vec3(1.0 / mass->inertia.x, 1.0 / mass->inertia.y, 1.0 / mass->inertia.z);
    bool finite = isfinite(mass->mass) && isfinite(mass->inv_mass) && vec3_is_finite(mass->inv_inertia);
    return finite || world_mass_overflows(def, status);
}

static Vec3 *copy_points(const Vec3 *points, int count)
{
    Vec3 *copy = malloc(sizeof *copy * (size_t)count);
    if (copy)
        memcpy(copy, points, sizeof *copy * (size_t)count);
    return copy;
}

static Mesh *copy_mesh(const Mesh *mesh)
{
    Mesh *copy =
        mesh_create(mesh->vertex_count, mesh->vertices, mesh->triangle_count, (const int(*)[3])mesh->triangles);
    if (copy && mesh->file && !(copy->file = strdup(mesh->file))) {
        mesh_destroy(copy);
        return NULL;
    }
    return copy;
}

void body_shapes_free(BodyShape *shapes, int count)
{
    for (int k = 0; shapes && k < count; k++) {
        free((char *)shapes[k].name);
        mesh_destroy((Mesh *)shapes[k].shape.mesh);
    }
    free(shapes);
}

/* NULL when out of memory. */
static BodyShape *copy_shapes(const BodyShape *shapes, int count)
{
    BodyShape *copy = calloc((size_t)count, sizeof *copy);
    bool ok = copy;
    for (int k = 0; ok && k < count; k++) {
        copy[k] = shapes[k];
        copy[k].name = shapes[k].name ? strdup(shapes[k].name) : NULL;
        copy[k].shape.mesh = shapes[k].shape.mesh ? copy_mesh(shapes[k].shape.mesh) : NULL;
        ok = (copy[k].name || !shapes[k].name) && (copy[k].shape.mesh || !shapes[k].shape.mesh);
    }
    if (ok)
        return copy;
    body_shapes_free(copy, count);
    return NULL;
}

/* The body's own copies; false when out of memory. */
static bool own_copies(const BodyDef *def, BodyDef *own, Mesh **mesh, Vec3 **hull_points)
{
    *own = *def;
    own->name = strdup(def->name);
    own->shapes = NULL;
    *mesh = def->shape.mesh ? copy_mesh(def->shape.mesh) : NULL;
    own->shape.mesh = *mesh;
    bool hull = def->shape.kind == SHAPE_HULL;
    *hull_points = hull ? copy_points(def->shape.mesh->vertices, def->shape.mesh->vertex_count) : NULL;
    if (def->shape_count > 0)
        own->shapes = copy_shapes(def->shapes, def->shape_count);
    return own->name && (*mesh || !def->shape.mesh) && (*hull_points || !hull) &&
           (own->shapes || def->shape_count == 0);
}

/* A body that is fused to a fixed one is fixed. */
static void follow_fixed_parent(const World *world, BodyDef *def)
{
    if (def->fused && world->bodies[world->ride[def->parent].root].fixed)
        def->fixed = true;
}

int world_add_body(World *world, const BodyDef *given, Status *status)
{
    if (world->body_count == WORLD_MAX_BODIES || !world_reserve_bodies(world)) {
        if (world->body_count == WORLD_MAX_BODIES)
            status_set(status, STATUS_USAGE, "a scene has at most %d bodies", WORLD_MAX_BODIES);
        else
            status_set(status, STATUS_FAILED, "out of memory");
        return -1;
    }
    int i = world->body_count;
    Mesh *mesh = NULL;
    Vec3 *hull_points = NULL;
    BodyDef own, def = *given;
    Ride *ride = &world->ride[i];
    follow_fixed_parent(world, &def);
    if (!own_copies(&def, &own, &mesh, &hull_points)) {
        status_set(status, STATUS_FAILED, "out of memory");
        goto fail;
    }
    if (!world_mass_of(&own, mesh, &ride->own, &ride->own_axes, status))
        goto fail;
    world->bodies[i] = own;
    world->meshes[i] = mesh;
    world->hull_points[i] = hull_points;
    if (!body_settle(world, i, status) || !body_add_colliders(world, i, status))
        goto fail;
    world->pose_before[i] = world->pose[i];
    world->velocity_before[i] = world->velocity[i];
    return world->body_count++;
fail:
    body_shapes_free((BodyShape *)own.shapes, own.shape_count);
    free((char *)own.name);
    free(hull_points);
    mesh_destroy(mesh);
    return -1;
}
