/* SPDX-License-Identifier: MIT */
// Bullet 3: `si` (sequential impulses; or NNCG, or Dantzig's pivoting) and `multibody` (Featherstone's joints in
// reduced coordinates: multibody_* below). Built twice, in double and in float. Bullet multiplies friction coefficients
// and takes the product of restitutions: both are replaced by the scene's own pairs. A hinge turns about its frames' z.
#include "solvers/engines/bullet/bullet.h"

#include <cstdio>
#include <cstring>
#include <vector>

#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>

BulletState bullet;

btTransform bullet_frame(Vec3 x, Quat q)
{
    return btTransform(btQuaternion(q.x, q.y, q.z, q.w), bullet_vector(x));
}

static btScalar bullet_friction(const btCollisionObject *one, const btCollisionObject *two)
{
    return btScalar(bridge_friction(bullet.bridge, one->getUserIndex(), two->getUserIndex()));
}

static btScalar bullet_restitution(const btCollisionObject *one, const btCollisionObject *two)
{
    return btScalar(bridge_restitution(bullet.bridge, one->getUserIndex(), two->getUserIndex()));
}

namespace
{

struct PairFilter : btOverlapFilterCallback {
    bool needBroadphaseCollision(btBroadphaseProxy *one, btBroadphaseProxy *two) const override
    {
        const auto *a = static_cast<btCollisionObject *>(one->m_clientObject);
        const auto *b = static_cast<btCollisionObject *>(two->m_clientObject);
        return bridge_may_touch(bullet.bridge, a->getUserIndex(), b->getUserIndex());
    }
};

} // namespace

// A margin as Bullet takes it by itself for small bodies: a tenth of the least half edge at most.
static void bullet_set_margin(btConvexShape *shape, double least)
{
    shape->setMargin(btScalar(fmin(bridge_option(bullet.bridge, "margin"), 0.1 * least)));
}

btCollisionShape *bullet_shape(Bridge *bridge, const BridgeBody *body)
{
    btCollisionShape *shape = nullptr;
    const Vec3 half = vec3_scale(0.5, body->size);
    switch (body->shape) {
    case BRIDGE_SPHERE:
        return new btSphereShape(btScalar(body->radius));
    case BRIDGE_PLANE:
        return new btStaticPlaneShape(bullet_vector(body->normal), btScalar(body->offset));
    case BRIDGE_BOX: {
        auto *box = new btBoxShape(bullet_vector(half));
        bullet_set_margin(box, fmin(half.x, fmin(half.y, half.z)));
        shape = box;
        break;
    }
    case BRIDGE_CAPSULE:
        shape = new btCapsuleShape(btScalar(body->radius), btScalar(body->length));
        break;
    case BRIDGE_CYLINDER: {
        const double l = 0.5 * body->length;
        auto *round = new btCylinderShape(btVector3(btScalar(body->radius), btScalar(l), btScalar(body->radius)));
        bullet_set_margin(round, fmin(body->radius, l));
        shape = round;
        break;
    }
    case BRIDGE_HULL: {
        auto *hull = new btConvexHullShape();
        for (int i = 0; i < body->point_count; i++)
            hull->addPoint(bullet_vector(body->points[i]));
        hull->setMargin(0); // or the hull would grow by it
        shape = hull;
        break;
    }
    default:
        bridge_refuse(bridge, "meshes");
        return new btEmptyShape();
    }
    const Quat q = body->turn;
    if (q.x == 0.0 && q.y == 0.0 && q.z == 0.0)
        return shape;
    auto *turned = new btCompoundShape();
    turned->addChildShape(bullet_frame(VEC3_ZERO, q), shape);
    return turned;
}

void bullet_add_body(Bridge *bridge, int index)
{
    const BridgeBody *body = &bridge->bodies[index];
    const bool solid = body->shape != BRIDGE_NONE && bridge_has_contacts(bridge);
    btCollisionShape *shape = solid ? bullet_shape(bridge, body) : new btEmptyShape();
    const btVector3 inertia = body->fixed ? btVector3(0, 0, 0) : bullet_vector(body->inertia);
    auto *motion = new btDefaultMotionState(bullet_frame(body->x, body->q));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(body->fixed ? 0.0 : body->mass), motion, shape, inertia);
    auto *made = new btRigidBody(info);
    made->setUserIndex(index);
    made->setDamping(0, 0);
    made->setActivationState(DISABLE_DEACTIVATION);
    made->setLinearVelocity(bullet_vector(body->v));
    made->setAngularVelocity(bullet_vector(body->w));
    bullet.world->addRigidBody(made, solid ? btBroadphaseProxy::AllFilter : 0,
                               solid ? btBroadphaseProxy::AllFilter : 0);
    bullet.bodies[size_t(index)] = made;
}

// The joint's frame in a body, its x turned to where this kind of constraint wants its axis.
static btTransform joint_frame(const BridgeJoint *joint, int side, bool axis_is_z)
{
    // A turn of -90 degrees about y brings z to x.
    const Quat turn = axis_is_z ? Quat{sqrt(0.5), 0, sqrt(0.5), 0} : Quat{1, 0, 0, 0};
    return bullet_frame(joint->anchor[side], quat_mul(joint->frame[side], turn));
}

void bullet_refuse_joint(Bridge *bridge, const BridgeJoint *joint)
{
    if (joint->type == BRIDGE_DISTANCE)
        bridge_refuse(bridge, "distance joints");
    // Its soft rows are relative to each row's effective mass, and its springs are motors that add nothing where
    // gravity alone is as fast: neither is a stiffness.
    if (joint->compliance > 0.0)
        bridge_refuse(bridge, "compliance that is a stiffness");
    const bool twists = bridge_given(joint->twist_min) || bridge_given(joint->twist_max);
    if (twists && !(joint->twist_min == -joint->twist_max))
        bridge_refuse(bridge, "twist limits that are not symmetric");
    if (joint->type == BRIDGE_SLIDER && bridge_given(joint->angle) && joint->angle != 0.0)
        bridge_refuse(bridge, "a cylinder joint held at another angle than as placed");
}

static btTypedConstraint *make_ball(const BridgeJoint *joint, btRigidBody &one, btRigidBody &two)
{
    if (!bridge_given(joint->swing_max) && !bridge_given(joint->twist_max))
        return new btPoint2PointConstraint(one, two, bullet_vector(joint->anchor[0]), bullet_vector(joint->anchor[1]));
    auto *cone = new btConeTwistConstraint(one, two, joint_frame(joint, 0, false), joint_frame(joint, 1, false));
    const btScalar swing = bridge_given(joint->swing_max) ? btScalar(joint->swing_max) : btScalar(BT_LARGE_FLOAT);
    const btScalar twist = bridge_given(joint->twist_max) ? btScalar(joint->twist_max) : btScalar(BT_LARGE_FLOAT);
    cone->setLimit(swing, swing, twist);
    return cone;
}

static btTypedConstraint *make_hinge(const BridgeJoint *joint, btRigidBody &one, btRigidBody &two)
{
    // With `useReferenceFrameA` its angle has our sign.
    auto *hinge = new btHingeConstraint(one, two, joint_frame(joint, 0, true), joint_frame(joint, 1, true), true);
    const bool low = bridge_given(joint->angle_min), high = bridge_given(joint->angle_max);
    // Bullet's angles are within +-pi: an open end is 270 degrees away from the other.
    const double open = 1.5 * SIMD_PI;
    if (joint->type == BRIDGE_HINGE && (low || high))
        hinge->setLimit(btScalar(low ? joint->angle_min : joint->angle_max - open),
                        btScalar(high ? joint->angle_max : joint->angle_min + open));
    return hinge;
}

static btTypedConstraint *make_slider(const BridgeJoint *joint, btRigidBody &one, btRigidBody &two)
{
    auto *slider = new btSliderConstraint(one, two, joint_frame(joint, 0, false), joint_frame(joint, 1, false), true);
    const bool free = joint->type == BRIDGE_SLIDER && !bridge_given(joint->angle);
    const bool low = bridge_given(joint->position_min), high = bridge_given(joint->position_max);
    slider->setLowerAngLimit(free ? btScalar(1) : btScalar(bridge_given(joint->angle_min) ? joint->angle_min : 0.0));
    slider->setUpperAngLimit(free ? btScalar(-1) : btScalar(bridge_given(joint->angle_max) ? joint->angle_max : 0.0));
    slider->setLowerLinLimit(btScalar(low ? joint->position_min : high ? -BT_LARGE_FLOAT : 1.0));
    slider->setUpperLinLimit(btScalar(high ? joint->position_max : low ? BT_LARGE_FLOAT : -1.0));
    return slider;
}

static void add_joint(Bridge *bridge, int index)
{
    const BridgeJoint *joint = &bridge->joints[index];
    bullet_refuse_joint(bridge, joint);
    if (json_array_size(bridge->unsupported) > 0)
        return;
    btRigidBody &one = *bullet.bodies[size_t(joint->body[0])], &two = *bullet.bodies[size_t(joint->body[1])];
    btTypedConstraint *made = nullptr;
    if (joint->type == BRIDGE_BALL)
        made = make_ball(joint, one, two);
    else if (joint->type == BRIDGE_PRISMATIC || joint->type == BRIDGE_SLIDER)
        made = make_slider(joint, one, two);
    else if (joint->type == BRIDGE_FIXED)
        made = new btFixedConstraint(one, two, joint_frame(joint, 0, false), joint_frame(joint, 1, false));
    else
        made = make_hinge(joint, one, two);
    made->enableFeedback(true);
    made->setJointFeedback(&bullet.feedback[size_t(index)]);
    made->setOverrideNumSolverIterations(-1);
    bullet.world->addConstraint(made, false);
    bullet.joints[size_t(index)] = made;
    if (bridge_given(joint->target))
        bridge_approximate(bridge, "a servo is a motor that heads for its target within one step");
}

static void set_world(Bridge *bridge)
{
    btContactSolverInfo &info = bullet.world->getSolverInfo();
    const bool reduced = bullet.reduced;
    bullet.world->setGravity(bullet_vector(bridge->gravity));
    info.m_numIterations = int(bridge_option(bridge, "iterations"));
    info.m_erp2 = btScalar(bridge_option(bridge, "contact_erp"));
    info.m_restitutionVelocityThreshold = btScalar(bridge_option(bridge, "restitution_threshold"));
    if (reduced)
        return;
    info.m_erp = btScalar(bridge_option(bridge, "erp"));
    info.m_splitImpulse = int(bridge_option(bridge, "split_impulse"));
    info.m_linearSlop = btScalar(bridge_option(bridge, "slop"));
    info.m_warmstartingFactor = btScalar(bridge_option(bridge, "warm_start"));
}

static void make_world(Bridge *bridge)
{
    auto *configuration = new btDefaultCollisionConfiguration();
    auto *broad = new btDbvtBroadphase();
    const char *solver = bridge_choice(bridge, "solver");
    bullet.dispatcher = new btCollisionDispatcher(configuration);
    broad->getOverlappingPairCache()->setOverlapFilterCallback(new PairFilter());
    gCalculateCombinedFrictionCallback = bullet_friction;
    gCalculateCombinedRestitutionCallback = bullet_restitution;
    if (bullet.reduced) {
        bullet.multi =
            new btMultiBodyDynamicsWorld(bullet.dispatcher, broad, new btMultiBodyConstraintSolver(), configuration);
        bullet.world = bullet.multi;
        return;
    }
    btConstraintSolver *made = nullptr;
    if (strcmp(solver, "nncg") == 0)
        made = new btNNCGConstraintSolver();
    else if (strcmp(solver, "dantzig") == 0)
        made = bullet.pivoting = new btMLCPSolver(new btDantzigSolver());
    else
        made = new btSequentialImpulseConstraintSolver();
    bullet.world = new btDiscreteDynamicsWorld(bullet.dispatcher, broad, made, configuration);
}

static void build(Bridge *bridge)
{
    bullet.bridge = bridge;
    bullet.reduced = strcmp(bridge->mode, "multibody") == 0;
    bullet.bodies.resize(size_t(bridge->body_count));
    bullet.joints.resize(size_t(bridge->joint_count));
    bullet.feedback.resize(size_t(bridge->joint_count));
    bullet.force.resize(size_t(bridge->body_count));
    bullet.torque.resize(size_t(bridge->body_count));
    make_world(bridge);
    set_world(bridge);
    bridge_refuse_rare(bridge);
    bridge->contact_impulses = true;
    if (bullet.reduced) {
        multibody_build(bridge);
        return;
    }
    for (int i = 0; i < bridge->body_count; i++)
        bullet_add_body(bridge, i);
    for (int j = 0; j < bridge->joint_count; j++)
        add_joint(bridge, j);
    bridge->joint_impulses = true;
}

// Motors: speeds as asked for, targets as the speed that reaches them within the step; bounds are impulses.
static void drive(Bridge *bridge)
{
    for (int j = 0; j < bridge->joint_count; j++) {
        const BridgeJoint *joint = &bridge->joints[j];
        btTypedConstraint *made = bullet.joints[size_t(j)];
        const bool aims = bridge_given(joint->target);
        if (!made || (!aims && !bridge_given(joint->speed)))
            continue;
        if (joint->type == BRIDGE_SLIDER) {
            auto *slider = static_cast<btSliderConstraint *>(made);
            // What it calls its position is that of the step before.
            const Vec3 way = vec3_sub(bridge_anchor(bridge, joint, 1), bridge_anchor(bridge, joint, 0));
            const double at = vec3_dot(bridge_axis(bridge, joint, 0), way);
            slider->setPoweredLinMotor(true);
            slider->setMaxLinMotorForce(btScalar(1e12));
            slider->setTargetLinMotorVelocity(btScalar((joint->target - at) / bridge->h));
            continue;
        }
        auto *hinge = static_cast<btHingeConstraint *>(made);
        const double most = bridge_given(joint->max_torque) ? joint->max_torque * bridge->h : 1e12;
        const double speed = aims ? (joint->target - hinge->getHingeAngle()) / bridge->h : joint->speed;
        hinge->enableAngularMotor(true, btScalar(speed), btScalar(most));
    }
}

static void step(Bridge *bridge)
{
    bridge_forces(bridge, bullet.force.data(), bullet.torque.data());
    if (bullet.reduced) {
        multibody_push(bridge);
    } else {
        drive(bridge);
    }
    for (size_t i = 0; i < bullet.bodies.size(); i++)
        if (bullet.bodies[i]) {
            bullet.bodies[i]->applyCentralForce(bullet_vector(bullet.force[i]));
            bullet.bodies[i]->applyTorque(bullet_vector(bullet.torque[i]));
        }
    bullet.world->stepSimulation(btScalar(bridge->h), 0);
}

static Vec3 vec3_of(const btVector3 &v)
{
    return vec3(double(v.x()), double(v.y()), double(v.z()));
}

static void read_contacts(Bridge *bridge)
{
    for (int i = 0; i < bullet.dispatcher->getNumManifolds(); i++) {
        const btPersistentManifold *manifold = bullet.dispatcher->getManifoldByIndexInternal(i);
        for (int k = 0; k < manifold->getNumContacts(); k++) {
            const btManifoldPoint &point = manifold->getContactPoint(k);
            const btVector3 impulse = point.m_appliedImpulse * point.m_normalWorldOnB +
                                      point.m_appliedImpulseLateral1 * point.m_lateralFrictionDir1 +
                                      point.m_appliedImpulseLateral2 * point.m_lateralFrictionDir2;
            bridge_add_contact(bridge, manifold->getBody1()->getUserIndex(), manifold->getBody0()->getUserIndex(),
                               vec3_of(impulse));
        }
    }
}

static void read_joints(Bridge *bridge)
{
    for (int j = 0; j < bridge->joint_count; j++) {
        const btJointFeedback &feedback = bullet.feedback[size_t(j)];
        const Vec3 f = vec3_of(feedback.m_appliedForceBodyB), t = vec3_of(feedback.m_appliedTorqueBodyB);
        bridge_set_reaction(bridge, j, 1, vec3_scale(bridge->h, f), vec3_scale(bridge->h, t));
    }
}

static void read(Bridge *bridge)
{
    for (size_t i = 0; i < bullet.bodies.size(); i++) {
        const btRigidBody *made = bullet.bodies[i];
        BridgeBody *body = &bridge->bodies[i];
        if (!made || body->fixed)
            continue;
        const btQuaternion q = made->getWorldTransform().getRotation();
        body->x = vec3_of(made->getWorldTransform().getOrigin());
        body->q = Quat{double(q.w()), double(q.x()), double(q.y()), double(q.z())};
        body->v = vec3_of(made->getLinearVelocity());
        body->w = vec3_of(made->getAngularVelocity());
    }
    if (bullet.reduced)
        multibody_read(bridge);
    else
        read_joints(bridge);
    read_contacts(bridge);
    for (; bullet.pivoting && bullet.fallbacks < bullet.pivoting->getNumFallbacks(); bullet.fallbacks++)
        bridge_event(bridge, "Bullet: Dantzig failed, sequential impulses took over");
}

static void remove_body(Bridge *bridge, int index)
{
    for (size_t j = 0; j < bullet.joints.size(); j++)
        if (bullet.joints[j] && (bridge->joints[j].body[0] == index || bridge->joints[j].body[1] == index)) {
            bullet.world->removeConstraint(bullet.joints[j]);
            bullet.joints[j] = nullptr;
            bullet.feedback[j] = btJointFeedback();
        }
    if (bullet.bodies[size_t(index)])
        bullet.world->removeRigidBody(bullet.bodies[size_t(index)]);
    else
        multibody_remove(index);
    bullet.bodies[size_t(index)] = nullptr;
}

int main(int argc, char **argv)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", btGetVersion() / 100, btGetVersion() % 100);
    BridgeEngine engine = {};
    engine.name = "Bullet";
    engine.version = version;
    engine.precision = sizeof(btScalar) == sizeof(double) ? "double" : "float";
    engine.licence = "Zlib";
    engine.dimension = 3;
    engine.build = build;
    engine.step = step;
    engine.read = read;
    engine.remove = remove_body;
    return bridge_main(&engine, argc, argv);
}
