/* SPDX-License-Identifier: MIT */
/* The shapes of bodies as detection sees them, and what several shapes of one body weigh together. */
#include "model/world/body.h"

#include "model/array.h"

#include <stdlib.h>

/* The centre of shapes that give a body its mass may miss its origin by this part of their extent: round-off. */
#define CENTRE_ROUND_OFF 1e-9

static Pose pose_then(const Pose *first, const Pose *then)
{
    return (Pose){vec3_add(first->x, quat_rotate(first->q, then->x)), quat_mul(first->q, then->q)};
}

static bool quat_is_identity(Quat q)
{
    return q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
}

/* In the frame of the moving body; what is not placed apart has the frame's own bits. */
static void collider_place(const World *world, Collider *collider)
{
    const Pose *seat = &world->ride[collider->listed].seat;
    collider->body = world->ride[collider->listed].root;
    collider->at = *seat;
    if (!vec3_is_zero(collider->given.x) || !quat_is_identity(collider->given.q))
        collider->at = pose_then(seat, &collider->given);
}

void colliders_place(World *world, int body)
{
    const Ride *ride = &world->ride[body];
    for (int c = 0; c < ride->collider_count; c++)
        collider_place(world, &world->colliders[ride->first_collider + c]);
}

/* Of one of several: a mesh of its own about its centre, where its volume has one. */
static bool collider_own_mesh(Collider *collider, const BodyDef *def, const BodyShape *from, Status *status)
{
    const Mesh *mesh = from->shape.mesh;
    Status open;
    if (!mesh)
        return true;
    if (!mesh_check_closed(mesh, &open))
        return status_set(status, STATUS_FAILED, "body %s: %s", def->name, open.message);
    MassProperties solid = mesh_mass_properties(mesh, 1.0);
    if (!(solid.mass > 0.0))
        return status_set(status, STATUS_FAILED, "body %s: a shape has no volume%s", def->name,
                          solid.mass < 0.0 ? ", it is inside out" : "");
    collider->own_mesh =
        mesh_create(mesh->vertex_count, mesh->vertices, mesh->triangle_count, (const int(*)[3])mesh->triangles);
    if (!collider->own_mesh)
        return status_set(status, STATUS_FAILED, "out of memory");
    mesh_recentre(collider->own_mesh, solid.centre);
    collider->shape.mesh = collider->own_mesh;
    collider->given.x = vec3_add(collider->given.x, quat_rotate(collider->given.q, solid.centre));
    return true;
}

bool body_add_colliders(World *world, int index, Status *status)
{
    const BodyDef *def = &world->bodies[index];
    int count = def->shape_count > 0 ? def->shape_count : 1, first = world->collider_count;
    size_t capacity = (size_t)world->collider_capacity;
    if (!array_reserve((void **)&world->colliders, &capacity, sizeof *world->colliders, (size_t)(first + count)))
        return status_set(status, STATUS_FAILED, "out of memory");
    world->collider_capacity = (int)capacity;
    if (first + count > WORLD_MAX_BODIES)
        return status_set(status, STATUS_USAGE, "a scene has at most %d shapes", WORLD_MAX_BODIES);
    bool ok = true;
    int made = 0;
    for (; ok && made < count; made++) {
        Collider *collider = &world->colliders[first + made];
        const BodyShape *from = def->shape_count > 0 ? &def->shapes[made] : NULL;
        *collider = (Collider){.listed = index,
                               .shape = def->shape,
                               .given = {VEC3_ZERO, QUAT_IDENTITY},
                               .material = -1,
                               .group = def->group,
                               .mask = def->mask};
        if (from) {
            collider->shape = from->shape;
            collider->given = from->at;
            collider->material = from->material;
            collider->group = from->group;
            collider->mask = from->mask;
            ok = collider_own_mesh(collider, def, from, status);
        }
        collider_place(world, collider);
        world->colliders_differ = world->colliders_differ ||
                                  (collider->shape.kind != SHAPE_NONE && (collider->group != 1 || collider->mask != 1));
    }
    for (int c = 0; !ok && c < made; c++)
        mesh_destroy(world->colliders[first + c].own_mesh);
    if (!ok)
        return false;
    world->ride[index].first_collider = first;
    world->ride[index].collider_count = count;
    world->collider_count += count;
    world->colliders_differ = world->colliders_differ || count > 1;
    return true;
}

/* The mass of one shape by its own mass or density, or else by the body's density or as one of equal densities. */
static MassProperties shape_weight(const BodyDef *def, const BodyShape *shape)
{
    bool shared = def->density > 0.0 || def->mass > 0.0;
    double density = def->density > 0.0 ? def->density : shared ? 1.0 : shape->density;
    if (!shape_is_solid(shape->shape.kind) || (!shared && density == 0.0 && shape->mass == 0.0))
        return (MassProperties){0};
    MassProperties solid = shape_mass_properties(&shape->shape, density > 0.0 ? density : 1.0);
    double scale = !shared && shape->mass > 0.0 ? shape->mass / solid.mass : 1.0;
    solid.mass *= scale;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            solid.inertia.m[i][j] *= scale;
    return solid;
}

bool body_mass_of_shapes(const BodyDef *def, Mass *mass, Quat *principal, Status *status)
{
    MassPart *parts = malloc(sizeof *parts * (size_t)def->shape_count);
    double extent = 0.0;
    if (!parts)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int k = 0; k < def->shape_count; k++) {
        const BodyShape *shape = &def->shapes[k];
        MassProperties solid = shape_weight(def, shape);
        parts[k] = (MassPart){solid, vec3_add(shape->at.x, quat_rotate(shape->at.q, solid.centre)), shape->at.q};
        extent = fmax(extent, vec3_norm(parts[k].at) +
                                  (shape_is_solid(shape->shape.kind) ? shape_bounding_radius(&shape->shape) : 0.0));
    }
    MassProperties all = mass_properties_join(parts, def->shape_count);
    free(parts);
    if (!(all.mass > 0.0))
        return def->fused || def->mass > 0.0 ||
               status_set(status, STATUS_FAILED, "body %s: its shapes have no mass", def->name);
    if (vec3_norm(all.centre) > CENTRE_ROUND_OFF * extent)
        return status_set(status, STATUS_FAILED,
                          "body %s: the centre of mass of its shapes is at [%.17g, %.17g, %.17g], not at its origin: "
                          "give them there, or mass and inertia",
                          def->name, all.centre.x, all.centre.y, all.centre.z);
    double scale = def->mass > 0.0 ? def->mass / all.mass : 1.0;
    mass->mass = scale * all.mass;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            all.inertia.m[i][j] *= scale;
    Status why = {0};
    return inertia_principal_axes(all.inertia, principal, &mass->inertia, &why) ||
           status_set(status, why.code, "body %s: %s", def->name, why.message);
}

double world_bounding_radius(const World *world, int body)
{
    const Ride *ride = &world->ride[body];
    bool all = world->fused_count > 0; /* others of its shapes lie anywhere */
    double radius = 0.0;
    for (int c = all ? 0 : ride->first_collider;
         c < (all ? world->collider_count : ride->first_collider + ride->collider_count); c++) {
        const Collider *collider = &world->colliders[c];
        if (collider->body == body && collider->shape.kind != SHAPE_NONE)
            radius = fmax(radius, vec3_norm(collider->at.x) + shape_bounding_radius(&collider->shape));
    }
    return radius;
}

bool world_has_plain_shapes(const World *world)
{
    for (int c = 0; c < world->collider_count; c++)
        if (world->colliders[c].shape.kind == SHAPE_ELLIPSOID)
            return false;
    return !world->colliders_differ && !world->collide_only && world->fused_count == 0;
}
