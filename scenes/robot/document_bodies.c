/* SPDX-License-Identifier: MIT */
/* Links as bodies: origin at the centre of mass, axes those of the link, whose own frame is `frame`. The world's geoms
 * stand on a fixed body of their own. */
#include "scenes/robot/write.h"

#include <stdio.h>

/* Here a capsule's axis is y, in robot files z. */
static const Quat Y_TO_Z = {0.70710678118654752440, 0.70710678118654752440, 0.0, 0.0};

static bool write_hull(json_t *object, const Mesh *hull)
{
    json_t *inner = file_put_part(object, "hull", json_object());
    json_t *points = file_put_part(inner, "points", json_array());
    bool ok = points;
    for (int i = 0; ok && i < hull->vertex_count; i++)
        ok = json_array_append_new(points, file_write_vec3(hull->vertices[i])) == 0;
    return ok;
}

static bool write_kind(const Robot *robot, json_t *object, const RobotGeom *geom)
{
    const double *size = geom->size;
    json_t *inner;
    switch (geom->kind) {
    case GEOM_PLANE:
        inner = file_put_part(object, "plane", json_object());
        return robot_put_vec3(inner, "normal", vec3(0, 0, 1));
    case GEOM_SPHERE:
        inner = file_put_part(object, "sphere", json_object());
        return file_put(inner, "radius", json_real(size[0]));
    case GEOM_ELLIPSOID:
        inner = file_put_part(object, "ellipsoid", json_object());
        return robot_put_numbers(inner, "radii", size, 3);
    case GEOM_BOX:
        inner = file_put_part(object, "box", json_object());
        return robot_put_vec3(inner, "size", vec3(2.0 * size[0], 2.0 * size[1], 2.0 * size[2]));
    case GEOM_MESH:
        return write_hull(object, robot->meshes.items[geom->mesh].hull);
    default:
        inner = file_put_part(object, geom->kind == GEOM_CAPSULE ? "capsule" : "cylinder", json_object());
        return file_put(inner, "radius", json_real(size[0])) && file_put(inner, "length", json_real(2.0 * size[1]));
    }
}

static bool write_shape(const Robot *robot, json_t *object, const RobotGeom *geom, Vec3 centre)
{
    bool round = geom->kind == GEOM_CAPSULE || geom->kind == GEOM_CYLINDER;
    char material[32];
    snprintf(material, sizeof material, "contact%d", geom->material_number + 1);
    return (!geom->name || !*geom->name || file_put(object, "name", json_string(geom->name))) &&
           write_kind(robot, object, geom) && robot_put_vec3(object, "position", vec3_sub(geom->pose.x, centre)) &&
           robot_put_quat(object, "orientation", round ? quat_mul(geom->pose.q, Y_TO_Z) : geom->pose.q) &&
           (!geom->material || file_put(object, "material", json_string(material))) &&
           (geom->group == 1 || file_put(object, "group", json_integer(geom->group))) &&
           (geom->mask == 1 || file_put(object, "mask", json_integer(geom->mask)));
}

static bool write_shapes(const Robot *robot, json_t *body, int first, int count, Vec3 centre)
{
    if (count == 0)
        return true;
    json_t *shapes = file_put_part(body, "shapes", json_array());
    bool ok = shapes;
    for (int i = first; ok && i < first + count; i++) {
        json_t *object = json_object();
        ok = json_array_append_new(shapes, object) == 0 && write_shape(robot, object, &robot->geoms.items[i], centre);
    }
    return ok;
}

static bool write_inertia(json_t *body, const RobotLink *link)
{
    const double(*m)[3] = link->inertia.m;
    double six[6] = {m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
    bool point = m[0][0] == 0.0 && m[1][1] == 0.0 && m[2][2] == 0.0;
    return link->mass == 0.0 ||
           (file_put(body, "mass", json_real(link->mass)) && (point || robot_put_numbers(body, "inertia", six, 6)));
}

/* Of links that are rigidly one, the one that the others are fused to: the first, unless it weighs nothing. */
static int carrier(const Robot *robot, int group)
{
    for (int i = group; group >= 0 && i < robot->links.count; i++)
        if (robot->links.items[i].group == group && robot->links.items[i].mass > 0.0)
            return i;
    return group;
}

/* Lifts all that is one with a link at its common centre: exact where every part is lifted alike. */
static bool write_lift(const Robot *robot, json_t *body, int group)
{
    double share = 0.0, mass = 0.0;
    bool first = true;
    for (int i = group; i < robot->links.count; i++) {
        const RobotLink *part = &robot->links.items[i];
        if (part->group != group || part->mass == 0.0)
            continue;
        if (!first && part->gravcomp != share)
            return xml_fail(part->at, "gravcomp: other than that of what this body is rigidly one with");
        share = part->gravcomp;
        mass += part->mass;
        first = false;
    }
    return share == 0.0 || robot_put_vec3(body, "force", vec3_scale(-share * mass, robot->gravity));
}

static bool write_motion(const Robot *robot, json_t *body, int index, Vec3 centre)
{
    Vec3 spin = robot->spin[index], velocity = vec3_add(robot->origin_velocity[index], vec3_cross(spin, centre));
    return (vec3_is_zero(velocity) || robot_put_vec3(body, "velocity", velocity)) &&
           (vec3_is_zero(spin) || robot_put_vec3(body, "angular_velocity", spin));
}

static bool write_fused(const Robot *robot, json_t *body, const RobotLink *link, int main)
{
    const char *to =
        main < 0 || main == link->group ? robot_link_name(robot, link->parent) : robot_link_name(robot, main);
    return file_put(body, "fused", json_string(to));
}

static bool write_link(const Robot *robot, json_t *body, int index)
{
    const RobotLink *link = &robot->links.items[index];
    Vec3 centre = robot_pose_point(robot->placed[index], link->centre);
    int main = carrier(robot, link->group);
    json_t *frame;
    return file_put(body, "name", json_string(link->name)) && (main == index || write_fused(robot, body, link, main)) &&
           robot_put_vec3(body, "position", centre) && robot_put_quat(body, "orientation", robot->placed[index].q) &&
           (main != index || (write_motion(robot, body, index, centre) && write_lift(robot, body, link->group))) &&
           write_inertia(body, link) && (frame = file_put_part(body, "frame", json_object())) &&
           robot_put_vec3(frame, "position", vec3_negate(link->centre)) &&
           write_shapes(robot, body, link->first_geom, link->geom_count, link->centre);
}

static bool add_link(const Robot *robot, json_t *bodies, int index)
{
    json_t *body = json_object();
    return json_array_append_new(bodies, body) == 0 && write_link(robot, body, index);
}

/* What others are fused to stands before them, in the order of the file otherwise. */
static bool add_links(const Robot *robot, json_t *bodies)
{
    bool ok = true;
    for (int i = 0; ok && i < robot->links.count; i++) {
        int group = robot->links.items[i].group, main = carrier(robot, group);
        if (i == group && main != i)
            ok = add_link(robot, bodies, main);
        ok = ok && ((i == main && main != group) || add_link(robot, bodies, i));
    }
    return ok;
}

bool robot_write_bodies(const Robot *robot, json_t *root)
{
    json_t *bodies = file_put_part(root, "bodies", json_array());
    bool ok = bodies;
    if (ok && robot->world_geom_count > 0) {
        json_t *body = json_object();
        ok = json_array_append_new(bodies, body) == 0 && file_put(body, "name", json_string(robot_world_body(robot))) &&
             file_put(body, "fixed", json_true()) && write_shapes(robot, body, 0, robot->world_geom_count, VEC3_ZERO);
    }
    return ok && add_links(robot, bodies);
}
