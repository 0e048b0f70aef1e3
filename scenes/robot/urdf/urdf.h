/* SPDX-License-Identifier: MIT */
/* The reader of URDF: what its parts share. */
#ifndef RIGOR_SCENES_ROBOT_URDF_URDF_H
#define RIGOR_SCENES_ROBOT_URDF_URDF_H

#include "scenes/robot/model.h"

typedef enum UrdfType {
    URDF_FIXED,
    URDF_REVOLUTE,
    URDF_CONTINUOUS,
    URDF_PRISMATIC,
    URDF_FLOATING,
    URDF_PLANAR
} UrdfType;

typedef struct UrdfJoint {
    const XmlNode *at;
    const char *name;
    UrdfType type;
    int parent, child; /* of Urdf's links; -1: the world that no link says */
} UrdfJoint;

/* Links as the file has them, in no order; the robot's links are in the tree's. */
typedef struct UrdfLink {
    const XmlNode *at;
    const char *name;
    int above;              /* the joint to its parent; -1: none */
    int first_below, after; /* joints below it, in the order of the file; the next of its parent's */
    int link;               /* of the robot; -1: the world */
    bool reached;
} UrdfLink;

typedef struct Urdf {
    Robot *robot;
    const RobotParams *params;
    json_t *names; /* of links */
    ROBOT_LIST(UrdfLink) links;
    ROBOT_LIST(UrdfJoint) joints;
} Urdf;

/* link.c: mass and collision shapes. */
bool urdf_fill_link(Urdf *urdf, const XmlNode *node, int link);
/* <origin xyz rpy>; rpy turns about the fixed axes x, y, z. */
bool urdf_origin(const XmlNode *node, RobotPose *pose);

/* joint.c */
bool urdf_add_joint(Urdf *urdf, const UrdfJoint *joint, int link);
bool urdf_read_mimics(Urdf *urdf);

/* unread.c: what stands there and is not read, elements and attributes, is said in the end. */
bool urdf_list_unread(Robot *robot, const XmlNode *node);

#endif
