/* SPDX-License-Identifier: MIT */
/* Geoms of MJCF: shape, place, friction, masks; meshes as assets; what the geoms of a link weigh. */
#include "scenes/robot/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

/* In the order of RobotGeomKind. */
static const char *const TYPES[] = {"plane", "sphere", "capsule", "ellipsoid", "cylinder",
                                    "box",   "mesh",   "hfield",  "sdf",       NULL};
/* How many sizes each needs, and with two ends given. */
static const int SIZES[] = {0, 1, 2, 3, 2, 3, 0}, SIZES_BETWEEN[] = {0, 0, 1, 1, 1, 1, 0};

/* The densest unless the file says so, kg/m^3: water. */
static const double DENSITY = 1000.0;

static bool between_ends(const XmlNode *node, const double *end, RobotGeom *geom)
{
    Vec3 from = vec3(end[0], end[1], end[2]), to = vec3(end[3], end[4], end[5]), along = vec3_sub(from, to);
    double length = vec3_norm(along);
    if (geom->kind != GEOM_CAPSULE && geom->kind != GEOM_CYLINDER && geom->kind != GEOM_BOX &&
        geom->kind != GEOM_ELLIPSOID)
        return xml_fail(node, "fromto: a %s has no ends", TYPES[geom->kind]);
    if (!(length > 1e-10))
        return xml_fail(node, "fromto: both ends are the same point");
    geom->pose.x = vec3_scale(0.5, vec3_add(from, to));
    geom->pose.q = mjcf_turn_z(along);
    bool round = geom->kind == GEOM_CAPSULE || geom->kind == GEOM_CYLINDER;
    if (!round)
        geom->size[1] = geom->size[0];
    geom->size[round ? 1 : 2] = 0.5 * length;
    return true;
}

static bool read_shape(const Mjcf *mjcf, const XmlNode *node, int class, RobotGeom *geom)
{
    const char *ends = mjcf_get(mjcf, node, class, "geom", "fromto"),
               *mesh = mjcf_get(mjcf, node, class, "geom", "mesh"), *size = mjcf_get(mjcf, node, class, "geom", "size");
    double end[6];
    int kind = GEOM_SPHERE, sizes = 0;
    if (!xml_choice(node, "type", mjcf_get(mjcf, node, class, "geom", "type"), TYPES, &kind))
        return false;
    if (kind > GEOM_MESH)
        return xml_fail(node, "a geom of type %s has no counterpart here", TYPES[kind]);
    geom->kind = (RobotGeomKind)kind;
    if (!mjcf_pose(mjcf, node, class, "geom", &geom->pose) || !xml_numbers(node, "fromto", ends, 6, 6, end, NULL) ||
        !xml_numbers(node, "size", size, 1, 3, geom->size, &sizes))
        return false;
    if (geom->kind == GEOM_MESH)
        geom->mesh = mesh ? robot_find(mjcf->robot, ROBOT_MESHES, mesh) : -1;
    else if (mesh)
        return xml_fail(node, "a %s fitted to a mesh is not read: give its size", TYPES[kind]);
    if (geom->kind == GEOM_MESH && geom->mesh < 0)
        return xml_fail(node, "mesh: there is no mesh \"%.64s\"", mesh ? mesh : "");
    int wanted = ends ? SIZES_BETWEEN[kind] : SIZES[kind];
    if (wanted > sizes)
        return xml_fail(node, "size: a %s needs %d number%s, not %d", TYPES[kind], wanted, wanted > 1 ? "s" : "",
                        sizes);
    for (int i = 0; i < wanted; i++)
        if (!(geom->size[i] > 0.0))
            return xml_fail(node, "size: %g is not positive", geom->size[i]);
    return !ends || between_ends(node, end, geom);
}

/* A mask of 32 bits, which a file may write as a negative number. */
static bool read_mask(const XmlNode *node, const char *name, const char *text, unsigned *mask)
{
    double value = *mask;
    if (!xml_whole(node, name, text, -2147483648.0, 4294967295.0, &value))
        return false;
    *mask = (unsigned)(long long)value;
    return true;
}

static bool read_contact(const Mjcf *mjcf, const XmlNode *node, int class, RobotGeom *geom)
{
    double condim = 3.0, priority = 0.0, friction[3] = {1.0, 0.005, 0.0001};
    if (!read_mask(node, "contype", mjcf_get(mjcf, node, class, "geom", "contype"), &geom->group) ||
        !read_mask(node, "conaffinity", mjcf_get(mjcf, node, class, "geom", "conaffinity"), &geom->mask) ||
        !xml_whole(node, "condim", mjcf_get(mjcf, node, class, "geom", "condim"), 1.0, 6.0, &condim) ||
        !xml_whole(node, "priority", mjcf_get(mjcf, node, class, "geom", "priority"), -1e6, 1e6, &priority) ||
        !xml_numbers(node, "friction", mjcf_get(mjcf, node, class, "geom", "friction"), 1, 3, friction, NULL))
        return false;
    if (condim == 2.0 || condim == 5.0)
        return xml_fail(node, "condim: %g is none of 1, 3, 4, 6", condim);
    for (int i = 0; i < 3; i++)
        if (friction[i] < 0.0)
            return xml_fail(node, "friction: %g is negative", friction[i]);
    memcpy(geom->friction, friction, sizeof friction);
    geom->condim = (int)condim;
    geom->priority = (int)priority;
    geom->material = true;
    return true;
}

static bool read_weight(const Mjcf *mjcf, const XmlNode *node, int class, RobotGeom *geom)
{
    const char *mass = mjcf_get(mjcf, node, class, "geom", "mass");
    double group = 0.0;
    geom->density = DENSITY;
    geom->has_mass = mass;
    if (!xml_real(node, "mass", mass, &geom->mass) ||
        !xml_real(node, "density", mjcf_get(mjcf, node, class, "geom", "density"), &geom->density) ||
        !xml_whole(node, "group", mjcf_get(mjcf, node, class, "geom", "group"), -1e6, 1e6, &group))
        return false;
    if (geom->mass < 0.0 || geom->density < 0.0)
        return xml_fail(node, "%s: %g is negative", geom->mass < 0.0 ? "mass" : "density",
                        geom->mass < 0.0 ? geom->mass : geom->density);
    geom->weighs = group >= mjcf->inertia_groups[0] && group <= mjcf->inertia_groups[1];
    return true;
}

bool mjcf_add_geom(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place)
{
    Robot *robot = mjcf->robot;
    int class, index = robot->geoms.count;
    if (!mjcf_class_of(mjcf, node, place, &class))
        return false;
    RobotGeom *geom = ROBOT_ADD(robot, geoms);
    if (!geom)
        return false;
    *geom = (RobotGeom){
        .at = node, .name = mjcf_name(mjcf, node, place), .mesh = -1, .group = 1, .mask = 1, .pose = ROBOT_HERE};
    if ((geom->name && !robot_name(robot, node, ROBOT_GEOMS, geom->name, index)) ||
        !read_shape(mjcf, node, class, geom) || !read_contact(mjcf, node, class, geom) ||
        !read_weight(mjcf, node, class, geom))
        return false;
    if (geom->kind == GEOM_MESH)
        geom->pose = robot_pose_mul(geom->pose, robot->meshes.items[geom->mesh].pose);
    geom->pose = robot_pose_mul(place->frame, geom->pose);
    return true;
}

/* Numbers without end, as a vertex list has them. */
static double *number_list(const XmlNode *node, const char *name, const char *text, int *count)
{
    size_t most = strlen(text) / 2 + 1;
    double *values = malloc(sizeof *values * most);
    if (!values)
        xml_fail(node, "out of memory");
    else if (!xml_numbers(node, name, text, 0, (int)most, values, count)) {
        free(values);
        return NULL;
    }
    return values;
}

static Mesh *inline_mesh(const XmlNode *node, int vertex_count, const double *vertex, int face_count,
                         const double *face)
{
    Vec3 *vertices = malloc(sizeof *vertices * ((size_t)vertex_count + 1));
    int(*triangles)[3] = malloc(sizeof *triangles * ((size_t)face_count + 1));
    Mesh *mesh = NULL;
    bool ok = (vertices && triangles) || xml_fail(node, "out of memory");
    for (int i = 0; ok && i < vertex_count; i++)
        vertices[i] = vec3(vertex[3 * i], vertex[3 * i + 1], vertex[3 * i + 2]);
    for (int i = 0; ok && i < 3 * face_count; i++) {
        ok = (face[i] == floor(face[i]) && face[i] >= 0.0 && face[i] < vertex_count) ||
             xml_fail(node, "face: %g is no vertex", face[i]);
        triangles[i / 3][i % 3] = ok ? (int)face[i] : 0;
    }
    if (ok && !(mesh = mesh_create(vertex_count, vertices, face_count, (const int(*)[3])triangles)))
        xml_fail(node, "out of memory");
    free(vertices);
    free(triangles);
    return mesh;
}

/* Where the vertices stand in the file; without faces they are those of their hull. */
static Mesh *written_mesh(const XmlNode *node, const char *vertices, const char *faces)
{
    int numbers = 0, corners = 0;
    Mesh *mesh = NULL;
    double *vertex = number_list(node, "vertex", vertices, &numbers),
           *face = vertex && faces ? number_list(node, "face", faces, &corners) : NULL;
    if (!vertex || (faces && !face)) {
        free(vertex);
        return NULL;
    }
    if (numbers % 3 || numbers < 12 || corners % 3)
        xml_fail(node, "%s: %d numbers are no list of threes, or too few", corners % 3 ? "face" : "vertex",
                 corners % 3 ? corners : numbers);
    else
        mesh = inline_mesh(node, numbers / 3, vertex, corners / 3, face);
    free(vertex);
    free(face);
    return mesh;
}

static Mesh *filed_mesh(const Mjcf *mjcf, const XmlNode *node, const char *file)
{
    const char *folder = mjcf->meshdir ? mjcf->meshdir : "",
               *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
    const char *path = xml_text(node->tree, "%s%s%s", folder, slash, file);
    return path ? robot_open_mesh(node, "file", node->tree->path, path) : NULL;
}

/* A mesh's name: its own, or its file's without folder and ending. */
static const char *mesh_name(const XmlNode *node)
{
    const char *name = xml_get(node, "name"), *file = xml_get(node, "file");
    if (name || !file)
        return name;
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    return xml_text(node->tree, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
}

/* As MuJoCo keeps vertices. Volatile: gcc 12 drops both conversions where it makes vectors of them. */
static Vec3 single_precision(Vec3 x)
{
    volatile float single[3] = {(float)x.x, (float)x.y, (float)x.z};
    return vec3(single[0], single[1], single[2]);
}

static bool add_mesh(Mjcf *mjcf, const XmlNode *node)
{
    Robot *robot = mjcf->robot;
    int class, index = -1;
    Vec3 scale = vec3(1, 1, 1), from = VEC3_ZERO;
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    const char *file = xml_get(node, "file"), *vertex = xml_get(node, "vertex"), *name = mesh_name(node);
    if (!name)
        return xml_fail(node, "a mesh needs a name");
    if (!file == !vertex)
        return xml_fail(node, "a mesh needs file or vertex, and not both");
    if (!mjcf_class_of(mjcf, node, NULL, &class) ||
        !xml_vec3(node, "scale", mjcf_get(mjcf, node, class, "mesh", "scale"), &scale) ||
        !xml_vec3(node, "refpos", xml_get(node, "refpos"), &from) ||
        !xml_numbers(node, "refquat", xml_get(node, "refquat"), 4, 4, q, NULL))
        return false;
    if (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] < 1e-20)
        return xml_fail(node, "refquat: has no length");
    Mesh *mesh = file ? filed_mesh(mjcf, node, file) : written_mesh(node, vertex, xml_get(node, "face"));
    if (!mesh)
        return false;
    RobotPose reference = {from, quat_unit((Quat){q[0], q[1], q[2], q[3]})};
    for (int i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = robot_pose_local(reference, single_precision(mesh->vertices[i]));
    if (mesh->triangle_count > 0) {
        index = robot_add_mesh(robot, node, name, mesh, scale);
    } else {
        for (int i = 0; i < mesh->vertex_count; i++)
            mesh->vertices[i] = vec3_mul(scale, mesh->vertices[i]);
        index = robot_add_hull(robot, node, name, mesh->vertex_count, mesh->vertices);
        mesh_destroy(mesh);
    }
    return index >= 0 && robot_name(robot, node, ROBOT_MESHES, name, index);
}

bool mjcf_read_meshes(Mjcf *mjcf)
{
    for (const XmlNode *block = mjcf->root->first; block; block = block->next)
        for (const XmlNode *child = xml_is(block, "asset") ? block->first : NULL; child; child = child->next)
            if (xml_is(child, "mesh") && !add_mesh(mjcf, child))
                return false;
    return true;
}
