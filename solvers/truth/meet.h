/* SPDX-License-Identifier: MIT */
/* Where two bodies may meet, as laws that hold at every pose: a corner or a round end over a face, two round ends, the
 * rim of a cylinder over a plane, an edge across an edge. Each gives the gap, the normal, the points that meet, and how
 * fast all of them change, exactly: derivatives are carried along (dual numbers). */
#ifndef RIGOR_SOLVERS_TRUTH_MEET_H
#define RIGOR_SOLVERS_TRUTH_MEET_H

#include "model/collision/polyhedron.h"
#include "model/world.h"

typedef enum MeetKind {
    MEET_POINT_FACE,  /* a point with a radius on body 0, a face of body 1 */
    MEET_POINT_POINT, /* with a radius each */
    MEET_RIM_FACE,    /* a circle about `along[0]` on body 0 */
    MEET_EDGE_EDGE,   /* from `at` to `at` + `along` */
} MeetKind;

typedef struct MeetLaw {
    MeetKind kind;
    int body[2];
    Vec3 at[2];     /* in the bodies' internal frames: points, the rim's centre, any point of the face, an edge's end */
    Vec3 along[2];  /* the rim's axis; edges */
    Vec3 out[2][2]; /* unit normals: of the face, [1][0]; of the two faces at the edge of each body */
    double radius[2];
    int face; /* of body 1's polyhedron; -1: a plane, which has no end */
} MeetLaw;

typedef struct Meeting {
    double gap;               /* m */
    Vec3 normal, normal_rate; /* from body 1 to body 0; unit, world */
    Vec3 arm[2], arm_rate[2]; /* from the bodies' centres to the points that meet */
    Vec3 slip;                /* m/s, of body 0's point against body 1's, the part along the normal included */
    bool beside;              /* no contact here: past the end of a face or an edge, or another feature is nearer */
    bool flat;                /* a rim that lies on its plane: a whole circle touches */
} Meeting;

/* Every law of a world's bodies. */
typedef struct Meets {
    int count, bodies;
    MeetLaw *laws;
    Polyhedron **own;        /* of each body: of a hull, else NULL */
    const Polyhedron **poly; /* of each body: of a hull or a box, else NULL */
    Vec3 *scale;             /* its vertices are as many times as large */
    double smallest;         /* m, length or radius among the shapes */
} Meets;

/* False with a message: out of memory, or shapes that no law is known for. Free copes with half-built ones. */
bool meets_init(Meets *meets, const World *world, Status *status);
void meets_free(Meets *meets);

/* In the world's state, rates by its velocities. */
Meeting meet_evaluate(const Meets *meets, const MeetLaw *law, const World *world);

#endif
