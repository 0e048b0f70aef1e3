/* SPDX-License-Identifier: MIT */
/* The order in which a system's rows are swept, four units at once where they share no moving body
 * (solvers/order/schedule.h), with the bits that they have one by one. A quad of manifolds holds all numbers of its
 * points lane by lane, and nobody else has them; one of joints has a copy, whose multipliers alone change. Kinds that
 * are rare (soft or bounded joints, points without friction, patches) are solved one by one. */
#ifndef RIGOR_SOLVERS_ROWS_ROW_SCHEDULE_H
#define RIGOR_SOLVERS_ROWS_ROW_SCHEDULE_H

#include "solvers/order/schedule.h"
#include "solvers/rows/rows.h"

/* A fresh one is all zero. */
typedef struct RowSchedule {
    Schedule joints, manifolds;
    size_t joint_capacity, inverse_capacity, point_capacity;
    struct JointLanes *joint_lanes; /* of each quad of joints (solvers/rows/joint_quads.h) */
    struct PointLanes *points;      /* of each quad of manifolds, point by point */
    struct InverseLanes *inverses;  /* of each quad of manifolds, if they are solved together */
} RowSchedule;

/* Room for the world's units as they are now; false when out of memory. Nothing else allocates. */
bool row_schedule_reserve(RowSchedule *quads, const World *world);
void row_schedule_free(RowSchedule *quads);

/* Which manifolds stand side by side, before they are prepared: those of a colour; or of the list, where some can. */
void row_schedule_manifolds(RowSchedule *quads, const World *world, const RowSetup *setup, bool by_colour);

/* The joints of a prepared system, by colour, or as created; again after each change of them. Their multipliers go with
 * them, and come back to JointRow for those who look at them. */
void row_schedule_joints(RowSchedule *quads, const RowSystem *system, const World *world, bool by_colour);
void joint_quads_copy_back(const RowSystem *system);

/* Copies lanes to the packed rows, for those who look at them; and biases of rows that have changed to lanes. */
void contact_quads_copy_back(const RowSystem *system);
void contact_quads_take_biases(const RowSystem *system);

/* Both of a system that may have quads. */
void row_system_copy_back(const RowSystem *system);

/* A sweep over quads [from, to) of joints, which returns the rows solved. */
long joint_quads_sweep(const RowSchedule *quads, int from, int to, Velocity *velocity);

/* Of a system with a schedule: V += M^-1 J^T lambda; and one Gauss-Seidel sweep, which returns the rows solved. */
void row_schedule_apply(RowSystem *system, Team *team, Velocity *velocity);
long row_schedule_sweep(RowSystem *system, Team *team, Velocity *velocity);

/* A sweep whose manifolds all see the same velocities, their own points solved one after the other; the changes are
 * added up in the end. Joints come before, by Gauss-Seidel. `change` is scratch, zero before and after, of each body.
 */
long row_schedule_jacobi(RowSystem *system, const World *world, Velocity *velocity, Velocity *change);

#endif
