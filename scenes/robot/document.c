/* SPDX-License-Identifier: MIT */
/* A robot as a scene document: head, materials, who touches whom. Bodies and joints stand in files of their own. */
#include "scenes/robot/model.h"
#include "scenes/robot/write.h"

#include <stdlib.h>
#include <string.h>

bool robot_put_numbers(json_t *object, const char *key, const double *x, int count)
{
    json_t *array = file_put_part(object, key, json_array());
    bool ok = array;
    for (int i = 0; ok && i < count; i++)
        ok = json_array_append_new(array, json_real(x[i])) == 0;
    return ok;
}

bool robot_put_vec3(json_t *object, const char *key, Vec3 x)
{
    return file_put(object, key, file_write_vec3(x));
}

bool robot_put_quat(json_t *object, const char *key, Quat q)
{
    return robot_put_numbers(object, key, (double[4]){q.w, q.x, q.y, q.z}, 4);
}

static bool same_material(const RobotGeom *a, const RobotGeom *b)
{
    return a->material == b->material && memcmp(a->friction, b->friction, sizeof a->friction) == 0 &&
           a->condim == b->condim && a->priority == b->priority;
}

/* Named after the first geom that has it. Most geoms are like one of the last. */
static int material_of(const Robot *robot, int geom, const int *known, int count)
{
    for (int i = count - 1; i >= 0; i--)
        if (same_material(&robot->geoms.items[geom], &robot->geoms.items[known[i]]))
            return i;
    return -1;
}

static bool write_material(json_t *materials, const RobotGeom *geom, int number)
{
    char name[32];
    snprintf(name, sizeof name, "contact%d", number + 1);
    json_t *object = file_put_part(materials, name, json_object());
    return file_put(object, "friction", json_real(geom->friction[0])) &&
           file_put(object, "spin_friction", json_real(geom->friction[1])) &&
           file_put(object, "rolling_friction", json_real(geom->friction[2])) &&
           file_put(object, "condim", json_integer(geom->condim)) &&
           (geom->priority == 0 || file_put(object, "priority", json_integer(geom->priority)));
}

/* Different frictions, far more than a model has. */
enum { MOST_MATERIALS = 1000 };

static bool write_materials(Robot *robot, json_t *root)
{
    int known[MOST_MATERIALS], count = 0;
    if (!robot->mjcf || robot->geoms.count == 0)
        return true;
    json_t *materials = file_put_part(root, "materials", json_object());
    bool ok = materials && file_put(root, "combine", json_pack("{s:s,s:s}", "friction", "max", "restitution", "max"));
    for (int i = 0; ok && i < robot->geoms.count; i++) {
        int found = material_of(robot, i, known, count);
        if (found < 0 && count == MOST_MATERIALS)
            return xml_fail(robot->geoms.items[i].at, "more than %d kinds of friction", MOST_MATERIALS);
        if (found < 0) {
            found = count;
            known[count++] = i;
            ok = write_material(materials, &robot->geoms.items[i], found);
        }
        robot->geoms.items[i].material_number = found;
    }
    return ok;
}

static const char *body_of(const Robot *robot, int link)
{
    return link < 0 ? robot_world_body(robot) : robot->links.items[link].name;
}

static bool has_geoms(const Robot *robot, int link)
{
    return link < 0 ? robot->world_geom_count > 0 : robot->links.items[link].geom_count > 0;
}

static bool except(const Robot *robot, json_t *list, int a, int b)
{
    return !has_geoms(robot, a) || !has_geoms(robot, b) ||
           json_array_append_new(list, json_pack("[s,s]", body_of(robot, a), body_of(robot, b))) == 0;
}

/* Links that a joint parts, with all that is rigidly one with either; not where one of them stands still. */
static bool except_neighbours(const Robot *robot, json_t *list)
{
    size_t count = (size_t)robot->links.count;
    int *first = malloc(sizeof *first * (count + 1)), *next = malloc(sizeof *next * (count + 1));
    bool ok = first && next;
    for (size_t i = 0; ok && i < count; i++)
        first[i] = next[i] = -1;
    for (int i = (int)count - 1; ok && i >= 0; i--) {
        int group = robot->links.items[i].group;
        if (group >= 0) {
            next[i] = first[group];
            first[group] = i;
        }
    }
    for (int g = 0; ok && g < (int)count; g++) {
        int parent = robot->links.items[g].parent, above = parent < 0 ? -1 : robot->links.items[parent].group;
        if (robot->links.items[g].group != g || above < 0)
            continue;
        for (int a = first[above]; ok && a >= 0; a = next[a])
            for (int b = first[g]; ok && b >= 0; b = next[b])
                ok = except(robot, list, a, b);
    }
    free(first);
    free(next);
    return ok;
}

static bool write_collide(const Robot *robot, json_t *root)
{
    if (robot->no_contacts)
        return file_put(root, "collide", json_string("none"));
    if (!robot->mjcf)
        return true;
    json_t *collide = file_put_part(root, "collide", json_object());
    json_t *list = file_put_part(collide, "except", json_array());
    bool ok =
        list && file_put(collide, "joined", json_true()) && (robot->neighbours_touch || except_neighbours(robot, list));
    for (int i = 0; ok && i < robot->excludes.count; i++)
        ok = except(robot, list, robot->excludes.items[i][0], robot->excludes.items[i][1]);
    return ok;
}

json_t *robot_write(Robot *robot)
{
    json_t *root = json_object();
    Status *status = robot->tree->status;
    bool ok = file_put(root, "rigor", json_integer(1)) &&
              (!robot->name || !*robot->name || file_put(root, "name", json_string(robot->name))) &&
              robot_put_vec3(root, "gravity", robot->gravity) && write_materials(robot, root) &&
              robot_write_bodies(robot, root) && robot_write_joints(robot, root) && write_collide(robot, root);
    if (ok)
        return root;
    if (status->code == STATUS_OK)
        status_set(status, STATUS_FAILED, "%s: out of memory", robot->tree->path);
    json_decref(root);
    return NULL;
}
