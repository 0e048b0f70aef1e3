/* SPDX-License-Identifier: MIT */
/* A robot as both formats describe it: links in a tree, each with its joints, its geoms and its mass; what drives and
 * closes it; which geoms touch. Links stand in the order of MuJoCo: a link before its children, children in the order
 * of the file. Poses and axes are those of the file, which is the configuration qpos0. */
#ifndef RIGOR_SCENES_ROBOT_MODEL_H
#define RIGOR_SCENES_ROBOT_MODEL_H

#include "model/shape.h"
#include "scenes/file/file.h"
#include "scenes/robot/robot.h"
#include "scenes/robot/xml.h"

typedef struct RobotPose {
    Vec3 x;
    Quat q;
} RobotPose;

static const RobotPose ROBOT_HERE = {{0, 0, 0}, {1, 0, 0, 0}};

static inline RobotPose robot_pose_mul(RobotPose a, RobotPose b)
{
    return (RobotPose){vec3_add(a.x, quat_rotate(a.q, b.x)), quat_mul(a.q, b.q)};
}

static inline Vec3 robot_pose_point(RobotPose a, Vec3 x)
{
    return vec3_add(a.x, quat_rotate(a.q, x));
}

static inline Vec3 robot_pose_local(RobotPose a, Vec3 world)
{
    return quat_rotate_inverse(a.q, vec3_sub(world, a.x));
}

typedef enum RobotGeomKind {
    GEOM_PLANE,
    GEOM_SPHERE,
    GEOM_CAPSULE,
    GEOM_ELLIPSOID,
    GEOM_CYLINDER,
    GEOM_BOX,
    GEOM_MESH,
} RobotGeomKind;

/* The hull of a mesh about its centre of volume, along its principal axes; the integrals of its surface. */
typedef struct RobotMesh {
    const char *name;
    const XmlNode *at;
    Mesh *hull, *surface; /* owned; surface NULL: the hull's */
    RobotPose pose;       /* of the centre and the principal axes in the file's frame */
    bool closed;          /* the surface encloses a volume: a mass may be asked of it */
    MassProperties solid; /* of density 1, in the mesh's own (moved) frame */
} RobotMesh;

typedef struct RobotGeom {
    const XmlNode *at;
    const char *name; /* NULL: none */
    RobotGeomKind kind;
    double size[3]; /* radius; half the length along z; half edges; half axes */
    int mesh;
    RobotPose pose; /* in the link's frame */
    double mass, density;
    bool has_mass, weighs; /* weighs: counts where geoms make the mass */
    double friction[3];    /* slide, 1; spin and roll, m */
    int condim, priority;
    unsigned group, mask;
    bool material; /* friction and condim are the file's: a URDF says nothing of them */
    int material_number;
} RobotGeom;

typedef enum RobotJointKind { ROBOT_FREE, ROBOT_BALL, ROBOT_SLIDE, ROBOT_HINGE } RobotJointKind;

typedef struct RobotJoint {
    const XmlNode *at;
    const char *name;
    RobotJointKind kind;
    int link;
    Vec3 anchor, axis; /* in the link's frame at qpos0 */
    double ref, springref, stiffness, damping, armature, frictionloss;
    bool limited, has_effort;
    double range[2], effort[2];
    int position_at, velocity_at; /* in a state */
} RobotJoint;

typedef struct RobotLink {
    const XmlNode *at;
    const char *name;
    int parent;     /* -1: the world */
    RobotPose pose; /* in its parent */
    double mass;
    Vec3 centre;  /* in the link's frame */
    Mat3 inertia; /* about the centre, along the link's axes */
    bool has_inertial;
    double gravcomp;
    int first_joint, joint_count, first_geom, geom_count;
    int group; /* the first link of those that are rigidly one; -1: the world's */
} RobotLink;

/* F = clamp(gain(c) + bias), gain and bias linear in l = gear q and its speed; the force on the joint is gear F. */
typedef struct RobotActuator {
    const XmlNode *at;
    const char *name;
    int joint;
    double gear[3], gain[3], bias[3];
    bool clamps_control, clamps_force;
    double control_range[2], force_range[2];
} RobotActuator;

typedef enum RobotClosureKind {
    CLOSURE_CONNECT,
    CLOSURE_WELD,
    CLOSURE_JOINT,
    CLOSURE_ROPE,
    CLOSURE_ROD
} RobotClosureKind;

/* What joins beside the tree: two points in the frames of two links (-1: the world), or two coordinates. */
typedef struct RobotClosure {
    const XmlNode *at;
    const char *name; /* NULL: none */
    RobotClosureKind kind;
    int link[2], joint[2]; /* joint[1] -1: none */
    Vec3 point[2];
    Quat turn; /* weld: of link 2 in link 1 */
    double polynomial[5], length;
} RobotClosure;

/* Two geoms that touch whatever their masks say, with friction of their own. */
typedef struct RobotPair {
    const XmlNode *at;
    int geom[2];
    double friction[3];
    int condim;
} RobotPair;

typedef struct RobotKey {
    const XmlNode *at;
    const char *name; /* NULL: none */
} RobotKey;

/* An array that grows: `items` of a fixed type, in memory of its own. */
#define ROBOT_LIST(Type)                                                                                               \
    struct {                                                                                                           \
        Type *items;                                                                                                   \
        int count, room;                                                                                               \
    }

typedef enum RobotNames {
    ROBOT_LINKS,
    ROBOT_JOINTS,
    ROBOT_GEOMS,
    ROBOT_MESHES,
    ROBOT_SITES,
    ROBOT_NAME_KINDS
} RobotNames;

typedef struct Robot {
    XmlTree *tree;
    json_t *names[ROBOT_NAME_KINDS];
    const char *name;
    Vec3 gravity;
    bool no_contacts, no_limits, no_dry_friction, no_closures, no_springs, no_dampers, no_actuation, no_clamps;
    bool neighbours_touch; /* no filter of parent and child */
    bool mjcf;
    int world_geom_count; /* the first of the geoms are the world's own */
    ROBOT_LIST(RobotLink) links;
    ROBOT_LIST(RobotJoint) joints;
    ROBOT_LIST(RobotGeom) geoms;
    ROBOT_LIST(RobotMesh) meshes;
    ROBOT_LIST(RobotActuator) actuators;
    ROBOT_LIST(RobotClosure) closures;
    ROBOT_LIST(RobotPair) pairs;
    ROBOT_LIST(RobotKey) keys;
    struct {
        int (*items)[2]; /* of links, -1 the world */
        int count, room;
    } excludes;
    int position_count, velocity_count;
    ROBOT_LIST(const XmlNode *) written; /* where each joint of the document comes from */
    json_t *unused;                      /* names of what has no effect, in the order of the file */
    Text notes;                          /* other lines to be said */
    /* The state that is written. */
    double *position, *velocity, *control;
    RobotPose *placed;            /* of each link, in the world */
    Vec3 *spin, *origin_velocity; /* of each link: angular velocity; velocity of what passes the world's origin */
} Robot;

/* Room for one more, zeroed; NULL with a message. Use through ROBOT_ADD. */
void *robot_grow(Robot *robot, void **items, int *count, int *room, size_t size);
#define ROBOT_ADD(robot, list)                                                                                         \
    robot_grow(robot, (void **)&(robot)->list.items, &(robot)->list.count, &(robot)->list.room,                        \
               sizeof *(robot)->list.items)

void robot_free(Robot *robot);

/* Says in the end that something of the file has no effect here. */
bool robot_unused(Robot *robot, const char *name);

/* Names by kind: hashed, so that large files read in linear time. */
bool robot_name(Robot *robot, const XmlNode *at, RobotNames kind, const char *name, int index);
/* -1: there is none. */
int robot_find(const Robot *robot, RobotNames kind, const char *name);

/* Readers of the two formats, from the root of the tree. */
bool mjcf_read(Robot *robot, const RobotParams *params);
bool urdf_read(Robot *robot, const RobotParams *params);

/* A mesh from a file or from points, scaled; its index, -1 with a message at the node. */
int robot_add_mesh(Robot *robot, const XmlNode *at, const char *name, Mesh *surface, Vec3 scale);
int robot_add_hull(Robot *robot, const XmlNode *at, const char *name, int count, const Vec3 *points);
/* Opens an OBJ or STL under the folder of the file `beside`. */
Mesh *robot_open_mesh(const XmlNode *at, const char *attribute, const char *beside, const char *name);
/* Triangles of a Wavefront STL file, text or binary; vertices at the same place are one. */
Mesh *stl_read(int fd, const char *path, Status *status);

/* The mass of a geom and its inertia about its centre, along its own axes. */
MassProperties robot_geom_solid(const Robot *robot, const RobotGeom *geom);
/* Links that no joint parts are one: finds them, and holds masses to what a body can have. */
/* `balance`: inertias that no body has become their mean. */
bool robot_check_masses(Robot *robot, bool balance);
Mat3 robot_turn_inertia(Quat turn, Mat3 inertia);

/* Counts coordinates, and fills the state at qpos0, at rest. */
bool robot_start(Robot *robot);
/* The state that parameters and caller ask for; then every link's place and motion. */
bool robot_set_state(Robot *robot, const RobotParams *params, const RobotState *state);
void robot_place(Robot *robot);
/* Axis and anchor of a joint in the world, as placed. */
void robot_joint_line(const Robot *robot, int joint, Vec3 *anchor, Vec3 *axis);
/* A link's pose in the world at qpos0. */
RobotPose robot_pose_at_zero(const Robot *robot, int link);

/* The document's parts. */
json_t *robot_write(Robot *robot);
bool robot_write_bodies(const Robot *robot, json_t *root);
bool robot_write_joints(Robot *robot, json_t *root);
bool robot_write_closures(Robot *robot, json_t *joints);
/* Adds `drive` to a joint or an axis, where an actuator acts on it. */
bool robot_write_drives(const Robot *robot, int joint, json_t *object);
/* The name of a coordinate: its joint's, or `series.joint` where it is one of several. */
const char *robot_coordinate(const Robot *robot, int joint);
const char *robot_link_name(const Robot *robot, int link);
/* The body that holds the world's own geoms; no link has its name. */
const char *robot_world_body(const Robot *robot);

#endif
