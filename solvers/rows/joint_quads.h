/* Quads of joints' blocks (solvers/rows/quad.h). What a sweep needs of four joints stands lane by lane, their
 * multipliers, too: JointRow has them again after joint_quads_store. */
#ifndef RIGOR_SOLVERS_ROWS_JOINT_QUADS_H
#define RIGOR_SOLVERS_ROWS_JOINT_QUADS_H

#include "solvers/four.h"
#include "solvers/rows/quad.h"
#include "solvers/rows/row_kernel.h"

/* Kinds of joints: blocks of one to three rows, and balls. */
enum { JOINT_BALLS = BLOCK_MAX_ROWS + 1 };

/* What JointRow has from lambda on, number by number. Lanes without a joint are zero. */
typedef struct JointLanes {
    Double4 lambda[BLOCK_MAX_ROWS], Tbias[BLOCK_MAX_ROWS], inv_mass[2];
    Double4 TJ[JOINT_COLUMNS][BLOCK_MAX_ROWS], turn[BLOCK_MAX_ROWS][6];
    union { /* of balls not filled */
        Double4 linear[BLOCK_MAX_ROWS][3];
        struct {
            FourVec3 arm[2], C;
        };
    };
} JointLanes;

/* 0: solved by itself. */
int joint_quad_kind(const JointRow *row);

/* Quads [from, to) from the rows of a system. */
void joint_quads_fill(RowQuads *quads, const RowSystem *system, int from, int to);

#endif
