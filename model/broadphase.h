/* Broad phase: which bounds overlap. Bodies are sorted along a Morton curve, a balanced tree of bounds is laid over
 * that order, and the tree is tested against itself from the root down: near-linear whatever the bodies' sizes, with
 * nothing to tune. Pairs come out sorted, so the order of contacts is that of the bodies. */
#ifndef RIGOR_MODEL_BROADPHASE_H
#define RIGOR_MODEL_BROADPHASE_H

#include "model/convex.h"

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

/* Bounds in single precision, rounded outwards: two of them are compared at once, four numbers at a time. */
typedef float Float4 __attribute__((vector_size(16)));
typedef struct Slab {
    Float4 low, high; /* x, y, z, 0 */
} Slab;

/* Most bodies that the sort's keys can number. */
enum { BROADPHASE_MAX_BODIES = 1 << 22 };

/* Arrays grow by doubling and are kept from call to call. A fresh one is all zero. */
typedef struct Broadphase {
    int body_count, body_capacity;
    BroadBody *bodies; /* filled by the caller */
    size_t pair_count, pair_capacity;
    PairKey *pairs;   /* sorted */
    size_t pair_most; /* the search stops at this many and sets `full`; 0: no bound */
    bool full;

    PairKey *scratch; /* of the sort */
    size_t scratch_capacity;
    BroadBody *sorted;
    Slab *slabs; /* of the sorted bodies */
    Slab *nodes;
    size_t sorted_capacity, slab_capacity, node_capacity;
} Broadphase;

/* Make room for one more; false when out of memory. */
bool broadphase_add_body(Broadphase *broadphase, BroadBody body);
bool broadphase_add_pair(Broadphase *broadphase, PairKey pair);

/* Appends to `pairs` all pairs of `bodies` whose bounds overlap; the caller may then add others (planes) and sorts. */
bool broadphase_find(Broadphase *broadphase);
bool broadphase_sort_pairs(Broadphase *broadphase);

void broadphase_free(Broadphase *broadphase);

/* Sorts keys by radix, in linear time; scratch has the same length. Keys that agree from that bit on keep their order.
 */
void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count, int from_bit);

/* Grows an array to hold `needed` elements, at least doubling it; false when out of memory. */
bool array_reserve(void **array, size_t *capacity, size_t size, size_t needed);

#endif
