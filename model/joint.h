/* SPDX-License-Identifier: MIT */
/* A joint is a list of building blocks (the table JOINT_BLOCKS in joint.c), with an actuator and damping. */
#ifndef RIGOR_MODEL_JOINT_H
#define RIGOR_MODEL_JOINT_H

#include "model/joint/law.h"
#include "model/math3.h"
#include "model/status.h"

typedef struct World World;
typedef struct Joint Joint;

typedef enum JointType {
    JOINT_FIXED,
    JOINT_DISTANCE,
    JOINT_BALL,
    JOINT_HINGE,
    JOINT_SERVO,
    JOINT_MOTOR,
    JOINT_PRISMATIC,
    JOINT_CYLINDER,
    JOINT_WIRE,
    JOINT_VOLUME,
    JOINT_SERIES, /* axes one after the other, the first nearest to body 1 */
    JOINT_TYPES
} JointType;

extern const char *const joint_type_names[JOINT_TYPES];

/* One axis of a series. */
typedef struct SeriesAxis {
    const char *name;
    bool turns;       /* a hinge; else a slide */
    Vec3 axis;        /* world direction as placed */
    Vec3 anchor;      /* hinge: world point as placed */
    double limits[2]; /* infinite: open */
    JointLaw law;
} SeriesAxis;

enum { SERIES_MAX_AXES = 6 };

/* A NaN field was not given. Angles turn body 2 against body 1 about body 1's axis; they are zero as placed. */
typedef struct JointDef {
    const char *name;
    JointType type;
    int body[4];
    bool local_anchors; /* anchor[i] in body i's frame; else anchor[0] is one world point as placed */
    Vec3 anchor[2];
    Vec3 axis;                 /* world direction as placed; zero: not given */
    Vec3 normal;               /* likewise: where angles count from; does not change the angles themselves */
    double compliance;         /* m/N (servo: rad/(N m)), of the type's soft block */
    double angular_compliance; /* rad/(N m), of alignment, held orientation and angle limits */
    double stiffness;          /* 0 to 1, k of PBD on the soft block, in the place of its compliance */
    double damping, angular_damping;
    double rest;    /* distance, volume: default as placed */
    bool one_sided; /* distance: a rope */
    double swing_max, twist_min, twist_max;
    double turn_max; /* ball: of its whole turn */
    double angle_min, angle_max, position_min, position_max;
    double target;       /* servo: angle; cylinder: position */
    double speed;        /* motor */
    double torque;       /* torque motor */
    double force;        /* cylinder, along the axis on body 2 */
    double max_torque;   /* servo, motor */
    double angle;        /* cylinder: held angle */
    Vec3 centre;         /* wire */
    double radius;       /* wire */
    const JointLaw *law; /* hinge, prismatic, ball, cylinder's slide; NULL: none */
    int axis_count;      /* series */
    const SeriesAxis *axes;
} JointDef;

/* A coordinate with a law, or of a series: q is `law->start` as placed, and moves body 2 against body 1 along or about
 * a line that body 1 would carry if the coordinates before this one in a series did not move. */
typedef struct JointCoordinate {
    bool turns;
    Vec3 axis, anchor;   /* in body 1's internal frame as placed; the anchor of a turn */
    const JointLaw *law; /* NULL: none */
    double push;         /* N or N m, of its drives, that no state changes */
    double q;            /* of a stack: where it was as the last substep ended, and its search begins */
} JointCoordinate;

/* Two, or four for a volume. */
static inline int joint_body_count(const JointDef *def)
{
    return def->type == JOINT_VOLUME ? 4 : 2;
}

/* A definition that gives only the type and the bodies. */
JointDef joint_def(JointType type, int body1, int body2);

/* What the world keeps of a definition: copies of its law and axes. False when out of memory; free it in either case.
 */
bool joint_def_copy(JointDef *copy, const JointDef *def);
void joint_def_free(JointDef *copy);

/* Appends the joint's blocks to the world; called by world_add_joint. */
bool joint_add_blocks(World *world, Joint *joint, int index, Status *status);

/* The actuator's force (on body 2 at its anchor) and torque, world frame, at the current poses; zero for most. */
void joint_actuation(const World *world, const Joint *joint, Vec3 *force, Vec3 *torque);
bool joint_has_actuator(const Joint *joint);

/* Some law of the joint has a drive. */
bool joint_law_drives(const Joint *joint);

/* The directions along which a joint's damping acts at the current poses. Each part is off, along one axis, or along
 * the relative velocity itself (vector). */
typedef enum DampingForm { DAMPING_NONE, DAMPING_AXIS, DAMPING_VECTOR } DampingForm;

typedef struct JointDamping {
    DampingForm linear, angular;
    double linear_rate, angular_rate; /* 1/s */
    Vec3 axis;                        /* linear: world, unit */
    Vec3 angular_axis;
    Vec3 arm1, arm2; /* from the centres to where the linear damping acts */
} JointDamping;

/* Where the linear part is off, its axis and arms are zero. */
void joint_damping(const World *world, const Joint *joint, JointDamping *damping);

/* Free coordinates, for results and tests: body 2's twist about the axis, and its position along it. */
double joint_angle(const World *world, const Joint *joint);
double joint_position(const World *world, const Joint *joint);

/* Its coordinate `index` of those with a law, or of a series. */
double joint_coordinate(const World *world, const Joint *joint, int index);
double joint_coordinate_rate(const World *world, const Joint *joint, int index);

/* Whether they are those of a stack, which its two bodies' poses do not give in closed form; its memory follows. */
bool joint_is_stack(const Joint *joint);
void joint_follow_stack(const World *world, Joint *joint);

/* A ball's turn as a rotation vector in body 1's frame, zero where its start says. */
Vec3 joint_ball_turn(const World *world, const Joint *joint);

#endif
