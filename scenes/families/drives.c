/* SPDX-License-Identifier: MIT */
/* Does a drive do what it says?
 * servo: an arm held at an angle against gravity, torque m g (l/2) sin(target).
 * motor: an arm turned about the vertical at a speed, or by a torque: angle = torque t^2 / (2 I).
 * cylinder: a piston pushed along its axis by a force: a = f/m - g sin(tilt); or held at a target. */
#include "scenes/list.h"
#include "scenes/parts.h"

/* A target is reached, a speed held, within these. */
#define DRIVE_ANGLE_MAX 0.01    /* rad */
#define DRIVE_SPEED_MAX 0.01    /* relative, or rad/s below 1 rad/s */
#define DRIVE_TARGET_MAX 0.0025 /* of the length scale: 1 mm */

typedef struct ServoParams {
    double length, thickness, density, target, away, max_torque, damping, gravity;
} ServoParams;

static const Setting SERVO_SETTINGS[] = {
    PARAM_REAL(ServoParams, length, "of the arm (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(ServoParams, thickness, "of the arm (m)", 0.05, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(ServoParams, density, "of the arm (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_ANGLE(ServoParams, target, "where the servo holds the arm, from hanging, towards +x", PI / 3, -PI, PI),
    PARAM_ANGLE(ServoParams, away, "how far beyond the target the arm starts", 0, -3.1, 3.1),
    PARAM_REAL(ServoParams, max_torque, "the servo's strength (N m)", 100, 0, 1e12),
    PARAM_REAL(ServoParams, damping, "of the servo's rotation (1/s)", 0, 0, 1e6),
    PARAM_GRAVITY(ServoParams),
};

static void servo_truth(const Problem *problem, double t, Truth *truth)
{
    (void)t;
    const World *world = problem->world;
    truth_set_rest(problem, truth);
    truth_set_force(truth, 0, vec3(0, -world->gravity.y * world->mass[1].mass, 0));
}

static bool servo_settled(const Problem *problem, const World *world)
{
    const ServoParams *p = problem->data;
    return fabs(joint_angle(world, &world->joints[0]) + p->away) <= DRIVE_ANGLE_MAX;
}

static bool servo_build(Problem *problem, const void *params, Status *status)
{
    const ServoParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    BodyDef arm = part_box(p->length, p->thickness, p->thickness, p->density);
    part_place(&arm, part_rod_pose(VEC3_ZERO, p->length, p->target + p->away - PI / 2));
    JointDef servo = part_joint_at(JOINT_SERVO, 0, 1, VEC3_ZERO, vec3(0, 0, 1));
    servo.target = -p->away;
    servo.max_torque = p->max_torque;
    servo.angular_damping = p->damping;
    if (part_add_body(world, &arm, "arm", 0, status) < 0 || part_add_joint(world, &servo, "servo", 0, status) < 0)
        return false;
    double needed = world->mass[1].mass * p->gravity * 0.5 * p->length * fabs(sin(p->target));
    bool strong = p->max_torque > needed, held = strong && p->away == 0.0;
    problem->time = 5.0;
    problem->rest = strong;
    /* A finite error in a rigid row at the start is corrected at once: that work is the solver's own. */
    problem->conserves = p->away == 0.0 && p->damping == 0.0 ? CONSERVES_ENERGY : 0;
    problem->truth = held ? servo_truth : NULL;
    problem->settled = servo_settled;
    /* From standing upright to hanging. */
    problem_set_scales(problem, p->length);
    return part_keep(problem, p, sizeof *p, status);
}

const Scene servo_scene = {
    .name = "servo",
    .question = "Does a servo reach its angle and hold it against gravity?",
    .about = "A rod `arm` on a servo at the world's origin, axis z. It starts `away` beyond the target, at rest.\n"
             "With away=0 it should stay at rest, the servo giving m g (length/2) sin(target) as long as max_torque "
             "allows (12.26 N m at most for the default arm): pose and joint force are known. With another `away` "
             "only the end is: the arm has arrived; a weak servo then needs damping to come to rest.\n"
             "settled: the arm stands within 0.01 rad of the target; a single pass of naive leaves 0.0105 rad, two "
             "leave 0.0045. Energy is measured against the fall from upright "
             "to hanging.",
    .lectures = "000, 004",
    SCENE_PARAMS(SERVO_SETTINGS, ServoParams),
    .build = servo_build,
};

enum { MOTOR_SPEED, MOTOR_TORQUE };
static const char *const MOTOR_MODES[] = {"speed", "torque", NULL};

typedef struct MotorParams {
    int mode;
    double speed;
    int from_rest;
    double max_torque, torque, length, thickness, density, gravity;
} MotorParams;

static const Setting MOTOR_SETTINGS[] = {
    PARAM_CHOICE(MotorParams, mode, "what the motor holds", MOTOR_SPEED, MOTOR_TORQUE, MOTOR_MODES),
    PARAM_REAL(MotorParams, speed, "of a speed motor (rad/s)", 5, -1e4, 1e4),
    PARAM_BOOL(MotorParams, from_rest, "a speed motor starts at rest and gives max_torque until it has its speed",
               false),
    PARAM_REAL(MotorParams, max_torque, "of a speed motor (N m)", 10, 1e-9, 1e12),
    PARAM_REAL(MotorParams, torque, "of a torque motor (N m)", 1, -1e9, 1e9),
    PARAM_REAL(MotorParams, length, "of the arm (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(MotorParams, thickness, "of the arm (m)", 0.05, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(MotorParams, density, "of the arm (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_GRAVITY(MotorParams),
};

/* The arm's angle: acceleration for `ramp` seconds from rest, then a constant speed. */
typedef struct Motor {
    int mode;
    double inertia; /* about the axis, kg m^2 */
    double length, speed, acceleration, ramp;
} Motor;

static void motor_truth(const Problem *problem, double t, Truth *truth)
{
    const Motor *motor = problem->data;
    const World *world = problem->world;
    bool ramps = t < motor->ramp;
    double faster = ramps ? motor->acceleration : 0.0, w = ramps ? faster * t : motor->speed;
    double angle = ramps ? 0.5 * w * t : motor->speed * (t - 0.5 * motor->ramp);
    Quat q = quat_axis_angle(vec3(0, 1, 0), angle);
    Vec3 arm = quat_rotate(q, vec3(0.5 * motor->length, 0, 0)), ahead = vec3_cross(vec3(0, 1, 0), arm);
    Vec3 a = vec3_add_scaled(vec3_scale(faster, ahead), -w * w, arm);
    truth_set_pose(truth, 1, (Pose){arm, q});
    truth_set_force(truth, 0, vec3_scale(world->mass[1].mass, vec3_sub(a, world->gravity)));
}

/* A torque motor has held its torque if the arm's energy is the motor's work. */
static bool motor_settled(const Problem *problem, const World *world)
{
    const Motor *motor = problem->data;
    double w = world->velocity[1].w.y;
    if (motor->mode == MOTOR_SPEED)
        return fabs(w - motor->speed) <= DRIVE_SPEED_MAX * fmax(1.0, fabs(motor->speed));
    double energy = 0.5 * motor->inertia * w * w;
    return fabs(world->actuator_work - energy) <= 2.0 * DRIVE_SPEED_MAX * energy;
}

static Motor motor_of(const MotorParams *p, const Mass *mass)
{
    double arm = 0.5 * p->length;
    Motor motor = {.mode = p->mode, .length = p->length, .speed = p->speed};
    motor.inertia = mass->inertia.y + mass->mass * arm * arm;
    if (p->mode == MOTOR_TORQUE) {
        motor.acceleration = p->torque / motor.inertia;
        motor.ramp = INFINITY;
    } else if (p->from_rest) {
        motor.acceleration = copysign(p->max_torque, p->speed) / motor.inertia;
        motor.ramp = p->speed / motor.acceleration;
    }
    return motor;
}

static bool motor_build(Problem *problem, const void *params, Status *status)
{
    const MotorParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    bool turning = p->mode == MOTOR_SPEED && !p->from_rest;
    BodyDef arm = part_box(p->length, p->thickness, p->thickness, p->density);
    part_place(&arm, part_rod_pose(VEC3_ZERO, p->length, 0.0));
    if (turning) {
        arm.angular_velocity = vec3(0, p->speed, 0);
        arm.velocity = vec3_cross(arm.angular_velocity, arm.position);
    }
    JointDef drive = part_joint_at(JOINT_MOTOR, 0, 1, VEC3_ZERO, vec3(0, 1, 0));
    if (p->mode == MOTOR_TORQUE) {
        drive.torque = p->torque;
    } else {
        drive.speed = p->speed;
        drive.max_torque = p->max_torque;
    }
    if (part_add_body(world, &arm, "arm", 0, status) < 0 || part_add_joint(world, &drive, "motor", 0, status) < 0)
        return false;
    Motor motor = motor_of(p, &world->mass[1]);
    problem->time = p->mode == MOTOR_TORQUE ? 3.0 : fmax(3.0, ceil(motor.ramp) + 2.0);
    problem->conserves = CONSERVES_ENERGY;
    problem->truth = motor_truth;
    problem->settled = motor_settled;
    problem->settled_time = problem->time;
    /* Nothing falls: the scale is the energy that the motor gives the arm. */
    double w = p->mode == MOTOR_TORQUE ? motor.acceleration * problem->time : p->speed;
    problem_set_energy_scale(problem, 0.5 * motor.inertia * w * w);
    return part_keep(problem, &motor, sizeof motor, status);
}

const Scene motor_scene = {
    .name = "motor",
    .question = "Does a motor hold its speed, or its torque?",
    .about =
        "A rod `arm` along +x from the world's origin turns about the vertical, so gravity does no work.\n"
        "mode=speed: it turns at the speed from the beginning, angle = speed t; with from_rest=true it first "
        "accelerates with max_torque / I. mode=torque: it starts at rest, angle = torque t^2 / (2 I). Pose and joint "
        "force are known at all times, and the arm's energy is the motor's work.\n"
        "settled: the speed is held within 1 percent; with a torque, the energy is the work within 2 percent.",
    .lectures = "000, 004",
    SCENE_PARAMS(MOTOR_SETTINGS, MotorParams),
    .build = motor_build,
};

enum { CYLINDER_FORCE, CYLINDER_TARGET };
static const char *const CYLINDER_MODES[] = {"force", "target", NULL};

typedef struct CylinderParams {
    int mode;
    double force, target, tilt, spin, length, thickness, density, gravity;
} CylinderParams;

static const Setting CYLINDER_SETTINGS[] = {
    PARAM_CHOICE(CylinderParams, mode, "what the cylinder holds", CYLINDER_FORCE, CYLINDER_TARGET, CYLINDER_MODES),
    PARAM_REAL(CylinderParams, force, "along the axis, with mode=force (N)", 10, -1e9, 1e9),
    PARAM_REAL(CylinderParams, target, "from where the piston starts, with mode=target (m)", 0, -1e6, 1e6),
    PARAM_ANGLE(CylinderParams, tilt, "of the axis above the horizontal", 0, -PI / 2, PI / 2),
    PARAM_REAL(CylinderParams, spin, "of the piston about the axis (rad/s)", 2, -1e3, 1e3),
    PARAM_REAL(CylinderParams, length, "of the piston (m)", 0.4, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(CylinderParams, thickness, "of the piston (m)", 0.2, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(CylinderParams, density, "of the piston (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_GRAVITY(CylinderParams),
};

static double cylinder_acceleration(const CylinderParams *p, double mass)
{
    return p->mode == CYLINDER_FORCE ? p->force / mass - p->gravity * sin(p->tilt) : 0.0;
}

static Quat cylinder_tilt(const CylinderParams *p)
{
    return quat_axis_angle(vec3(0, 0, 1), p->tilt);
}

/* The joint gives what gravity does not: f = m a - m g. */
static void cylinder_truth(const Problem *problem, double t, Truth *truth)
{
    const CylinderParams *p = problem->data;
    const World *world = problem->world;
    double mass = world->mass[1].mass, a = cylinder_acceleration(p, mass);
    Quat tilt = cylinder_tilt(p);
    Vec3 axis = quat_rotate(tilt, vec3(1, 0, 0));
    Quat turned = quat_mul(tilt, quat_axis_angle(vec3(1, 0, 0), p->spin * t));
    truth_set_pose(truth, 1, (Pose){vec3_scale(0.5 * a * t * t, axis), turned});
    truth_set_force(truth, 0, vec3_scale(mass, vec3_add_scaled(vec3_negate(world->gravity), a, axis)));
}

/* Uniform acceleration from rest: v^2 = 2 a s. */
static bool cylinder_settled(const Problem *problem, const World *world)
{
    const CylinderParams *p = problem->data;
    double s = joint_position(world, &world->joints[0]);
    if (p->mode == CYLINDER_TARGET)
        return fabs(s - p->target) <= DRIVE_TARGET_MAX * world->length_scale;
    double v = vec3_dot(world->velocity[1].v, quat_rotate(cylinder_tilt(p), vec3(1, 0, 0)));
    return fabs(v * v - 2.0 * cylinder_acceleration(p, world->mass[1].mass) * s) <= 2.0 * DRIVE_SPEED_MAX * v * v;
}

static bool cylinder_build(Problem *problem, const void *params, Status *status)
{
    const CylinderParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    BodyDef piston = part_box(p->length, p->thickness, p->thickness, p->density);
    piston.orientation = cylinder_tilt(p);
    Vec3 axis = quat_rotate(piston.orientation, vec3(1, 0, 0));
    piston.angular_velocity = vec3_scale(p->spin, axis);
    JointDef cylinder = part_joint_at(JOINT_CYLINDER, 0, 1, VEC3_ZERO, axis);
    if (p->mode == CYLINDER_FORCE)
        cylinder.force = p->force;
    else
        cylinder.target = p->target;
    if (part_add_body(world, &piston, "piston", 0, status) < 0 ||
        part_add_joint(world, &cylinder, "cylinder", 0, status) < 0)
        return false;
    bool jumps = p->mode == CYLINDER_TARGET && p->target != 0.0;
    double mass = world->mass[1].mass, way = 0.5 * cylinder_acceleration(p, mass);
    problem->time = 3.0;
    problem->conserves = jumps ? 0 : CONSERVES_ENERGY;
    problem->truth = jumps ? NULL : cylinder_truth;
    problem->settled = cylinder_settled;
    problem->settled_time = problem->time;
    way *= problem->time * problem->time;
    /* The work on the piston over the run; where there is none, a fall by its own length. */
    problem_set_scales(problem, p->length);
    if (p->mode == CYLINDER_FORCE)
        problem_set_energy_scale(problem, problem->energy_scale + fabs(p->force * way));
    return part_keep(problem, p, sizeof *p, status);
}

const Scene cylinder_scene = {
    .name = "cylinder",
    .question = "Does a cylinder push with its force, or hold its target, and leave rotation free?",
    .about = "A box `piston` on a cylinder joint from the world's origin along +x, raised by `tilt`, turning freely "
             "about the axis with `spin`.\n"
             "mode=force: it accelerates with force/m - g sin(tilt). mode=target: it is held at the target, against "
             "gravity if tilted. Pose and joint force (actuator included) are known at all times, unless the target "
             "is not where the piston starts: then only that it arrives.\n"
             "settled: v^2 = 2 a s within 2 percent; or it stands within 1 mm of the target. Energy is measured "
             "against a fall by its length and the work of the force.",
    .lectures = "000",
    SCENE_PARAMS(CYLINDER_SETTINGS, CylinderParams),
    .build = cylinder_build,
};
