/* SPDX-License-Identifier: MIT */
/* The search of a broad phase: each leaf of its tree against itself and the leaves after it, from the root down where
 * bounds overlap. Leaves, then bodies near them, then pairs are listed, so that no branch depends on what overlaps. */
#ifndef RIGOR_MODEL_COLLISION_BROADPHASE_SEARCH_H
#define RIGOR_MODEL_COLLISION_BROADPHASE_SEARCH_H

#include "model/collision/broadphase.h"

/* Bodies in a leaf: two quads of them are compared in a row. */
enum { LEAF_SIZE = 8, LEAF_QUADS = LEAF_SIZE / 4 };

static inline size_t leaf_count(const Broadphase *broadphase)
{
    return ((size_t)broadphase->body_count + LEAF_SIZE - 1) / LEAF_SIZE;
}

/* Fills the lists of the parts [from, to) of a Broadphase. */
TeamWork broadphase_search;

#endif
