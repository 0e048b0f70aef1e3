/* SPDX-License-Identifier: MIT */
/* The reader of MJCF: what its parts share. */
#ifndef RIGOR_SCENES_ROBOT_MJCF_MJCF_H
#define RIGOR_SCENES_ROBOT_MJCF_MJCF_H

#include "scenes/robot/model.h"

typedef struct MjcfClass {
    const char *name;
    int parent;                       /* -1: none */
    const XmlNode *blocks[XML_FILES]; /* the <default> elements of this class, in order */
    int block_count;
} MjcfClass;

/* Where an element of the tree stands: below which link, in which frame, with which class and suffix of names. */
typedef struct MjcfPlace {
    int link; /* -1: the world */
    RobotPose frame;
    int childclass; /* -1: none */
    const char *suffix;
} MjcfPlace;

typedef struct MjcfSite {
    const char *name;
    int link;
    Vec3 x; /* in the link's frame */
} MjcfSite;

typedef struct Mjcf {
    Robot *robot;
    XmlNode *root;
    bool radians, no_autolimits, balance, fixed_inertia, geom_inertia, overrides;
    char eulerseq[4];
    const char *meshdir;
    double boundmass, boundinertia, totalmass; /* totalmass <= 0: as it comes */
    double inertia_groups[2];
    ROBOT_LIST(MjcfClass) classes; /* 0: main */
    ROBOT_LIST(MjcfSite) sites;
    int body_count;    /* for names of those that have none */
    int replica_count; /* of all replicate elements, copies of copies included */
} Mjcf;

#define MJCF_ADD(mjcf, list)                                                                                           \
    robot_grow((mjcf)->robot, (void **)&(mjcf)->list.items, &(mjcf)->list.count, &(mjcf)->list.room,                   \
               sizeof *(mjcf)->list.items)

/* schema.c: every element and attribute of the file is known, and none is one that cannot be mapped. */
bool mjcf_check(Mjcf *mjcf, const XmlNode *root);

/* default.c */
bool mjcf_read_classes(Mjcf *mjcf);
/* The class of an element: its own, or that of what it stands in; false: no such class. */
bool mjcf_class_of(const Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place, int *class);
bool mjcf_childclass(const Mjcf *mjcf, const XmlNode *node, MjcfPlace *place);
/* An attribute's value: the element's own, or that of the nearest class; NULL: nobody's. `kind` is the name of the
 * element in <default>. */
const char *mjcf_get(const Mjcf *mjcf, const XmlNode *node, int class, const char *kind, const char *name);
const char *mjcf_default(const Mjcf *mjcf, int class, const char *kind, const char *name);

/* frame.c: pos and one way of saying an orientation. */
bool mjcf_pose(const Mjcf *mjcf, const XmlNode *node, int class, const char *kind, RobotPose *pose);
bool mjcf_turn(const Mjcf *mjcf, const XmlNode *node, int class, const char *kind, Quat *turn);
bool mjcf_euler(const Mjcf *mjcf, Vec3 angles, Quat *turn);
/* Turns z along a vector, by the shortest way. */
Quat mjcf_turn_z(Vec3 to);
static inline double mjcf_angle(const Mjcf *mjcf, double angle)
{
    return mjcf->radians ? angle : angle * (PI / 180.0);
}

/* Is a bound at work? By its own word, or, where that says auto, because a range is given. */
bool mjcf_limited(const Mjcf *mjcf, const XmlNode *node, const char *name, const char *text, const char *range_name,
                  bool has_range, const double *range, bool *limited);

bool mjcf_read_bodies(Mjcf *mjcf);
bool mjcf_add_geom(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place);
bool mjcf_add_joint(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place);
bool mjcf_read_meshes(Mjcf *mjcf);
bool mjcf_set_masses(Mjcf *mjcf);
bool mjcf_read_contacts(Mjcf *mjcf);
bool mjcf_read_closures(Mjcf *mjcf);
bool mjcf_read_actuators(Mjcf *mjcf);

const char *mjcf_name(Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place);
/* The link, joint or site that an attribute names; false with a message. "world" is -1. */
bool mjcf_find_body(const Mjcf *mjcf, const XmlNode *node, const char *attribute, int *link);
bool mjcf_find_joint(const Mjcf *mjcf, const XmlNode *node, const char *attribute, int *joint);
const MjcfSite *mjcf_find_site(const Mjcf *mjcf, const XmlNode *node, const char *attribute);

#endif
