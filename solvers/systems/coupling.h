/* SPDX-License-Identifier: MIT */
/* Which blocks are coupled through moving bodies, and in which order their rows stand in J M^-1 J^T. */
#ifndef RIGOR_SOLVERS_SYSTEMS_COUPLING_H
#define RIGOR_SOLVERS_SYSTEMS_COUPLING_H

#include "model/array.h"
#include "model/world.h"

typedef struct Coupling {
    Arrays arrays;
    /* The blocks at body i, in order of creation, are block[start[i] .. start[i + 1]); that body is their body[slot].
     */
    int *start, *block, *slot;
    int *order; /* of blocks */
    int band;   /* greatest distance of two rows that are coupled */
} Coupling;

/* narrow: ordered for a narrow band, else as created. False when out of memory; free copes with half-built ones. */
bool coupling_init(Coupling *coupling, const World *world, bool narrow);
void coupling_free(Coupling *coupling);

#endif
