/* SPDX-License-Identifier: MIT */
/* Materials of a scene file, and how two of them combine at a contact. */
#include "scenes/file/file.h"

#include <string.h>

/* In the order of Combine. */
static const char *const COMBINE_NAMES[] = {"average", "multiply", "sum", "min", "max", NULL};

/* What a material is that a file does not describe: the world's own. */
static const Material PLAIN = {.name = "default", .friction = 0.5};

enum { PRIORITY_MOST = 1000000 };

/* A length, or "auto": from the contact's geometry. */
static bool read_patch_radius(Node node, double *radius)
{
    static const char *const words[] = {"auto", NULL};
    int word;
    if (!node.value || !json_is_string(node.value))
        return node_at_least(node, 0.0, radius);
    *radius = NAN;
    return node_choice(node, words, &word);
}

/* Friction against rolling and spinning (m), what sticks, whether anything does, and who counts. */
static bool read_further(Node node, Material *material)
{
    Node priority = node_get(&node, "priority"), still = node_get(&node, "static_friction");
    Node condim = node_get(&node, "condim");
    double level = material->priority, friction = material->friction, directions = material->condim;
    bool slides = !material->frictionless;
    if (!node_at_least(node_get(&node, "rolling_friction"), 0.0, &material->rolling_friction) ||
        !node_at_least(node_get(&node, "spin_friction"), 0.0, &material->spin_friction) ||
        !node_at_least(still, 0.0, &material->static_friction) || !node_bool(node_get(&node, "slides"), &slides) ||
        !node_real(priority, &level) || !node_real(condim, &directions) ||
        !node_at_least(node_get(&node, "friction"), 0.0, &friction))
        return false;
    if (still.value && material->static_friction < friction)
        return node_fail(still, "must not be below friction, which is %g", friction);
    if (!(fabs(level) <= PRIORITY_MOST && level == floor(level)))
        return node_fail(priority, "must be a whole number within +-%d", PRIORITY_MOST);
    if (condim.value && directions != 1.0 && directions != 3.0 && directions != 4.0 && directions != 6.0)
        return node_fail(condim, "must be 1, 3, 4 or 6");
    material->condim = (int)directions;
    material->frictionless = !slides;
    material->priority = (int)level;
    return true;
}

static bool read_material(Node node, Material *material)
{
    static const char *const keys[] = {
        "friction",      "restitution", "patch_radius", "rolling_friction", "static_friction",
        "spin_friction", "slides",      "priority",     "condim",           NULL};
    Node restitution = node_get(&node, "restitution");
    return node_object(node, keys) && read_further(node, material) &&
           node_at_least(node_get(&node, "friction"), 0.0, &material->friction) &&
           node_at_least(restitution, 0.0, &material->restitution) &&
           (material->restitution <= 1.0 || node_fail(restitution, "must not be above 1")) &&
           read_patch_radius(node_get(&node, "patch_radius"), &material->patch_radius);
}

/* A file may describe the default material, which the world has from the beginning; any other is new. */
static bool add_material(Node node, const Material *material)
{
    World *world = node.reader->world;
    if (strcmp(material->name, PLAIN.name) == 0) {
        char *name = world->materials[0].name;
        world->materials[0] = *material;
        world->materials[0].name = name;
        return true;
    }
    int index = world_add_material(world, material);
    if (index < 0)
        return node_fail(node, "out of memory");
    return node_define(node, node.reader->materials, material->name, index);
}

static bool read_combine(Node node)
{
    static const char *const keys[] = {"friction", "restitution", NULL};
    World *world = node.reader->world;
    int friction = world->combine_friction, restitution = world->combine_restitution;
    if (!node_object(node, keys) || !node_choice(node_get(&node, "friction"), COMBINE_NAMES, &friction) ||
        !node_choice(node_get(&node, "restitution"), COMBINE_NAMES, &restitution))
        return false;
    world->combine_friction = (Combine)friction;
    world->combine_restitution = (Combine)restitution;
    return true;
}

bool file_read_materials(const Node *root)
{
    Node materials = node_get(root, "materials");
    if (materials.value && !json_is_object(materials.value))
        return node_wrong_type(materials, "an object");
    if (!node_define(materials, root->reader->materials, PLAIN.name, 0))
        return false;
    const char *name;
    json_t *value;
    json_object_foreach (materials.value, name, value) {
        Node node = node_get(&materials, name);
        Material material = PLAIN;
        material.name = (char *)name; /* copied by the world */
        if (!*name)
            return node_fail(materials, "a material needs a name");
        if (!read_material(node, &material) || !add_material(node, &material))
            return false;
    }
    return read_combine(node_get(root, "combine"));
}

json_t *file_patch_radius(double radius)
{
    return isnan(radius) ? json_string("auto") : json_real(radius);
}

static bool write_material(json_t *object, const Material *material)
{
    return file_put(object, "friction", json_real(material->friction)) &&
           file_put(object, "restitution", json_real(material->restitution)) &&
           (material->patch_radius == PLAIN.patch_radius ||
            file_put(object, "patch_radius", file_patch_radius(material->patch_radius))) &&
           (material->rolling_friction == 0.0 ||
            file_put(object, "rolling_friction", json_real(material->rolling_friction))) &&
           (material->spin_friction == 0.0 || file_put(object, "spin_friction", json_real(material->spin_friction))) &&
           (material->static_friction == 0.0 ||
            file_put(object, "static_friction", json_real(material->static_friction))) &&
           (!material->frictionless || file_put(object, "slides", json_false())) &&
           (material->condim == 0 || file_put(object, "condim", json_integer(material->condim))) &&
           (material->priority == 0 || file_put(object, "priority", json_integer(material->priority)));
}

static bool material_is_plain(const Material *material)
{
    return material->friction == PLAIN.friction && material->restitution == PLAIN.restitution &&
           material->patch_radius == PLAIN.patch_radius && material->rolling_friction == 0.0 &&
           material->spin_friction == 0.0 && material->static_friction == 0.0 && !material->frictionless &&
           material->priority == 0 && material->condim == 0;
}

bool file_write_materials(json_t *root, const World *world)
{
    json_t *materials = file_put_part(root, "materials", json_object());
    json_t *combine = file_put_part(root, "combine", json_object());
    bool ok = materials && combine;
    for (int i = 0; ok && i < world->material_count; i++)
        if (i > 0 || !material_is_plain(&world->materials[i]))
            ok =
                write_material(file_put_part(materials, world->materials[i].name, json_object()), &world->materials[i]);
    if (ok && world->combine_friction != COMBINE_AVERAGE)
        ok = file_put(combine, "friction", json_string(COMBINE_NAMES[world->combine_friction]));
    if (ok && world->combine_restitution != COMBINE_MAX)
        ok = file_put(combine, "restitution", json_string(COMBINE_NAMES[world->combine_restitution]));
    if (ok && json_object_size(materials) == 0)
        json_object_del(root, "materials");
    if (ok && json_object_size(combine) == 0)
        json_object_del(root, "combine");
    return ok;
}
