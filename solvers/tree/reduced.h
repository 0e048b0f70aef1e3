/* SPDX-License-Identifier: MIT */
/* The motion of a tree in joint coordinates, as the right-hand side of an integration:
 *
 *     (q, q')' = (q', ABA(q, q', tau)),   turns as quaternions, directions as unit vectors (articulated.h).
 *
 * Balls turn against the world, the others against their parent: a chain is then placed without a product of turns.
 * Limits and drives are in the states that lagrange.h has found at the last event: a row that holds prescribes its
 * coordinate, a spent drive pushes with its bound. */
#ifndef RIGOR_SOLVERS_TREE_REDUCED_H
#define RIGOR_SOLVERS_TREE_REDUCED_H

#include "solvers/systems/lagrange.h"
#include "solvers/tree/articulated_drive.h"

typedef struct Reduced {
    Articulated tree;
    Drives drives;
    Velocity *alone; /* accelerations without joints */
} Reduced;

/* False when out of memory; free copes with half-built and zeroed ones. */
bool reduced_init(Reduced *reduced, const World *world);
void reduced_free(Reduced *reduced);

/* Grows the tree. False if the world has no such coordinates: loops, compliance, ropes, contacts, four-body rows, or a
 * distance of zero, whose direction is unknown. */
bool reduced_connect(Reduced *reduced, const World *world);

/* y = tree.state_size numbers: the world's state in coordinates, and the other way round. */
void reduced_take(Reduced *reduced, World *world, double *y);
void reduced_give(Reduced *reduced, const double *y, World *world);

/* What one means for each number of y: the length scale for lengths and their rates, 1 for turns and directions. */
void reduced_scales(const Reduced *reduced, const World *world, double *scale);

/* Takes y back onto the coordinates' own manifold. */
void reduced_normalise(const Reduced *reduced, double *y);

/* Gives y to the world: y' there and, at impulse, the blocks' forces, outside ones as motion_collect_forces found them.
 * Returns the degrees of freedom solved; 0: not finite. */
int reduced_rate(Reduced *reduced, Lagrange *lagrange, World *world, const double *y, double *rate, Vec3 *impulse);

/* True while a limit holds that is no coordinate of its own: it drifts, and needs projection. */
bool reduced_drifts(const Reduced *reduced, const Lagrange *lagrange);

#endif
