/* SPDX-License-Identifier: MIT */
/* Actuators of MJCF, of which only those that act on a joint, and have no state of their own, are read. All kinds write
 * the same record: so does each class, from main down, and then the element itself. */
#include "scenes/robot/mjcf/mjcf.h"

#include <string.h>

typedef struct ActuatorRecord {
    double gear[6], gain[3], bias[3], control_range[2], force_range[2], inherit;
    const char *control_limited, *force_limited;
    bool has_control_range, has_force_range, affine_gain, affine_bias, damper;
} ActuatorRecord;

static const char *const KINDS[] = {"general", "motor", "position", "velocity", "damper", NULL};

static int kind_of(const XmlNode *node)
{
    for (int i = 0; KINDS[i]; i++)
        if (xml_is(node, KINDS[i]))
            return i;
    return -1;
}

static bool read_parameters(const XmlNode *node, const char *name, double to[3])
{
    double values[32] = {0};
    const char *text = xml_get(node, name);
    int count = 0;
    if (!xml_numbers(node, name, text, 0, 32, values, &count))
        return false;
    for (int i = 3; i < count; i++)
        if (values[i] != 0.0)
            return xml_fail(node, "%s: more than three numbers have no meaning here", name);
    for (int i = 0; i < count && i < 3; i++)
        to[i] = values[i];
    return true;
}

static bool read_general(const XmlNode *node, ActuatorRecord *record)
{
    static const char *const gains[] = {"fixed", "affine", "muscle", "user", NULL}, *const biases[] = {"none", "affine",
                                                                                                       "muscle", "user",
                                                                                                       NULL};
    const char *dynamics = xml_get(node, "dyntype");
    int gain = record->affine_gain, bias = record->affine_bias;
    if (dynamics && strcmp(dynamics, "none") != 0)
        return xml_fail(node, "dyntype %.64s: an actuator with a state of its own has no counterpart here", dynamics);
    if (!xml_choice(node, "gaintype", xml_get(node, "gaintype"), gains, &gain) ||
        !xml_choice(node, "biastype", xml_get(node, "biastype"), biases, &bias))
        return false;
    if (gain > 1 || bias > 1)
        return xml_fail(node, "%s %s has no counterpart here", gain > 1 ? "gaintype" : "biastype",
                        gain > 1 ? gains[gain] : biases[bias]);
    record->affine_gain = gain == 1;
    record->affine_bias = bias == 1;
    return read_parameters(node, "gainprm", record->gain) && read_parameters(node, "biasprm", record->bias);
}

static bool read_constant(const XmlNode *node, const char *name, double *value)
{
    return xml_real(node, name, xml_get(node, name), value) &&
           (*value >= 0.0 || xml_fail(node, "%s: %g is negative", name, *value));
}

static bool read_servo(const XmlNode *node, int kind, ActuatorRecord *record)
{
    double k = record->gain[0], d = -record->bias[2];
    record->affine_gain = false;
    record->affine_bias = true;
    if (kind == 2) {
        if (!read_constant(node, "kp", &k) || !read_constant(node, "kv", &d) ||
            !xml_real(node, "inheritrange", xml_get(node, "inheritrange"), &record->inherit))
            return false;
        record->bias[1] = -k;
        record->bias[2] = -d;
    } else {
        if (!read_constant(node, "kv", &k))
            return false;
        memcpy(record->bias, (double[3]){0.0, 0.0, -k}, sizeof record->bias);
    }
    record->gain[0] = k;
    return true;
}

static bool read_damper(const XmlNode *node, ActuatorRecord *record)
{
    double k = -record->gain[2];
    if (!read_constant(node, "kv", &k))
        return false;
    *record = (ActuatorRecord){
        .gain = {0.0, 0.0, -k},
        .affine_gain = true,
        .damper = true,
        .has_control_range = record->has_control_range,
        .control_limited = "true",
        .has_force_range = record->has_force_range,
        .force_limited = record->force_limited,
        .control_range = {record->control_range[0], record->control_range[1]},
        .force_range = {record->force_range[0], record->force_range[1]},
        .gear = {record->gear[0], record->gear[1], record->gear[2], record->gear[3], record->gear[4], record->gear[5]}};
    return true;
}

/* What one element says, its own or one of a class. */
static bool apply(const XmlNode *node, ActuatorRecord *record)
{
    int kind = kind_of(node);
    const char *control = xml_get(node, "ctrlrange"), *force = xml_get(node, "forcerange");
    if (!xml_numbers(node, "gear", xml_get(node, "gear"), 1, 6, record->gear, NULL) ||
        !xml_numbers(node, "ctrlrange", control, 2, 2, record->control_range, NULL) ||
        !xml_numbers(node, "forcerange", force, 2, 2, record->force_range, NULL))
        return false;
    record->has_control_range = record->has_control_range || control;
    record->has_force_range = record->has_force_range || force;
    if (xml_get(node, "ctrllimited"))
        record->control_limited = xml_get(node, "ctrllimited");
    if (xml_get(node, "forcelimited"))
        record->force_limited = xml_get(node, "forcelimited");
    if (kind == 1) {
        memcpy(record->gain, (double[3]){1.0, 0.0, 0.0}, sizeof record->gain);
        memset(record->bias, 0, sizeof record->bias);
        record->affine_gain = record->affine_bias = false;
    }
    return kind == 0   ? read_general(node, record)
           : kind == 4 ? read_damper(node, record)
                       : kind == 1 || read_servo(node, kind, record);
}

static bool apply_class(const Mjcf *mjcf, int class, ActuatorRecord *record)
{
    if (class < 0)
        return true;
    const MjcfClass *of = &mjcf->classes.items[class];
    if (!apply_class(mjcf, of->parent, record))
        return false;
    for (int b = 0; b < of->block_count; b++)
        for (const XmlNode *child = of->blocks[b]->first; child; child = child->next)
            if (kind_of(child) >= 0 && !apply(child, record))
                return false;
    return true;
}

/* The range of a position servo, as a part of its joint's. */
static bool inherit_range(const XmlNode *node, const RobotJoint *joint, ActuatorRecord *record)
{
    if (!(record->inherit > 0.0))
        return true;
    if (!joint->limited)
        return xml_fail(node, "inheritrange: the joint has no range");
    double middle = 0.5 * (joint->range[0] + joint->range[1]),
           half = 0.5 * record->inherit * (joint->range[1] - joint->range[0]);
    record->control_range[0] = middle - half;
    record->control_range[1] = middle + half;
    record->has_control_range = true;
    return true;
}

static bool add(Mjcf *mjcf, const XmlNode *node)
{
    Robot *robot = mjcf->robot;
    ActuatorRecord record = {.gear = {1.0}, .gain = {1.0}};
    int class, joint;
    if (!mjcf_class_of(mjcf, node, NULL, &class) || !apply_class(mjcf, class, &record) || !apply(node, &record) ||
        !mjcf_find_joint(mjcf, node, "joint", &joint))
        return false;
    const RobotJoint *on = &robot->joints.items[joint];
    RobotActuator *actuator = ROBOT_ADD(robot, actuators);
    if (!actuator || !inherit_range(node, on, &record))
        return false;
    if (on->kind == ROBOT_FREE)
        return xml_fail(node, "an actuator on a free joint has no counterpart here");
    *actuator = (RobotActuator){.at = node, .name = xml_get(node, "name"), .joint = joint};
    memcpy(actuator->gear, record.gear, sizeof actuator->gear);
    memcpy(actuator->gain, record.gain, sizeof actuator->gain);
    memcpy(actuator->bias, record.bias, sizeof actuator->bias);
    memcpy(actuator->control_range, record.control_range, sizeof actuator->control_range);
    memcpy(actuator->force_range, record.force_range, sizeof actuator->force_range);
    if (!record.affine_gain)
        actuator->gain[1] = actuator->gain[2] = 0.0;
    if (!record.affine_bias)
        memset(actuator->bias, 0, sizeof actuator->bias);
    if (record.damper && (!record.has_control_range || record.control_range[0] < 0.0))
        return xml_fail(node, "ctrlrange: a damper needs one that is not negative");
    return mjcf_limited(mjcf, node, "ctrllimited", record.control_limited, "ctrlrange", record.has_control_range,
                        actuator->control_range, &actuator->clamps_control) &&
           mjcf_limited(mjcf, node, "forcelimited", record.force_limited, "forcerange", record.has_force_range,
                        actuator->force_range, &actuator->clamps_force);
}

bool mjcf_read_actuators(Mjcf *mjcf)
{
    for (const XmlNode *block = mjcf->root->first; block; block = block->next)
        for (const XmlNode *child = xml_is(block, "actuator") ? block->first : NULL; child; child = child->next)
            if (!add(mjcf, child))
                return false;
    return true;
}
