/* SPDX-License-Identifier: MIT */
/* Bodies of a scene file: state, what they are made of, and the forces that always act on them. */
#include "scenes/file/file.h"

#include <string.h>

static const char *const BODY_KEYS[] = {"name",  "position", "orientation", "velocity", "angular_velocity",
                                        "fixed", "material", "force",       "torque",   "density",
                                        "mass",  "inertia",  "shape",       "shapes",   "frame",
                                        "fused", "group",    "mask",        NULL};

/* A plate has Ixx + Iyy = Izz exactly; decimals may miss that by round-off. */
static const double TRIANGLE_ROUND_OFF = 1e-12;
/* Shifts below this part of the size are the round-off of the volume integrals: not worth a note. */
static const double SHIFT_NOTED = 1e-12;

/* Six numbers: xx, yy, zz, xy, xz, yz. Any real body's have three positive principal moments of which none is above
 * the sum of the others. */
static bool read_tensor(Node node, BodyDef *def)
{
    double *const to[6] = {&def->inertia.x,  &def->inertia.y,  &def->inertia.z,
                           &def->products.x, &def->products.y, &def->products.z};
    for (size_t i = 0; i < 6; i++)
        if (!node_real(node_at(&node, i), to[i]))
            return false;
    Vec3 d = def->inertia, p = def->products, moments;
    Quat axes;
    Status why = {0};
    if (!inertia_principal_axes((Mat3){{{d.x, p.x, p.y}, {p.x, d.y, p.z}, {p.y, p.z, d.z}}}, &axes, &moments, &why))
        return node_fail(node, "%s", why.message);
    if (2.0 * vec3_largest(moments) > (moments.x + moments.y + moments.z) * (1.0 + TRIANGLE_ROUND_OFF))
        return node_fail(node,
                         "no body has these principal moments, %g, %g and %g: each is at most the sum of the "
                         "other two",
                         moments.x, moments.y, moments.z);
    def->has_inertia = true;
    return true;
}

static bool read_inertia(Node node, BodyDef *def)
{
    if (!node.value)
        return true;
    if (json_is_array(node.value) && json_array_size(node.value) == 6)
        return read_tensor(node, def);
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
    bool solid = shape_is_solid(def->shape.kind) || def->shape_count > 0;
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
    bool weighed = false;
    for (int k = 0; k < def->shape_count; k++)
        weighed = weighed || def->shapes[k].density > 0.0 || def->shapes[k].mass > 0.0;
    if (!def->fixed && !def->fused && !weighed && !density.value && !mass.value)
        return node_fail(mass, "is missing: a body that is not fixed needs mass or density");
    return true;
}

/* What is fused moves with the other body, and forces are that one's. */
static bool still_as_fused(const Node *body)
{
    static const char *const keys[] = {"velocity", "angular_velocity", "force", "torque", "fixed"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        Node node = node_get(body, keys[i]);
        if (node.value)
            return node_fail(node, "belongs to the body that this one is fused to");
    }
    return true;
}

/* The body it is part of, which stands before it. */
static bool read_fused(const Node *body, BodyDef *def)
{
    Node fused = node_get(body, "fused");
    def->fused = fused.value != NULL;
    if (!node_lookup(fused, body->reader->bodies, "body before this one", &def->parent))
        return false;
    return !def->fused || def->parent != body->reader->world->body_count ||
           node_fail(fused, "a body is no part of itself");
}

static bool read_frame(Node frame, BodyDef *def)
{
    static const char *const keys[] = {"position", "orientation", NULL};
    def->has_frame = frame.value != NULL;
    return !frame.value || (node_object(frame, keys) && node_vec3(node_get(&frame, "position"), &def->frame.x) &&
                            node_quat(node_get(&frame, "orientation"), &def->frame.q));
}

/* One shape, or several; group and mask beside one shape. */
static bool read_all_shapes(const Node *body, BodyDef *def, Mesh **mesh)
{
    Node shape = node_get(body, "shape"), shapes = node_get(body, "shapes");
    Node group = node_get(body, "group"), mask = node_get(body, "mask");
    if (shape.value && shapes.value)
        return node_fail(shapes, "give shape or shapes, not both");
    if (shapes.value && (group.value || mask.value))
        return node_fail(group.value ? group : mask, "stands on each of the shapes");
    return file_read_shape(shape, &def->shape, mesh) && file_read_shapes(shapes, def) &&
           file_read_bits(group, &def->group) && file_read_bits(mask, &def->mask);
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
    if (def->fused)
        return still_as_fused(body);
    bool particle = def->shape.kind == SHAPE_NONE && def->shape_count == 0 && !def->has_inertia;
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
           read_fused(body, def) && read_all_shapes(body, def, mesh) && read_frame(node_get(body, "frame"), def) &&
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
        file_free_shapes(&def);
    }
    return ok;
}

static bool put_vec3(json_t *object, const char *key, Vec3 a)
{
    /* -0 differs from 0 in its bits, and is written. */
    bool plain = memcmp(&a, &VEC3_ZERO, sizeof a) == 0;
    return plain || file_put(object, key, file_write_vec3(a));
}

static json_t *write_inertia(const BodyDef *def)
{
    Vec3 d = def->inertia, p = def->products;
    return vec3_is_zero(p) ? file_write_vec3(d) : json_pack("[f,f,f,f,f,f]", d.x, d.y, d.z, p.x, p.y, p.z);
}

static bool put_frame(json_t *object, const BodyDef *def)
{
    return !def->has_frame || file_write_pose(file_put_part(object, "frame", json_object()), &def->frame);
}

static bool put_mass(json_t *object, const World *world, int body)
{
    const BodyDef *def = &world->bodies[body];
    /* A file gives moments beside a mass, never beside a density. */
    double mass = def->density > 0.0 ? world->ride[body].own.mass : def->mass;
    if (def->density > 0.0 && !def->has_inertia)
        return file_put(object, "density", json_real(def->density));
    return mass <= 0.0 || (file_put(object, "mass", json_real(mass)) &&
                           (!def->has_inertia || file_put(object, "inertia", write_inertia(def))));
}

static bool write_body(json_t *object, const World *world, int body)
{
    const BodyDef *def = &world->bodies[body];
    return file_put(object, "name", json_string(def->name)) &&
           (!def->fused || file_put(object, "fused", json_string(world->bodies[def->parent].name))) &&
           (!def->fixed || def->fused || file_put(object, "fixed", json_true())) &&
           file_write_pose(object, &(Pose){def->position, def->orientation}) &&
           put_vec3(object, "velocity", def->velocity) && put_vec3(object, "angular_velocity", def->angular_velocity) &&
           put_vec3(object, "force", def->force) && put_vec3(object, "torque", def->torque) &&
           file_write_shape(object, world, body) && file_write_shapes(object, world, body) &&
           (def->shape_count > 0 ||
            (file_write_bits(object, "group", def->group) && file_write_bits(object, "mask", def->mask))) &&
           put_frame(object, def) && put_mass(object, world, body) &&
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
