/* SPDX-License-Identifier: MIT */
/* Bodies of a scene file: state, what they are made of, and the forces that always act on them. */
#include "scenes/file/file.h"

#include <string.h>

static const char *const BODY_KEYS[] = {"name",  "position", "orientation", "velocity", "angular_velocity",
                                        "fixed", "material", "force",       "torque",   "density",
                                        "mass",  "inertia",  "shape",       NULL};

/* A plate has Ixx + Iyy = Izz exactly; decimals may miss that by round-off. */
static const double TRIANGLE_ROUND_OFF = 1e-12;
/* Shifts below this part of the size are the round-off of the volume integrals: not worth a note. */
static const double SHIFT_NOTED = 1e-12;

static bool read_inertia(Node node, BodyDef *def)
{
    if (!node.value)
        return true;
    if (!node_vec3(node, &def->inertia))
        return false;
    double sum = def->inertia.x + def->inertia.y + def->inertia.z;
    for (size_t i = 0; i < 3; i++)
        if (!(vec3_get(def->inertia, (int)i) > 0.0))
            return node_fail(node_at(&node, i), "must be positive");
    for (int i = 0; i < 3; i++)
        if (2.0 * vec3_get(def->inertia, i) > sum * (1.0 + TRIANGLE_ROUND_OFF))
            return node_fail(node, "no body has these moments: each is at most the sum of the other two");
    def->has_inertia = true;
    return true;
}

static bool read_mass(const Node *body, BodyDef *def)
{
    Node density = node_get(body, "density"), mass = node_get(body, "mass"), inertia = node_get(body, "inertia");
    bool solid = def->shape.kind != SHAPE_NONE && def->shape.kind != SHAPE_PLANE;
    if (!node_positive(density, &def->density) || !node_positive(mass, &def->mass) || !read_inertia(inertia, def))
        return false;
    if (density.value && mass.value)
        return node_fail(density, "give density or mass, not both");
    if (density.value && !solid)
        return node_fail(density, "needs a shape with a volume");
    if (inertia.value && !mass.value)
        return node_fail(inertia, "needs mass beside it");
    if (mass.value && def->shape.kind == SHAPE_PLANE)
        return node_fail(mass, "a plane has none");
    if (!def->fixed && !density.value && !mass.value)
        return node_fail(mass, "is missing: a body that is not fixed needs mass or density");
    return true;
}

static bool read_motion(const Node *body, BodyDef *def)
{
    Node velocity = node_get(body, "velocity"), spin = node_get(body, "angular_velocity"),
         torque = node_get(body, "torque");
    if (!node_vec3(node_get(body, "position"), &def->position) ||
        !node_quat(node_get(body, "orientation"), &def->orientation) || !node_vec3(velocity, &def->velocity) ||
        !node_vec3(spin, &def->angular_velocity) || !node_vec3(node_get(body, "force"), &def->force) ||
        !node_vec3(torque, &def->torque))
        return false;
    if (def->fixed && !vec3_is_zero(def->velocity))
        return node_fail(velocity, "a fixed body does not move");
    if (def->fixed && !vec3_is_zero(def->angular_velocity))
        return node_fail(spin, "a fixed body does not move");
    bool particle = def->shape.kind == SHAPE_NONE && !def->has_inertia;
    if (particle && !vec3_is_zero(def->angular_velocity))
        return node_fail(spin, "a particle (mass alone) never turns");
    if (particle && !vec3_is_zero(def->torque))
        return node_fail(torque, "a particle (mass alone) never turns");
    return true;
}

static bool read_def(const Node *body, BodyDef *def, Mesh **mesh)
{
    Reader *reader = body->reader;
    Node name = node_get(body, "name");
    return node_object(*body, BODY_KEYS) && node_required(name) && node_text(name, &def->name) &&
           node_define(name, reader->bodies, def->name, reader->world->body_count) &&
           node_bool(node_get(body, "fixed"), &def->fixed) &&
           node_lookup(node_get(body, "material"), reader->materials, "material", &def->material) &&
           file_read_shape(node_get(body, "shape"), &def->shape, mesh) &&
           (def->shape.kind != SHAPE_PLANE || def->fixed ||
            node_fail(node_get(body, "shape"), "only a fixed body can be a plane")) &&
           read_mass(body, def) && read_motion(body, def);
}

/* The file's frame is not the body's when the volume's centre lies elsewhere: the user should know. */
static void note_shift(const Node *body, const Mesh *given, int index)
{
    const World *world = body->reader->world;
    Vec3 shift = vec3_sub(world->meshes[index]->vertices[0], given->vertices[0]);
    if (vec3_norm(shift) <= SHIFT_NOTED * shape_bounding_radius(&world->bodies[index].shape))
        return;
    Text *notes = &body->reader->notes;
    text_add(notes, "%s: bodies[%zu] (%s): shape shifted by [", body->reader->path, body->index,
             world->bodies[index].name);
    for (int i = 0; i < 3; i++)
        text_add(notes, i ? ", %g" : "%g", vec3_get(shift, i));
    text_add(notes, "], so that its centre of mass is the origin of its frame\n");
}

static bool add_body(const Node *body, const BodyDef *def, const Mesh *mesh)
{
    World *world = body->reader->world;
    Status why = {0};
    int index = world_add_body(world, def, &why);
    if (index < 0)
        return node_fail(*body, "%s", why.message);
    if (mesh)
        note_shift(body, mesh, index);
    return true;
}

bool file_read_bodies(const Node *root)
{
    Node bodies = node_get(root, "bodies");
    if (!node_array(bodies) || !node_define(*root, root->reader->bodies, root->reader->world->bodies[0].name, 0))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(bodies.value); i++) {
        Node body = node_at(&bodies, i);
        BodyDef def = BODY_DEF_INIT;
        Mesh *mesh = NULL;
        ok = read_def(&body, &def, &mesh) && add_body(&body, &def, mesh);
        mesh_destroy(mesh);
    }
    return ok;
}

static bool put_vec3(json_t *object, const char *key, Vec3 a)
{
    /* -0 differs from 0 in its bits, and is written. */
    bool plain = memcmp(&a, &VEC3_ZERO, sizeof a) == 0;
    return plain || file_put(object, key, file_write_vec3(a));
}

static bool put_orientation(json_t *object, Quat q)
{
    return memcmp(&q, &QUAT_IDENTITY, sizeof q) == 0 ||
           file_put(object, "orientation", json_pack("[f,f,f,f]", q.w, q.x, q.y, q.z));
}

static bool put_mass(json_t *object, const World *world, int body)
{
    const BodyDef *def = &world->bodies[body];
    /* A file gives moments beside a mass, never beside a density. */
    double mass = def->density > 0.0 ? world->mass[body].mass : def->mass;
    if (def->density > 0.0 && !def->has_inertia)
        return file_put(object, "density", json_real(def->density));
    return mass <= 0.0 || (file_put(object, "mass", json_real(mass)) &&
                           (!def->has_inertia || file_put(object, "inertia", file_write_vec3(def->inertia))));
}

static bool write_body(json_t *object, const World *world, int body)
{
    const BodyDef *def = &world->bodies[body];
    return file_put(object, "name", json_string(def->name)) &&
           (!def->fixed || file_put(object, "fixed", json_true())) && put_vec3(object, "position", def->position) &&
           put_orientation(object, def->orientation) && put_vec3(object, "velocity", def->velocity) &&
           put_vec3(object, "angular_velocity", def->angular_velocity) && put_vec3(object, "force", def->force) &&
           put_vec3(object, "torque", def->torque) && file_write_shape(object, world, body) &&
           put_mass(object, world, body) &&
           (def->material == 0 || file_put(object, "material", json_string(world->materials[def->material].name)));
}

bool file_write_bodies(json_t *root, const World *world)
{
    json_t *bodies = file_put_part(root, "bodies", json_array());
    bool ok = bodies;
    for (int i = 1; ok && i < world->body_count; i++) {
        json_t *object = json_object();
        ok = json_array_append_new(bodies, object) == 0 && write_body(object, world, i);
    }
    return ok;
}
