/* SPDX-License-Identifier: MIT */
// Bullet's multibodies: every tree of joints becomes one, on a fixed base if it hangs on something fixed. Bodies without
// joints stay rigid bodies. A link's frame is that of its body; joint coordinates are zero as placed. Its feedback of
// joints leaves limits and motors out and is off in motion, so reactions are not given.
#include "solvers/engines/bullet/bullet.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointMotor.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>

namespace {

struct Link {
    int joint;  // that carries it; -1: it is the base
    int parent; // body
    btMultiBody *tree;
    int index; // in its tree, -1: the base
    btMultiBodyJointMotor *motor;
};

std::vector<Link> links; // by body

} // namespace

static int other_end(const BridgeJoint *joint, int body)
{
    return joint->body[0] == body ? joint->body[1] : joint->body[1] == body ? joint->body[0] : -1;
}

// The bodies of a tree from its root on, parents first.
static std::vector<int> collect(Bridge *bridge, int root, std::vector<bool> &used)
{
    std::vector<int> order = {root};
    for (size_t k = 0; k < order.size(); k++)
        for (int j = 0; j < bridge->joint_count; j++) {
            const int next = used[size_t(j)] ? -1 : other_end(&bridge->joints[j], order[k]);
            if (next < 0 || (k == 0 && bridge->bodies[root].fixed && bridge->bodies[next].fixed))
                continue;
            used[size_t(j)] = true;
            if (bridge->bodies[next].fixed || links[size_t(next)].parent >= 0 || next == root) {
                bridge_refuse(bridge, "loops");
                continue;
            }
            links[size_t(next)].joint = j;
            links[size_t(next)].parent = order[k];
            order.push_back(next);
        }
    return order;
}

static bool axis_is_reversed(const BridgeJoint *joint, int child)
{
    return joint->body[0] == child; // our angles are of body 2 against body 1
}

static void set_up_link(Bridge *bridge, btMultiBody *tree, int body)
{
    const Link &link = links[size_t(body)];
    const BridgeJoint *joint = &bridge->joints[link.joint];
    const BridgeBody *child = &bridge->bodies[body], *parent = &bridge->bodies[link.parent];
    const int side = axis_is_reversed(joint, body) ? 0 : 1, parent_index = links[size_t(link.parent)].index;
    const btQuaternion turn = bullet_frame(VEC3_ZERO, quat_mul(quat_conj(child->q), parent->q)).getRotation();
    const btVector3 axis = bullet_vector(vec3_scale(side == 0 ? -1.0 : 1.0, joint->axis[side]));
    const btVector3 pivot = bullet_vector(joint->anchor[1 - side]), to_centre = -bullet_vector(joint->anchor[side]);
    const btVector3 inertia = bullet_vector(child->inertia);
    const btScalar mass = btScalar(child->mass);
    switch (joint->type) {
    case BRIDGE_BALL:
        tree->setupSpherical(link.index, mass, inertia, parent_index, turn, pivot, to_centre, true);
        break;
    case BRIDGE_FIXED:
        tree->setupFixed(link.index, mass, inertia, parent_index, turn, pivot, to_centre, true);
        break;
    case BRIDGE_PRISMATIC:
        tree->setupPrismatic(link.index, mass, inertia, parent_index, turn, axis, pivot, to_centre, true);
        break;
    default:
        tree->setupRevolute(link.index, mass, inertia, parent_index, turn, axis, pivot, to_centre, true);
    }
}

static void refuse_link(Bridge *bridge, const BridgeJoint *joint)
{
    bullet_refuse_joint(bridge, joint);
    if (joint->type == BRIDGE_SLIDER)
        bridge_refuse(bridge, "cylinder joints");
    if (bridge_given(joint->swing_max) || bridge_given(joint->twist_min) || bridge_given(joint->twist_max))
        bridge_refuse(bridge, "swing and twist limits");
    const bool held = !(joint->angle_min != 0.0) && !(joint->angle_max != 0.0);
    if (joint->type == BRIDGE_PRISMATIC && !held && bridge_given(joint->angle_min))
        bridge_refuse(bridge, "twist of a prismatic joint");
}

// Velocities of the joint coordinates from those of the bodies.
static void set_speed(Bridge *bridge, btMultiBody *tree, int body)
{
    const Link &link = links[size_t(body)];
    const BridgeJoint *joint = &bridge->joints[link.joint];
    const BridgeBody *child = &bridge->bodies[body], *parent = &bridge->bodies[link.parent];
    const int side = axis_is_reversed(joint, body) ? 0 : 1;
    const Vec3 turn = vec3_sub(child->w, parent->w), arm1 = quat_rotate(parent->q, joint->anchor[1 - side]);
    const Vec3 arm2 = quat_rotate(child->q, joint->anchor[side]);
    const Vec3 slip = vec3_sub(vec3_add(child->v, vec3_cross(child->w, arm2)),
                               vec3_add(parent->v, vec3_cross(parent->w, arm1)));
    const Vec3 axis = vec3_scale(side == 0 ? -1.0 : 1.0, bridge_axis(bridge, joint, side));
    if (joint->type == BRIDGE_BALL) {
        const btVector3 w = bullet_vector(quat_rotate_inverse(child->q, turn));
        const btScalar speed[3] = {w.x(), w.y(), w.z()};
        tree->setJointVelMultiDof(link.index, speed);
    } else if (joint->type != BRIDGE_FIXED) {
        const btScalar speed[1] = {btScalar(vec3_dot(joint->type == BRIDGE_PRISMATIC ? slip : turn, axis))};
        tree->setJointVelMultiDof(link.index, speed);
    }
}

static void add_limit(Bridge *bridge, int body)
{
    Link &link = links[size_t(body)];
    const BridgeJoint *joint = &bridge->joints[link.joint];
    const bool slides = joint->type == BRIDGE_PRISMATIC;
    const double low = slides ? joint->position_min : joint->angle_min;
    const double high = slides ? joint->position_max : joint->angle_max;
    if ((joint->type == BRIDGE_HINGE || slides) && (bridge_given(low) || bridge_given(high)))
        bullet.multi->addMultiBodyConstraint(new btMultiBodyJointLimitConstraint(
            link.tree, link.index, btScalar(bridge_given(low) ? low : -1e9), btScalar(bridge_given(high) ? high : 1e9)));
    if (!bridge_given(joint->speed) && !bridge_given(joint->target))
        return;
    const double most = bridge_given(joint->max_torque) ? joint->max_torque * bridge->h : 1e12;
    const double speed = bridge_given(joint->speed) ? joint->speed : 0.0;
    if (bridge_given(joint->target))
        bridge_approximate(bridge, "a servo is a motor that heads for its target within one step");
    link.motor = new btMultiBodyJointMotor(link.tree, link.index, btScalar(speed), btScalar(most));
    bullet.multi->addMultiBodyConstraint(link.motor);
}

// Every link has one, or Bullet would find no island for its limits and motors and leave them out. A fixed base stands
// for something that is a rigid body besides, with the shape.
static void add_collider(Bridge *bridge, int body)
{
    const Link &link = links[size_t(body)];
    const BridgeBody *from = &bridge->bodies[body];
    const bool solid = from->shape && !from->fixed && bridge_has_contacts(bridge);
    auto *collider = new btMultiBodyLinkCollider(link.tree, link.index);
    collider->setCollisionShape(solid ? bullet_shape(bridge, from) : new btEmptyShape());
    collider->setWorldTransform(bullet_frame(from->x, from->q));
    collider->setUserIndex(body);
    const int filter = solid ? btBroadphaseProxy::AllFilter : 0;
    bullet.world->addCollisionObject(collider, filter, filter);
    if (link.index < 0)
        link.tree->setBaseCollider(collider);
    else
        link.tree->getLink(link.index).m_collider = collider;
}

static void build_tree(Bridge *bridge, const std::vector<int> &order)
{
    const BridgeBody *root = &bridge->bodies[order[0]];
    const btVector3 inertia = root->fixed ? btVector3(0, 0, 0) : bullet_vector(root->inertia);
    auto *tree = new btMultiBody(int(order.size()) - 1, btScalar(root->fixed ? 0.0 : root->mass), inertia, root->fixed,
                                 false);
    tree->setBaseWorldTransform(bullet_frame(root->x, root->q));
    links[size_t(order[0])].tree = tree;
    links[size_t(order[0])].index = -1;
    for (size_t k = 1; k < order.size(); k++) {
        links[size_t(order[k])].tree = tree;
        links[size_t(order[k])].index = int(k) - 1;
        set_up_link(bridge, tree, order[k]);
    }
    tree->finalizeMultiDof();
    tree->setLinearDamping(0);
    tree->setAngularDamping(0);
    tree->setMaxAppliedImpulse(btScalar(1e12));
    tree->setMaxCoordinateVelocity(btScalar(1e12));
    tree->setHasSelfCollision(true); // the pair filter knows better
    tree->setCanSleep(false);
    if (!root->fixed) {
        tree->setBaseVel(bullet_vector(root->v));
        tree->setBaseOmega(bullet_vector(root->w));
    }
    for (size_t k = 1; k < order.size(); k++)
        set_speed(bridge, tree, order[k]);
    bullet.multi->addMultiBody(tree);
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    tree->forwardKinematics(turns, places);
    for (size_t k = 0; k < order.size(); k++)
        add_collider(bridge, order[k]);
    for (size_t k = 1; k < order.size(); k++)
        add_limit(bridge, order[k]);
}

static bool has_joint(const Bridge *bridge, int body)
{
    for (int j = 0; j < bridge->joint_count; j++)
        if (other_end(&bridge->joints[j], body) >= 0)
            return true;
    return false;
}

void multibody_build(Bridge *bridge)
{
    std::vector<bool> used(size_t(bridge->joint_count), false);
    links.assign(size_t(bridge->body_count), Link{-1, -1, nullptr, -1, nullptr});
    for (int j = 0; j < bridge->joint_count; j++)
        refuse_link(bridge, &bridge->joints[j]);
    bridge_refuse_speeds(bridge);
    for (int i = 1; i < bridge->body_count; i++)
        if (!bridge->bodies[i].fixed && vec3_is_zero(bridge->bodies[i].inertia) && has_joint(bridge, i))
            bridge_refuse(bridge, "particles on joints");
    std::vector<std::vector<int>> trees;
    for (int fixed = 1; fixed >= 0; fixed--) // trees on fixed ground first, then those that float
        for (int i = 0; i < bridge->body_count; i++)
            if (bridge->bodies[i].fixed == bool(fixed) && links[size_t(i)].parent < 0 && has_joint(bridge, i)) {
                std::vector<int> order = collect(bridge, i, used);
                if (order.size() > 1)
                    trees.push_back(order);
            }
    if (json_array_size(bridge->unsupported) > 0)
        return;
    for (const std::vector<int> &order : trees)
        build_tree(bridge, order);
    for (int i = 0; i < bridge->body_count; i++)
        if (bridge->bodies[i].fixed || !links[size_t(i)].tree)
            bullet_add_body(bridge, i);
}

void multibody_push(Bridge *bridge)
{
    for (int i = 0; i < bridge->body_count; i++) {
        Link &link = links[size_t(i)];
        if (!link.tree || bridge->bodies[i].fixed)
            continue;
        const btVector3 f = bullet_vector(bullet.force[size_t(i)]), t = bullet_vector(bullet.torque[size_t(i)]);
        if (link.index < 0) {
            link.tree->addBaseForce(f);
            link.tree->addBaseTorque(t);
        } else {
            link.tree->addLinkForce(link.index, f);
            link.tree->addLinkTorque(link.index, t);
        }
        if (link.motor && bridge_given(bridge->joints[link.joint].target))
            link.motor->setVelocityTarget(btScalar(
                (bridge->joints[link.joint].target - double(link.tree->getJointPos(link.index))) / bridge->h));
    }
}

static Vec3 vec3_of(const btVector3 &v)
{
    return vec3(double(v.x()), double(v.y()), double(v.z()));
}

static void read_tree(Bridge *bridge, btMultiBody *tree)
{
    btAlignedObjectArray<btVector3> spin, speed;
    spin.resize(tree->getNumLinks() + 1);
    speed.resize(tree->getNumLinks() + 1);
    tree->compTreeLinkVelocities(&spin[0], &speed[0]);
    for (int i = 1; i < bridge->body_count; i++) {
        const Link &link = links[size_t(i)];
        BridgeBody *body = &bridge->bodies[i];
        if (link.tree != tree || body->fixed)
            continue;
        btMatrix3x3 basis = tree->localFrameToWorld(link.index, btMatrix3x3::getIdentity());
        btQuaternion q;
        basis.getRotation(q);
        body->x = vec3_of(tree->localPosToWorld(link.index, btVector3(0, 0, 0)));
        body->q = Quat{double(q.w()), double(q.x()), double(q.y()), double(q.z())};
        body->v = vec3_of(tree->localDirToWorld(link.index, speed[link.index + 1]));
        body->w = vec3_of(tree->localDirToWorld(link.index, spin[link.index + 1]));
    }
}

void multibody_read(Bridge *bridge)
{
    for (int i = 0; i < bullet.multi->getNumMultibodies(); i++)
        read_tree(bridge, bullet.multi->getMultiBody(i));
}

void multibody_remove(int body)
{
    const Link &link = links[size_t(body)];
    if (link.tree) // a tree goes as a whole: no scene takes a link out of one
        bullet.multi->removeMultiBody(link.tree);
}
