/* SPDX-License-Identifier: MIT */
/* A robot's joints: one of a link as a joint of its type, several as a `series`; what closes loops. Coordinates count
 * as the file has them: `start` is where they stand. */
#include "scenes/robot/write.h"

#include <string.h>

/* Keys are typed with some digits: turned off by less than this, rad, bodies are placed as their weld holds them. */
static const double WELD_ROUND_OFF = 1e-5;

static bool put_nonzero(json_t *object, const char *key, double value)
{
    return value == 0.0 || file_put(object, key, json_real(value));
}

/* A ball's turn is in the frame of body 1 there, in that of body 2 in the file. */
static bool write_start(const Robot *robot, json_t *object, const RobotJoint *joint)
{
    const double *q = robot->position + joint->position_at;
    if (joint->kind != ROBOT_BALL)
        return put_nonzero(object, "start", *q);
    Quat own = robot->links.items[joint->link].pose.q, turn = {q[0], q[1], q[2], q[3]};
    return turn.w == 1.0 || robot_put_quat(object, "start", quat_unit(quat_mul(quat_mul(own, turn), quat_conj(own))));
}

/* What a joint of any kind may have. */
static bool write_forces(const Robot *robot, json_t *object, int index)
{
    const RobotJoint *joint = &robot->joints.items[index];
    json_t *spring = NULL;
    bool sprung = joint->stiffness > 0.0 && !robot->no_springs;
    if (sprung)
        spring = file_put_part(object, "spring", json_object());
    return (!sprung || (file_put(spring, "stiffness", json_real(joint->stiffness)) &&
                        (joint->kind == ROBOT_BALL || file_put(spring, "rest", json_real(joint->springref))))) &&
           (robot->no_dampers || put_nonzero(object, "viscous", joint->damping)) &&
           put_nonzero(object, "armature", joint->armature) &&
           (robot->no_dry_friction || put_nonzero(object, "dry_friction", joint->frictionloss)) &&
           (!joint->has_effort || joint->kind <= ROBOT_BALL || robot_put_numbers(object, "effort", joint->effort, 2)) &&
           robot_write_drives(robot, index, object) && write_start(robot, object, joint);
}

static bool write_range(const Robot *robot, json_t *object, const RobotJoint *joint)
{
    if (!joint->limited || robot->no_limits)
        return true;
    if (joint->kind == ROBOT_BALL)
        return file_put(object, "turn_max", json_real(joint->range[1]));
    bool hinge = joint->kind == ROBOT_HINGE;
    return file_put(object, hinge ? "angle_min" : "position_min", json_real(joint->range[0])) &&
           file_put(object, hinge ? "angle_max" : "position_max", json_real(joint->range[1]));
}

static bool write_bodies_of(const Robot *robot, json_t *object, int one, int two)
{
    return file_put(object, "bodies", json_pack("[s,s]", robot_link_name(robot, one), robot_link_name(robot, two)));
}

static bool write_single(const Robot *robot, json_t *object, int index)
{
    static const char *const types[] = {"", "ball", "prismatic", "hinge"};
    const RobotJoint *joint = &robot->joints.items[index];
    Vec3 anchor, axis;
    robot_joint_line(robot, index, &anchor, &axis);
    return file_put(object, "name", json_string(joint->name)) &&
           file_put(object, "type", json_string(types[joint->kind])) &&
           write_bodies_of(robot, object, robot->links.items[joint->link].parent, joint->link) &&
           robot_put_vec3(object, "anchor", anchor) &&
           (joint->kind == ROBOT_BALL || robot_put_vec3(object, "axis", axis)) && write_range(robot, object, joint) &&
           write_forces(robot, object, index);
}

static bool write_axis(const Robot *robot, json_t *object, int index)
{
    const RobotJoint *joint = &robot->joints.items[index];
    bool hinge = joint->kind == ROBOT_HINGE;
    Vec3 anchor, axis;
    robot_joint_line(robot, index, &anchor, &axis);
    return file_put(object, "name", json_string(joint->name)) &&
           file_put(object, "kind", json_string(hinge ? "hinge" : "slide")) && robot_put_vec3(object, "axis", axis) &&
           (!hinge || robot_put_vec3(object, "anchor", anchor)) &&
           (!joint->limited || robot->no_limits || robot_put_numbers(object, "limits", joint->range, 2)) &&
           write_forces(robot, object, index);
}

/* "a+b+c" of the joints of a link. */
static const char *series_name(const Robot *robot, const RobotLink *link)
{
    const char *name = robot->joints.items[link->first_joint].name;
    for (int i = 1; name && i < link->joint_count; i++)
        name = xml_text(robot->tree, "%s+%s", name, robot->joints.items[link->first_joint + i].name);
    return name;
}

const char *robot_coordinate(const Robot *robot, int index)
{
    const RobotJoint *joint = &robot->joints.items[index];
    const RobotLink *link = &robot->links.items[joint->link];
    const char *series = link->joint_count > 1 ? series_name(robot, link) : NULL;
    return link->joint_count == 1 ? joint->name : series ? xml_text(robot->tree, "%s.%s", series, joint->name) : NULL;
}

static bool write_series(const Robot *robot, json_t *object, int index)
{
    const RobotLink *link = &robot->links.items[index];
    const char *name = series_name(robot, link);
    bool ok = name && file_put(object, "name", json_string(name)) && file_put(object, "type", json_string("series")) &&
              write_bodies_of(robot, object, link->parent, index);
    json_t *axes = ok ? file_put_part(object, "axes", json_array()) : NULL;
    for (int i = 0; axes && ok && i < link->joint_count; i++) {
        json_t *axis = json_object();
        ok = json_array_append_new(axes, axis) == 0 && write_axis(robot, axis, link->first_joint + i);
    }
    return ok && axes;
}

/* A new joint of the document, and where it comes from. */
static json_t *add(Robot *robot, json_t *joints, const XmlNode *at)
{
    const XmlNode **from = ROBOT_ADD(robot, written);
    json_t *object = from ? json_object() : NULL;
    if (from)
        *from = at;
    return json_array_append_new(joints, object) == 0 ? object : NULL;
}

static bool write_closure_name(Robot *robot, json_t *object, const RobotClosure *closure, int number)
{
    static const char *const kinds[] = {"connect", "weld", "equality", "rope", "rod"};
    const char *name = closure->name && *closure->name
                           ? closure->name
                           : xml_text(robot->tree, "%s%d", kinds[closure->kind], number + 1);
    while (name && robot_find(robot, ROBOT_JOINTS, name) >= 0)
        name = xml_text(robot->tree, "%s_", name);
    return name && robot_name(robot, closure->at, ROBOT_JOINTS, name, robot->joints.count + number) &&
           file_put(object, "name", json_string(name));
}

/* The document's polynomial counts both coordinates from where they stand: c(x) of the file at x + shift, less what
 * coordinate 1 is off its own zero. */
static bool write_polynomial(const Robot *robot, json_t *object, const RobotClosure *closure)
{
    double c[5], shift = 0.0;
    const RobotJoint *one = &robot->joints.items[closure->joint[0]];
    memcpy(c, closure->polynomial, sizeof c);
    if (closure->joint[1] >= 0) {
        const RobotJoint *two = &robot->joints.items[closure->joint[1]];
        shift = robot->position[two->position_at] - two->ref;
    }
    for (int i = 0; i < 4; i++) /* Horner's scheme, again and again: Taylor's coefficients */
        for (int k = 3; k >= i; k--)
            c[k] += shift * c[k + 1];
    c[0] -= robot->position[one->position_at] - one->ref;
    int count = closure->joint[1] >= 0 ? 5 : 1;
    while (count > 1 && c[count - 1] == 0.0)
        count--;
    return robot_put_numbers(object, "polynomial", c, count);
}

static bool write_coupling(Robot *robot, json_t *object, const RobotClosure *closure)
{
    json_t *names = file_put_part(object, "joints", json_array());
    bool ok = names && file_put(object, "type", json_string("coupling"));
    for (int i = 0; ok && i < 2; i++) {
        const char *name = closure->joint[i] >= 0 ? robot_coordinate(robot, closure->joint[i]) : NULL;
        ok = closure->joint[i] < 0 || (name && json_array_append_new(names, json_string(name)) == 0);
    }
    return ok && write_polynomial(robot, object, closure);
}

/* A weld whose bodies are not placed as it holds them says how far they are turned off it. */
static bool write_weld_start(const Robot *robot, json_t *object, const RobotClosure *closure)
{
    Quat q[2] = {QUAT_IDENTITY, QUAT_IDENTITY};
    for (int i = 0; i < 2; i++)
        if (closure->link[i] >= 0)
            q[i] = robot->placed[closure->link[i]].q;
    Quat off = quat_mul(quat_conj(quat_mul(q[0], closure->turn)), q[1]);
    return vec3_norm(quat_log(off)) <= WELD_ROUND_OFF || robot_put_quat(object, "start", off);
}

static bool write_points(const Robot *robot, json_t *object, const RobotClosure *closure)
{
    static const char *const types[] = {"ball", "fixed", "", "distance", "distance"};
    json_t *anchors = file_put_part(object, "anchors", json_array());
    bool ok = anchors && file_put(object, "type", json_string(types[closure->kind])) &&
              write_bodies_of(robot, object, closure->link[0], closure->link[1]) &&
              (closure->kind != CLOSURE_WELD || write_weld_start(robot, object, closure));
    for (int i = 0; ok && i < 2; i++) {
        Vec3 point = closure->point[i];
        if (closure->link[i] >= 0)
            point = vec3_sub(point, robot->links.items[closure->link[i]].centre);
        ok = json_array_append_new(anchors, file_write_vec3(point)) == 0;
    }
    return ok && (closure->kind != CLOSURE_ROPE ||
                  (file_put(object, "rest", json_real(closure->length)) && file_put(object, "one_sided", json_true())));
}

static int group_of(const Robot *robot, int link)
{
    return link < 0 ? -1 : robot->links.items[link].group;
}

bool robot_write_closures(Robot *robot, json_t *joints)
{
    for (int i = 0; !robot->no_closures && i < robot->closures.count; i++) {
        const RobotClosure *closure = &robot->closures.items[i];
        bool coupling = closure->kind == CLOSURE_JOINT;
        if (!coupling && group_of(robot, closure->link[0]) == group_of(robot, closure->link[1]))
            continue; /* rigidly one already */
        json_t *object = add(robot, joints, closure->at);
        if (!object || !write_closure_name(robot, object, closure, i) ||
            !(coupling ? write_coupling(robot, object, closure) : write_points(robot, object, closure)))
            return false;
    }
    return true;
}

bool robot_write_joints(Robot *robot, json_t *root)
{
    json_t *joints = file_put_part(root, "joints", json_array());
    bool ok = joints;
    for (int i = 0; ok && i < robot->links.count; i++) {
        const RobotLink *link = &robot->links.items[i];
        if (link->joint_count == 0 || robot->joints.items[link->first_joint].kind == ROBOT_FREE)
            continue;
        json_t *object = add(robot, joints, robot->joints.items[link->first_joint].at);
        ok = object &&
             (link->joint_count > 1 ? write_series(robot, object, i) : write_single(robot, object, link->first_joint));
    }
    return ok && robot_write_closures(robot, joints);
}
