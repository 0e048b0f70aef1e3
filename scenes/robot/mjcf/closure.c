/* SPDX-License-Identifier: MIT */
/* What MJCF joins beside its tree: connect and weld (as at qpos0), coordinates that follow others, ropes. */
#include "scenes/robot/mjcf/mjcf.h"

#include <string.h>

bool mjcf_find_body(const Mjcf *mjcf, const XmlNode *node, const char *attribute, int *link)
{
    const char *name = xml_get(node, attribute);
    if (!name)
        return xml_fail(node, "%s is missing", attribute);
    *link = robot_find(mjcf->robot, ROBOT_LINKS, name);
    return *link >= 0 || strcmp(name, "world") == 0 ||
           xml_fail(node, "%s: there is no body \"%.64s\"", attribute, name);
}

bool mjcf_find_joint(const Mjcf *mjcf, const XmlNode *node, const char *attribute, int *joint)
{
    const char *name = xml_get(node, attribute);
    if (!name)
        return xml_fail(node, "%s is missing: only what acts on a joint is read", attribute);
    *joint = robot_find(mjcf->robot, ROBOT_JOINTS, name);
    return *joint >= 0 || xml_fail(node, "%s: there is no joint \"%.64s\"", attribute, name);
}

const MjcfSite *mjcf_find_site(const Mjcf *mjcf, const XmlNode *node, const char *attribute)
{
    const char *name = xml_get(node, attribute);
    int index = name ? robot_find(mjcf->robot, ROBOT_SITES, name) : -1;
    if (index >= 0)
        return &mjcf->sites.items[index];
    if (name)
        xml_fail(node, "%s: there is no site \"%.64s\"", attribute, name);
    else
        xml_fail(node, "%s is missing", attribute);
    return NULL;
}

static RobotClosure *add(Mjcf *mjcf, const XmlNode *node, RobotClosureKind kind)
{
    RobotClosure *closure = ROBOT_ADD(mjcf->robot, closures);
    if (closure)
        *closure = (RobotClosure){.at = node,
                                  .name = xml_get(node, "name"),
                                  .kind = kind,
                                  .link = {-1, -1},
                                  .joint = {-1, -1},
                                  .turn = QUAT_IDENTITY};
    return closure;
}

static bool between_sites(const Mjcf *mjcf, const XmlNode *node, RobotClosure *closure)
{
    static const char *const names[] = {"site1", "site2"};
    for (int i = 0; i < 2; i++) {
        const MjcfSite *site = mjcf_find_site(mjcf, node, names[i]);
        if (!site)
            return false;
        closure->link[i] = site->link;
        closure->point[i] = site->x;
    }
    return closure->kind == CLOSURE_CONNECT || xml_fail(node, "a weld of sites is not read: name bodies");
}

/* The pose that a weld holds: the file's, of body 2 in body 1, or that at qpos0. */
static bool weld_pose(const XmlNode *node, RobotPose *relative)
{
    double p[7] = {0};
    if (!xml_numbers(node, "relpose", xml_get(node, "relpose"), 7, 7, p, NULL))
        return false;
    if (p[3] != 0.0 || p[4] != 0.0 || p[5] != 0.0 || p[6] != 0.0)
        *relative = (RobotPose){vec3(p[0], p[1], p[2]), quat_unit((Quat){p[3], p[4], p[5], p[6]})};
    return true;
}

static bool between_bodies(const Mjcf *mjcf, const XmlNode *node, RobotClosure *closure)
{
    const Robot *robot = mjcf->robot;
    Vec3 anchor = VEC3_ZERO;
    if (!mjcf_find_body(mjcf, node, "body1", &closure->link[0]) ||
        (xml_get(node, "body2") && !mjcf_find_body(mjcf, node, "body2", &closure->link[1])) ||
        !xml_vec3(node, "anchor", xml_get(node, "anchor"), &anchor))
        return false;
    if (closure->kind == CLOSURE_CONNECT && !xml_get(node, "anchor"))
        return xml_fail(node, "anchor is missing");
    if (closure->link[0] == closure->link[1])
        return xml_fail(node, "joins a body with itself");
    RobotPose one = robot_pose_at_zero(robot, closure->link[0]), two = robot_pose_at_zero(robot, closure->link[1]);
    RobotPose relative = {robot_pose_local(one, two.x), quat_mul(quat_conj(one.q), two.q)};
    if (closure->kind == CLOSURE_CONNECT) { /* its anchor is in body 1 */
        closure->point[0] = anchor;
        closure->point[1] = robot_pose_local(relative, anchor);
        return true;
    }
    if (!weld_pose(node, &relative))
        return false;
    closure->point[1] = anchor; /* a weld's in body 2 */
    closure->point[0] = robot_pose_point(relative, anchor);
    closure->turn = relative.q;
    return true;
}

static bool read_points(Mjcf *mjcf, const XmlNode *node, RobotClosureKind kind)
{
    RobotClosure *closure = add(mjcf, node, kind);
    if (!closure)
        return false;
    return xml_get(node, "site1") || xml_get(node, "site2") ? between_sites(mjcf, node, closure)
                                                            : between_bodies(mjcf, node, closure);
}

static bool read_joints(Mjcf *mjcf, const XmlNode *node)
{
    RobotClosure *closure = add(mjcf, node, CLOSURE_JOINT);
    if (!closure)
        return false;
    closure->polynomial[1] = 1.0;
    bool two = xml_get(node, "joint2");
    if (!mjcf_find_joint(mjcf, node, "joint1", &closure->joint[0]) ||
        (two && !mjcf_find_joint(mjcf, node, "joint2", &closure->joint[1])) ||
        !xml_numbers(node, "polycoef", xml_get(node, "polycoef"), 1, 5, closure->polynomial, NULL))
        return false;
    if (closure->joint[0] == closure->joint[1])
        return xml_fail(node, "joint2: a joint cannot follow itself");
    for (int i = 0; i < 1 + two; i++)
        if (mjcf->robot->joints.items[closure->joint[i]].kind <= ROBOT_BALL)
            return xml_fail(node, "joint%d: only a hinge or a slide has one coordinate", i + 1);
    return true;
}

static bool is_active(const Mjcf *mjcf, const XmlNode *node, bool *active)
{
    int class;
    *active = true;
    return mjcf_class_of(mjcf, node, NULL, &class) &&
           xml_bool(node, "active", mjcf_get(mjcf, node, class, "equality", "active"), active);
}

static bool read_equality(Mjcf *mjcf, const XmlNode *node)
{
    bool active;
    if (!is_active(mjcf, node, &active))
        return false;
    if (!active)
        return true;
    if (xml_is(node, "joint"))
        return read_joints(mjcf, node);
    if (xml_is(node, "connect") || xml_is(node, "weld"))
        return read_points(mjcf, node, xml_is(node, "weld") ? CLOSURE_WELD : CLOSURE_CONNECT);
    return xml_fail(node, "an equality of %s has no counterpart here", node->name);
}

static bool tendon_number(const Mjcf *mjcf, const XmlNode *node, int class, const char *name)
{
    double value = 0.0;
    return xml_real(node, name, mjcf_get(mjcf, node, class, "tendon", name), &value) &&
           (value == 0.0 || xml_fail(node, "a tendon with %s has no counterpart here", name));
}

/* Two sites and an upper limit: a rope. Without a limit nothing pulls. */
static bool read_tendon(Mjcf *mjcf, const XmlNode *node)
{
    int class, sites = 0;
    double range[2] = {0.0, 0.0};
    bool limited = false;
    if (!mjcf_class_of(mjcf, node, NULL, &class))
        return false;
    const char *text = mjcf_get(mjcf, node, class, "tendon", "range");
    if (!xml_numbers(node, "range", text, 2, 2, range, NULL) ||
        !mjcf_limited(mjcf, node, "limited", mjcf_get(mjcf, node, class, "tendon", "limited"), "range", text, range,
                      &limited) ||
        !tendon_number(mjcf, node, class, "stiffness") || !tendon_number(mjcf, node, class, "damping") ||
        !tendon_number(mjcf, node, class, "frictionloss"))
        return false;
    RobotClosure *closure = add(mjcf, node, CLOSURE_ROPE);
    if (!closure)
        return false;
    for (const XmlNode *child = node->first; child; child = child->next, sites++) {
        const MjcfSite *site = sites < 2 ? mjcf_find_site(mjcf, child, "site") : NULL;
        if (sites >= 2)
            return xml_fail(node, "a tendon through more than two sites has no counterpart here");
        if (!site)
            return false;
        closure->link[sites] = site->link;
        closure->point[sites] = site->x;
    }
    if (sites != 2)
        return xml_fail(node, "a tendon needs two sites");
    if (limited && range[0] > 0.0)
        return xml_fail(node, "range: a tendon that must not be shorter than %g has no counterpart here", range[0]);
    closure->length = range[1];
    if (!limited)
        mjcf->robot->closures.count--;
    return true;
}

bool mjcf_read_closures(Mjcf *mjcf)
{
    for (const XmlNode *block = mjcf->root->first; block; block = block->next) {
        bool equality = xml_is(block, "equality"), tendon = xml_is(block, "tendon");
        for (const XmlNode *child = equality || tendon ? block->first : NULL; child; child = child->next)
            if (!(equality ? read_equality(mjcf, child) : read_tendon(mjcf, child)))
                return false;
    }
    return true;
}
