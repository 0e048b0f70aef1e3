/* SPDX-License-Identifier: MIT */
/* Joints as Newton has them: three rows along the axes of the frame on body 1 and three about them, each held, bounded,
 * driven or free; or one row along a distance. A row's multiplier, without memory of earlier passes, is
 *     dlambda = -(e + g e')/((h + g) w + a/h),   a compliance,  g = a x damping. */
#ifndef RIGOR_SOLVERS_NEWTON_XPBD_JOINT_H
#define RIGOR_SOLVERS_NEWTON_XPBD_JOINT_H

#include "solvers/newton_xpbd/change.h"
#include "solvers/solver.h"

typedef struct NewtonAxis {
    double lower, upper; /* m, rad; equal: held; infinite: none */
    double compliance;
    bool driven; /* a drive of speed alone, of infinite damping: a = 0, g = 1 */
    int block;   /* whose impulse it is */
} NewtonAxis;

typedef struct NewtonJoint {
    int body[2];
    Vec3 anchor[2];
    Quat frame[2]; /* of the joint in its bodies, alike as placed; x is its axis */
    NewtonAxis line[3], turn[3];
    bool turns;    /* some axis of `turn` has a row */
    bool distance; /* the row of line[0] is along the anchors' distance */
} NewtonJoint;

typedef struct NewtonRelaxation {
    double line, turn;  /* of the impulses of a row along an axis, and of all torques */
    double least_error; /* m, m/s: a row along an axis that is off by less is left alone */
} NewtonRelaxation;

/* From the joint's blocks; false, with a message, where Newton has no such row. */
bool newton_joint_read(NewtonJoint *joint, const World *world, int index, Status *status);

/* Adds what the joint gives, and to the impulses of its blocks. Returns the rows solved. */
int newton_joint_solve(const NewtonJoint *joint, World *world, double h, NewtonRelaxation relax, NewtonChange *change);

#endif
