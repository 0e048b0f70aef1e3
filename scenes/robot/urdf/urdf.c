/* SPDX-License-Identifier: MIT */
/* Reads URDF: links and joints in any order, made a tree. The root is fixed to the world unless the user says floating;
 * a root, or a parent without a link, of the name `world` is the world. The format may be extended by anybody: what is
 * unknown is passed over and said. */
#include "scenes/robot/urdf/urdf.h"

#include <stdlib.h>
#include <string.h>

static const char *const TYPES[] = {"fixed", "revolute", "continuous", "prismatic", "floating", "planar", NULL};

/* Text that a program should have replaced. */
static bool is_expanded(const XmlNode *node)
{
    if (strncmp(node->name, "xacro:", 6) == 0)
        return xml_fail(node, "this is xacro, which a program must expand first: xacro FILE > FILE.urdf");
    for (int i = 0; i < node->attribute_count; i++)
        if (strstr(node->attributes[i].value, "$(") || strstr(node->attributes[i].value, "${"))
            return xml_fail(node, "%.64s: \"%.64s\" is text of xacro or roslaunch, which a program must expand first",
                            node->attributes[i].name, node->attributes[i].value);
    for (const XmlNode *child = node->first; child; child = child->next)
        if (!is_expanded(child))
            return false;
    return true;
}

static int find_link(const Urdf *urdf, const char *name)
{
    const json_t *found = json_object_get(urdf->names, name);
    return found ? (int)json_integer_value(found) : -1;
}

static bool read_link(Urdf *urdf, const XmlNode *node)
{
    const char *name = xml_get(node, "name");
    if (!name || !*name)
        return xml_fail(node, "a link needs a name");
    if (find_link(urdf, name) >= 0)
        return xml_fail(node, "the name \"%.64s\" is taken", name);
    int index = urdf->links.count;
    UrdfLink *link = robot_grow(urdf->robot, (void **)&urdf->links.items, &urdf->links.count, &urdf->links.room,
                                sizeof *urdf->links.items);
    if (!link)
        return false;
    *link = (UrdfLink){.at = node, .name = name, .above = -1, .first_below = -1, .link = -1};
    return json_object_set_new(urdf->names, name, json_integer(index)) == 0 || xml_fail(node, "out of memory");
}

static bool joint_end(const Urdf *urdf, const XmlNode *node, const char *end, int *link)
{
    const XmlNode *at = xml_child(node, end);
    const char *name = at ? xml_get(at, "link") : NULL;
    if (!name)
        return xml_fail(node, "%s is missing", end);
    *link = find_link(urdf, name);
    /* Drake's way: a parent that no link describes. */
    bool world = strcmp(end, "parent") == 0 && strcmp(name, "world") == 0;
    return *link >= 0 || world || xml_fail(at, "there is no link \"%.64s\"", name);
}

static bool read_joint(Urdf *urdf, const XmlNode *node)
{
    const char *name = xml_get(node, "name"), *type = xml_get(node, "type");
    int index = urdf->joints.count, kind = 0;
    if (!name || !*name || !type)
        return xml_fail(node, "a joint needs a %s", type ? "name" : "type");
    if (!xml_choice(node, "type", type, TYPES, &kind))
        return false;
    UrdfJoint *joint = robot_grow(urdf->robot, (void **)&urdf->joints.items, &urdf->joints.count, &urdf->joints.room,
                                  sizeof *urdf->joints.items);
    if (!joint)
        return false;
    *joint = (UrdfJoint){.at = node, .name = name, .type = (UrdfType)kind};
    if (!joint_end(urdf, node, "parent", &joint->parent) || !joint_end(urdf, node, "child", &joint->child))
        return false;
    UrdfLink *child = &urdf->links.items[joint->child];
    if (child->above >= 0)
        return xml_fail(node, "the link \"%.64s\" has two parents: joints \"%.64s\" and \"%.64s\"", child->name,
                        urdf->joints.items[child->above].name, name);
    child->above = index;
    return true;
}

/* Joints below each link, in the order of the file. */
static void thread_joints(Urdf *urdf)
{
    for (int j = urdf->joints.count - 1; j >= 0; j--) {
        const UrdfJoint *joint = &urdf->joints.items[j];
        if (joint->parent < 0)
            continue;
        UrdfLink *parent = &urdf->links.items[joint->parent];
        urdf->links.items[joint->child].after = parent->first_below;
        parent->first_below = joint->child;
    }
}

/* A joint that the file does not have. */
static bool free_root(Robot *robot, const RobotLink *link)
{
    RobotJoint *joint = ROBOT_ADD(robot, joints);
    const char *name = xml_text(robot->tree, "%s (free)", link->name);
    if (!joint || !name)
        return false;
    *joint = (RobotJoint){
        .at = link->at, .name = name, .kind = ROBOT_FREE, .link = robot->links.count - 1, .axis = {1, 0, 0}};
    return robot_name(robot, link->at, ROBOT_JOINTS, name, robot->joints.count - 1);
}

/* The robot's link of one of the file's, below `parent`. */
static bool add_link(Urdf *urdf, int index, int parent)
{
    Robot *robot = urdf->robot;
    UrdfLink *from = &urdf->links.items[index];
    const UrdfJoint *above = from->above >= 0 ? &urdf->joints.items[from->above] : NULL;
    RobotPose pose = ROBOT_HERE;
    from->reached = true;
    from->link = robot->links.count;
    if (above && !urdf_origin(above->at, &pose))
        return false;
    RobotLink *link = ROBOT_ADD(robot, links);
    if (!link)
        return false;
    *link = (RobotLink){.at = from->at,
                        .name = from->name,
                        .parent = parent,
                        .pose = pose,
                        .first_joint = robot->joints.count,
                        .first_geom = robot->geoms.count};
    if (!robot_name(robot, from->at, ROBOT_LINKS, from->name, from->link) ||
        (above ? !urdf_add_joint(urdf, above, from->link) : urdf->params->floating && !free_root(robot, link)) ||
        !urdf_fill_link(urdf, from->at, from->link))
        return false;
    link = &robot->links.items[from->link];
    link->joint_count = robot->joints.count - link->first_joint;
    link->geom_count = robot->geoms.count - link->first_geom;
    return true;
}

/* Depth first without recursion: a file may be one long chain. */
static bool add_tree(Urdf *urdf, int root)
{
    for (int at = root; at >= 0;) {
        int parent = urdf->links.items[at].above >= 0 ? urdf->joints.items[urdf->links.items[at].above].parent : -1;
        bool world = at == root && strcmp(urdf->links.items[at].name, "world") == 0;
        if (world) {
            urdf->links.items[at].reached = true;
            if (xml_child(urdf->links.items[at].at, "inertial") || xml_child(urdf->links.items[at].at, "collision"))
                return xml_fail(urdf->links.items[at].at, "the link \"world\" is the world, which has no parts");
        } else if (!add_link(urdf, at, parent < 0 ? -1 : urdf->links.items[parent].link)) {
            return false;
        }
        int next = urdf->links.items[at].first_below;
        while (next < 0 && at != root) {
            next = urdf->links.items[at].after;
            at = urdf->joints.items[urdf->links.items[at].above].parent;
        }
        at = next;
    }
    return true;
}

static bool is_root(const Urdf *urdf, const UrdfLink *link)
{
    return link->above < 0 || urdf->joints.items[link->above].parent < 0;
}

static bool find_roots(Urdf *urdf)
{
    int first = -1;
    for (int i = 0; i < urdf->links.count; i++) {
        const UrdfLink *link = &urdf->links.items[i];
        if (!is_root(urdf, link))
            continue;
        if (first >= 0 && (link->above < 0 || urdf->links.items[first].above < 0))
            return xml_fail(link->at, "two roots: \"%.64s\" and \"%.64s\"", urdf->links.items[first].name, link->name);
        first = i;
    }
    if (first < 0)
        return urdf->links.count == 0 ||
               xml_fail(urdf->links.items[0].at, "no root: \"%.64s\" stands below itself", urdf->links.items[0].name);
    for (int i = 0; i < urdf->links.count; i++)
        if (is_root(urdf, &urdf->links.items[i]) && !add_tree(urdf, i))
            return false;
    for (int i = 0; i < urdf->links.count; i++)
        if (!urdf->links.items[i].reached)
            return xml_fail(urdf->links.items[i].at, "\"%.64s\" stands below itself", urdf->links.items[i].name);
    return true;
}

/* What the file leaves open is said. */
static bool say_base(Urdf *urdf)
{
    Robot *robot = urdf->robot;
    for (int i = 0; i < urdf->links.count; i++) {
        const UrdfLink *root = &urdf->links.items[i];
        if (root->above >= 0 || root->link < 0)
            continue;
        text_add(&robot->notes, "%s: the root \"%s\" is %s\n", robot->tree->path, root->name,
                 urdf->params->floating ? "floating (-p base=floating)"
                                        : "fixed to the world (-p base=floating frees it)");
    }
    text_add(&robot->notes, "%s: links that a joint joins never touch each other\n", robot->tree->path);
    return !robot->notes.failed || xml_fail(robot->tree->root, "out of memory");
}

static bool read_all(Urdf *urdf)
{
    const XmlNode *root = urdf->robot->tree->root;
    for (const XmlNode *child = root->first; child; child = child->next)
        if (xml_is(child, "link") && !read_link(urdf, child))
            return false;
    for (const XmlNode *child = root->first; child; child = child->next)
        if (xml_is(child, "joint") && !read_joint(urdf, child))
            return false;
    thread_joints(urdf);
    return urdf_list_unread(urdf->robot, root) && find_roots(urdf) && urdf_read_mimics(urdf) && say_base(urdf);
}

bool urdf_read(Robot *robot, const RobotParams *params)
{
    const XmlNode *root = robot->tree->root;
    Urdf urdf = {.robot = robot, .params = params, .names = json_object()};
    robot->gravity = vec3(0.0, 0.0, -9.81);
    robot->name = xml_get(root, "name");
    bool ok = is_expanded(root) && (urdf.names || xml_fail(root, "out of memory")) && read_all(&urdf) &&
              robot_check_masses(robot, params->balance);
    json_decref(urdf.names);
    free(urdf.links.items);
    free(urdf.joints.items);
    return ok;
}
