/* SPDX-License-Identifier: MIT */
/* Actuators as drives. At a control c the force F = (g0 + g1 l + g2 l') c + b0 + b1 l + b2 l' is linear in l = gear q:
 * a spring and a damper about targets, and a constant. */
#include "scenes/robot/write.h"

typedef struct Drive {
    double force, kp, kd, target, speed;
    bool aims, rates, pushes; /* the control is the target; the speed; the force, up to a factor */
    double factor;
} Drive;

static Drive drive_at(const RobotActuator *actuator, double c)
{
    const double *g = actuator->gain, *b = actuator->bias;
    Drive drive = {.force = g[0] * c + b[0], .kp = -(g[1] * c + b[1]), .kd = -(g[2] * c + b[2])};
    bool fixed = g[1] == 0.0 && g[2] == 0.0;
    drive.aims = fixed && drive.kp > 0.0 && g[0] == drive.kp;
    drive.rates = fixed && drive.kp == 0.0 && drive.kd > 0.0 && g[0] == drive.kd;
    drive.pushes = fixed && drive.kp == 0.0 && drive.kd == 0.0 && b[0] == 0.0 && g[0] > 0.0;
    drive.factor = drive.pushes ? g[0] : 1.0;
    if (drive.aims || drive.rates)
        drive.force = b[0];
    if (drive.aims)
        drive.target = c;
    if (drive.rates)
        drive.speed = c;
    return drive;
}

static bool put_other(json_t *object, const char *key, double value, double otherwise)
{
    return value == otherwise || file_put(object, key, json_real(value));
}

static bool write_gear(json_t *object, const RobotActuator *actuator, RobotJointKind kind)
{
    return kind == ROBOT_BALL ? robot_put_numbers(object, "gear", actuator->gear, 3)
                              : put_other(object, "gear", actuator->gear[0], 1.0);
}

static bool write_drive(const Robot *robot, json_t *object, const RobotActuator *actuator, const Drive *drive)
{
    RobotJointKind kind = robot->joints.items[actuator->joint].kind;
    bool ranged = actuator->clamps_control && !robot->no_clamps && (drive->aims || drive->rates || drive->pushes);
    double range[2] = {drive->factor * actuator->control_range[0], drive->factor * actuator->control_range[1]};
    bool constant = drive->kp == 0.0 && drive->kd == 0.0;
    return put_other(object, "force", drive->force, constant ? NAN : 0.0) && put_other(object, "kp", drive->kp, 0.0) &&
           put_other(object, "kd", drive->kd, 0.0) && put_other(object, "target", drive->target, 0.0) &&
           put_other(object, "speed", drive->speed, 0.0) && write_gear(object, actuator, kind) &&
           (!actuator->clamps_force || robot_put_numbers(object, "max", actuator->force_range, 2)) &&
           (!ranged || robot_put_numbers(object, "ctrl_range", range, 2));
}

static bool add_drive(const Robot *robot, json_t *drives, int index)
{
    const RobotActuator *actuator = &robot->actuators.items[index];
    double c = robot->control[index];
    if (actuator->clamps_control && !robot->no_clamps)
        c = clamp(c, actuator->control_range[0], actuator->control_range[1]);
    Drive drive = drive_at(actuator, c);
    bool idle = drive.force == 0.0 && drive.kp == 0.0 && drive.kd == 0.0;
    if (drive.kp < 0.0 || drive.kd < 0.0)
        return xml_fail(actuator->at,
                        "at control %g this actuator drives away from its target: it has no counterpart here", c);
    if (idle && robot->joints.items[actuator->joint].kind == ROBOT_BALL)
        return true;
    json_t *object = json_object();
    return json_array_append_new(drives, object) == 0 && write_drive(robot, object, actuator, &drive);
}

bool robot_write_drives(const Robot *robot, int joint, json_t *object)
{
    json_t *drives = NULL;
    bool ok = true;
    for (int i = 0; ok && !robot->no_actuation && i < robot->actuators.count; i++) {
        if (robot->actuators.items[i].joint != joint)
            continue;
        if (!drives)
            drives = json_array();
        ok = drives && add_drive(robot, drives, i);
    }
    size_t count = json_array_size(drives);
    if (ok && count > 0)
        ok = count == 1 ? json_object_set(object, "drive", json_array_get(drives, 0)) == 0
                        : json_object_set(object, "drive", drives) == 0;
    json_decref(drives);
    return ok;
}
