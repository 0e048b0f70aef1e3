/* SPDX-License-Identifier: MIT */
/* Newton's method on the poses, M dx = J^T mu, J dx = -C, for the violated rigid rows of joints, after a move. Drives
 * have their command, soft rows their force: both stay out, and so do contacts. */
#ifndef RIGOR_SOLVERS_SYSTEMS_JOINT_PROJECTION_H
#define RIGOR_SOLVERS_SYSTEMS_JOINT_PROJECTION_H

#include "solvers/systems/joint_solve.h"

typedef struct JointProjection {
    Arrays arrays;
    RowSystem rows;
    bool (*held)[BLOCK_MAX_ROWS];
    double (*goal)[BLOCK_MAX_ROWS];
    Velocity *shift;
} JointProjection;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool joint_projection_init(JointProjection *projection, const World *world);
bool joint_projection_reserve(JointProjection *projection, const World *world);
void joint_projection_free(JointProjection *projection);

/* One step; where bodies turn by much in a substep it leaves too much, and errors grow from step to step: then more
 * follow, and it is said. */
void joint_projection_take(JointProjection *projection, JointSolve *solve, Step *step);

#endif
