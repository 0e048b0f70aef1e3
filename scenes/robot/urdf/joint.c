/* SPDX-License-Identifier: MIT */
/* Joints of URDF: axis in the joint's frame, which is the child's; a planar joint is two slides and a hinge; mimic. */
#include "scenes/robot/urdf/urdf.h"

#include <string.h>

/* Turns z along the axis. */
static Quat turn_z(Vec3 unit)
{
    Vec3 axis = vec3_cross(vec3(0, 0, 1), unit);
    double sine = vec3_norm(axis);
    return sine > 0.0 ? quat_axis_angle(vec3_scale(1.0 / sine, axis), atan2(sine, unit.z))
                      : quat_axis_angle(vec3(1, 0, 0), unit.z < 0.0 ? PI : 0.0);
}

static bool read_limit(const XmlNode *node, UrdfType type, RobotJoint *joint)
{
    const XmlNode *limit = xml_child(node, "limit");
    double effort = 0.0;
    if (!limit)
        return true;
    if (!xml_real(limit, "lower", xml_get(limit, "lower"), &joint->range[0]) ||
        !xml_real(limit, "upper", xml_get(limit, "upper"), &joint->range[1]) ||
        !xml_real(limit, "effort", xml_get(limit, "effort"), &effort))
        return false;
    if (joint->range[0] > joint->range[1])
        return xml_fail(limit, "lower: %g is above upper, %g", joint->range[0], joint->range[1]);
    if (effort < 0.0)
        return xml_fail(limit, "effort: %g is negative", effort);
    joint->limited = type != URDF_CONTINUOUS && joint->range[0] < joint->range[1];
    joint->has_effort = effort > 0.0;
    joint->effort[0] = -effort;
    joint->effort[1] = effort;
    return true;
}

static bool read_dynamics(const XmlNode *node, RobotJoint *joint)
{
    const XmlNode *dynamics = xml_child(node, "dynamics");
    if (!dynamics)
        return true;
    if (!xml_real(dynamics, "damping", xml_get(dynamics, "damping"), &joint->damping) ||
        !xml_real(dynamics, "friction", xml_get(dynamics, "friction"), &joint->frictionloss))
        return false;
    return (joint->damping >= 0.0 || xml_fail(dynamics, "damping: %g is negative", joint->damping)) &&
           (joint->frictionloss >= 0.0 || xml_fail(dynamics, "friction: %g is negative", joint->frictionloss));
}

static bool add(Urdf *urdf, const UrdfJoint *from, const RobotJoint *like, const char *suffix, RobotJointKind kind,
                Vec3 axis)
{
    Robot *robot = urdf->robot;
    int index = robot->joints.count;
    RobotJoint *joint = ROBOT_ADD(robot, joints);
    if (!joint)
        return false;
    *joint = *like;
    joint->kind = kind;
    joint->axis = axis;
    joint->name = *suffix ? xml_text(robot->tree, "%s%s", from->name, suffix) : from->name;
    return joint->name && robot_name(robot, from->at, ROBOT_JOINTS, joint->name, index);
}

bool urdf_add_joint(Urdf *urdf, const UrdfJoint *from, int link)
{
    const XmlNode *axis_node = xml_child(from->at, "axis");
    RobotJoint joint = {.at = from->at, .link = link};
    Vec3 axis = vec3(1, 0, 0);
    if (from->type == URDF_FIXED)
        return true;
    if (from->type == URDF_FLOATING) {
        if (urdf->robot->links.items[link].parent >= 0 && !urdf->params->floating) {
            /* Below a root that stands still its frame may be the world's. */
            const RobotLink *parent = &urdf->robot->links.items[urdf->robot->links.items[link].parent];
            if (parent->parent >= 0 || parent->joint_count > 0)
                return xml_fail(from->at, "a floating joint stands below another link than the root");
        } else if (urdf->robot->links.items[link].parent >= 0) {
            return xml_fail(from->at, "a floating joint below a floating root");
        }
        RobotLink *child = &urdf->robot->links.items[link];
        if (child->parent >= 0)
            child->pose = robot_pose_mul(urdf->robot->links.items[child->parent].pose, child->pose);
        child->parent = -1;
        return add(urdf, from, &joint, "", ROBOT_FREE, axis);
    }
    if (axis_node && !xml_axis(axis_node, "xyz", xml_get(axis_node, "xyz"), &axis))
        return false;
    if (!read_limit(from->at, from->type, &joint) || !read_dynamics(from->at, &joint))
        return false;
    if (from->type != URDF_PLANAR)
        return add(urdf, from, &joint, "", from->type == URDF_PRISMATIC ? ROBOT_SLIDE : ROBOT_HINGE, axis);
    Quat turn = turn_z(axis);
    joint.limited = joint.has_effort = false;
    return add(urdf, from, &joint, "_TX", ROBOT_SLIDE, quat_rotate(turn, vec3(1, 0, 0))) &&
           add(urdf, from, &joint, "_TY", ROBOT_SLIDE, quat_rotate(turn, vec3(0, 1, 0))) &&
           add(urdf, from, &joint, "_RZ", ROBOT_HINGE, axis);
}

/* q = multiplier q' + offset; on a joint that does not move it says nothing. */
static bool read_mimic(Urdf *urdf, const UrdfJoint *joint, const XmlNode *node)
{
    Robot *robot = urdf->robot;
    const char *of = xml_get(node, "joint");
    double multiplier = 1.0, offset = 0.0;
    if (!of)
        return xml_fail(node, "joint is missing");
    if (strcmp(of, joint->name) == 0)
        return xml_fail(node, "the joint \"%.64s\" follows itself", of);
    if (!xml_real(node, "multiplier", xml_get(node, "multiplier"), &multiplier) ||
        !xml_real(node, "offset", xml_get(node, "offset"), &offset))
        return false;
    int one = robot_find(robot, ROBOT_JOINTS, joint->name), two = robot_find(robot, ROBOT_JOINTS, of);
    bool known = two >= 0;
    for (int i = 0; !known && i < urdf->joints.count; i++)
        known = strcmp(urdf->joints.items[i].name, of) == 0;
    if (!known)
        return xml_fail(node, "there is no joint \"%.64s\"", of);
    if (one < 0)
        return true;
    if (two >= 0 && (robot->joints.items[one].kind < ROBOT_SLIDE || robot->joints.items[two].kind < ROBOT_SLIDE))
        return xml_fail(node, "only a joint of one coordinate follows another");
    RobotClosure *closure = ROBOT_ADD(robot, closures);
    if (!closure)
        return false;
    *closure = (RobotClosure){.at = node,
                              .kind = CLOSURE_JOINT,
                              .link = {-1, -1},
                              .joint = {one, two},
                              .polynomial = {offset, multiplier},
                              .turn = QUAT_IDENTITY};
    return true;
}

bool urdf_read_mimics(Urdf *urdf)
{
    for (int i = 0; i < urdf->joints.count; i++) {
        const XmlNode *node = xml_child(urdf->joints.items[i].at, "mimic");
        if (node && !read_mimic(urdf, &urdf->joints.items[i], node))
            return false;
    }
    return true;
}
