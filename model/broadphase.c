#include "model/broadphase.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Bodies in a leaf of the tree: testing eight in a row costs less than one more level. */
enum { LEAF_SIZE = 8, MORTON_BITS = 14, INDEX_BITS = 22 };

bool array_reserve(void **array, size_t *capacity, size_t size, size_t needed)
{
    if (needed <= *capacity)
        return true;
    size_t room = 2 * *capacity > needed ? 2 * *capacity : needed < 64 ? 64 : needed;
    void *grown = realloc(*array, room * size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = room;
    return true;
}

bool broadphase_add_body(Broadphase *broadphase, BroadBody body)
{
    size_t capacity = (size_t)broadphase->body_capacity;
    if (broadphase->body_count == BROADPHASE_MAX_BODIES ||
        !array_reserve((void **)&broadphase->bodies, &capacity, sizeof body, (size_t)broadphase->body_count + 1))
        return false;
    broadphase->body_capacity = (int)capacity;
    broadphase->bodies[broadphase->body_count++] = body;
    return true;
}

bool broadphase_add_pair(Broadphase *broadphase, PairKey pair)
{
    if (!array_reserve((void **)&broadphase->pairs, &broadphase->pair_capacity, sizeof pair,
                       broadphase->pair_count + 1))
        return false;
    broadphase->pairs[broadphase->pair_count++] = pair;
    return true;
}

void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count, int from_bit)
{
    uint64_t *from = keys, *to = scratch, all = 0, same = ~(uint64_t)0;
    for (size_t i = 0; i < count; i++) {
        all |= keys[i];
        same &= keys[i];
    }
    for (int shift = from_bit; shift < 64; shift += 8) {
        if ((((all ^ same) >> shift) & 0xff) == 0)
            continue; /* all keys agree in this byte */
        size_t start[256] = {0}, sum = 0;
        for (size_t i = 0; i < count; i++)
            start[(from[i] >> shift) & 0xff]++;
        for (int b = 0; b < 256; b++) {
            size_t n = start[b];
            start[b] = sum;
            sum += n;
        }
        for (size_t i = 0; i < count; i++)
            to[start[(from[i] >> shift) & 0xff]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != keys)
        memcpy(keys, from, count * sizeof *keys);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static Bounds bounds_join(Bounds a, Bounds b)
{
    /* Not fmin and fmax: those are calls, for the sake of NaN, which no bounds have. */
    return (Bounds){vec3(smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)),
                    vec3(larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z))};
}

typedef int Int4 __attribute__((vector_size(16)));
typedef long long Long2 __attribute__((vector_size(16)));

/* Twice the round-off of single precision. */
#define SLAB_OUTWARDS 0x1p-22f

/* At most x, which may be beyond single precision in a run that blows up. */
static float float_below(double x)
{
    float f = (float)x;
    return f > FLT_MAX ? FLT_MAX : f - fabsf(f) * SLAB_OUTWARDS;
}

static Slab slab_around(const Bounds *b)
{
    return (Slab){{float_below(b->low.x), float_below(b->low.y), float_below(b->low.z), 0.0f},
                  {-float_below(-b->high.x), -float_below(-b->high.y), -float_below(-b->high.z), 0.0f}};
}

/* Where m is set a, else b. */
static Float4 float4_choose(Int4 m, Float4 a, Float4 b)
{
    return (Float4)(((Int4)a & m) | ((Int4)b & ~m));
}

static Slab slab_join(const Slab *a, const Slab *b)
{
    return (Slab){float4_choose(a->low < b->low, a->low, b->low), float4_choose(a->high > b->high, a->high, b->high)};
}

/* All comparisons before one branch: which of them fails cannot be foreseen. */
static inline bool slabs_overlap(const Slab *a, const Slab *b)
{
    Long2 all = (Long2)((a->low <= b->high) & (b->low <= a->high));
    return (all[0] & all[1]) == -1;
}

static bool bounds_overlap(const Bounds *a, const Bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* The bits of a 14-bit number, two zeros between each: halves moved apart, then their halves. */
static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 16) & 0x00ff0000ff;
    x = (x | x << 8) & 0x0f00f00f00f;
    x = (x | x << 4) & 0x0c30c30c30c3;
    return (x | x << 2) & 0x249249249249;
}

/* Place of the middle of the bounds on the Morton curve through `all`. */
static uint64_t morton_code(const Bounds *bounds, const Bounds *all)
{
    uint64_t code = 0;
    for (int i = 0; i < 3; i++) {
        double low = vec3_get(all->low, i), width = vec3_get(all->high, i) - low;
        double middle = 0.5 * (vec3_get(bounds->low, i) + vec3_get(bounds->high, i));
        double part = width > 0.0 ? clamp((middle - low) / width, 0.0, 1.0) : 0.0;
        code |= spread_bits((uint64_t)(part * ((1 << MORTON_BITS) - 1))) << i;
    }
    return code;
}

/* Orders the bodies along the curve into `sorted`. */
static bool broadphase_order(Broadphase *broadphase)
{
    size_t n = (size_t)broadphase->body_count;
    if (!array_reserve((void **)&broadphase->sorted, &broadphase->sorted_capacity, sizeof *broadphase->sorted, n) ||
        !array_reserve((void **)&broadphase->slabs, &broadphase->slab_capacity, sizeof *broadphase->slabs, n) ||
        !array_reserve((void **)&broadphase->scratch, &broadphase->scratch_capacity, sizeof(uint64_t), 2 * n))
        return false;
    uint64_t *keys = broadphase->scratch;
    Bounds all = broadphase->bodies[0].bounds;
    for (size_t i = 1; i < n; i++)
        all = bounds_join(all, broadphase->bodies[i].bounds);
    for (size_t i = 0; i < n; i++)
        keys[i] = morton_code(&broadphase->bodies[i].bounds, &all) << INDEX_BITS | i;
    sort_keys(keys, keys + n, n, INDEX_BITS);
    for (size_t i = 0; i < n; i++) {
        broadphase->sorted[i] = broadphase->bodies[keys[i] & ((1 << INDEX_BITS) - 1)];
        broadphase->slabs[i] = slab_around(&broadphase->sorted[i].bounds);
    }
    return true;
}

/* Node k of bodies [from, to) has children 2k + 1 and 2k + 2, which share them half and half. */
static Slab tree_build(Broadphase *broadphase, size_t node, int from, int to)
{
    Slab slab;
    if (to - from <= LEAF_SIZE) {
        slab = broadphase->slabs[from];
        for (int i = from + 1; i < to; i++)
            slab = slab_join(&slab, &broadphase->slabs[i]);
    } else {
        int middle = from + (to - from) / 2;
        Slab one = tree_build(broadphase, 2 * node + 1, from, middle);
        Slab two = tree_build(broadphase, 2 * node + 2, middle, to);
        slab = slab_join(&one, &two);
    }
    broadphase->nodes[node] = slab;
    return slab;
}

/* Bodies [from, to) below a node. */
typedef struct Range {
    size_t node;
    int from, to;
} Range;

static Range range_half(Range range, int which)
{
    int middle = range.from + (range.to - range.from) / 2;
    return (Range){2 * range.node + 1 + (size_t)which, which ? middle : range.from, which ? range.to : middle};
}

static bool range_is_leaf(Range range)
{
    return range.to - range.from <= LEAF_SIZE;
}

/* False: out of memory, or full. */
static bool pair_test(Broadphase *broadphase, int i, int k)
{
    if (!slabs_overlap(&broadphase->slabs[i], &broadphase->slabs[k]))
        return true;
    const BroadBody *one = &broadphase->sorted[i], *two = &broadphase->sorted[k];
    if ((one->fixed && two->fixed) || !bounds_overlap(&one->bounds, &two->bounds))
        return true;
    broadphase->full = broadphase->pair_most > 0 && broadphase->pair_count == broadphase->pair_most;
    return !broadphase->full && broadphase_add_pair(broadphase, pair_key(one->body, two->body));
}

/* Pairs of a body below one node with a body below the other. */
static bool tree_cross(Broadphase *broadphase, Range a, Range b)
{
    if (!slabs_overlap(&broadphase->nodes[a.node], &broadphase->nodes[b.node]))
        return true;
    if (!range_is_leaf(a) && a.to - a.from >= b.to - b.from)
        return tree_cross(broadphase, range_half(a, 0), b) && tree_cross(broadphase, range_half(a, 1), b);
    if (!range_is_leaf(b))
        return tree_cross(broadphase, a, range_half(b, 0)) && tree_cross(broadphase, a, range_half(b, 1));
    for (int i = a.from; i < a.to; i++) {
        if (!slabs_overlap(&broadphase->slabs[i], &broadphase->nodes[b.node]))
            continue; /* with none of them */
        for (int k = b.from; k < b.to; k++)
            if (!pair_test(broadphase, i, k))
                return false;
    }
    return true;
}

/* Pairs of bodies below one node. */
static bool tree_self(Broadphase *broadphase, Range range)
{
    if (!range_is_leaf(range)) {
        Range one = range_half(range, 0), two = range_half(range, 1);
        return tree_self(broadphase, one) && tree_self(broadphase, two) && tree_cross(broadphase, one, two);
    }
    for (int i = range.from; i < range.to; i++)
        for (int k = i + 1; k < range.to; k++)
            if (!pair_test(broadphase, i, k))
                return false;
    return true;
}

/* Nodes of the tree over n bodies: a full binary tree as deep as halving n down to a leaf takes. */
static size_t tree_nodes(int n)
{
    size_t leaves = 1;
    for (int size = n; size > LEAF_SIZE; size = (size + 1) / 2)
        leaves *= 2;
    return 2 * leaves - 1;
}

bool broadphase_find(Broadphase *broadphase)
{
    int n = broadphase->body_count;
    broadphase->pair_count = 0;
    broadphase->full = false;
    if (n < 2)
        return true;
    if (!broadphase_order(broadphase) || !array_reserve((void **)&broadphase->nodes, &broadphase->node_capacity,
                                                        sizeof *broadphase->nodes, tree_nodes(n)))
        return false;
    tree_build(broadphase, 0, 0, n);
    return tree_self(broadphase, (Range){0, 0, n}) || broadphase->full;
}

bool broadphase_sort_pairs(Broadphase *broadphase)
{
    if (!array_reserve((void **)&broadphase->scratch, &broadphase->scratch_capacity, sizeof(uint64_t),
                       broadphase->pair_count))
        return false;
    if (broadphase->pair_count > 0)
        sort_keys(broadphase->pairs, broadphase->scratch, broadphase->pair_count, 0);
    return true;
}

void broadphase_free(Broadphase *broadphase)
{
    free(broadphase->bodies);
    free(broadphase->pairs);
    free(broadphase->scratch);
    free(broadphase->nodes);
    free(broadphase->slabs);
    free(broadphase->sorted);
    *broadphase = (Broadphase){0};
}
