/* SPDX-License-Identifier: MIT */
/* Bodies of MJCF with what stands in them: frames, which only place; replicas; the mass where the file states it. */
#include "scenes/robot/mjcf/mjcf.h"

#include <stdio.h>
#include <string.h>

/* Replicas of replicas grow fast. */
enum { MOST_REPLICAS = 10000 };

const char *mjcf_name(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place)
{
    const char *name = xml_get(node, "name");
    if (!name || !*name)
        return NULL;
    return place->suffix ? xml_text(mjcf->robot->tree, "%s%s", name, place->suffix) : name;
}

static bool read_children(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place, bool bodies);

/* The inertia tensor of <inertial>, along the link's axes. */
static bool read_inertial(Mjcf *mjcf, const XmlNode *node, RobotLink *link)
{
    double d[3], f[6], mass = 0.0;
    RobotPose pose;
    const char *diagonal = xml_get(node, "diaginertia"), *full = xml_get(node, "fullinertia");
    if (link->has_inertial)
        return xml_fail(node, "a second inertial in one body");
    if (!xml_get(node, "mass") || !xml_get(node, "pos"))
        return xml_fail(node, "%s is missing", xml_get(node, "mass") ? "pos" : "mass");
    if (!diagonal == !full)
        return xml_fail(node, "needs diaginertia or fullinertia, and not both");
    if (!xml_real(node, "mass", xml_get(node, "mass"), &mass) || !mjcf_pose(mjcf, node, -1, "", &pose) ||
        !xml_numbers(node, "diaginertia", diagonal, 3, 3, d, NULL) ||
        !xml_numbers(node, "fullinertia", full, 6, 6, f, NULL))
        return false;
    if (mass < 0.0)
        return xml_fail(node, "mass: %g is negative", mass);
    Mat3 tensor = diagonal ? mat3_diagonal(vec3(d[0], d[1], d[2]))
                           : (Mat3){{{f[0], f[3], f[4]}, {f[3], f[1], f[5]}, {f[4], f[5], f[2]}}};
    link->mass = mass;
    link->centre = pose.x;
    link->inertia = robot_turn_inertia(pose.q, tensor);
    link->has_inertial = true;
    return true;
}

static bool add_site(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place)
{
    int class;
    RobotPose pose;
    double ends[6];
    MjcfSite *site = MJCF_ADD(mjcf, sites);
    if (!site || !mjcf_class_of(mjcf, node, place, &class) || !mjcf_pose(mjcf, node, class, "site", &pose))
        return false;
    const char *line = mjcf_get(mjcf, node, class, "site", "fromto");
    if (!xml_numbers(node, "fromto", line, 6, 6, ends, NULL))
        return false;
    if (line)
        pose.x = vec3(0.5 * (ends[0] + ends[3]), 0.5 * (ends[1] + ends[4]), 0.5 * (ends[2] + ends[5]));
    *site = (MjcfSite){mjcf_name(mjcf, node, place), place->link, robot_pose_point(place->frame, pose.x)};
    return !site->name || robot_name(mjcf->robot, node, ROBOT_SITES, site->name, mjcf->sites.count - 1);
}

static bool read_body(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place)
{
    Robot *robot = mjcf->robot;
    RobotPose pose;
    MjcfPlace inside = {.childclass = place->childclass, .suffix = place->suffix, .frame = ROBOT_HERE};
    bool mocap = false;
    const char *name = mjcf_name(mjcf, node, place);
    mjcf->body_count++;
    if (!name)
        name = xml_text(robot->tree, "body%d", mjcf->body_count);
    if (!name || !robot_name(robot, node, ROBOT_LINKS, name, robot->links.count) ||
        !mjcf_childclass(mjcf, node, &inside) || !mjcf_pose(mjcf, node, -1, "", &pose) ||
        !xml_bool(node, "mocap", xml_get(node, "mocap"), &mocap))
        return false;
    if (mocap)
        return xml_fail(node, "a mocap body has no counterpart here");
    inside.link = robot->links.count;
    RobotLink *link = ROBOT_ADD(robot, links);
    if (!link)
        return false;
    *link = (RobotLink){.at = node,
                        .name = name,
                        .parent = place->link,
                        .pose = robot_pose_mul(place->frame, pose),
                        .first_joint = robot->joints.count,
                        .first_geom = robot->geoms.count};
    if (!xml_real(node, "gravcomp", xml_get(node, "gravcomp"), &link->gravcomp) ||
        !read_children(mjcf, node, &inside, false))
        return false;
    link = &robot->links.items[inside.link]; /* the list may have moved */
    link->joint_count = robot->joints.count - link->first_joint;
    link->geom_count = robot->geoms.count - link->first_geom;
    return read_children(mjcf, node, &inside, true);
}

static bool read_frame(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place, bool bodies)
{
    MjcfPlace inside = *place;
    RobotPose pose;
    if (!mjcf_childclass(mjcf, node, &inside) || !mjcf_pose(mjcf, node, -1, "", &pose))
        return false;
    inside.frame = robot_pose_mul(place->frame, pose);
    return read_children(mjcf, node, &inside, bodies);
}

/* Each copy is placed from the one before it; names end in the separator and a number. */
static bool read_replicate(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place, bool bodies)
{
    MjcfPlace inside = *place;
    RobotPose at = ROBOT_HERE;
    Vec3 offset = VEC3_ZERO, euler = VEC3_ZERO;
    double count = 0.0;
    const char *number = xml_get(node, "count"), *separator = xml_get(node, "sep");
    if (!number)
        return xml_fail(node, "count is missing");
    if (!xml_whole(node, "count", number, 1.0, MOST_REPLICAS, &count) || !mjcf_childclass(mjcf, node, &inside) ||
        !xml_vec3(node, "offset", xml_get(node, "offset"), &offset) ||
        !xml_vec3(node, "euler", xml_get(node, "euler"), &euler))
        return false;
    int digits = snprintf(NULL, 0, "%d", (int)count);
    for (int i = 0; i < (int)count; i++) {
        if (!mjcf_euler(mjcf, vec3_scale(i, euler), &at.q))
            return false;
        inside.frame = robot_pose_mul(place->frame, at);
        inside.suffix = xml_text(mjcf->robot->tree, "%s%0*d%s", separator ? separator : "", digits, i,
                                 place->suffix ? place->suffix : "");
        if (++mjcf->replica_count > MOST_REPLICAS)
            return xml_fail(node, "more than %d replicas", MOST_REPLICAS);
        if (!inside.suffix || !read_children(mjcf, node, &inside, bodies))
            return false;
        at.x = robot_pose_point(at, offset);
    }
    return true;
}

/* First what stands in the link itself, then the bodies below it: so the parts of a link lie side by side. */
static bool read_child(Mjcf *mjcf, const XmlNode *child, const MjcfPlace *place, bool bodies)
{
    if (xml_is(child, "frame"))
        return read_frame(mjcf, child, place, bodies);
    if (xml_is(child, "replicate"))
        return read_replicate(mjcf, child, place, bodies);
    if (xml_is(child, "body"))
        return !bodies || read_body(mjcf, child, place);
    if (bodies)
        return true;
    if (xml_is(child, "geom"))
        return mjcf_add_geom(mjcf, child, place);
    if (xml_is(child, "site"))
        return add_site(mjcf, child, place);
    bool joint = xml_is(child, "joint") || xml_is(child, "freejoint"), inertial = xml_is(child, "inertial");
    if ((joint || inertial) && place->link < 0)
        return xml_fail(child, "the world has no %s", child->name);
    if (joint)
        return mjcf_add_joint(mjcf, child, place);
    return !inertial || read_inertial(mjcf, child, &mjcf->robot->links.items[place->link]);
}

static bool read_children(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place, bool bodies)
{
    for (const XmlNode *child = node->first; child; child = child->next)
        if (!read_child(mjcf, child, place, bodies))
            return false;
    return true;
}

bool mjcf_read_bodies(Mjcf *mjcf)
{
    Robot *robot = mjcf->robot;
    MjcfPlace place = {.link = -1, .frame = ROBOT_HERE, .childclass = -1};
    for (int bodies = 0; bodies < 2; bodies++) {
        for (const XmlNode *child = mjcf->root->first; child; child = child->next)
            if (xml_is(child, "worldbody") && !read_children(mjcf, child, &place, bodies))
                return false;
        if (!bodies)
            robot->world_geom_count = robot->geoms.count;
    }
    return true;
}
