/* SPDX-License-Identifier: MIT */
/* Joints as lists of building blocks, after the joint lecture (000): the table JOINT_BLOCKS. RestrictToAxis of the
 * lecture is Guide + Slide: two blocks, since compliance softens only one of them. */
#include "model/joint.h"

#include "model/joint/build.h"

#include <stddef.h>

/* A normal this close to the axis (sine), or none, tells no direction round it: any will do. */
#define NORMAL_MIN_SINE 1e-9

const char *const joint_type_names[JOINT_TYPES] = {"fixed",     "distance", "ball", "hinge",  "servo", "motor",
                                                   "prismatic", "cylinder", "wire", "volume", "series"};

JointDef joint_def(JointType type, int body1, int body2)
{
    return (JointDef){
        .type = type,
        .body = {body1, body2, -1, -1},
        .stiffness = NAN,
        .rest = NAN,
        .swing_max = NAN,
        .twist_min = NAN,
        .twist_max = NAN,
        .turn_max = NAN,
        .angle_min = NAN,
        .angle_max = NAN,
        .position_min = NAN,
        .position_max = NAN,
        .target = NAN,
        .speed = NAN,
        .torque = NAN,
        .force = NAN,
        .max_torque = NAN,
        .angle = NAN,
        .radius = NAN,
    };
}

static bool given(double x)
{
    return !isnan(x);
}

static double given_or(double x, double otherwise)
{
    return isnan(x) ? otherwise : x;
}

/* A direction or point of a definition in body b's internal frame. */
static Vec3 internal_direction(const World *world, int b, Vec3 direction)
{
    return quat_rotate_inverse(world->pose[b].q, direction);
}

static Vec3 internal_point(const World *world, int b, Vec3 point)
{
    return quat_rotate_inverse(world->pose[b].q, vec3_sub(point, world->pose[b].x));
}

/* The same of a point in the frame of a body as it is listed. */
static Vec3 listed_point(const World *world, int listed, Vec3 point)
{
    const Pose *seat = &world->ride[listed].seat;
    if (!world_rides(world, listed) && world->ride[listed].root == listed)
        return quat_rotate_inverse(world->principal[listed], point);
    return vec3_add(seat->x, quat_rotate(seat->q, point));
}

static void joint_place_anchors(const World *world, Joint *joint)
{
    const JointDef *def = &joint->def;
    for (int i = 0; i < 2; i++) {
        int b = def->body[i];
        if (def->local_anchors)
            joint->anchor[i] = listed_point(world, joint->listed_body[i], def->anchor[i]);
        else
            joint->anchor[i] = internal_point(world, b, def->anchor[0]);
    }
    /* A wire's first anchor is the circle's centre. */
    if (def->type == JOINT_WIRE)
        joint->anchor[0] = internal_point(world, def->body[0], def->centre);
    Vec3 axis = vec3_is_zero(def->axis) ? vec3(1, 0, 0) : vec3_unit(def->axis);
    for (int i = 0; i < 2; i++)
        joint->axis[i] = internal_direction(world, def->body[i], axis);
}

/* Turns count from where the start says: the block's zero is so much behind. */
static void joint_start_block(const World *world, const Joint *joint, JointTerms *terms)
{
    Quat start = joint_start_turn(world, joint), placed = terms->placed;
    terms->placed = quat_mul(quat_conj(start), placed);
    for (int i = 0; i < joint->coordinate_count; i++)
        if (joint->coordinates[i].turns && joint->coordinates[i].law)
            terms->angle = joint->coordinates[i].law->start;
    if (joint->def.type == JOINT_BALL)
        terms->axis[1] = quat_rotate_inverse(placed, quat_rotate(start, joint->axis[0]));
}

JointTerms *joint_block(World *world, const Joint *joint, int index, BlockKind kind)
{
    Block *block = world_add_block(world);
    if (!block)
        return NULL;
    const JointDef *def = &joint->def;
    JointTerms *terms = joint_terms(block);
    block->kind = kind;
    block->joint = index;
    for (int i = 0; i < 4; i++)
        block->body[i] = def->body[i];
    for (int i = 0; i < 2; i++) {
        terms->seat.anchor[i] = joint->anchor[i];
        terms->axis[i] = joint->axis[i];
    }
    Vec3 a = joint->axis[0];
    Vec3 b = internal_direction(world, def->body[0], def->normal);
    b = vec3_add_scaled(b, -vec3_dot(a, b), a);
    Vec3 *normal = terms->seat.normal;
    normal[0] = vec3_norm(b) > NORMAL_MIN_SINE * vec3_norm(def->normal) ? vec3_unit(b) : vec3_any_normal(a);
    normal[1] = vec3_cross(a, normal[0]);
    terms->stiffness = NAN;
    terms->placed = quat_mul(quat_conj(world->pose[def->body[0]].q), world->pose[def->body[1]].q);
    if (joint->law_rows)
        joint_start_block(world, joint, terms);
    return terms;
}

/* The blocks below set what differs from a plain one. False: out of memory. */
JointTerms *joint_add_range(World *world, const Joint *joint, int index, BlockKind kind, double lower, double upper)
{
    JointTerms *terms = joint_block(world, joint, index, kind);
    if (terms) {
        terms->lower = lower;
        terms->upper = upper;
        terms->compliance = block_unit(kind) == UNIT_ANGLE ? joint->def.angular_compliance : 0.0;
    }
    return terms;
}

static bool add_soft_angle(World *world, const Joint *joint, int index, BlockKind kind)
{
    JointTerms *terms = joint_block(world, joint, index, kind);
    if (terms)
        terms->compliance = joint->def.angular_compliance;
    return terms;
}

static bool add_soft(World *world, const Joint *joint, int index, BlockKind kind)
{
    JointTerms *terms = joint_block(world, joint, index, kind);
    if (terms) {
        terms->compliance = joint->def.compliance;
        terms->stiffness = joint->def.stiffness;
    }
    return terms;
}

/* A limit block unless both ends are open. */
static bool add_limit(World *world, const Joint *joint, int index, BlockKind kind, double min, double max)
{
    double lower = given_or(min, -INFINITY), upper = given_or(max, INFINITY);
    return (isinf(lower) && isinf(upper)) || joint_add_range(world, joint, index, kind, lower, upper);
}

static bool add_attach(World *world, const Joint *joint, int index)
{
    return joint_block(world, joint, index, BLOCK_ATTACH);
}

static bool add_soft_attach(World *world, const Joint *joint, int index)
{
    return add_soft(world, joint, index, BLOCK_ATTACH);
}

static bool add_orient(World *world, const Joint *joint, int index)
{
    return add_soft_angle(world, joint, index, BLOCK_ORIENT);
}

static bool add_align(World *world, const Joint *joint, int index)
{
    return add_soft_angle(world, joint, index, BLOCK_ALIGN);
}

static bool add_guide(World *world, const Joint *joint, int index)
{
    return joint_block(world, joint, index, BLOCK_GUIDE);
}

static bool add_soft_guide(World *world, const Joint *joint, int index)
{
    return add_soft(world, joint, index, BLOCK_GUIDE);
}

static bool add_swing_limit(World *world, const Joint *joint, int index)
{
    double most = joint->def.swing_max;
    return !given(most) || joint_add_range(world, joint, index, BLOCK_SWING, 0.0, most);
}

static bool add_twist_limit(World *world, const Joint *joint, int index)
{
    return add_limit(world, joint, index, BLOCK_TWIST, joint->def.twist_min, joint->def.twist_max);
}

static bool add_turn_limit(World *world, const Joint *joint, int index)
{
    double most = joint->def.turn_max;
    return !given(most) || joint_add_range(world, joint, index, BLOCK_TURN, 0.0, most);
}

static bool add_angle_limit(World *world, const Joint *joint, int index)
{
    return add_limit(world, joint, index, BLOCK_TWIST, joint->def.angle_min, joint->def.angle_max);
}

/* A slide does not twist unless the scene asks for it. */
static bool add_slide_angle(World *world, const Joint *joint, int index)
{
    return add_limit(world, joint, index, BLOCK_TWIST, given_or(joint->def.angle_min, 0.0),
                     given_or(joint->def.angle_max, 0.0));
}

static bool add_held_angle(World *world, const Joint *joint, int index)
{
    return add_limit(world, joint, index, BLOCK_TWIST, joint->def.angle, joint->def.angle);
}

static bool add_slide_limit(World *world, const Joint *joint, int index)
{
    return add_limit(world, joint, index, BLOCK_SLIDE, joint->def.position_min, joint->def.position_max);
}

static bool add_distance(World *world, const Joint *joint, int index)
{
    const JointDef *def = &joint->def;
    double rest = def->rest;
    if (!given(rest))
        rest = vec3_norm(vec3_sub(world_point(world, def->body[1], joint->anchor[1]),
                                  world_point(world, def->body[0], joint->anchor[0])));
    /* |p2 - p1| has no gradient at zero: a length of zero is an attachment. */
    if (rest == 0.0)
        return add_soft(world, joint, index, BLOCK_ATTACH);
    JointTerms *terms = joint_block(world, joint, index, BLOCK_DISTANCE);
    if (!terms)
        return false;
    terms->compliance = def->compliance;
    terms->stiffness = def->stiffness;
    terms->seat.rest = rest;
    terms->one_sided = def->one_sided;
    return true;
}

/* A torque motor is an actuator and has no row. */
static bool add_drive(World *world, const Joint *joint, int index)
{
    const JointDef *def = &joint->def;
    if (def->type == JOINT_MOTOR && !given(def->speed))
        return true;
    double target = given_or(def->target, 0.0);
    JointTerms *terms = joint_add_range(world, joint, index, BLOCK_TWIST, target, target);
    if (!terms)
        return false;
    terms->max_force = given_or(def->max_torque, INFINITY);
    terms->driven = def->type == JOINT_MOTOR;
    terms->speed = given_or(def->speed, 0.0);
    /* What is driven stays rigid; a servo is a spring if the scene asks for it, in either way. */
    terms->compliance = def->type == JOINT_SERVO ? fmax(def->compliance, def->angular_compliance) : 0.0;
    terms->stiffness = def->type == JOINT_SERVO ? def->stiffness : NAN;
    terms->actuator = terms->compliance == 0.0;
    return true;
}

static bool add_slide_target(World *world, const Joint *joint, int index)
{
    if (!given(joint->def.target))
        return true;
    JointTerms *terms = joint_add_range(world, joint, index, BLOCK_SLIDE, joint->def.target, joint->def.target);
    if (!terms)
        return false;
    terms->compliance = joint->def.compliance;
    terms->stiffness = joint->def.stiffness;
    terms->actuator = terms->compliance == 0.0;
    return true;
}

static bool add_wire(World *world, const Joint *joint, int index)
{
    JointTerms *terms = joint_block(world, joint, index, BLOCK_WIRE);
    if (!terms)
        return false;
    terms->compliance = joint->def.compliance;
    terms->stiffness = joint->def.stiffness;
    terms->seat.rest = joint->def.radius;
    return true;
}

static bool add_volume(World *world, const Joint *joint, int index)
{
    JointTerms *terms = joint_block(world, joint, index, BLOCK_VOLUME);
    if (!terms)
        return false;
    Vec3 gradient[4];
    terms->compliance = joint->def.compliance;
    terms->stiffness = joint->def.stiffness;
    terms->seat.rest = given(joint->def.rest) ? 6.0 * joint->def.rest
                                              : block_volume(world, &world->blocks[world->block_count - 1], gradient);
    return true;
}

enum { JOINT_MAX_BLOCKS = 5 };

/* Which blocks make a joint, in the order in which they are solved. A block that nothing asks for (an open limit, a
 * drive without target) is left out. */
static bool (*const JOINT_BLOCKS[JOINT_TYPES][JOINT_MAX_BLOCKS])(World *world, const Joint *joint, int index) = {
    [JOINT_FIXED] = {add_soft_attach, add_orient},
    [JOINT_DISTANCE] = {add_distance},
    [JOINT_BALL] = {add_soft_attach, add_swing_limit, add_twist_limit, add_turn_limit, joint_add_laws},
    [JOINT_HINGE] = {add_soft_attach, add_align, add_angle_limit, joint_add_laws},
    [JOINT_SERVO] = {add_attach, add_align, add_drive},
    [JOINT_MOTOR] = {add_soft_attach, add_align, add_drive},
    [JOINT_PRISMATIC] = {add_soft_guide, add_align, add_slide_limit, add_slide_angle, joint_add_laws},
    [JOINT_CYLINDER] = {add_guide, add_align, add_slide_target, add_held_angle, joint_add_laws},
    [JOINT_WIRE] = {add_wire},
    [JOINT_VOLUME] = {add_volume},
    [JOINT_SERIES] = {joint_add_series, joint_add_laws},
};

bool joint_add_blocks(World *world, Joint *joint, int index, Status *status)
{
    joint_place_anchors(world, joint);
    if (!joint_make_coordinates(world, joint))
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; i < JOINT_MAX_BLOCKS && JOINT_BLOCKS[joint->def.type][i]; i++)
        if (!JOINT_BLOCKS[joint->def.type][i](world, joint, index))
            return status_set(status, STATUS_FAILED, "out of memory");
    for (int b = joint->first_block; b < world->block_count; b++) {
        const JointTerms *terms = block_terms(&world->blocks[b]);
        if (!(terms->lower <= terms->upper))
            return status_set(status, STATUS_FAILED, "joint %s: the range %g .. %g is empty", joint->def.name,
                              terms->lower, terms->upper);
    }
    return true;
}

static Vec3 joint_axis(const World *world, const Joint *joint)
{
    return quat_rotate(world->pose[joint->def.body[0]].q, joint->axis[0]);
}

bool joint_has_actuator(const Joint *joint)
{
    return !joint->off && (given(joint->def.force) || given(joint->def.torque) || joint_is_pushed(joint));
}

void joint_actuation(const World *world, const Joint *joint, Vec3 *force, Vec3 *torque)
{
    Vec3 a = joint->off ? VEC3_ZERO : joint_axis(world, joint);
    *force = vec3_scale(given_or(joint->def.force, 0.0), a);
    *torque = vec3_scale(given_or(joint->def.torque, 0.0), a);
    for (int i = 0; i < joint->coordinate_count && !joint->off; i++) {
        const JointCoordinate *coordinate = &joint->coordinates[i];
        Vec3 *push = coordinate->turns ? torque : force;
        *push =
            vec3_add_scaled(*push, coordinate->push, quat_rotate(world->pose[joint->def.body[0]].q, coordinate->axis));
    }
}

/* Which motions a type leaves free, and so damps. The soft point of a ball or wire, and a distance's line, are damped
 * too: that is where a compliant joint moves. */
static const struct {
    DampingForm linear, angular;
} FREE[JOINT_TYPES] = {
    [JOINT_FIXED] = {DAMPING_NONE, DAMPING_NONE},     [JOINT_DISTANCE] = {DAMPING_AXIS, DAMPING_VECTOR},
    [JOINT_BALL] = {DAMPING_VECTOR, DAMPING_VECTOR},  [JOINT_HINGE] = {DAMPING_VECTOR, DAMPING_AXIS},
    [JOINT_SERVO] = {DAMPING_NONE, DAMPING_AXIS},     [JOINT_MOTOR] = {DAMPING_VECTOR, DAMPING_AXIS},
    [JOINT_PRISMATIC] = {DAMPING_AXIS, DAMPING_AXIS}, [JOINT_CYLINDER] = {DAMPING_AXIS, DAMPING_AXIS},
    [JOINT_WIRE] = {DAMPING_AXIS, DAMPING_VECTOR},    [JOINT_VOLUME] = {DAMPING_NONE, DAMPING_NONE},
    [JOINT_SERIES] = {DAMPING_NONE, DAMPING_NONE},
};

/* The tangent of a wire's circle, or the line of a distance; zero where it is undefined. */
static Vec3 damping_line(const World *world, const Joint *joint, Vec3 d)
{
    Vec3 a = joint_axis(world, joint);
    Vec3 line = joint->def.type == JOINT_DISTANCE ? d : joint->def.type == JOINT_WIRE ? vec3_cross(a, d) : a;
    double length = vec3_norm(line);
    return length > 0.0 ? vec3_scale(1.0 / length, line) : VEC3_ZERO;
}

void joint_damping(const World *world, const Joint *joint, JointDamping *damping)
{
    const JointDef *def = &joint->def;
    int one = def->body[0], two = def->body[1];
    *damping = (JointDamping){.linear_rate = def->damping, .angular_rate = def->angular_damping};
    damping->linear = def->damping > 0.0 && !joint->off ? FREE[def->type].linear : DAMPING_NONE;
    damping->angular = def->angular_damping > 0.0 && !joint->off ? FREE[def->type].angular : DAMPING_NONE;
    /* The relative velocity of anchors that a rigid attachment holds together is the solver's error, not a motion. */
    if (damping->linear == DAMPING_VECTOR && def->compliance == 0.0)
        damping->linear = DAMPING_NONE;
    damping->angular_axis = joint_axis(world, joint);
    if (damping->linear == DAMPING_NONE)
        return;
    damping->arm1 = quat_rotate(world->pose[one].q, joint->anchor[0]);
    damping->arm2 = quat_rotate(world->pose[two].q, joint->anchor[1]);
    Vec3 d = vec3_sub(vec3_add(world->pose[two].x, damping->arm2), vec3_add(world->pose[one].x, damping->arm1));
    damping->axis = damping_line(world, joint, d);
    /* Along an axis of body 1 the force pair acts on one line, through p2. */
    if (damping->linear == DAMPING_AXIS && def->type != JOINT_DISTANCE)
        damping->arm1 = vec3_add(damping->arm1, d);
}

/* Twist and align blocks remember whole turns; without one the angle is within +-pi. */
double joint_angle(const World *world, const Joint *joint)
{
    const Block *block = &world->blocks[joint->first_block];
    for (int b = 0; b < joint->block_count; b++)
        if (block[b].kind == BLOCK_TWIST || block[b].kind == BLOCK_ALIGN)
            return block_twist(world, &block[b]);
    return block_twist(world, block);
}

double joint_position(const World *world, const Joint *joint)
{
    Vec3 p1 = world_point(world, joint->def.body[0], joint->anchor[0]);
    Vec3 p2 = world_point(world, joint->def.body[1], joint->anchor[1]);
    return vec3_dot(joint_axis(world, joint), vec3_sub(p2, p1));
}
