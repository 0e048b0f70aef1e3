/* SPDX-License-Identifier: MIT */
/* Chipmunk 7, in the x-y plane. A body's angle turns its first orientation about z; its moment is the principal one
 * along z, given as it is. Chipmunk multiplies friction and restitution: both are set for each pair as the scene has
 * them. */
#include "solvers/engines/bridge.h"

#include <chipmunk/chipmunk.h>
#include <chipmunk/chipmunk_structs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* m; a plane is a slab of this half width and depth. */
static const double SLAB = 1e3;

static struct {
    cpSpace *space;
    cpBody **bodies;
    cpShape **shapes;
    cpConstraint *(*joints)[2]; /* up to two for each of ours */
    cpConstraint **motors;
    double *sign; /* of a joint's axis along z, by joint */
    int *rail;    /* which of a slide's bodies has the groove, by joint */
    Quat *first;  /* orientation at angle zero */
    Vec3 *force, *torque;
    Bridge *bridge;
} chip;

static int index_of(const cpShape *shape)
{
    return (int)(intptr_t)cpShapeGetUserData(shape);
}

static cpVect flat(Vec3 a)
{
    return cpv(a.x, a.y);
}

/* A point of the body's frame, in the plane, about the centre. */
static cpVect flat_local(const BridgeBody *body, Vec3 local)
{
    return flat(quat_rotate(body->q, local));
}

static cpShape *chip_polygon(cpBody *body, const BridgeBody *from, const Vec3 *points, int count)
{
    cpVect *corners = malloc(sizeof *corners * (size_t)count);
    for (int i = 0; i < count; i++)
        corners[i] = flat_local(from, quat_rotate(from->turn, points[i]));
    cpShape *shape = cpPolyShapeNew(body, count, corners, cpTransformIdentity, 0.0);
    free(corners);
    return shape;
}

static cpShape *chip_box(cpBody *body, const BridgeBody *from, Vec3 size)
{
    Vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = vec3((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z);
    return chip_polygon(body, from, corners, 8);
}

static cpShape *chip_plane(Bridge *bridge, cpBody *body, const BridgeBody *from)
{
    Vec3 n = quat_rotate(from->q, from->normal);
    if (fabs(n.z) > 1e-9)
        bridge_refuse(bridge, "planes that are not along z");
    cpVect normal = flat(n), along = cpvperp(normal), top = cpvmult(normal, from->offset);
    cpVect low = cpvsub(top, cpvmult(normal, SLAB)), side = cpvmult(along, SLAB);
    cpVect corners[4] = {cpvadd(top, side), cpvsub(top, side), cpvsub(low, side), cpvadd(low, side)};
    return cpPolyShapeNew(body, 4, corners, cpTransformIdentity, 0.0);
}

static cpShape *chip_round(cpBody *body, const BridgeBody *from)
{
    cpVect end = flat_local(from, quat_rotate(from->turn, vec3(0, 0.5 * from->length, 0)));
    bool upright = cpvlength(end) < 1e-9 * from->length; /* its axis along z: a disc */
    if (from->shape == BRIDGE_CAPSULE && !upright)
        return cpSegmentShapeNew(body, end, cpvneg(end), from->radius);
    if (from->shape == BRIDGE_CYLINDER && !upright)
        return chip_box(body, from, vec3(2 * from->radius, from->length, 2 * from->radius));
    return cpCircleShapeNew(body, from->radius, cpvzero);
}

static void chip_add_shape(Bridge *bridge, int index)
{
    const BridgeBody *from = &bridge->bodies[index];
    cpBody *body = chip.bodies[index];
    cpShape *shape = from->shape == BRIDGE_PLANE  ? chip_plane(bridge, body, from)
                     : from->shape == BRIDGE_BOX  ? chip_box(body, from, from->size)
                     : from->shape == BRIDGE_HULL ? chip_polygon(body, from, from->points, from->point_count)
                                                  : chip_round(body, from);
    cpShapeSetUserData(shape, (void *)(intptr_t)index);
    chip.shapes[index] = cpSpaceAddShape(chip.space, shape);
}

static void chip_add_body(Bridge *bridge, int index)
{
    const BridgeBody *from = &bridge->bodies[index];
    Vec3 along = quat_rotate_inverse(from->q, vec3(0, 0, 1));
    double moment = vec3_dot(from->inertia, vec3_mul(along, along));
    cpBody *body = from->fixed ? cpBodyNewStatic() : cpBodyNew(from->mass, moment > 0.0 ? moment : INFINITY);
    cpBodySetPosition(body, flat(from->x));
    cpBodySetUserData(body, (void *)(intptr_t)index);
    if (!from->fixed) {
        cpBodySetVelocity(body, flat(from->v));
        cpBodySetAngularVelocity(body, from->w.z);
    }
    chip.first[index] = from->q;
    chip.bodies[index] = cpSpaceAddBody(chip.space, body);
}

static void chip_refuse_joint(Bridge *bridge, const BridgeJoint *joint)
{
    if (joint->compliance > 0.0 && joint->type != BRIDGE_DISTANCE && joint->type != BRIDGE_SERVO)
        bridge_refuse(bridge, "compliance in %s joints", bridge_joint_name(joint));
    if (joint->compliance > 0.0 && joint->one_sided)
        bridge_refuse(bridge, "soft ropes");
    if (joint->compliance > 0.0 && bridge_given(joint->max_torque))
        bridge_refuse(bridge, "a soft servo with a bound");
    if (joint->type == BRIDGE_SLIDER && bridge_given(joint->target))
        bridge_refuse(bridge, "cylinder joints with a target");
    bool held = !(joint->angle_min != 0.0) && !(joint->angle_max != 0.0);
    if (joint->type == BRIDGE_PRISMATIC && bridge_given(joint->angle_min) && !held)
        bridge_refuse(bridge, "twist of a prismatic joint");
}

/* A slide is a groove with ends, and a gear that keeps the angle. Chipmunk's groove holds its line only where the point
 * on it has no lever: since nothing turns, any point of the slide will do, and the moving body's centre is taken. */
static void chip_slide(Bridge *bridge, int index, Vec3 axis)
{
    const BridgeJoint *joint = &bridge->joints[index];
    int rail = bridge->bodies[joint->body[1]].fixed ? 1 : 0, slider = 1 - rail;
    const BridgeBody *on = &bridge->bodies[joint->body[rail]], *moving = &bridge->bodies[joint->body[slider]];
    double ends[2] = {bridge_given(joint->position_min) ? joint->position_min : -SLAB,
                      bridge_given(joint->position_max) ? joint->position_max : SLAB};
    double along = vec3_dot(axis, vec3_sub(bridge_anchor(bridge, joint, 1), bridge_anchor(bridge, joint, 0)));
    /* Where the slider's centre is now, and so where it is at the ends: against the axis if our second is the rail. */
    cpVect start = flat(vec3_sub(moving->x, on->x)), way = cpvmult(flat(axis), rail == 0 ? 1.0 : -1.0);
    cpBody *first = chip.bodies[joint->body[rail]], *second = chip.bodies[joint->body[slider]];
    chip.joints[index][0] = cpGrooveJointNew(first, second, cpvadd(start, cpvmult(way, ends[0] - along)),
                                             cpvadd(start, cpvmult(way, ends[1] - along)), cpvzero);
    chip.joints[index][1] = cpGearJointNew(first, second, 0.0, 1.0);
    chip.rail[index] = rail;
    if (!on->fixed)
        bridge_approximate(bridge, "a slide between moving bodies leaves its line: the engine's groove has a lever");
}

static void chip_turn(const BridgeJoint *joint, cpBody *one, cpBody *two, double sign, cpConstraint **limit,
                      cpConstraint **motor)
{
    double low = bridge_given(joint->angle_min) ? joint->angle_min : -INFINITY;
    double high = bridge_given(joint->angle_max) ? joint->angle_max : INFINITY;
    if (joint->type == BRIDGE_HINGE && (isfinite(low) || isfinite(high)))
        *limit = cpRotaryLimitJointNew(one, two, sign > 0 ? low : -high, sign > 0 ? high : -low);
    if (joint->type == BRIDGE_SERVO && joint->compliance > 0.0)
        *limit = cpDampedRotarySpringNew(one, two, -sign * joint->target, 1.0 / joint->compliance, 0.0);
    else if (bridge_given(joint->target))
        *motor = cpGearJointNew(one, two, sign * joint->target, 1.0);
    else if (bridge_given(joint->speed))
        *motor = cpSimpleMotorNew(one, two, -sign * joint->speed);
    if (*motor && bridge_given(joint->max_torque))
        cpConstraintSetMaxForce(*motor, joint->max_torque);
}

static void chip_add_joint(Bridge *bridge, int index)
{
    const BridgeJoint *joint = &bridge->joints[index];
    const BridgeBody *from1 = &bridge->bodies[joint->body[0]], *from2 = &bridge->bodies[joint->body[1]];
    cpBody *one = chip.bodies[joint->body[0]], *two = chip.bodies[joint->body[1]];
    cpVect p1 = flat_local(from1, joint->anchor[0]), p2 = flat_local(from2, joint->anchor[1]);
    Vec3 axis = bridge_axis(bridge, joint, 0);
    cpConstraint **made = chip.joints[index];
    chip_refuse_joint(bridge, joint);
    chip.sign[index] = axis.z < 0.0 ? -1.0 : 1.0;
    if (joint->type == BRIDGE_DISTANCE && joint->compliance > 0.0)
        made[0] = cpDampedSpringNew(one, two, p1, p2, joint->rest, 1.0 / joint->compliance, 0.0);
    else if (joint->type == BRIDGE_DISTANCE && joint->one_sided)
        made[0] = cpSlideJointNew(one, two, p1, p2, 0.0, joint->rest);
    else if (joint->type == BRIDGE_DISTANCE) {
        made[0] = cpPinJointNew(one, two, p1, p2);
        cpPinJointSetDist(made[0], joint->rest);
    } else if (joint->type == BRIDGE_PRISMATIC || joint->type == BRIDGE_SLIDER)
        chip_slide(bridge, index, axis);
    else
        made[0] = cpPivotJointNew2(one, two, p1, p2);
    if (joint->type == BRIDGE_FIXED)
        made[1] = cpGearJointNew(one, two, 0.0, 1.0);
    chip_turn(joint, one, two, chip.sign[index], &made[1], &chip.motors[index]);
    cpConstraint *all[3] = {made[0], made[1], chip.motors[index]};
    for (int k = 0; k < 3; k++)
        if (all[k]) {
            cpConstraintSetErrorBias(all[k], bridge_option(bridge, "joint_bias"));
            cpSpaceAddConstraint(chip.space, all[k]);
        }
    if (chip.motors[index] && bridge_given(joint->target))
        bridge_approximate(bridge, "a servo comes to its target as a joint's error vanishes, by joint_bias");
}

static cpBool chip_begin(cpArbiter *arbiter, cpSpace *space, cpDataPointer data)
{
    (void)space;
    (void)data;
    CP_ARBITER_GET_SHAPES(arbiter, one, two);
    return bridge_may_touch(chip.bridge, index_of(one), index_of(two));
}

static cpBool chip_before(cpArbiter *arbiter, cpSpace *space, cpDataPointer data)
{
    (void)space;
    (void)data;
    CP_ARBITER_GET_SHAPES(arbiter, one, two);
    cpArbiterSetFriction(arbiter, bridge_friction(chip.bridge, index_of(one), index_of(two)));
    cpArbiterSetRestitution(arbiter, bridge_restitution(chip.bridge, index_of(one), index_of(two)));
    return cpTrue;
}

static void chip_after(cpArbiter *arbiter, cpSpace *space, cpDataPointer data)
{
    (void)space;
    (void)data;
    CP_ARBITER_GET_SHAPES(arbiter, one, two);
    cpVect impulse = cpArbiterTotalImpulse(arbiter); /* on the first */
    bridge_add_contact(chip.bridge, index_of(two), index_of(one), vec3(impulse.x, impulse.y, 0));
}

static void chip_make_space(Bridge *bridge)
{
    chip.space = cpSpaceNew();
    cpSpaceSetIterations(chip.space, (int)bridge_option(bridge, "iterations"));
    cpSpaceSetGravity(chip.space, flat(bridge->gravity));
    cpSpaceSetCollisionSlop(chip.space, bridge_option(bridge, "slop"));
    cpSpaceSetCollisionBias(chip.space, bridge_option(bridge, "bias"));
    cpCollisionHandler *handler = cpSpaceAddDefaultCollisionHandler(chip.space);
    handler->beginFunc = chip_begin;
    handler->preSolveFunc = chip_before;
    handler->postSolveFunc = chip_after;
}

static void chip_build(Bridge *bridge)
{
    size_t bodies = (size_t)bridge->body_count, joints = (size_t)bridge->joint_count + 1;
    chip.bridge = bridge;
    chip.bodies = calloc(bodies, sizeof *chip.bodies);
    chip.shapes = calloc(bodies, sizeof *chip.shapes);
    chip.first = calloc(bodies, sizeof *chip.first);
    chip.force = calloc(bodies, sizeof *chip.force);
    chip.torque = calloc(bodies, sizeof *chip.torque);
    chip.joints = calloc(joints, sizeof *chip.joints);
    chip.motors = calloc(joints, sizeof *chip.motors);
    chip.sign = calloc(joints, sizeof *chip.sign);
    chip.rail = calloc(joints, sizeof *chip.rail);
    bridge_refuse_rare(bridge);
    bridge_refuse_spatial(bridge);
    if (json_array_size(bridge->unsupported) > 0)
        return;
    chip_make_space(bridge);
    for (int i = 0; i < bridge->body_count; i++)
        chip_add_body(bridge, i);
    for (int i = 0; i < bridge->body_count && bridge_has_contacts(bridge); i++)
        if (bridge->bodies[i].shape)
            chip_add_shape(bridge, i);
    for (int j = 0; j < bridge->joint_count; j++)
        chip_add_joint(bridge, j);
    bridge->joint_impulses = bridge->contact_impulses = true;
    bridge_approximate(bridge, "the scene in its x-y plane");
}

static void chip_step(Bridge *bridge)
{
    bridge_forces(bridge, chip.force, chip.torque);
    for (int i = 0; i < bridge->body_count; i++)
        if (chip.bodies[i] && !bridge->bodies[i].fixed) {
            cpBodySetForce(chip.bodies[i], flat(chip.force[i]));
            cpBodySetTorque(chip.bodies[i], chip.torque[i].z);
        }
    cpSpaceStep(chip.space, bridge->h);
}

/* What a constraint did to its second body in the last step, about its anchor there: all of Chipmunk's are applied as
 * +j on the second, -j on the first. */
static void chip_add_reaction(BridgeJoint *joint, const cpConstraint *made)
{
    cpVect j = cpvzero;
    double turn = 0.0;
    if (cpConstraintIsPivotJoint(made))
        j = ((const cpPivotJoint *)made)->jAcc;
    else if (cpConstraintIsGrooveJoint(made))
        j = ((const cpGrooveJoint *)made)->jAcc;
    else if (cpConstraintIsPinJoint(made))
        j = cpvmult(((const cpPinJoint *)made)->n, ((const cpPinJoint *)made)->jnAcc);
    else if (cpConstraintIsSlideJoint(made))
        j = cpvmult(((const cpSlideJoint *)made)->n, ((const cpSlideJoint *)made)->jnAcc);
    else if (cpConstraintIsDampedSpring(made))
        j = cpvmult(((const cpDampedSpring *)made)->n, ((const cpDampedSpring *)made)->jAcc);
    else if (cpConstraintIsGearJoint(made))
        turn = ((const cpGearJoint *)made)->jAcc;
    else if (cpConstraintIsRotaryLimitJoint(made))
        turn = ((const cpRotaryLimitJoint *)made)->jAcc;
    else if (cpConstraintIsDampedRotarySpring(made))
        turn = -((const cpDampedRotarySpring *)made)->jAcc;
    else if (cpConstraintIsSimpleMotor(made))
        turn = ((const cpSimpleMotor *)made)->jAcc;
    joint->impulse = vec3_add(joint->impulse, vec3(j.x, j.y, 0));
    joint->angular_impulse = vec3_add(joint->angular_impulse, vec3(0, 0, turn));
}

/* A slide's impulse acted at the centre of the body in the groove, and on that body: to our second, about its anchor.
 */
static void chip_move_reaction(Bridge *bridge, int index)
{
    BridgeJoint *joint = &bridge->joints[index];
    int rail = chip.rail[index];
    double sign = rail == 0 ? 1.0 : -1.0;
    Vec3 impulse = vec3_scale(sign, joint->impulse),
         arm = vec3_sub(bridge->bodies[joint->body[1 - rail]].before, joint->at);
    joint->impulse = impulse;
    joint->angular_impulse = vec3_add(vec3_scale(sign, joint->angular_impulse), vec3(0, 0, vec3_cross(arm, impulse).z));
}

static void chip_read_joints(Bridge *bridge)
{
    for (int j = 0; j < bridge->joint_count; j++) {
        const cpConstraint *all[3] = {chip.joints[j][0], chip.joints[j][1], chip.motors[j]};
        bridge->joints[j].impulse = bridge->joints[j].angular_impulse = VEC3_ZERO;
        for (int k = 0; k < 3; k++)
            if (all[k])
                chip_add_reaction(&bridge->joints[j], all[k]);
        if (all[0] && cpConstraintIsGrooveJoint(all[0]))
            chip_move_reaction(bridge, j);
    }
}

static void chip_read(Bridge *bridge)
{
    for (int i = 0; i < bridge->body_count; i++) {
        BridgeBody *body = &bridge->bodies[i];
        if (!chip.bodies[i] || body->fixed)
            continue;
        cpVect x = cpBodyGetPosition(chip.bodies[i]), v = cpBodyGetVelocity(chip.bodies[i]);
        double half = 0.5 * cpBodyGetAngle(chip.bodies[i]);
        body->x = vec3(x.x, x.y, body->x.z);
        body->v = vec3(v.x, v.y, 0);
        body->w = vec3(0, 0, cpBodyGetAngularVelocity(chip.bodies[i]));
        body->q = quat_mul((Quat){cos(half), 0, 0, sin(half)}, chip.first[i]);
    }
    chip_read_joints(bridge);
}

static void chip_remove(Bridge *bridge, int index)
{
    for (int j = 0; j < bridge->joint_count; j++) {
        cpConstraint **all[3] = {&chip.joints[j][0], &chip.joints[j][1], &chip.motors[j]};
        if (bridge->joints[j].body[0] != index && bridge->joints[j].body[1] != index)
            continue;
        for (int k = 0; k < 3; k++) {
            if (*all[k])
                cpSpaceRemoveConstraint(chip.space, *all[k]);
            *all[k] = NULL;
        }
    }
    if (chip.shapes[index])
        cpSpaceRemoveShape(chip.space, chip.shapes[index]);
    cpSpaceRemoveBody(chip.space, chip.bodies[index]);
    chip.bodies[index] = NULL;
}

int main(int argc, char **argv)
{
    const BridgeEngine engine = {
        .name = "Chipmunk",
        .version = cpVersionString,
        .precision = "double",
        .licence = "MIT",
        .dimension = 2,
        .build = chip_build,
        .step = chip_step,
        .read = chip_read,
        .remove = chip_remove,
    };
    return bridge_main(&engine, argc, argv);
}
