/* SPDX-License-Identifier: MIT */
/* What floats keeps its momentum. Speeds of coordinates that stay as they are while the links move on have another
 * momentum at the new place: each tree without a fixed body is given the rigid motion that makes up for it,
 *
 *     sum of m v and of x x m v + I w as where the move began; I is that of the new place, as turning inertia is free
 *     flight's business (solvers/motion.h). */
#ifndef RIGOR_SOLVERS_ARTICULATED_MOMENTUM_H
#define RIGOR_SOLVERS_ARTICULATED_MOMENTUM_H

#include "solvers/tree/articulated.h"

/* Of a tree, or of what is still missing of it. */
typedef struct FloatingTree {
    int root; /* link; -1: it is held by a fixed body */
    double mass;
    Vec3 first; /* sum of m x */
    Mat3 I;     /* about the origin */
    Vec3 P, L;  /* missing */
} FloatingTree;

/* The tree is placed. Of each body: where its velocity alone would have taken it, and its velocity before the move.
 * `trees` is room for one a link. The world's velocities follow, and the tree's state. */
void articulated_keep_momentum(Articulated *tree, World *world, const Vec3 *moved, const Velocity *velocity,
                               FloatingTree *trees);

#endif
