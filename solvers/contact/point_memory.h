/* SPDX-License-Identifier: MIT */
/* What a solver remembers of each contact point while detection finds it again: by its pair of shapes and the id of the
 * features that touch. A point that is new begins with zeros; one that detection has lost is forgotten. */
#ifndef RIGOR_SOLVERS_CONTACT_POINT_MEMORY_H
#define RIGOR_SOLVERS_CONTACT_POINT_MEMORY_H

#include "model/contact.h"

typedef struct PointKey {
    int collider[2];
    uint64_t id;
} PointKey;

typedef struct PointMemory {
    size_t item; /* bytes of a point's */
    int count, capacity;
    PointKey *keys, *keys_before;
    unsigned char *items, *items_before;
} PointMemory;

/* For items of that many bytes; a zeroed memory is an empty one. False when out of memory. */
bool point_memory_reserve(PointMemory *memory, const World *world, size_t item);
void point_memory_free(PointMemory *memory);

/* Makes the items those of the world's contact points, in the order of their blocks. */
void point_memory_match(PointMemory *memory, const World *world);

/* Of the k-th contact point. */
static inline void *point_memory_at(const PointMemory *memory, int k)
{
    return memory->items + memory->item * (size_t)k;
}

#endif
