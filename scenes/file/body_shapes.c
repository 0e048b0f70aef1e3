/* SPDX-License-Identifier: MIT */
/* Several shapes of one body in a scene file: each with its pose in the body's frame, material, group and mask. */
#include "scenes/file/file.h"

#include <stdlib.h>
#include <string.h>

/* The keys beside the kind. */
static const char *const PLACE_KEYS[] = {"name", "position", "orientation", "material", "group",
                                         "mask", "mass",     "density",     NULL};
enum { KEYS_MOST = 24 };

bool file_read_bits(Node node, uint32_t *bits)
{
    double number = *bits;
    if (!node_real(node, &number))
        return false;
    if (!(number >= 0.0 && number <= (double)UINT32_MAX && number == floor(number)))
        return node_fail(node, "must be a whole number of 32 bits");
    *bits = (uint32_t)number;
    return true;
}

static bool read_weight(Node node, BodyShape *shape)
{
    Node density = node_get(&node, "density"), mass = node_get(&node, "mass");
    if (!node_at_least(density, 0.0, &shape->density) || !node_at_least(mass, 0.0, &shape->mass))
        return false;
    if (density.value && mass.value)
        return node_fail(density, "give density or mass, not both");
    return shape_is_solid(shape->shape.kind) || !(shape->density > 0.0 || shape->mass > 0.0) ||
           node_fail(density.value ? density : mass, "a plane has none");
}

static bool read_one(Node node, const BodyDef *def, BodyShape *shape)
{
    const char *keys[KEYS_MOST] = {NULL};
    int count = 0;
    for (int k = 0; file_shape_names[k]; k++)
        keys[count++] = file_shape_names[k];
    for (int k = 0; PLACE_KEYS[k]; k++)
        keys[count++] = PLACE_KEYS[k];
    Mesh *mesh = NULL;
    bool ok = node_object(node, keys) && file_read_kind(node, &shape->shape, &mesh);
    shape->shape.mesh = mesh;
    return ok &&
           (shape->shape.kind != SHAPE_PLANE || def->fixed || node_fail(node, "only a fixed body can be a plane")) &&
           node_text(node_get(&node, "name"), &shape->name) && node_vec3(node_get(&node, "position"), &shape->at.x) &&
           node_quat(node_get(&node, "orientation"), &shape->at.q) &&
           node_lookup(node_get(&node, "material"), node.reader->materials, "material", &shape->material) &&
           file_read_bits(node_get(&node, "group"), &shape->group) &&
           file_read_bits(node_get(&node, "mask"), &shape->mask) && read_weight(node, shape);
}

bool file_read_shapes(Node shapes, BodyDef *def)
{
    if (!shapes.value)
        return true;
    if (!node_array(shapes))
        return false;
    int count = (int)json_array_size(shapes.value);
    if (count == 0)
        return node_fail(shapes, "must have a shape");
    BodyShape *list = calloc((size_t)count, sizeof *list);
    if (!list)
        return node_fail(shapes, "out of memory");
    def->shapes = list;
    bool ok = true;
    for (int k = 0; ok && k < count; k++) {
        list[k] = (BodyShape)BODY_SHAPE_INIT;
        def->shape_count = k + 1;
        ok = read_one(node_at(&shapes, (size_t)k), def, &list[k]);
    }
    return ok;
}

void file_free_shapes(BodyDef *def)
{
    for (int k = 0; k < def->shape_count; k++)
        mesh_destroy((Mesh *)def->shapes[k].shape.mesh);
    free((BodyShape *)def->shapes);
}

bool file_write_bits(json_t *object, const char *key, uint32_t bits)
{
    return bits == 1 || file_put(object, key, json_integer((json_int_t)bits));
}

bool file_write_pose(json_t *object, const Pose *pose)
{
    bool here = memcmp(&pose->x, &VEC3_ZERO, sizeof pose->x) == 0; /* -0 is written: it has other bits */
    bool unturned = memcmp(&pose->q, &QUAT_IDENTITY, sizeof pose->q) == 0;
    return (here || file_put(object, "position", file_write_vec3(pose->x))) &&
           (unturned ||
            file_put(object, "orientation", json_pack("[f,f,f,f]", pose->q.w, pose->q.x, pose->q.y, pose->q.z)));
}

static bool write_one(json_t *object, const World *world, const BodyShape *shape)
{
    const Mesh *mesh = shape->shape.mesh;
    return (!shape->name || file_put(object, "name", json_string(shape->name))) &&
           file_write_kind(object, &shape->shape, mesh ? mesh->vertices : NULL) &&
           file_write_pose(object, &shape->at) &&
           (shape->material < 0 || file_put(object, "material", json_string(world->materials[shape->material].name))) &&
           file_write_bits(object, "group", shape->group) && file_write_bits(object, "mask", shape->mask) &&
           (shape->density == 0.0 || file_put(object, "density", json_real(shape->density))) &&
           (shape->mass == 0.0 || file_put(object, "mass", json_real(shape->mass)));
}

bool file_write_shapes(json_t *body, const World *world, int index)
{
    const BodyDef *def = &world->bodies[index];
    if (def->shape_count == 0)
        return true;
    json_t *list = file_put_part(body, "shapes", json_array());
    bool ok = list;
    for (int k = 0; ok && k < def->shape_count; k++) {
        json_t *object = json_object();
        ok = json_array_append_new(list, object) == 0 && write_one(object, world, &def->shapes[k]);
    }
    return ok;
}
