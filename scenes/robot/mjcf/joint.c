/* SPDX-License-Identifier: MIT */
/* Joints of MJCF. Angles are degrees unless the compiler says radians: range and ref and springref of what turns. */
#include "scenes/robot/mjcf/mjcf.h"

static const char *const TYPES[] = {"free", "ball", "slide", "hinge", NULL};

static bool joint_fails_at(const RobotLink *link, const XmlNode *node, RobotJointKind kind, const RobotJoint *before)
{
    if (kind == ROBOT_FREE && link->parent >= 0)
        return !xml_fail(node, "a free joint stands below another body than the world");
    if (before && (kind == ROBOT_FREE || before->kind == ROBOT_FREE))
        return !xml_fail(node, "a free joint cannot stand beside another joint");
    if (before && (kind == ROBOT_BALL || before->kind == ROBOT_BALL))
        return !xml_fail(node, "a ball joint beside another joint of one body has no counterpart here");
    return false;
}

static bool read_bounds(const Mjcf *mjcf, const XmlNode *node, int class, RobotJoint *joint)
{
    const char *range = mjcf_get(mjcf, node, class, "joint", "range"),
               *effort = mjcf_get(mjcf, node, class, "joint", "actuatorfrcrange");
    double turns = joint->kind == ROBOT_SLIDE ? 1.0 : mjcf_angle(mjcf, 1.0);
    if (!xml_numbers(node, "range", range, 2, 2, joint->range, NULL) ||
        !xml_numbers(node, "actuatorfrcrange", effort, 2, 2, joint->effort, NULL) ||
        !mjcf_limited(mjcf, node, "limited", mjcf_get(mjcf, node, class, "joint", "limited"), "range", range,
                      joint->range, &joint->limited) ||
        !mjcf_limited(mjcf, node, "actuatorfrclimited", mjcf_get(mjcf, node, class, "joint", "actuatorfrclimited"),
                      "actuatorfrcrange", effort, joint->effort, &joint->has_effort))
        return false;
    if (joint->limited && joint->kind == ROBOT_BALL && joint->range[0] != 0.0)
        return xml_fail(node, "range: that of a ball joint begins at 0");
    joint->range[0] *= turns;
    joint->range[1] *= turns;
    return true;
}

static bool not_negative(const XmlNode *node, const char *name, double value)
{
    return value >= 0.0 || xml_fail(node, "%s: %g is negative", name, value);
}

static bool read_numbers(const Mjcf *mjcf, const XmlNode *node, int class, RobotJoint *joint)
{
    const struct {
        const char *name;
        double *to;
        bool signed_, angle;
    } NUMBERS[] = {
        {"ref", &joint->ref, true, true},
        {"springref", &joint->springref, true, true},
        {"stiffness", &joint->stiffness, false, false},
        {"damping", &joint->damping, false, false},
        {"armature", &joint->armature, false, false},
        {"frictionloss", &joint->frictionloss, false, false},
    };
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        double *to = NUMBERS[i].to;
        if (!xml_real(node, NUMBERS[i].name, mjcf_get(mjcf, node, class, "joint", NUMBERS[i].name), to) ||
            (!NUMBERS[i].signed_ && !not_negative(node, NUMBERS[i].name, *to)))
            return false;
        if (NUMBERS[i].angle && joint->kind == ROBOT_HINGE)
            *to = mjcf_angle(mjcf, *to);
    }
    if (joint->kind <= ROBOT_BALL)
        joint->ref = joint->springref = 0.0;
    if (joint->kind == ROBOT_FREE &&
        (joint->stiffness > 0.0 || joint->damping > 0.0 || joint->armature > 0.0 || joint->frictionloss > 0.0))
        return xml_fail(node, "a free joint with stiffness, damping, armature or frictionloss has no counterpart here "
                              "(a freejoint ignores the defaults of joints)");
    return true;
}

static bool read_free(Mjcf *mjcf, const XmlNode *node)
{
    static const char *const words[] = {"false", "true", "auto", NULL};
    int align = 0;
    (void)mjcf;
    return xml_choice(node, "align", xml_get(node, "align"), words, &align) &&
           (align != 1 || xml_fail(node, "align is not read: the frame of a free body is the file's"));
}

bool mjcf_add_joint(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place)
{
    Robot *robot = mjcf->robot;
    bool free_one = xml_is(node, "freejoint");
    const RobotLink *link = &robot->links.items[place->link];
    int class = -1, kind = free_one ? ROBOT_FREE : ROBOT_HINGE, index = robot->joints.count;
    if (!free_one && !mjcf_class_of(mjcf, node, place, &class))
        return false;
    if (!xml_choice(node, "type", free_one ? NULL : mjcf_get(mjcf, node, class, "joint", "type"), TYPES, &kind))
        return false;
    RobotJoint *joint = ROBOT_ADD(robot, joints);
    if (!joint || joint_fails_at(link, node, (RobotJointKind)kind, index > link->first_joint ? joint - 1 : NULL))
        return false;
    const char *name = mjcf_name(mjcf, node, place);
    *joint = (RobotJoint){.at = node,
                          .kind = (RobotJointKind)kind,
                          .link = place->link,
                          .axis = {0, 0, 1},
                          .name = name ? name : xml_text(robot->tree, "joint%d", index + 1)};
    if (!joint->name || !robot_name(robot, node, ROBOT_JOINTS, joint->name, index))
        return false;
    if (free_one)
        return read_free(mjcf, node);
    if (!xml_vec3(node, "pos", mjcf_get(mjcf, node, class, "joint", "pos"), &joint->anchor) ||
        (joint->kind >= ROBOT_SLIDE &&
         !xml_axis(node, "axis", mjcf_get(mjcf, node, class, "joint", "axis"), &joint->axis)))
        return false;
    joint->anchor = robot_pose_point(place->frame, joint->anchor);
    joint->axis = quat_rotate(place->frame.q, joint->axis);
    return read_numbers(mjcf, node, class, joint) && read_bounds(mjcf, node, class, joint);
}
