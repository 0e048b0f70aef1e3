/* SPDX-License-Identifier: MIT */
/* Rows that are solved for in joint coordinates: those of contacts, limits, drives, soft and cut joints. Their errors,
 * biases and bounds are those of solvers/rows/; what answers a row is not its two bodies but the trees that they are
 * part of (solvers/tree/answers.h):
 *
 *     J (qdot_free + u) + s lambda + bias = 0,   u = Y lambda,   lower <= lambda <= upper.
 */
#ifndef RIGOR_SOLVERS_ARTICULATED_COORDINATE_ROWS_H
#define RIGOR_SOLVERS_ARTICULATED_COORDINATE_ROWS_H

#include "solvers/articulated/axis_rows.h"
#include "solvers/articulated/turning.h"

/* A block, or a contact point with its friction. */
typedef struct CoordinateBlock {
    RowBlock *rows; /* J, bounds, multipliers; its A, steps and softness are those of free bodies */
    int block;      /* the world's; -1: none */
    AxisRow *axis;  /* of a row on coordinates themselves; else NULL */
    bool closed;    /* its rows are solved directly, and always hold (closing.h) */
    Answer answer;
    double bias[BLOCK_MAX_ROWS]; /* J V + bias at the velocities without rows, m/s */
    double soft[BLOCK_MAX_ROWS], step[BLOCK_MAX_ROWS];
    double bound, slide_step, tangent[3];                /* of a contact point, for its law of friction */
    bool goes_back[BLOCK_MAX_ROWS];                      /* in the pass that takes errors back: rigid and violated */
    double back[BLOCK_MAX_ROWS], pseudo[BLOCK_MAX_ROWS]; /* there: bias and multiplier */
} CoordinateBlock;

typedef struct CoordinateRows {
    RowSystem system;
    AxisRows axes;
    Turning turning;
    Answers answers;
    FrictionLaw law;
    double relaxation;
    int count, capacity;
    CoordinateBlock *blocks;
    bool *part; /* of the world's blocks: those that are rows */
    size_t part_room;
    double *u; /* of each coordinate: what the rows change its speed by */
} CoordinateRows;

/* False when out of memory; free copes with zeroed ones. */
bool coordinate_rows_init(CoordinateRows *rows, const World *world);
void coordinate_rows_free(CoordinateRows *rows);

/* The rows on coordinates themselves; false with a message, as axis_rows_connect has it. */
bool coordinate_rows_connect(CoordinateRows *rows, const Articulated *tree, const World *world, Status *status);

/* Room for the world's blocks. False with a message. */
bool coordinate_rows_reserve(CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world,
                             Status *status);

/* Whether there is room for the rows of a tree that has changed since. */
bool coordinate_rows_fit(const CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world);

/* All rows and their answers, after articulated_solve; the world has the velocities that it found. u is zero. */
void coordinate_rows_prepare(CoordinateRows *rows, const Forest *forest, const Articulated *tree, const World *world,
                             const RowSetup *setup);

/* After an answer has changed: what its block is solved with. */
void coordinate_block_weigh(CoordinateRows *rows, CoordinateBlock *block);

/* u += Y lambda of those that are not closed. */
void coordinate_rows_apply(CoordinateRows *rows);

/* One Gauss-Seidel sweep over the blocks that are not closed, in order. Returns the rows solved. */
int coordinate_rows_sweep(CoordinateRows *rows);

/* |natural map| / |b|, as row_system_residual has it. */
double coordinate_rows_residual(const CoordinateRows *rows);

/* The same rows for position errors alone, from zero: biases of those that are rigid and violated, and a sweep, into w.
 */
void coordinate_rows_begin_back(CoordinateRows *rows, const RowSetup *setup);
int coordinate_rows_sweep_back(CoordinateRows *rows, double *w);

/* What the rows gave acts on the links. */
void coordinate_rows_push(const CoordinateRows *rows, Articulated *tree, bool closed);

#endif
