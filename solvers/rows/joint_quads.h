/* SPDX-License-Identifier: MIT */
/* Quads of joints' blocks (solvers/rows/row_schedule.h): what a sweep needs of four joints lane by lane. */
#ifndef RIGOR_SOLVERS_ROWS_JOINT_QUADS_H
#define RIGOR_SOLVERS_ROWS_JOINT_QUADS_H

#include "model/lanes/vectors.h"
#include "solvers/rows/row_kernel.h"
#include "solvers/rows/row_schedule.h"

/* Kinds of joints: blocks of one to three rows, and balls. */
enum { JOINT_BALLS = BLOCK_MAX_ROWS + 1 };

/* What JointRow has from lambda on, number by number. Lanes without a joint are zero. */
typedef struct JointLanes {
    Lanes4 lambda[BLOCK_MAX_ROWS], Tbias[BLOCK_MAX_ROWS], inv_mass[2];
    Lanes4 TJ[JOINT_COLUMNS][BLOCK_MAX_ROWS], turn[BLOCK_MAX_ROWS][6];
    union { /* of balls not filled */
        Lanes4 linear[BLOCK_MAX_ROWS][3];
        struct {
            LanesVec3 arm[2], C;
        };
    };
} JointLanes;

#endif
