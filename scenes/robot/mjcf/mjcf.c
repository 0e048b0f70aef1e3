/* SPDX-License-Identifier: MIT */
/* Reads MJCF: the compiler's settings and options first, then classes, assets, bodies, and what names them. */
#include "scenes/robot/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

static bool read_switches(Mjcf *mjcf, const XmlNode *node)
{
    static const char *const angles[] = {"degree", "radian", NULL}, *const geom[] = {"false", "true", "auto", NULL};
    int radians = mjcf->radians, inertia = mjcf->geom_inertia ? 1 : mjcf->fixed_inertia ? 0 : 2;
    bool limits = !mjcf->no_autolimits;
    if (!xml_choice(node, "angle", xml_get(node, "angle"), angles, &radians) ||
        !xml_choice(node, "inertiafromgeom", xml_get(node, "inertiafromgeom"), geom, &inertia) ||
        !xml_bool(node, "autolimits", xml_get(node, "autolimits"), &limits) ||
        !xml_bool(node, "balanceinertia", xml_get(node, "balanceinertia"), &mjcf->balance))
        return false;
    mjcf->radians = radians == 1;
    mjcf->geom_inertia = inertia == 1;
    mjcf->fixed_inertia = inertia == 0;
    mjcf->no_autolimits = !limits;
    return true;
}

static bool read_compiler(Mjcf *mjcf, const XmlNode *node)
{
    const char *sequence = xml_get(node, "eulerseq"), *folder = xml_get(node, "meshdir");
    if (!read_switches(mjcf, node) || !xml_real(node, "boundmass", xml_get(node, "boundmass"), &mjcf->boundmass) ||
        !xml_real(node, "boundinertia", xml_get(node, "boundinertia"), &mjcf->boundinertia) ||
        !xml_real(node, "settotalmass", xml_get(node, "settotalmass"), &mjcf->totalmass) ||
        !xml_numbers(node, "inertiagrouprange", xml_get(node, "inertiagrouprange"), 2, 2, mjcf->inertia_groups, NULL))
        return false;
    if (sequence) {
        if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
            return xml_fail(node, "eulerseq: \"%.64s\" is not three letters of x, y, z", sequence);
        memcpy(mjcf->eulerseq, sequence, 4);
    }
    if (xml_get(node, "assetdir"))
        mjcf->meshdir = xml_get(node, "assetdir");
    if (folder)
        mjcf->meshdir = folder;
    return true;
}

/* A flag: 1 on, 0 off, as it was where the file does not say. */
static bool read_flag(const XmlNode *node, const char *name, bool *off)
{
    static const char *const words[] = {"enable", "disable", NULL};
    int value = *off;
    if (!xml_choice(node, name, xml_get(node, name), words, &value))
        return false;
    *off = value == 1;
    return true;
}

static bool read_flags(Mjcf *mjcf, const XmlNode *node)
{
    Robot *robot = mjcf->robot;
    bool no_constraint = false, no_passive = false, no_gravity = false, no_override = true;
    if (!read_flag(node, "constraint", &no_constraint) || !read_flag(node, "equality", &robot->no_closures) ||
        !read_flag(node, "frictionloss", &robot->no_dry_friction) || !read_flag(node, "limit", &robot->no_limits) ||
        !read_flag(node, "contact", &robot->no_contacts) || !read_flag(node, "passive", &no_passive) ||
        !read_flag(node, "spring", &robot->no_springs) || !read_flag(node, "damper", &robot->no_dampers) ||
        !read_flag(node, "gravity", &no_gravity) || !read_flag(node, "clampctrl", &robot->no_clamps) ||
        !read_flag(node, "filterparent", &robot->neighbours_touch) ||
        !read_flag(node, "actuation", &robot->no_actuation) || !read_flag(node, "override", &no_override))
        return false;
    if (no_constraint)
        robot->no_closures = robot->no_dry_friction = robot->no_limits = robot->no_contacts = true;
    if (no_passive)
        robot->no_springs = robot->no_dampers = true;
    if (no_gravity)
        robot->gravity = VEC3_ZERO;
    return no_override || xml_fail(node, "override: one margin and friction for all contacts has no counterpart here");
}

static bool read_options(Mjcf *mjcf)
{
    for (const XmlNode *node = mjcf->root->first; node; node = node->next) {
        if (xml_is(node, "compiler") && !read_compiler(mjcf, node))
            return false;
        if (xml_is(node, "option") && !xml_vec3(node, "gravity", xml_get(node, "gravity"), &mjcf->robot->gravity))
            return false;
    }
    for (const XmlNode *node = mjcf->root->first; node; node = node->next)
        for (const XmlNode *child = xml_is(node, "option") ? node->first : NULL; child; child = child->next)
            if (xml_is(child, "flag") && !read_flags(mjcf, child))
                return false;
    return true;
}

static bool read_keys(Mjcf *mjcf)
{
    for (const XmlNode *node = mjcf->root->first; node; node = node->next)
        for (const XmlNode *child = xml_is(node, "keyframe") ? node->first : NULL; child; child = child->next) {
            RobotKey *key = ROBOT_ADD(mjcf->robot, keys);
            if (!key)
                return false;
            *key = (RobotKey){child, xml_get(child, "name")};
        }
    return true;
}

bool mjcf_read(Robot *robot, const RobotParams *params)
{
    XmlTree *tree = robot->tree;
    Mjcf mjcf = {.robot = robot,
                 .root = tree->root,
                 .eulerseq = "xyz",
                 .inertia_groups = {0.0, 5.0},
                 .balance = params->balance};
    robot->mjcf = true;
    robot->gravity = vec3(0.0, 0.0, -9.81);
    robot->name = xml_get(tree->root, "model");
    bool ok = xml_include(tree) && mjcf_check(&mjcf, tree->root) && read_options(&mjcf) && mjcf_read_classes(&mjcf) &&
              mjcf_read_meshes(&mjcf) && mjcf_read_bodies(&mjcf) && mjcf_set_masses(&mjcf) &&
              mjcf_read_contacts(&mjcf) && mjcf_read_closures(&mjcf) && mjcf_read_actuators(&mjcf) && read_keys(&mjcf);
    free(mjcf.classes.items);
    free(mjcf.sites.items);
    return ok;
}
