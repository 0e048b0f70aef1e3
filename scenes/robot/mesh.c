/* SPDX-License-Identifier: MIT */
/* Meshes of a robot: opened beside the model, scaled, and moved to their centre of volume and principal axes, as MuJoCo
 * does. What touches is the hull; what weighs is the volume of the surface itself. */
#include "scenes/robot/model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcasecmp(name + length - end, ending) == 0;
}

Mesh *robot_open_mesh(const XmlNode *at, const char *attribute, const char *beside, const char *name)
{
    bool obj = ends_with(name, ".obj"), stl = ends_with(name, ".stl");
    if (!obj && !stl) {
        xml_fail(at, "%s: \"%.200s\" is neither .obj nor .stl: no other mesh is read", attribute, name);
        return NULL;
    }
    int fd = xml_open(at, attribute, beside, name);
    if (fd < 0)
        return NULL;
    Mesh *mesh = obj ? obj_read(fd, name, at->tree->status) : stl_read(fd, name, at->tree->status);
    close(fd);
    return mesh;
}

static void mesh_move(Mesh *mesh, RobotPose to)
{
    for (int i = 0; mesh && i < mesh->vertex_count; i++)
        mesh->vertices[i] = robot_pose_local(to, mesh->vertices[i]);
}

/* Takes over hull and surface. */
static int add(Robot *robot, const XmlNode *at, const char *name, Mesh *hull, Mesh *surface)
{
    RobotMesh *mesh = ROBOT_ADD(robot, meshes);
    if (!mesh) {
        mesh_destroy(hull);
        mesh_destroy(surface);
        return -1;
    }
    Status why = {0};
    *mesh = (RobotMesh){.at = at, .name = name, .hull = hull, .surface = surface, .pose = ROBOT_HERE};
    mesh->closed = !surface || mesh_check_closed(surface, &why);
    MassProperties solid = mesh_mass_properties(mesh->closed && surface ? surface : hull, 1.0);
    Vec3 moments;
    if (!(solid.mass > 0.0) || !isfinite(solid.mass)) {
        xml_fail(at, "the mesh encloses no volume");
        return -1;
    }
    if (!inertia_principal_axes(solid.inertia, &mesh->pose.q, &moments, at->tree->status))
        return -1;
    mesh->pose.x = solid.centre;
    mesh_move(hull, mesh->pose);
    mesh_move(surface, mesh->pose);
    mesh->solid = (MassProperties){solid.mass, VEC3_ZERO, mat3_diagonal(moments)};
    return robot->meshes.count - 1;
}

static Mesh *hull_of(const XmlNode *at, int count, const Vec3 *points)
{
    Status why = {0};
    Mesh *hull = mesh_create_hull(count, points, &why);
    if (!hull)
        xml_fail(at, "mesh: %.300s", why.message);
    return hull;
}

int robot_add_mesh(Robot *robot, const XmlNode *at, const char *name, Mesh *surface, Vec3 scale)
{
    bool mirrored = scale.x * scale.y * scale.z < 0.0;
    for (int i = 0; i < surface->vertex_count; i++)
        surface->vertices[i] = vec3_mul(scale, surface->vertices[i]);
    for (int i = 0; mirrored && i < surface->triangle_count; i++) {
        int *triangle = surface->triangles[i], second = triangle[1];
        triangle[1] = triangle[2];
        triangle[2] = second;
    }
    Mesh *hull = hull_of(at, surface->vertex_count, surface->vertices);
    if (!hull) {
        mesh_destroy(surface);
        return -1;
    }
    return add(robot, at, name, hull, surface);
}

int robot_add_hull(Robot *robot, const XmlNode *at, const char *name, int count, const Vec3 *points)
{
    Mesh *hull = hull_of(at, count, points);
    return hull ? add(robot, at, name, hull, NULL) : -1;
}
