/* SPDX-License-Identifier: MIT */
/* ODE: `quick` (dWorldQuickStep, projected Gauss-Seidel) and `step` (dWorldStep, the LCP by pivoting).
 * ODE's angles and positions are of its first body against its second: ours are attached the other way round. Fixed
 * bodies are no bodies of ODE, only shapes. */
#include "solvers/engines/bridge.h"

#include <ode/ode.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 8 };

typedef struct ContactRecord {
    int body1, body2;
    bool reversed; /* ODE's first body is our second */
    dJointFeedback feedback;
} ContactRecord;

static struct {
    bool quick;
    double restitution_threshold, untie;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *bodies; /* NULL: fixed */
    dGeomID *geoms;
    dJointID *joints;
    dJointFeedback *feedback;
    Vec3 *force, *torque;
    ContactRecord *records;
    int record_count, record_capacity;
    int lcp_errors;
} ode;

/* ODE only prints what goes wrong: an LCP that was not solved, for one. */
static void ode_message(int number, const char *format, va_list arguments)
{
    (void)number;
    (void)format;
    (void)arguments;
    ode.lcp_errors++;
}

static void ode_set_turn(dGeomID geom, const BridgeBody *body)
{
    /* ODE's capsules and cylinders lie along z, ours along y: a turn of -90 degrees about x brings z to y. */
    bool round = body->shape == BRIDGE_CAPSULE || body->shape == BRIDGE_CYLINDER;
    Quat along = round ? (Quat){sqrt(0.5), -sqrt(0.5), 0, 0} : (Quat){1, 0, 0, 0};
    Quat turn = quat_mul(body->turn, along), placed = quat_mul(body->q, turn);
    if (dGeomGetBody(geom)) {
        dQuaternion q = {turn.w, turn.x, turn.y, turn.z};
        dGeomSetOffsetQuaternion(geom, q);
    } else {
        dQuaternion q = {placed.w, placed.x, placed.y, placed.z};
        dGeomSetPosition(geom, body->x.x, body->x.y, body->x.z);
        dGeomSetQuaternion(geom, q);
    }
}

static void ode_add_geom(Bridge *bridge, int index)
{
    const BridgeBody *body = &bridge->bodies[index];
    dGeomID geom = NULL;
    Vec3 normal = quat_rotate(body->q, body->normal);
    switch (body->shape) {
    case BRIDGE_SPHERE:
        geom = dCreateSphere(ode.space, body->radius);
        break;
    case BRIDGE_BOX:
        geom = dCreateBox(ode.space, body->size.x, body->size.y, body->size.z);
        break;
    case BRIDGE_CAPSULE:
        geom = dCreateCapsule(ode.space, body->radius, body->length);
        break;
    case BRIDGE_CYLINDER:
        geom = dCreateCylinder(ode.space, body->radius, body->length);
        break;
    case BRIDGE_PLANE:
        geom = dCreatePlane(ode.space, normal.x, normal.y, normal.z, body->offset + vec3_dot(normal, body->x));
        break;
    default: /* its convex shapes lose their contacts (normals that are no numbers) where two edges are parallel; as
              * a mesh of triangles an arch that stands falls within a second, with 1, 10 and 40 substeps */
        bridge_refuse(bridge, "hulls whose faces can rest on each other");
        return;
    }
    ode.geoms[index] = geom;
    dGeomSetData(geom, (void *)(intptr_t)index);
    if (body->shape == BRIDGE_PLANE)
        return;
    if (ode.bodies[index])
        dGeomSetBody(geom, ode.bodies[index]);
    ode_set_turn(geom, body);
}

static void ode_add_body(Bridge *bridge, int index)
{
    BridgeBody *body = &bridge->bodies[index];
    bool particle = vec3_is_zero(body->inertia);
    if (body->fixed)
        return;
    dBodyID id = ode.bodies[index] = dBodyCreate(ode.world);
    dMass mass;
    /* A particle's anchors are at its centre, where no inertia is felt. */
    Vec3 I = particle ? vec3(body->mass, body->mass, body->mass) : body->inertia;
    dMassSetParameters(&mass, body->mass, 0, 0, 0, I.x, I.y, I.z, 0, 0, 0);
    dQuaternion q = {body->q.w, body->q.x, body->q.y, body->q.z};
    Vec3 x = body->x;
    dBodySetMass(id, &mass);
    dBodySetPosition(id, x.x, x.y, x.z);
    dBodySetQuaternion(id, q);
    dBodySetLinearVel(id, body->v.x, body->v.y, body->v.z);
    dBodySetAngularVel(id, body->w.x, body->w.y, body->w.z);
    dBodySetGyroscopicMode(id, !particle);
    if (particle)
        dBodySetMaxAngularSpeed(id, 0);
}

static dJointID ode_new_joint(const BridgeJoint *joint)
{
    switch (joint->type) {
    case BRIDGE_FIXED:
        return dJointCreateFixed(ode.world, 0);
    case BRIDGE_DISTANCE:
        return dJointCreateDBall(ode.world, 0);
    case BRIDGE_BALL:
        return dJointCreateBall(ode.world, 0);
    case BRIDGE_PRISMATIC:
        return dJointCreateSlider(ode.world, 0);
    case BRIDGE_SLIDER:
        return bridge_given(joint->angle) ? dJointCreateSlider(ode.world, 0) : dJointCreatePiston(ode.world, 0);
    default:
        return dJointCreateHinge(ode.world, 0);
    }
}

/* A soft target is two stops at the same place, which are springs. */
static bool ode_is_stop(const BridgeJoint *joint)
{
    return joint->compliance > 0.0 && bridge_given(joint->target);
}

static void ode_refuse_joint(Bridge *bridge, const BridgeJoint *joint)
{
    if (bridge_given(joint->swing_max) || bridge_given(joint->twist_min) || bridge_given(joint->twist_max))
        bridge_refuse(bridge, "swing and twist limits");
    if (joint->one_sided)
        bridge_refuse(bridge, "ropes");
    bool twists = bridge_given(joint->angle_min) || bridge_given(joint->angle_max);
    bool held = !(joint->angle_min != 0.0) && !(joint->angle_max != 0.0);
    if (joint->type == BRIDGE_PRISMATIC && twists && !held)
        bridge_refuse(bridge, "twist of a prismatic joint");
    if (joint->type == BRIDGE_SLIDER && bridge_given(joint->angle) && joint->angle != 0.0)
        bridge_refuse(bridge, "a cylinder joint held at another angle than as placed");
    bool springs = joint->type == BRIDGE_BALL || joint->type == BRIDGE_DISTANCE || ode_is_stop(joint);
    if (joint->compliance > 0.0 && !springs)
        bridge_refuse(bridge, "compliance in %s joints", bridge_joint_name(joint));
    if (ode_is_stop(joint) && bridge_given(joint->max_torque))
        bridge_refuse(bridge, "a soft servo with a bound");
    for (int i = 0; i < 2; i++) {
        const BridgeBody *body = &bridge->bodies[joint->body[i]];
        if (!body->fixed && vec3_is_zero(body->inertia) && !vec3_is_zero(joint->anchor[i]))
            bridge_refuse(bridge, "particles held away from their centre");
    }
}

/* Stops and motors have one set of parameters, by the kind of joint. */
static void ode_set(const BridgeJoint *joint, dJointID id, int parameter, double value)
{
    switch (dJointGetType(id)) {
    case dJointTypeHinge:
        dJointSetHingeParam(id, parameter, value);
        break;
    case dJointTypeSlider:
        dJointSetSliderParam(id, parameter, value);
        break;
    case dJointTypePiston:
        dJointSetPistonParam(id, parameter, value);
        break;
    case dJointTypeBall:
        dJointSetBallParam(id, parameter, value);
        break;
    case dJointTypeDBall:
        dJointSetDBallParam(id, parameter, value);
        break;
    default:
        fprintf(stderr, "joint %s has no parameters\n", joint->name);
        exit(1);
    }
}

static void ode_set_limits(const BridgeJoint *joint, dJointID id)
{
    bool slides = joint->type == BRIDGE_PRISMATIC, stop = ode_is_stop(joint);
    double low = stop ? joint->target : slides ? joint->position_min : joint->angle_min;
    double high = stop ? joint->target : slides ? joint->position_max : joint->angle_max;
    if (joint->type != BRIDGE_HINGE && !slides && !stop)
        return;
    /* ODE takes a low stop only below the high one: set it, then both. */
    for (int i = 0; i < 2; i++) {
        if (bridge_given(low))
            ode_set(joint, id, dParamLoStop, low);
        if (bridge_given(high))
            ode_set(joint, id, dParamHiStop, high);
    }
}

static void ode_set_drive(const Bridge *bridge, const BridgeJoint *joint, dJointID id)
{
    bool stop = ode_is_stop(joint);
    if (joint->compliance > 0.0) {
        /* An implicit spring of stiffness k = 1/alpha: ERP = 1, CFM = 1/(h k). */
        ode_set(joint, id, stop ? dParamStopERP : dParamERP, 1.0);
        ode_set(joint, id, stop ? dParamStopCFM : dParamCFM, joint->compliance / bridge->h);
    }
    if (stop)
        return;
    if (bridge_given(joint->speed) || bridge_given(joint->target)) {
        ode_set(joint, id, dParamVel, bridge_given(joint->speed) ? joint->speed : 0.0);
        ode_set(joint, id, dParamFMax, bridge_given(joint->max_torque) ? joint->max_torque : dInfinity);
    }
}

/* Which of a joint's bodies is ODE's first: our second, unless that is fixed. */
static int ode_first_side(const BridgeJoint *joint)
{
    return ode.bodies[joint->body[1]] ? 1 : 0;
}

static void ode_add_joint(Bridge *bridge, int index)
{
    const BridgeJoint *joint = &bridge->joints[index];
    ode_refuse_joint(bridge, joint);
    if (json_array_size(bridge->unsupported) > 0)
        return;
    dJointID id = ode.joints[index] = ode_new_joint(joint);
    /* The first must be a body of ODE: if it is our first, our second turns and slides against it along the opposite
     * axis. */
    int own = ode_first_side(joint), other = 1 - own;
    dJointAttach(id, ode.bodies[joint->body[own]], ode.bodies[joint->body[other]]);
    Vec3 p1 = bridge_anchor(bridge, joint, other), p2 = bridge_anchor(bridge, joint, own), second;
    Vec3 a = vec3_scale(own == 1 ? 1.0 : -1.0, bridge_axis(bridge, joint, 0));
    switch (dJointGetType(id)) {
    case dJointTypeFixed:
        dJointSetFixed(id);
        break;
    case dJointTypeDBall:
        dJointSetDBallAnchor1(id, p2.x, p2.y, p2.z);
        dJointSetDBallAnchor2(id, p1.x, p1.y, p1.z);
        dJointSetDBallDistance(id, joint->rest);
        break;
    case dJointTypeBall:
        /* The second anchor is taken as it is: in the second body's frame, or in the world's if there is none. */
        second = ode.bodies[joint->body[other]] ? joint->anchor[other] : p1;
        dJointSetBallAnchor(id, p2.x, p2.y, p2.z);
        dJointSetBallAnchor2(id, second.x, second.y, second.z);
        break;
    case dJointTypeSlider:
        dJointSetSliderAxis(id, a.x, a.y, a.z);
        break;
    case dJointTypePiston:
        dJointSetPistonAnchor(id, p2.x, p2.y, p2.z);
        dJointSetPistonAxis(id, a.x, a.y, a.z);
        break;
    default:
        dJointSetHingeAnchor(id, p2.x, p2.y, p2.z);
        dJointSetHingeAxis(id, a.x, a.y, a.z);
    }
    ode_set_limits(joint, id);
    ode_set_drive(bridge, joint, id);
    dJointSetFeedback(id, &ode.feedback[index]);
    if (bridge_given(joint->target) && !ode_is_stop(joint))
        bridge_approximate(bridge, "a servo is a motor that heads for its target within one step");
}

static void ode_set_world(Bridge *bridge)
{
    dWorldSetGravity(ode.world, bridge->gravity.x, bridge->gravity.y, bridge->gravity.z);
    dWorldSetERP(ode.world, bridge_option(bridge, "erp"));
    dWorldSetCFM(ode.world, bridge_option(bridge, "cfm"));
    dWorldSetContactMaxCorrectingVel(ode.world, fmin(bridge_option(bridge, "push_speed"), dInfinity));
    dWorldSetContactSurfaceLayer(ode.world, bridge_option(bridge, "surface_layer"));
    if (ode.quick) {
        dWorldSetQuickStepNumIterations(ode.world, (int)bridge_option(bridge, "iterations"));
        dWorldSetQuickStepW(ode.world, bridge_option(bridge, "sor"));
    }
    ode.untie = ode.quick ? 0.0 : bridge_option(bridge, "untie");
    ode.restitution_threshold = bridge_option(bridge, "restitution_threshold");
}

static void ode_build(Bridge *bridge)
{
    size_t bodies = (size_t)bridge->body_count, joints = (size_t)bridge->joint_count + 1;
    ode.quick = strcmp(bridge->mode, "quick") == 0;
    ode.bodies = calloc(bodies, sizeof *ode.bodies);
    ode.geoms = calloc(bodies, sizeof *ode.geoms);
    ode.joints = calloc(joints, sizeof *ode.joints);
    ode.feedback = calloc(joints, sizeof *ode.feedback);
    ode.force = calloc(bodies, sizeof *ode.force);
    ode.torque = calloc(bodies, sizeof *ode.torque);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dRandSetSeed(0); /* QuickStep's order of rows is random: the same each time */
    dSetMessageHandler(ode_message);
    ode.world = dWorldCreate();
    ode.space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XZY);
    ode.contacts = dJointGroupCreate(0);
    ode_set_world(bridge);
    bridge_refuse_rare(bridge);
    for (int i = 0; i < bridge->body_count; i++)
        ode_add_body(bridge, i);
    for (int i = 0; i < bridge->body_count && bridge_has_contacts(bridge); i++)
        if (bridge->bodies[i].shape)
            ode_add_geom(bridge, i);
    for (int j = 0; j < bridge->joint_count; j++)
        ode_add_joint(bridge, j);
    if (bridge_has_contacts(bridge))
        bridge_approximate(bridge, "friction is a pyramid along two directions of the engine's choice");
    if (bridge_has_contacts(bridge) && ode.untie > 0.0)
        bridge_approximate(bridge, "contacts are deeper by up to `untie`, at random");
    bridge->joint_impulses = bridge->contact_impulses = true;
}

static void ode_touch(void *data, dGeomID one, dGeomID two)
{
    Bridge *bridge = data;
    dContact points[POINTS_MOST];
    int body1 = (int)(intptr_t)dGeomGetData(one), body2 = (int)(intptr_t)dGeomGetData(two);
    if (!bridge_may_touch(bridge, body1, body2))
        return;
    int count = dCollide(one, two, POINTS_MOST, &points[0].geom, sizeof points[0]);
    double restitution = bridge_restitution(bridge, body1, body2);
    for (int i = 0; i < count && ode.record_count < ode.record_capacity; i++) {
        dSurfaceParameters *surface = &points[i].surface;
        surface->mode = dContactApprox1 | (restitution > 0.0 ? dContactBounce : 0);
        surface->mu = bridge_friction(bridge, body1, body2);
        surface->bounce = restitution;
        surface->bounce_vel = ode.restitution_threshold;
        /* Where two rows of the LCP reach their bounds at once, as in any symmetric pile, WorldStep's pivoting gives up
         * and leaves the rest of the rows at zero. */
        points[i].geom.depth += ode.untie * dRandReal();
        dJointID id = dJointCreateContact(ode.world, ode.contacts, &points[i]);
        ContactRecord *record = &ode.records[ode.record_count++];
        *record = (ContactRecord){.body1 = body1, .body2 = body2, .reversed = !ode.bodies[body1]};
        dJointAttach(id, ode.bodies[body1], ode.bodies[body2]);
        dJointSetFeedback(id, &record->feedback);
    }
}

/* Room for the records of as many points as could be found: they may not move while ODE writes to them. */
static void ode_reserve(Bridge *bridge)
{
    int wanted = 64 * POINTS_MOST * bridge->body_count;
    if (ode.record_capacity < wanted) {
        ode.records = realloc(ode.records, sizeof *ode.records * (size_t)wanted);
        ode.record_capacity = ode.records ? wanted : 0;
    }
}

static void ode_drive(const Bridge *bridge)
{
    for (int j = 0; j < bridge->joint_count; j++) {
        const BridgeJoint *joint = &bridge->joints[j];
        dJointID id = ode.joints[j];
        if (!id || !bridge_given(joint->target) || ode_is_stop(joint))
            continue;
        double at = dJointGetType(id) == dJointTypeHinge    ? dJointGetHingeAngle(id)
                    : dJointGetType(id) == dJointTypeSlider ? dJointGetSliderPosition(id)
                                                            : dJointGetPistonPosition(id);
        ode_set(joint, id, dParamVel, (joint->target - at) / bridge->h);
    }
}

static void ode_step(Bridge *bridge)
{
    bridge_forces(bridge, ode.force, ode.torque);
    for (int i = 0; i < bridge->body_count; i++)
        if (ode.bodies[i]) {
            dBodyAddForce(ode.bodies[i], ode.force[i].x, ode.force[i].y, ode.force[i].z);
            dBodyAddTorque(ode.bodies[i], ode.torque[i].x, ode.torque[i].y, ode.torque[i].z);
        }
    ode_drive(bridge);
    ode.record_count = 0;
    if (bridge->collide) {
        ode_reserve(bridge);
        dSpaceCollide(ode.space, bridge, ode_touch);
    }
    if (ode.quick)
        dWorldQuickStep(ode.world, bridge->h);
    else
        dWorldStep(ode.world, bridge->h);
    dJointGroupEmpty(ode.contacts);
}

static void ode_read_joint(Bridge *bridge, int index)
{
    if (!ode.joints[index])
        return;
    int side = ode_first_side(&bridge->joints[index]);
    const dJointFeedback *feedback = &ode.feedback[index];
    Vec3 f = vec3(feedback->f1[0], feedback->f1[1], feedback->f1[2]);
    Vec3 t = vec3(feedback->t1[0], feedback->t1[1], feedback->t1[2]);
    bridge_set_reaction(bridge, index, side, vec3_scale(bridge->h, f), vec3_scale(bridge->h, t));
}

static void ode_read(Bridge *bridge)
{
    for (int i = 0; i < bridge->body_count; i++) {
        BridgeBody *body = &bridge->bodies[i];
        if (!ode.bodies[i])
            continue;
        const dReal *x = dBodyGetPosition(ode.bodies[i]), *q = dBodyGetQuaternion(ode.bodies[i]);
        const dReal *v = dBodyGetLinearVel(ode.bodies[i]), *w = dBodyGetAngularVel(ode.bodies[i]);
        body->x = vec3(x[0], x[1], x[2]);
        body->q = (Quat){q[0], q[1], q[2], q[3]};
        body->v = vec3(v[0], v[1], v[2]);
        body->w = vec3(w[0], w[1], w[2]);
    }
    for (int j = 0; j < bridge->joint_count; j++)
        ode_read_joint(bridge, j);
    for (int i = 0; i < ode.record_count; i++) {
        const ContactRecord *record = &ode.records[i];
        const dReal *f = record->feedback.f1;
        double factor = record->reversed ? bridge->h : -bridge->h;
        bridge_add_contact(bridge, record->body1, record->body2, vec3_scale(factor, vec3(f[0], f[1], f[2])));
    }
    for (; ode.lcp_errors > 0; ode.lcp_errors--)
        bridge_event(bridge, "ODE: the LCP was not solved");
}

static void ode_remove(Bridge *bridge, int index)
{
    for (int j = 0; j < bridge->joint_count; j++)
        if (ode.joints[j] && (bridge->joints[j].body[0] == index || bridge->joints[j].body[1] == index)) {
            dJointDestroy(ode.joints[j]);
            ode.joints[j] = NULL;
            bridge->joints[j].impulse = bridge->joints[j].angular_impulse = VEC3_ZERO;
        }
    if (ode.geoms[index])
        dGeomDestroy(ode.geoms[index]);
    if (ode.bodies[index])
        dBodyDestroy(ode.bodies[index]);
    ode.geoms[index] = NULL;
    ode.bodies[index] = NULL;
}

int main(int argc, char **argv)
{
    const BridgeEngine engine = {
        .name = "ODE",
        .version = ODE_VERSION,
        .precision = "double",
        .licence = "BSD-3-Clause or LGPL-2.1",
        .dimension = 3,
        .build = ode_build,
        .step = ode_step,
        .read = ode_read,
        .remove = ode_remove,
    };
    return bridge_main(&engine, argc, argv);
}
