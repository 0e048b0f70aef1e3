/* SPDX-License-Identifier: MIT */
/* A law (model/joint/law.h) as rows of a maximal-coordinate solver, which it sees as compliant targets. In a substep of
 * length h backward Euler's force is linear in the coordinate q at its end,
 *
 *     f = F - k q - d (q - q0)/h - I ((q - q0)/h - u0)/h = -K (q - aim),    K = k + d/h + I/h^2,
 *
 * q0 and u0 those of its beginning: a row of compliance 1/K with the target aim, at the level of positions as at that
 * of velocities, where it is J V + (q0 - aim)/h + lambda/(K h^2) = 0. A drive with bounds has a row of its own;
 * constant parts go to the coordinate's push, so that bounds are symmetric. Dry friction is a rigid row of bounded
 * force whose target is where it stands. */
#ifndef RIGOR_MODEL_JOINT_LAW_ROWS_H
#define RIGOR_MODEL_JOINT_LAW_ROWS_H

#include "model/world.h"

typedef struct LawRow {
    double inertia, damping, stiffness; /* I, d, k */
    double force;                       /* F: at q = q' = 0 */
    double bound;                       /* on |f|; infinite: none */
    bool friction;
    int coordinate; /* of its joint */
    Quat zero;      /* of a ball: q1^-1 q2 where its turn is zero */
} LawRow;

/* Rows that the law of one coordinate asks for, at most. */
enum { LAW_MAX_ROWS = JOINT_MAX_DRIVES + 3 };

/* Its rows and its push. Returns their number, or -1: bounds on the drives and on their sum have no such rows. */
int law_rows_make(const JointLaw *law, LawRow rows[LAW_MAX_ROWS], double *push);

/* A law's row for a step of length h from the world's state. */
void law_row_begin(const World *world, Block *block, double h);

/* The law of a slide's or twist's row itself, at this instant and within its bound: F - k q - d u. */
double law_row_force(const World *world, const Block *block);

/* J: the springs', and half I u^2 of all armatures. */
double laws_elastic_energy(const World *world);
double laws_kinetic_energy(const World *world);

/* J, of a joint's drives between two states, by the mean of their forces at both. */
double law_drive_work(const World *before, const World *after, const Joint *joint);

#endif
