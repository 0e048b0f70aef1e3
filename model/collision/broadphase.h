/* SPDX-License-Identifier: MIT */
/* Broad phase: which bounds overlap. Bodies are sorted along a Morton curve, a tree of bounds is laid over that order,
 * and each leaf is looked for in the tree: near-linear whatever the bodies' sizes, with nothing to tune. The members of
 * a team take parts of it. Pairs come out sorted, so the order of contacts is that of the bodies. */
#ifndef RIGOR_MODEL_COLLISION_BROADPHASE_H
#define RIGOR_MODEL_COLLISION_BROADPHASE_H

#include "model/array.h"
#include "model/collision/bounds_quad.h"
#include "model/team.h"

#include <stddef.h>

/* A pair as a key that sorts by body 1, then body 2; body 1 < body 2. */
typedef uint64_t PairKey;

static inline PairKey pair_key(int one, int two)
{
    return one < two ? (uint64_t)one << 32 | (uint64_t)two : (uint64_t)two << 32 | (uint64_t)one;
}

static inline int pair_first(PairKey key)
{
    return (int)(key >> 32);
}

static inline int pair_second(PairKey key)
{
    return (int)(key & 0xffffffff);
}

typedef struct BroadBody {
    int body;
    bool fixed; /* two fixed bodies are no pair */
    Bounds bounds;
} BroadBody;

/* Pairs in no order, as one part of a search found them. */
typedef struct PairList {
    size_t count, capacity;
    PairKey *pairs;
    bool lost; /* out of memory */
} PairList;

/* Most bodies that the sort's keys can number; most levels above the leaves over so many. */
enum { BROADPHASE_MAX_BODIES = 1 << 22, BROADPHASE_LEVELS = 11 };

/* Arrays grow by doubling and are kept from call to call. A fresh one is all zero. */
typedef struct Broadphase {
    int body_count;
    size_t body_capacity;
    BroadBody *bodies; /* filled by the caller */

    int part_count; /* of a search; each has its list */
    PairList lists[TEAM_MOST];
    size_t pair_most; /* no more are listed, and `full` is set; 0: no bound */
    bool full;

    size_t pair_count, pair_capacity;
    PairKey *pairs; /* sorted */

    uint64_t *keys; /* of the sorts */
    uint32_t *order, *starts;
    size_t key_capacity, order_capacity, start_capacity;
    Quad *leaves, *nodes; /* two of bodies a leaf; four children a node */
    size_t leaf_capacity, node_capacity;
    size_t level[BROADPHASE_LEVELS]; /* its first node; level 0 is above the leaves */
    int level_count;
} Broadphase;

/* Room for so many bodies; false when out of memory. */
bool broadphase_reserve(Broadphase *broadphase, int bodies);

/* Fills `lists` with all pairs of `bodies` whose bounds overlap; false when out of memory. The caller may then add
 * others (planes) to any list, and gathers: `pairs` are those of all lists, sorted. */
bool broadphase_find(Broadphase *broadphase, Team *team);
bool broadphase_gather(Broadphase *broadphase, Team *team);

/* Room for so many more, and one that does not count; false, and `lost`, when out of memory. */
bool pair_list_reserve(PairList *list, size_t more);
void pair_list_add(PairList *list, PairKey pair);

void broadphase_free(Broadphase *broadphase);

/* Sorts keys in linear time; scratch has the same length. Keys that agree from that bit on keep their order. */
void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count, int from_bit);

#endif
