/* SPDX-License-Identifier: MIT */
// What the two halves of Bullet's bridge share: rigid bodies with constraints, and multibodies.
#ifndef RIGOR_SOLVERS_ENGINES_BULLET_H
#define RIGOR_SOLVERS_ENGINES_BULLET_H

#include "solvers/engines/bridge.h"

#include <vector>

#include <btBulletDynamicsCommon.h>

class btMLCPSolver;
class btMultiBodyDynamicsWorld;

struct BulletState {
    Bridge *bridge;
    bool reduced; // joints are multibodies'
    btCollisionDispatcher *dispatcher;
    btDiscreteDynamicsWorld *world;
    btMultiBodyDynamicsWorld *multi; // the same, if reduced
    btMLCPSolver *pivoting;
    int fallbacks;                     // of Dantzig, told so far
    std::vector<btRigidBody *> bodies; // NULL: a multibody's link, or removed
    std::vector<btTypedConstraint *> joints;
    std::vector<btJointFeedback> feedback;
    std::vector<Vec3> force, torque;
};

extern BulletState bullet;

inline btVector3 bullet_vector(Vec3 v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

btTransform bullet_frame(Vec3 x, Quat q);
btCollisionShape *bullet_shape(Bridge *bridge, const BridgeBody *body);
void bullet_add_body(Bridge *bridge, int index);
void bullet_refuse_joint(Bridge *bridge, const BridgeJoint *joint);

void multibody_build(Bridge *bridge);
void multibody_push(Bridge *bridge); // forces and motors of the step to come
void multibody_read(Bridge *bridge);
void multibody_remove(int body);

#endif
