/* SPDX-License-Identifier: MIT */
/* The rows of a world as a cone system: W = J M^-1 J^T + s block by block, q = J V* + bias. Rows of angles and volumes
 * enter as lengths (block_metres), so that norms and pivots know one unit. Inactive blocks stay out.
 * Memory is made beforehand, so that a step needs none. */
#ifndef RIGOR_SOLVERS_CONE_ASSEMBLY_H
#define RIGOR_SOLVERS_CONE_ASSEMBLY_H

#include "solvers/cone/cone_system.h"
#include "solvers/rows/rows.h"

typedef struct ConeAssembly {
    ConeSystem system; /* whose arrays those below are, too */
    Arrays bodies;
    int capacity;         /* blocks */
    long pair_capacity;   /* entries of W */
    int *of;              /* cone block -> block of the world */
    int *body_start;      /* the cone blocks at each body: touching[body_start[i] .. body_start[i + 1]) */
    int *touching, *slot; /* and which of its bodies it is there */
    int *place;           /* scratch: entry of a block in the row at hand */
    double *r;            /* impulses, row by row */
} ConeAssembly;

/* Room for the blocks that the world has now. False when out of memory; free copes with half-built ones. */
bool cone_assembly_reserve(ConeAssembly *assembly, const World *world);
void cone_assembly_free(ConeAssembly *assembly);

/* From prepared rows; r becomes their multipliers. Returns false if a patch's torque had to be bounded by the load that
 * its contacts begin with, since a cone system has no row for it. */
bool cone_assembly_fill(ConeAssembly *assembly, const RowSystem *rows, const World *world);

/* r becomes the rows' multipliers, and the other way round. */
void cone_assembly_load(ConeAssembly *assembly, const RowSystem *rows);
void cone_assembly_store(const ConeAssembly *assembly, RowSystem *rows);

#endif
