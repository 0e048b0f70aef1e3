/* SPDX-License-Identifier: MIT */
/* A step of Newton's method (newton.h) by the velocities of the bodies, for systems that are made of rows: with
 * W = J M^-1 J^T + s and D = P + Q (s + delta w), group by group,
 *
 *     d = -D^-1 (F + Q J dV),   (1 + M^-1 J^T D^-1 Q J) dV = -M^-1 J^T D^-1 F
 *
 * has six unknowns a body, where a face has twelve rows. */
#ifndef RIGOR_SOLVERS_CONE_BODIES_H
#define RIGOR_SOLVERS_CONE_BODIES_H

#include "solvers/cone/assembly.h"
#include "solvers/cone/newton.h"

typedef struct ConeBodies {
    Arrays arrays;
    const RowSystem *rows; /* borrowed */
    const ConeAssembly *assembly;
    ConeSystem graph; /* v and w of each body that moves: a block each; who shares rows with whom */
    int *first;       /* of each body: its first number in `turn`, -1: fixed */
    double *turn;     /* dV */
    ConeFactor factor;
} ConeBodies;

/* Of an assembly that is filled. False when out of memory; free copes with zeroed and half-built ones. */
bool cone_bodies_init(ConeBodies *bodies, const RowSystem *rows, const ConeAssembly *assembly, const World *world);
void cone_bodies_free(ConeBodies *bodies);

/* d at r and u; false: it was not found. */
bool cone_bodies_direction(ConeBodies *bodies, const NewtonLaw *law, double delta, const double *r, const double *u,
                           double *d);

#endif
