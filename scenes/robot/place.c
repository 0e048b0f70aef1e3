/* SPDX-License-Identifier: MIT */
/* Where every link is and how it moves, in a state of the file's own coordinates: forward kinematics, joint after
 * joint. A joint's coordinate counts from its `ref`, at which the file's pose stands. */
#include "scenes/robot/model.h"

#include <stdlib.h>
#include <string.h>

static int position_width(const RobotJoint *joint)
{
    return joint->kind == ROBOT_FREE ? 7 : joint->kind == ROBOT_BALL ? 4 : 1;
}

static int velocity_width(const RobotJoint *joint)
{
    return joint->kind == ROBOT_FREE ? 6 : joint->kind == ROBOT_BALL ? 3 : 1;
}

static void put_quat(double *to, Quat q)
{
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

static Quat get_quat(const double *from)
{
    return quat_unit((Quat){from[0], from[1], from[2], from[3]});
}

RobotPose robot_pose_at_zero(const Robot *robot, int link)
{
    RobotPose pose = ROBOT_HERE;
    for (; link >= 0; link = robot->links.items[link].parent)
        pose = robot_pose_mul(robot->links.items[link].pose, pose);
    return pose;
}

static void start_joint(Robot *robot, const RobotJoint *joint)
{
    double *q = robot->position + joint->position_at;
    const RobotPose *pose = &robot->links.items[joint->link].pose; /* a free link's parent is the world */
    if (joint->kind == ROBOT_FREE) {
        q[0] = pose->x.x;
        q[1] = pose->x.y;
        q[2] = pose->x.z;
        put_quat(q + 3, pose->q);
    } else if (joint->kind == ROBOT_BALL) {
        put_quat(q, QUAT_IDENTITY);
    } else {
        *q = joint->ref;
    }
}

bool robot_start(Robot *robot)
{
    robot->position_count = robot->velocity_count = 0;
    for (int i = 0; i < robot->joints.count; i++) {
        RobotJoint *joint = &robot->joints.items[i];
        joint->position_at = robot->position_count;
        joint->velocity_at = robot->velocity_count;
        robot->position_count += position_width(joint);
        robot->velocity_count += velocity_width(joint);
    }
    size_t links = (size_t)robot->links.count + 1;
    robot->position = calloc((size_t)robot->position_count + 1, sizeof(double));
    robot->velocity = calloc((size_t)robot->velocity_count + 1, sizeof(double));
    robot->control = calloc((size_t)robot->actuators.count + 1, sizeof(double));
    robot->placed = calloc(links, sizeof *robot->placed);
    robot->spin = calloc(links, sizeof *robot->spin);
    robot->origin_velocity = calloc(links, sizeof *robot->origin_velocity);
    if (!robot->position || !robot->velocity || !robot->control || !robot->placed || !robot->spin ||
        !robot->origin_velocity)
        return status_set(robot->tree->status, STATUS_FAILED, "%s: out of memory", robot->tree->path);
    for (int i = 0; i < robot->joints.count; i++)
        start_joint(robot, &robot->joints.items[i]);
    return true;
}

/* A link's motion while its joints are gone through. */
typedef struct Motion {
    RobotPose pose;
    Vec3 spin, origin_velocity;
} Motion;

static void add_turn(Motion *motion, Vec3 anchor, Vec3 spin)
{
    motion->spin = vec3_add(motion->spin, spin);
    motion->origin_velocity = vec3_add(motion->origin_velocity, vec3_cross(anchor, spin));
}

static void move_free(Motion *motion, const double *q, const double *v)
{
    motion->pose = (RobotPose){vec3(q[0], q[1], q[2]), get_quat(q + 3)};
    motion->spin = quat_rotate(motion->pose.q, vec3(v[3], v[4], v[5]));
    motion->origin_velocity = vec3_sub(vec3(v[0], v[1], v[2]), vec3_cross(motion->spin, motion->pose.x));
}

/* Turns about a point that stays. */
static void turn_about(RobotPose *pose, Vec3 anchor_local, Vec3 anchor, Quat turned)
{
    pose->q = quat_unit(turned);
    pose->x = vec3_sub(anchor, quat_rotate(pose->q, anchor_local));
}

static void move_joint(Motion *motion, const RobotJoint *joint, const double *q, const double *v)
{
    RobotPose *pose = &motion->pose;
    Vec3 anchor = robot_pose_point(*pose, joint->anchor), axis = quat_rotate(pose->q, joint->axis);
    switch (joint->kind) {
    case ROBOT_FREE:
        move_free(motion, q, v);
        break;
    case ROBOT_BALL:
        turn_about(pose, joint->anchor, anchor, quat_mul(pose->q, get_quat(q)));
        add_turn(motion, anchor, quat_rotate(pose->q, vec3(v[0], v[1], v[2])));
        break;
    case ROBOT_SLIDE:
        pose->x = vec3_add_scaled(pose->x, *q - joint->ref, axis);
        motion->origin_velocity = vec3_add_scaled(motion->origin_velocity, *v, axis);
        break;
    case ROBOT_HINGE:
        turn_about(pose, joint->anchor, anchor, quat_mul(pose->q, quat_axis_angle(joint->axis, *q - joint->ref)));
        add_turn(motion, anchor, vec3_scale(*v, axis));
        break;
    }
}

/* The link's motion before the joint `last` and after those above it. */
static Motion motion_before(const Robot *robot, int index, int last)
{
    const RobotLink *link = &robot->links.items[index];
    Motion motion = {ROBOT_HERE, VEC3_ZERO, VEC3_ZERO};
    if (link->parent >= 0)
        motion = (Motion){robot->placed[link->parent], robot->spin[link->parent], robot->origin_velocity[link->parent]};
    motion.pose = robot_pose_mul(motion.pose, link->pose);
    motion.pose.q = quat_unit(motion.pose.q);
    for (int j = link->first_joint; j < last; j++)
        move_joint(&motion, &robot->joints.items[j], robot->position + robot->joints.items[j].position_at,
                   robot->velocity + robot->joints.items[j].velocity_at);
    return motion;
}

void robot_place(Robot *robot)
{
    for (int i = 0; i < robot->links.count; i++) {
        const RobotLink *link = &robot->links.items[i];
        Motion motion = motion_before(robot, i, link->first_joint + link->joint_count);
        robot->placed[i] = motion.pose;
        robot->spin[i] = motion.spin;
        robot->origin_velocity[i] = motion.origin_velocity;
    }
}

void robot_joint_line(const Robot *robot, int index, Vec3 *anchor, Vec3 *axis)
{
    const RobotJoint *joint = &robot->joints.items[index];
    RobotPose pose = motion_before(robot, joint->link, index).pose;
    *anchor = robot_pose_point(pose, joint->anchor);
    /* A slide's anchor goes with it. */
    if (joint->kind == ROBOT_SLIDE)
        *anchor = vec3_add_scaled(*anchor, robot->position[joint->position_at] - joint->ref,
                                  quat_rotate(pose.q, joint->axis));
    *axis = quat_rotate(pose.q, joint->axis);
}

static bool copy_state(Robot *robot, const char *what, int given, int wanted, const double *from, double *to)
{
    if (given == 0)
        return true;
    if (given != wanted)
        return status_set(robot->tree->status, STATUS_BAD_FILE, "%s: the state has %d numbers of %s, the model %d",
                          robot->tree->path, given, what, wanted);
    memcpy(to, from, sizeof *to * (size_t)wanted);
    return true;
}

static bool list_of(const XmlNode *node, const char *name, int count, double *to)
{
    int found = 0;
    const char *text = xml_get(node, name);
    double *values = calloc((size_t)count + 1, sizeof *values);
    bool ok = values || xml_fail(node, "out of memory");
    ok = ok && xml_numbers(node, name, text, count, count, values, &found);
    if (ok && found == count)
        memcpy(to, values, sizeof *to * (size_t)count);
    free(values);
    return ok;
}

static bool key_state(Robot *robot, const char *name)
{
    for (int i = 0; i < robot->keys.count; i++) {
        const RobotKey *key = &robot->keys.items[i];
        if (key->name && strcmp(key->name, name) == 0)
            return list_of(key->at, "qpos", robot->position_count, robot->position) &&
                   list_of(key->at, "qvel", robot->velocity_count, robot->velocity) &&
                   list_of(key->at, "ctrl", robot->actuators.count, robot->control);
    }
    Text known = {0};
    for (int i = 0; i < robot->keys.count; i++)
        text_add(&known, "%s%s", i ? ", " : "; it has ", robot->keys.items[i].name ? robot->keys.items[i].name : "");
    status_set(robot->tree->status, STATUS_USAGE, "%s has no key '%s'%.200s", robot->tree->path, name,
               known.data ? known.data : "");
    free(known.data);
    return false;
}

/* Numbers with blanks or commas between them. */
static bool control_text(Robot *robot, const char *text)
{
    int found = 0, wanted = robot->actuators.count;
    for (const char *at = text + strspn(text, ", "); *at; at += strspn(at, ", ")) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || !isfinite(value) || (*end && *end != ',' && *end != ' '))
            return status_set(robot->tree->status, STATUS_USAGE, "ctrl: '%.64s' is not a number", at);
        if (found < wanted)
            robot->control[found] = value;
        found++;
        at = end;
    }
    return found == wanted || status_set(robot->tree->status, STATUS_USAGE,
                                         "ctrl: %d numbers are given, the model has %d actuators", found, wanted);
}

bool robot_set_state(Robot *robot, const RobotParams *params, const RobotState *state)
{
    RobotState none = {0};
    const RobotState *given = state ? state : &none;
    bool ok =
        (!params->key[0] || key_state(robot, params->key)) && (!params->ctrl[0] || control_text(robot, params->ctrl)) &&
        copy_state(robot, "position", given->position_count, robot->position_count, given->position, robot->position) &&
        copy_state(robot, "velocity", given->velocity_count, robot->velocity_count, given->velocity, robot->velocity) &&
        copy_state(robot, "control", given->control_count, robot->actuators.count, given->control, robot->control);
    for (int i = 0; ok && i < robot->joints.count; i++) {
        const RobotJoint *joint = &robot->joints.items[i];
        int at = joint->position_at + (joint->kind == ROBOT_FREE ? 3 : 0);
        const double *q = robot->position + at;
        if (joint->kind > ROBOT_BALL)
            continue;
        if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 1e-20))
            return xml_fail(joint->at, "the state's quaternion of \"%s\" is zero", joint->name);
        put_quat(robot->position + at, get_quat(q));
    }
    if (ok)
        robot_place(robot);
    return ok;
}
