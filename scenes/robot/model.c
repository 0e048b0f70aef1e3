/* SPDX-License-Identifier: MIT */
#include "scenes/robot/model.h"

#include <stdlib.h>
#include <string.h>

/* Of each kind of thing in a robot: copies of copies would fill any memory. */
enum { MOST_ITEMS = 200000 };

void *robot_grow(Robot *robot, void **items, int *count, int *room, size_t size)
{
    if (*count >= MOST_ITEMS) {
        xml_fail(robot->tree->root, "the model has more than %d parts of one kind", MOST_ITEMS);
        return NULL;
    }
    if (*count == *room) {
        int wanted = *room == 0 ? 16 : 2 * *room;
        void *grown = realloc(*items, size * (size_t)wanted);
        if (!grown) {
            status_set(robot->tree->status, STATUS_FAILED, "%s: out of memory", robot->tree->path);
            return NULL;
        }
        *items = grown;
        *room = wanted;
    }
    void *item = (char *)*items + size * (size_t)*count;
    ++*count;
    return memset(item, 0, size);
}

void robot_free(Robot *robot)
{
    for (int i = 0; i < robot->meshes.count; i++) {
        mesh_destroy(robot->meshes.items[i].hull);
        mesh_destroy(robot->meshes.items[i].surface);
    }
    free(robot->links.items);
    free(robot->joints.items);
    free(robot->geoms.items);
    free(robot->meshes.items);
    free(robot->actuators.items);
    free(robot->closures.items);
    free(robot->pairs.items);
    free(robot->keys.items);
    free(robot->excludes.items);
    free(robot->written.items);
    free(robot->position);
    free(robot->velocity);
    free(robot->control);
    free(robot->placed);
    free(robot->spin);
    free(robot->origin_velocity);
    free(robot->notes.data);
    for (int i = 0; i < ROBOT_NAME_KINDS; i++)
        json_decref(robot->names[i]);
    json_decref(robot->unused);
}

bool robot_unused(Robot *robot, const char *name)
{
    if (!robot->unused)
        robot->unused = json_object();
    return json_object_set_new(robot->unused, name, json_true()) == 0 ||
           status_set(robot->tree->status, STATUS_FAILED, "%s: out of memory", robot->tree->path);
}

bool robot_name(Robot *robot, const XmlNode *at, RobotNames kind, const char *name, int index)
{
    json_t **names = &robot->names[kind];
    if (!*names)
        *names = json_object();
    if (json_object_get(*names, name) || (kind == ROBOT_LINKS && strcmp(name, "world") == 0))
        return xml_fail(at, "the name \"%.64s\" is taken", name);
    return json_object_set_new(*names, name, json_integer(index)) == 0 || xml_fail(at, "out of memory");
}

int robot_find(const Robot *robot, RobotNames kind, const char *name)
{
    const json_t *found = json_object_get(robot->names[kind], name);
    return found ? (int)json_integer_value(found) : -1;
}

const char *robot_link_name(const Robot *robot, int link)
{
    return link < 0 ? "world" : robot->links.items[link].name;
}

const char *robot_world_body(const Robot *robot)
{
    return robot_find(robot, ROBOT_LINKS, "worldbody") < 0 ? "worldbody" : "the world's geoms";
}
