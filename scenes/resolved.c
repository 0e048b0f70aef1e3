/* SPDX-License-Identifier: MIT */
#include "scenes/resolved.h"

#include "model/contact.h"
#include "scenes/file/file.h"

static json_t *resolved_quat(Quat q)
{
    return json_pack("[f,f,f,f]", q.w, q.x, q.y, q.z);
}

static json_t *resolved_shape(const Shape *shape, Quat turn)
{
    json_t *object = json_pack("{s:s}", "kind", file_shape_names[shape->kind - SHAPE_SPHERE]);
    bool ok = file_put(object, "turn", resolved_quat(turn));
    if (shape->kind == SHAPE_ELLIPSOID)
        ok = ok && file_put(object, "radii", file_write_vec3(shape->radii));
    else if (shape->kind == SHAPE_BOX)
        ok = ok && file_put(object, "size", file_write_vec3(shape->size));
    else if (shape->kind == SHAPE_PLANE)
        ok = ok && file_put(object, "normal", file_write_vec3(shape->normal)) &&
             file_put(object, "offset", json_real(shape->offset));
    else if (!shape->mesh)
        ok = ok && file_put(object, "radius", json_real(shape->radius)) &&
             (shape->kind == SHAPE_SPHERE || file_put(object, "length", json_real(shape->length)));
    if (ok && shape->mesh) {
        json_t *points = file_put_part(object, "points", json_array());
        json_t *triangles = file_put_part(object, "triangles", json_array());
        ok = points && triangles;
        for (int i = 0; ok && i < shape->mesh->vertex_count; i++)
            ok = json_array_append_new(points, file_write_vec3(shape->mesh->vertices[i])) == 0;
        for (int i = 0; ok && i < shape->mesh->triangle_count; i++) {
            const int *corner = shape->mesh->triangles[i];
            ok = json_array_append_new(triangles, json_pack("[i,i,i]", corner[0], corner[1], corner[2])) == 0;
        }
    }
    if (ok)
        return object;
    json_decref(object);
    return NULL;
}

/* One plain shape stands under `shape`; all else, with what is fused to the body, in the list `shapes`. */
static bool resolved_shapes(json_t *body, const World *world, int index)
{
    ShapeKind kind = world->bodies[index].shape.kind;
    bool rides = world_rides(world, index) || world->ride[index].root != index;
    if (kind != SHAPE_NONE && kind != SHAPE_ELLIPSOID && !rides)
        return file_put(body, "shape", resolved_shape(&world->bodies[index].shape, quat_conj(world->principal[index])));
    json_t *list = json_array();
    bool ok = list;
    for (int c = 0; ok && c < world->collider_count; c++) {
        const Collider *collider = &world->colliders[c];
        if (collider->body != index || collider->shape.kind == SHAPE_NONE)
            continue;
        json_t *shape = resolved_shape(&collider->shape, collider->at.q);
        ok = json_array_append_new(list, shape) == 0 && file_put(shape, "at", file_write_vec3(collider->at.x)) &&
             file_put(shape, "material", json_integer(collider_material(world, c) - world->materials)) &&
             file_put(shape, "group", json_integer(collider->group)) &&
             file_put(shape, "mask", json_integer(collider->mask));
    }
    if (ok && json_array_size(list) > 0)
        return file_put(body, "shapes", list);
    json_decref(list);
    return ok;
}

static json_t *resolved_body(const World *world, int index)
{
    const BodyDef *def = &world->bodies[index];
    bool fixed = world_is_fixed(world, index);
    json_t *object = json_pack("{s:s,s:b}", "name", def->name, "fixed", fixed);
    bool ok = file_put(object, "position", file_write_vec3(world->pose[index].x)) &&
              file_put(object, "orientation", resolved_quat(world->pose[index].q)) &&
              file_put(object, "velocity", file_write_vec3(world->velocity[index].v)) &&
              file_put(object, "angular_velocity", file_write_vec3(world->velocity[index].w)) &&
              file_put(object, "material", json_integer(def->material)) &&
              file_put(object, "force", file_write_vec3(def->force)) &&
              file_put(object, "torque", file_write_vec3(def->torque)) &&
              (fixed || (file_put(object, "mass", json_real(world->mass[index].mass)) &&
                         file_put(object, "inertia", file_write_vec3(world->mass[index].inertia)))) &&
              resolved_shapes(object, world, index) &&
              (!def->fused || file_put(object, "fused", json_integer(world->ride[index].root)));
    if (ok)
        return object;
    json_decref(object);
    return NULL;
}

/* The numbers of a definition that were given. */
static bool resolved_numbers(json_t *object, const JointDef *def)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"swing_max", def->swing_max},
        {"twist_min", def->twist_min},
        {"twist_max", def->twist_max},
        {"angle_min", def->angle_min},
        {"angle_max", def->angle_max},
        {"position_min", def->position_min},
        {"position_max", def->position_max},
        {"target", def->type == JOINT_SERVO && isnan(def->target) ? 0.0 : def->target},
        {"speed", def->speed},
        {"torque", def->torque},
        {"force", def->force},
        {"max_torque", def->max_torque},
        {"angle", def->angle},
        {"radius", def->radius},
    };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof numbers / sizeof numbers[0]; i++)
        ok = !isfinite(numbers[i].value) || file_put(object, numbers[i].key, json_real(numbers[i].value));
    return ok;
}

/* Frames: x along the axis, y along the normal. The second is where the first lies in body 2 as placed, so that every
 * angle is zero as placed. */
static bool resolved_frames(json_t *object, const World *world, const Joint *joint)
{
    const Block *block = &world->blocks[joint->first_block];
    Vec3 x = block_terms(block)->axis[0], y = block->seat->normal[0], z = block->seat->normal[1];
    Quat first = quat_from_mat3((Mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}});
    Quat second = quat_mul(quat_conj(block_terms(block)->placed), first);
    return file_put(object, "frames", json_pack("[o,o]", resolved_quat(first), resolved_quat(second))) &&
           file_put(object, "anchors",
                    json_pack("[o,o]", file_write_vec3(joint->anchor[0]), file_write_vec3(joint->anchor[1]))) &&
           file_put(object, "axes",
                    json_pack("[o,o]", file_write_vec3(joint->axis[0]), file_write_vec3(joint->axis[1])));
}

static json_t *resolved_joint(const World *world, const Joint *joint)
{
    const JointDef *def = &joint->def;
    bool volume = def->type == JOINT_VOLUME;
    json_t *object = json_pack("{s:s,s:s}", "name", def->name, "type", joint_type_names[def->type]);
    json_t *bodies = file_put_part(object, "bodies", json_array());
    bool ok = bodies;
    for (int i = 0; ok && i < (volume ? 4 : 2); i++)
        ok = json_array_append_new(bodies, json_integer(def->body[i])) == 0;
    ok = ok && (volume || joint->block_count == 0 || resolved_frames(object, world, joint)) &&
         file_put(object, "compliance", json_real(def->compliance)) &&
         file_put(object, "angular_compliance", json_real(def->angular_compliance)) &&
         file_put(object, "damping", json_real(def->damping)) &&
         file_put(object, "angular_damping", json_real(def->angular_damping)) && resolved_numbers(object, def);
    if (ok && def->type == JOINT_DISTANCE)
        ok = file_put(object, "rest", json_real(world->blocks[joint->first_block].seat->rest)) &&
             file_put(object, "one_sided", json_boolean(def->one_sided));
    if (ok && volume)
        ok = file_put(object, "rest", json_real(world->blocks[joint->first_block].seat->rest / 6.0));
    if (ok)
        return object;
    json_decref(object);
    return NULL;
}

static bool resolved_materials(json_t *root, const World *world)
{
    static const char *const rules[] = {"average", "multiply", "sum", "min", "max"};
    json_t *materials = file_put_part(root, "materials", json_array());
    json_t *pairs = file_put_part(root, "pairs", json_array());
    bool ok = materials && pairs &&
              file_put(root, "combine",
                       json_pack("{s:s,s:s}", "friction", rules[world->combine_friction], "restitution",
                                 rules[world->combine_restitution]));
    for (int i = 0; ok && i < world->material_count; i++) {
        const Material *one = &world->materials[i];
        json_t *row = json_array();
        ok = json_array_append_new(materials, json_pack("{s:f,s:f,s:o}", "friction", one->friction, "restitution",
                                                        one->restitution, "patch_radius",
                                                        file_patch_radius(one->patch_radius))) == 0 &&
             json_array_append_new(pairs, row) == 0;
        for (int k = 0; ok && k < world->material_count; k++) {
            const Material *two = &world->materials[k];
            PairLaw law = contacts_pair_law(world, one, two);
            ok = json_array_append_new(row, json_pack("[f,f]", law.friction, law.restitution)) == 0;
        }
    }
    return ok;
}

/* Pairs that may not touch, whatever the reason: excepted, or joined. */
static bool resolved_collide(json_t *root, const World *world)
{
    json_t *except = file_put_part(root, "except", json_array());
    bool ok = except && file_put(root, "collide", json_boolean(world->collide));
    for (int i = 0; ok && i < world->collide_except_count; i++)
        ok = json_array_append_new(except,
                                   json_pack("[i,i]", world->collide_except[i][0], world->collide_except[i][1])) == 0;
    for (int j = 0; ok && !world->joined_collide && j < world->joint_count; j++)
        if (world->joints[j].def.type != JOINT_VOLUME)
            ok = json_array_append_new(
                     except, json_pack("[i,i]", world->joints[j].def.body[0], world->joints[j].def.body[1])) == 0;
    return ok;
}

json_t *resolved_world(const World *world)
{
    json_t *root = json_object();
    json_t *bodies = file_put_part(root, "bodies", json_array());
    json_t *joints = file_put_part(root, "joints", json_array());
    bool ok = bodies && joints && file_put(root, "gravity", file_write_vec3(world->gravity)) &&
              resolved_materials(root, world) && resolved_collide(root, world);
    if (ok && world->attractor.gm != 0.0)
        ok = file_put(root, "attractor",
                      json_pack("{s:o,s:f}", "at", file_write_vec3(world->attractor.at), "gm", world->attractor.gm));
    for (int i = 0; ok && i < world->body_count; i++)
        ok = json_array_append_new(bodies, resolved_body(world, i)) == 0;
    for (int j = 0; ok && j < world->joint_count; j++)
        ok = json_array_append_new(joints, resolved_joint(world, &world->joints[j])) == 0;
    if (ok)
        return root;
    json_decref(root);
    return NULL;
}
