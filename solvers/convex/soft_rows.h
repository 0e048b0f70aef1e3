/* SPDX-License-Identifier: MIT */
/* Joints and contacts as the soft rows of a convex problem, as MuJoCo has them: R and aref by impedance.h. A joint's
 * block is active with its rows, a limit and a contact while they are violated. A contact has a cone of its normal, two
 * tangents and, of a patch, the spin, or a pyramid of facets n + friction t and n - friction t, which only push. */
#ifndef RIGOR_SOLVERS_CONVEX_SOFT_ROWS_H
#define RIGOR_SOLVERS_CONVEX_SOFT_ROWS_H

#include "model/world.h"
#include "solvers/convex/convex.h"
#include "solvers/convex/impedance.h"

typedef struct SoftRowSet {
    Impedance impedance;
    double impratio;   /* impedance of friction over that of normals */
    bool elliptic;     /* else a pyramid */
    bool exact;        /* A of R is that of the rows; else from the bodies' weights: 1/m1 + 1/m2, a third of the inverse
                        * moments */
    const int *column; /* by body: its first unknown; -1: fixed */
    int *first_row;    /* by block: of its rows; -1: inactive */
    ConvexProblem *problem;
} SoftRowSet;

/* Of joint block b; of the contact point whose block is b. Speeds are those as the substep began, which is h long. */
void soft_rows_add_joint(SoftRowSet *own, const World *world, int b, double h);
void soft_rows_add_point(SoftRowSet *own, const World *world, int b, double h);

/* What the forces give the second bodies in h: of joint block b; into block_impulse, of a pair's contacts. */
Vec3 soft_rows_joint_impulse(const SoftRowSet *own, const World *world, int b, double h);
void soft_rows_store_manifold(const SoftRowSet *own, World *world, const ManifoldBlocks *manifold, double h);

#endif
