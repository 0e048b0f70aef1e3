/* SPDX-License-Identifier: MIT */
/* What the reader of URDF looks at; whatever else stands in a file, which anybody may add to, has no effect. */
#include "scenes/robot/urdf/urdf.h"

#include <string.h>

/* Names between blanks. */
static const struct {
    const char *name, *attributes, *children;
} READ[] = {
    {"robot", "name version", "link joint"},
    {"link", "name", "inertial collision"},
    {"inertial", "", "origin mass inertia"},
    {"collision", "name", "origin geometry"},
    {"geometry", "", "box cylinder capsule sphere mesh"},
    {"joint", "name type", "origin parent child axis limit dynamics mimic"},
    {"origin", "xyz rpy", ""},
    {"mass", "value", ""},
    {"inertia", "ixx iyy izz ixy ixz iyz", ""},
    {"box", "size", ""},
    {"cylinder", "radius length", ""},
    {"capsule", "radius length", ""},
    {"sphere", "radius", ""},
    {"mesh", "filename scale", ""},
    {"parent", "link", ""},
    {"child", "link", ""},
    {"axis", "xyz", ""},
    {"limit", "lower upper effort", ""},
    {"dynamics", "damping friction", ""},
    {"mimic", "joint multiplier offset", ""},
};

static bool listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

static bool list_attributes(Robot *robot, const XmlNode *node, const char *known)
{
    for (int i = 0; i < node->attribute_count; i++) {
        const char *name = node->attributes[i].name;
        if (listed(known, name) || strncmp(name, "xmlns", 5) == 0)
            continue;
        const char *both = xml_text(robot->tree, "%s %s", node->name, name);
        if (!both || !robot_unused(robot, both))
            return false;
    }
    return true;
}

bool urdf_list_unread(Robot *robot, const XmlNode *node)
{
    size_t i = 0;
    while (strcmp(READ[i].name, node->name) != 0) /* only those of the table are walked */
        i++;
    if (!list_attributes(robot, node, READ[i].attributes))
        return false;
    for (const XmlNode *child = node->first; child; child = child->next)
        if (!(listed(READ[i].children, child->name) ? urdf_list_unread(robot, child)
                                                    : robot_unused(robot, child->name)))
            return false;
    return true;
}
