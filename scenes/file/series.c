/* SPDX-License-Identifier: MIT */
/* Axes of `series` joints, and couplings, which stand among the joints of a file and name their coordinates. */
#include "scenes/file/file.h"

#include <stdio.h>
#include <string.h>

static const char *const KINDS[] = {"slide", "hinge", NULL};

static bool read_axis_name(const Node *node, const SeriesAxis *before, int count, char numbered[16], SeriesAxis *axis)
{
    Node name = node_get(node, "name");
    snprintf(numbered, 16, "axis%d", count + 1);
    axis->name = numbered;
    if (!node_text(name, &axis->name) || !node_name(name, axis->name))
        return false;
    for (int i = 0; i < count; i++)
        if (strcmp(before[i].name, axis->name) == 0)
            return node_fail(name, "\"%s\" is the name of another axis", axis->name);
    return true;
}

static bool read_axis(const Node *node, SeriesAxis *axis)
{
    static const char *const keys[] = {"name",     "kind",         "axis",  "anchor", "limits", "viscous", "spring",
                                       "armature", "dry_friction", "drive", "effort", "start",  NULL};
    Node kind = node_get(node, "kind"), along = node_get(node, "axis"), anchor = node_get(node, "anchor");
    int turns = 0;
    bool given;
    if (!json_is_object(node->value))
        return node_wrong_type(*node, "an object");
    if (!node_object(*node, keys) || !node_required(kind) || !node_choice(kind, KINDS, &turns) ||
        !node_required(along) || !node_direction(along, &axis->axis))
        return false;
    axis->turns = turns;
    if (axis->turns ? !node_required(anchor) : anchor.value && !node_fail(anchor, "a slide has no anchor"))
        return false;
    return node_vec3(anchor, &axis->anchor) && file_read_range(node_get(node, "limits"), axis->limits) &&
           file_read_law(node, false, &axis->law, &given);
}

bool file_read_series(const Node *joint, SeriesAxis axes[SERIES_MAX_AXES], char names[SERIES_MAX_AXES][16], int *count)
{
    Node list = node_get(joint, "axes");
    if (!node_required(list) || !node_array(list))
        return false;
    size_t size = json_array_size(list.value);
    if (size == 0 || size > SERIES_MAX_AXES)
        return node_fail(list, "must have 1 to %d elements, not %zu", SERIES_MAX_AXES, size);
    for (size_t i = 0; i < size; i++) {
        Node node = node_at(&list, i);
        axes[i] = (SeriesAxis){.limits = {-INFINITY, INFINITY}};
        if (!read_axis(&node, &axes[i]) || !read_axis_name(&node, axes, (int)i, names[i], &axes[i]))
            return false;
    }
    *count = (int)size;
    return true;
}

bool file_write_series(json_t *object, const JointDef *def)
{
    json_t *axes = file_put_part(object, "axes", json_array());
    bool ok = axes;
    for (int i = 0; ok && i < def->axis_count; i++) {
        const SeriesAxis *axis = &def->axes[i];
        json_t *one = json_object();
        bool open = isinf(axis->limits[0]) && isinf(axis->limits[1]);
        ok = json_array_append_new(axes, one) == 0 && file_put(one, "name", json_string(axis->name)) &&
             file_put(one, "kind", json_string(KINDS[axis->turns])) &&
             file_put(one, "axis", file_write_vec3(axis->axis)) &&
             (!axis->turns || file_put(one, "anchor", file_write_vec3(axis->anchor))) &&
             (open || file_put(one, "limits", file_write_range(axis->limits))) && file_write_law(one, &axis->law);
    }
    return ok;
}

static bool has_one_coordinate(const Joint *joint)
{
    JointType type = joint->def.type;
    return type == JOINT_HINGE || type == JOINT_SERVO || type == JOINT_MOTOR || type == JOINT_PRISMATIC ||
           type == JOINT_CYLINDER;
}

static int find_axis(const Joint *joint, const char *name)
{
    for (int i = 0; i < joint->def.axis_count; i++)
        if (strcmp(joint->def.axes[i].name, name) == 0)
            return i;
    return -1;
}

/* `joint`, or `joint.axis` of a series. */
static bool read_coordinate(Node node, CoordinateRef *ref)
{
    const World *world = node.reader->world;
    const char *name = NULL;
    if (!node_text(node, &name))
        return false;
    json_t *whole = json_object_get(node.reader->joints, name);
    if (whole) {
        *ref = (CoordinateRef){(int)json_integer_value(whole), 0};
        return has_one_coordinate(&world->joints[ref->joint]) ||
               node_fail(node, "\"%s\" is a joint without one coordinate%s", name,
                         world->joints[ref->joint].def.type == JOINT_SERIES ? ": name an axis, joint.axis" : "");
    }
    for (const char *dot = strrchr(name, '.'); dot; dot = NULL) {
        json_t *joint = json_object_getn(node.reader->joints, name, (size_t)(dot - name));
        int axis = joint ? find_axis(&world->joints[json_integer_value(joint)], dot + 1) : -1;
        if (axis >= 0) {
            *ref = (CoordinateRef){(int)json_integer_value(joint), axis};
            return true;
        }
    }
    return node_fail(node, "there is no joint \"%s\"", name);
}

bool file_read_coupling(const Node *node, const char *name)
{
    static const char *const keys[] = {"name", "type", "joints", "polynomial", NULL};
    Node joints = node_get(node, "joints"), terms = node_get(node, "polynomial");
    JointCoupling coupling = {.name = name, .of = {{-1, 0}, {-1, 0}}};
    if (!node_object(*node, keys) || !node_required(joints) || !node_array(joints) || !node_required(terms) ||
        !node_array(terms))
        return false;
    size_t count = json_array_size(joints.value), order = json_array_size(terms.value);
    if (count < 1 || count > 2)
        return node_fail(joints, "must have 1 or 2 elements, not %zu", count);
    if (order < 1 || order > COUPLING_MAX_TERMS)
        return node_fail(terms, "must have 1 to %d elements, not %zu", COUPLING_MAX_TERMS, order);
    for (size_t i = 0; i < count; i++)
        if (!read_coordinate(node_at(&joints, i), &coupling.of[i]))
            return false;
    if (coupling.of[0].joint == coupling.of[1].joint && coupling.of[0].axis == coupling.of[1].axis)
        return node_fail(node_at(&joints, 1), "a coordinate cannot be coupled with itself");
    for (size_t i = 0; i < order; i++)
        if (!node_real(node_at(&terms, i), &coupling.polynomial[i]))
            return false;
    coupling.term_count = (int)order;
    return world_add_coupling(node->reader->world, &coupling) || node_fail(*node, "out of memory");
}

static json_t *coordinate_name(const World *world, CoordinateRef ref)
{
    const JointDef *def = &world->joints[ref.joint].def;
    return def->type == JOINT_SERIES ? json_sprintf("%s.%s", def->name, def->axes[ref.axis].name)
                                     : json_string(def->name);
}

json_t *file_write_coupling(const World *world, const JointCoupling *coupling)
{
    json_t *object = json_object();
    bool ok =
        file_put(object, "name", json_string(coupling->name)) && file_put(object, "type", json_string("coupling"));
    json_t *joints = file_put_part(object, "joints", json_array());
    json_t *terms = file_put_part(object, "polynomial", json_array());
    for (int i = 0; ok && i < 2 && coupling->of[i].joint >= 0; i++)
        ok = json_array_append_new(joints, coordinate_name(world, coupling->of[i])) == 0;
    for (int i = 0; ok && i < coupling->term_count; i++)
        ok = json_array_append_new(terms, json_real(coupling->polynomial[i])) == 0;
    return object;
}
