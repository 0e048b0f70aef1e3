/* SPDX-License-Identifier: MIT */
/* Links of URDF: what stands in <inertial>, and nothing where there is none; collision shapes. Visual shapes are not
 * looked at, and their meshes not opened. */
#include "scenes/robot/urdf/urdf.h"

#include <string.h>

bool urdf_origin(const XmlNode *node, RobotPose *pose)
{
    const XmlNode *origin = xml_child(node, "origin");
    Vec3 rpy = VEC3_ZERO;
    *pose = ROBOT_HERE;
    if (!origin)
        return true;
    if (!xml_vec3(origin, "xyz", xml_get(origin, "xyz"), &pose->x) ||
        !xml_vec3(origin, "rpy", xml_get(origin, "rpy"), &rpy))
        return false;
    pose->q = quat_mul(quat_axis_angle(vec3(0, 0, 1), rpy.z),
                       quat_mul(quat_axis_angle(vec3(0, 1, 0), rpy.y), quat_axis_angle(vec3(1, 0, 0), rpy.x)));
    return true;
}

static bool required(const XmlNode *node, const char *name, double *value)
{
    const char *text = xml_get(node, name);
    return text ? xml_real(node, name, text, value) : xml_fail(node, "%s is missing", name);
}

static bool read_inertial(const XmlNode *node, RobotLink *link)
{
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const XmlNode *mass = xml_child(node, "mass"), *inertia = xml_child(node, "inertia");
    double m[6];
    RobotPose pose;
    if (!mass || !inertia)
        return xml_fail(node, "%s is missing", mass ? "inertia" : "mass");
    if (!required(mass, "value", &link->mass) || !urdf_origin(node, &pose))
        return false;
    if (link->mass < 0.0)
        return xml_fail(mass, "value: %g is negative", link->mass);
    for (int i = 0; i < 6; i++)
        if (!required(inertia, names[i], &m[i]))
            return false;
    link->centre = pose.x;
    link->inertia = robot_turn_inertia(pose.q, (Mat3){{{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}}});
    link->has_inertial = true;
    return true;
}

static bool positive(const XmlNode *node, const char *name, double *value)
{
    return required(node, name, value) && (*value > 0.0 || xml_fail(node, "%s: %g is not positive", name, *value));
}

/* A file or package://NAME/PATH, which is NAME/PATH or PATH under the folder of packages. */
static Mesh *open_mesh(const Urdf *urdf, const XmlNode *node, const char *file)
{
    static const char SCHEME[] = "package://";
    const char *folder = urdf->params->package, *main_file = node->tree->path;
    if (strncmp(file, SCHEME, sizeof SCHEME - 1) != 0) {
        if (strstr(file, "://")) {
            xml_fail(node, "filename: \"%.200s\": only package:// and relative paths are read", file);
            return NULL;
        }
        return robot_open_mesh(node, "filename", main_file, file);
    }
    const char *beside = *folder ? xml_text(node->tree, "%s/", folder) : main_file, *path = file + sizeof SCHEME - 1,
               *slash = strchr(path, '/');
    if (!beside)
        return NULL;
    Status first = {0}, *status = node->tree->status;
    node->tree->status = &first;
    Mesh *mesh = slash && !strstr(path, "..") ? robot_open_mesh(node, "filename", beside, path) : NULL;
    node->tree->status = status;
    return mesh ? mesh : robot_open_mesh(node, "filename", beside, slash && !strstr(path, "..") ? slash + 1 : path);
}

static bool read_mesh(Urdf *urdf, const XmlNode *node, RobotGeom *geom)
{
    const char *file = xml_get(node, "filename");
    Vec3 scale = vec3(1, 1, 1);
    if (!file)
        return xml_fail(node, "filename is missing");
    if (!xml_vec3(node, "scale", xml_get(node, "scale"), &scale))
        return false;
    Mesh *mesh = open_mesh(urdf, node, file);
    if (!mesh)
        return false;
    geom->kind = GEOM_MESH;
    geom->mesh = robot_add_mesh(urdf->robot, node, file, mesh, scale);
    if (geom->mesh < 0)
        return false;
    geom->pose = robot_pose_mul(geom->pose, urdf->robot->meshes.items[geom->mesh].pose);
    return true;
}

/* URDF gives whole lengths, a geom halves. */
static bool read_shape(Urdf *urdf, const XmlNode *node, RobotGeom *geom)
{
    Vec3 size = VEC3_ZERO;
    bool cylinder = xml_is(node, "cylinder"), capsule = xml_is(node, "capsule");
    if (xml_is(node, "mesh"))
        return read_mesh(urdf, node, geom);
    if (xml_is(node, "box")) {
        geom->kind = GEOM_BOX;
        if (!xml_get(node, "size"))
            return xml_fail(node, "size is missing");
        if (!xml_vec3(node, "size", xml_get(node, "size"), &size))
            return false;
        for (int i = 0; i < 3; i++)
            if (!((geom->size[i] = 0.5 * vec3_get(size, i)) > 0.0))
                return xml_fail(node, "size: %g is not positive", vec3_get(size, i));
        return true;
    }
    if (!cylinder && !capsule && !xml_is(node, "sphere"))
        return xml_fail(node, "a shape of this kind is not known");
    geom->kind = cylinder ? GEOM_CYLINDER : capsule ? GEOM_CAPSULE : GEOM_SPHERE;
    if (!positive(node, "radius", &geom->size[0]) ||
        (geom->kind != GEOM_SPHERE && !positive(node, "length", &geom->size[1])))
        return false;
    geom->size[1] *= 0.5;
    return true;
}

static bool read_collision(Urdf *urdf, const XmlNode *node)
{
    const XmlNode *geometry = xml_child(node, "geometry");
    if (!geometry || !geometry->first)
        return xml_fail(node, "geometry is missing");
    RobotGeom *geom = ROBOT_ADD(urdf->robot, geoms);
    if (!geom)
        return false;
    *geom = (RobotGeom){.at = node, .name = xml_get(node, "name"), .group = 1, .mask = 1, .mesh = -1};
    return urdf_origin(node, &geom->pose) && read_shape(urdf, geometry->first, geom);
}

bool urdf_fill_link(Urdf *urdf, const XmlNode *node, int index)
{
    for (const XmlNode *child = node->first; child; child = child->next) {
        RobotLink *link = &urdf->robot->links.items[index];
        if (xml_is(child, "inertial")) {
            if (link->has_inertial)
                return xml_fail(child, "a second inertial in one link");
            if (!read_inertial(child, link))
                return false;
        }
        if (xml_is(child, "collision") && !read_collision(urdf, child))
            return false;
    }
    return true;
}
