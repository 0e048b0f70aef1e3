/* SPDX-License-Identifier: MIT */
/* Every law of friction that rows can have, for Newton's method: besides Coulomb's cone polygons, squares, the
 * lecture's box, and patches with their spin. Each is a natural map F = r - P(r - rho u), P the projection on the set
 * that the load gives. */
#ifndef RIGOR_BENCH_FROZEN_FRICTION_LAW_H
#define RIGOR_BENCH_FROZEN_FRICTION_LAW_H

#include "solvers/cone/assembly.h"
#include "solvers/cone/newton.h"

/* Of these rows, of which the assembly made its system; both are borrowed. */
typedef struct RowsLaw {
    NewtonLaw law;
    const RowSystem *rows;
    const ConeAssembly *assembly;
} RowsLaw;

RowsLaw friction_law(const RowSystem *rows, const ConeAssembly *assembly);

#endif
