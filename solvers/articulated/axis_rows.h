/* SPDX-License-Identifier: MIT */
/* Rows on coordinates themselves, which no row between two bodies is: limits and dry friction of stacks of axes, and
 * couplings, q1 - start1 = polynomial(q2 - start2). */
#ifndef RIGOR_SOLVERS_ARTICULATED_AXIS_ROWS_H
#define RIGOR_SOLVERS_ARTICULATED_AXIS_ROWS_H

#include "solvers/rows/rows.h"
#include "solvers/tree/answers.h"

typedef enum AxisRowKind { AXIS_LIMIT, AXIS_FRICTION, AXIS_COUPLING } AxisRowKind;

typedef struct AxisRow {
    AxisRowKind kind;
    int count;         /* coordinates: one or two */
    int link[2], k[2]; /* coordinate k of a link */
    double J[2];
    const SeriesAxis *axis;        /* of a limit */
    const JointLaw *law;           /* of friction */
    const JointCoupling *coupling; /* of a coupling */
    RowBlock rows;                 /* one: its J over bodies is zero */
    double lambda[BLOCK_MAX_ROWS];
} AxisRow;

typedef struct AxisRows {
    int count;
    AxisRow *list;
} AxisRows;

/* Room for a world's; false when out of memory. free copes with zeroed ones. */
bool axis_rows_init(AxisRows *rows, const World *world);
void axis_rows_free(AxisRows *rows);

/* Those of a connected tree. False with a message: a coupling of a joint that was cut. */
bool axis_rows_connect(AxisRows *rows, const Articulated *tree, const World *world, Status *status);

/* Its error, bias and bounds at the tree's state. */
void axis_row_set(AxisRow *row, const Articulated *tree, const World *world, const RowSetup *setup);

/* After articulated_solve. */
void axis_row_answer(const AxisRow *row, Answer *answer, Answers *answers, const Forest *forest,
                     const Articulated *tree);

#endif
