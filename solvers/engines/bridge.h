/* SPDX-License-Identifier: MIT */
/* What the bridges in C and C++ share: reading the resolved world, the hello, and the states. The protocol is described
 * in docs/reference/bridge_protocol.md. A bridge is a `BridgeEngine` and a main() that hands it to bridge_main(). */
#ifndef RIGOR_SOLVERS_ENGINES_BRIDGE_H
#define RIGOR_SOLVERS_ENGINES_BRIDGE_H

#include "model/math3.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum BridgeShape {
    BRIDGE_NONE,
    BRIDGE_SPHERE,
    BRIDGE_BOX,
    BRIDGE_CAPSULE,
    BRIDGE_CYLINDER,
    BRIDGE_HULL,
    BRIDGE_MESH,
    BRIDGE_PLANE
} BridgeShape;

typedef enum BridgeJointType {
    BRIDGE_FIXED,
    BRIDGE_DISTANCE,
    BRIDGE_BALL,
    BRIDGE_HINGE,
    BRIDGE_SERVO,
    BRIDGE_MOTOR,
    BRIDGE_PRISMATIC,
    BRIDGE_SLIDER, /* `cylinder` in the files */
    BRIDGE_WIRE,
    BRIDGE_VOLUME
} BridgeJointType;

typedef struct BridgeBody {
    const char *name;
    bool fixed, removed;
    double mass;
    Vec3 inertia; /* principal; zero: a particle */
    Vec3 x, v, w; /* of the centre of mass; the bridge keeps them up to date */
    Quat q;       /* of the principal axes */
    Vec3 before;  /* x at the beginning of the last step, where its impulses act */
    Vec3 force, torque;
    int material;
    BridgeShape shape;
    Quat turn; /* of the shape in the body's frame */
    double radius, length;
    Vec3 size, normal;
    double offset;
    int point_count;
    Vec3 *points;
} BridgeBody;

/* Numbers that were not given are NaN. */
typedef struct BridgeJoint {
    const char *name;
    BridgeJointType type;
    int body[2];
    Vec3 anchor[2], axis[2]; /* in the two bodies' frames */
    Quat frame[2];           /* x along the axis */
    double compliance, angular_compliance, damping, angular_damping, rest, swing_max, twist_min, twist_max, angle_min,
        angle_max;
    double position_min, position_max, target, speed, torque, force, max_torque, angle, radius;
    bool one_sided;
    Vec3 at;                       /* the anchor on body 2 at the beginning of the last step */
    Vec3 impulse, angular_impulse; /* on body 2 in the last step, where the engine tells */
} BridgeJoint;

typedef struct BridgeContact {
    int body1, body2;
    Vec3 impulse; /* N s on body 2, net */
} BridgeContact;

typedef struct Bridge {
    const char *mode;
    double h; /* s */
    json_t *options;
    Vec3 gravity, attractor_at;
    double attractor_gm; /* 0: none */
    bool collide;
    int body_count, joint_count, except_count;
    BridgeBody *bodies;
    BridgeJoint *joints;
    int (*except)[2]; /* pairs that may not touch */

    /* For the hello. */
    json_t *unsupported, *approximates;
    bool joint_impulses, contact_impulses;
    const char *precision;
    Vec3 offset;

    /* For the state. */
    int contact_count, contact_capacity;
    BridgeContact *contacts;
    char events[4096];
    json_t *document, *pairs;
} Bridge;

typedef struct BridgeEngine {
    const char *name, *version, *precision, *licence; /* precision: what it is unless the bridge changes it */
    int dimension;
    /* Builds the engine's world, or refuses. */
    void (*build)(Bridge *bridge);
    /* One step of h; on the clock. */
    void (*step)(Bridge *bridge);
    /* Copies the state (also before the first step), off the clock. */
    void (*read)(Bridge *bridge);
    void (*remove)(Bridge *bridge, int body);
} BridgeEngine;

int bridge_main(const BridgeEngine *engine, int argc, char **argv);

/* A joint's type, as in scene files. */
const char *bridge_joint_name(const BridgeJoint *joint);

/* Says what of this scene the engine cannot express: it will be refused. */
void bridge_refuse(Bridge *bridge, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says what is not quite what the scene asks for, and what it is instead. */
void bridge_approximate(Bridge *bridge, const char *text);
/* A fallback, cap or error of the last step. */
void bridge_event(Bridge *bridge, const char *text);

double bridge_option(const Bridge *bridge, const char *name);
const char *bridge_choice(const Bridge *bridge, const char *name);

/* Of the two bodies' materials together. */
double bridge_friction(const Bridge *bridge, int body1, int body2);
double bridge_restitution(const Bridge *bridge, int body1, int body2);

/* Whether the two may touch. */
bool bridge_may_touch(const Bridge *bridge, int body1, int body2);
/* Whether anything may touch anything. */
bool bridge_has_contacts(const Bridge *bridge);

/* Adds to the net impulse of a pair. */
void bridge_add_contact(Bridge *bridge, int body1, int body2, Vec3 impulse);

/* Takes an impulse on one of a joint's bodies (side 0: the first) with its torque about that body's centre. */
void bridge_set_reaction(Bridge *bridge, int joint, int side, Vec3 impulse, Vec3 torque);

/* Forces that the engine does not know: the body's own, the attractor's, and the joints' actuators (a torque motor, a
 * cylinder's force), at the state as it is. One force and torque for each body, about its centre. */
void bridge_forces(const Bridge *bridge, Vec3 *force, Vec3 *torque);

/* What no real engine has, and what few have: refuses volumes and wires, and damping in joints. */
void bridge_refuse_rare(Bridge *bridge);

/* Refuses speeds that the joints do not allow: reduced coordinates have no such motion. */
void bridge_refuse_speeds(Bridge *bridge);

/* Refuses a scene that is not in the x-y plane. */
void bridge_refuse_spatial(Bridge *bridge);

static inline Vec3 bridge_anchor(const Bridge *bridge, const BridgeJoint *joint, int side)
{
    const BridgeBody *body = &bridge->bodies[joint->body[side]];
    return vec3_add(body->x, quat_rotate(body->q, joint->anchor[side]));
}

static inline Vec3 bridge_axis(const Bridge *bridge, const BridgeJoint *joint, int side)
{
    return quat_rotate(bridge->bodies[joint->body[side]].q, joint->axis[side]);
}

static inline bool bridge_given(double x)
{
    return !isnan(x);
}

#ifdef __cplusplus
}
#endif

#endif
