/* SPDX-License-Identifier: MIT */
/* Every pair of spheres, or of a sphere and a plane, that could ever touch, as one contact block each: what `reference`
 * watches for impacts, whatever detection finds near. They are there from the start, so that states and rows keep their
 * places; they stand after the joints' blocks in a stage: the world itself, but with this list of blocks. */
#ifndef RIGOR_SOLVERS_TRUTH_IMPACT_PAIRS_H
#define RIGOR_SOLVERS_TRUTH_IMPACT_PAIRS_H

#include "model/world.h"

typedef struct ImpactPairs {
    int count;
    World stage;      /* shares the bodies' arrays */
    Block *blocks;    /* those of joints have the world's terms */
    BlockSeat *seats; /* of the pairs */
    Vec3 *impulses;   /* N s, of each block */
} ImpactPairs;

/* False with a message: out of memory, or too many. Free copes with half-built ones. */
bool impact_pairs_init(ImpactPairs *pairs, const World *world, Status *status);
void impact_pairs_free(ImpactPairs *pairs);

/* The stage in the world's state, before a substep. */
World *impact_pairs_enter(ImpactPairs *pairs, const World *world);

/* Impulses go back to the world. */
void impact_pairs_leave(const ImpactPairs *pairs, World *world);

#endif
