/* SPDX-License-Identifier: MIT */
/* Limits, servos and motors of an articulated tree: rows on single coordinates,
 *
 *     rate >= -C/h  with lambda >= 0 for a limit (C its gap),    rate = -C/h  with |lambda| <= max for a target,
 *
 * where lambda is a force along the coordinate. A row that holds prescribes its coordinate; one that does not leaves
 * it free with lambda at a bound. Which ones hold is found by trying: solve, let go what exceeds its bounds, catch
 * what would pass, until nothing changes. */
#ifndef RIGOR_SOLVERS_TREE_ARTICULATED_DRIVE_H
#define RIGOR_SOLVERS_TREE_ARTICULATED_DRIVE_H

#include "solvers/tree/articulated.h"

typedef enum DriveState { DRIVE_OFF, DRIVE_HOLDS, DRIVE_AT_LOWER, DRIVE_AT_UPPER } DriveState;

typedef struct DriveRow {
    int block, link, dof;
    DriveState state;
    double scale;        /* the row's rate over the coordinate's; lambda's force on the coordinate */
    double rate, wanted; /* of the row, now and at the end of the step */
    double lower, upper; /* N or N m */
} DriveRow;

typedef struct Drives {
    int count;
    DriveRow *rows;
} Drives;

/* Room for this world's rows; false when out of memory. */
bool drives_init(Drives *drives, const World *world);
void drives_free(Drives *drives);

/* The rows of a tree. */
void drives_connect(Drives *drives, const Articulated *tree, const World *world);

/* Errors, rates and bounds of a step of length h at the placed state; a row starts as the last step left it. */
void drives_begin(Drives *drives, const Articulated *tree, const World *world, double h);

/* Asks a holding row for its velocity within `time`: (wanted - rate) / time as qddot. With time 1, for a jump. */
void drives_reach(const Drives *drives, Articulated *tree, double time, bool with_forces);

/* Asks a holding row for a constant rate, by its own velocity-dependent terms. */
void drives_hold(const Drives *drives, Articulated *tree, const World *world);

/* After a solve of drives_reach(h) and articulated_forces: lets go and catches. True if anything changed. */
bool drives_revise(Drives *drives, const Articulated *tree, double h);

/* True if some holding row must change its rate at once. */
bool drives_jump(const Drives *drives);

#endif
