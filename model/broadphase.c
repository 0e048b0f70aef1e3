#include "model/broadphase.h"

#include <stdlib.h>
#include <string.h>

/* Bodies in a leaf of the tree: testing four in a row costs less than one more level. */
enum { LEAF_SIZE = 4, MORTON_BITS = 14, INDEX_BITS = 22 };

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

void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count)
{
    uint64_t *from = keys, *to = scratch, all = 0, same = ~(uint64_t)0;
    for (size_t i = 0; i < count; i++) {
        all |= keys[i];
        same &= keys[i];
    }
    for (int shift = 0; shift < 64; shift += 8) {
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

static Bounds bounds_join(Bounds a, Bounds b)
{
    return (Bounds){vec3(fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)),
                    vec3(fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z))};
}

static bool bounds_overlap(const Bounds *a, const Bounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* The bits of a 14-bit number, two zeros between each. */
static uint64_t spread_bits(uint64_t x)
{
    uint64_t spread = 0;
    for (int bit = 0; bit < MORTON_BITS; bit++)
        spread |= (x >> bit & 1) << (3 * bit);
    return spread;
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
        !array_reserve((void **)&broadphase->scratch, &broadphase->scratch_capacity, sizeof(uint64_t), 2 * n))
        return false;
    uint64_t *keys = broadphase->scratch;
    Bounds all = broadphase->bodies[0].bounds;
    for (size_t i = 1; i < n; i++)
        all = bounds_join(all, broadphase->bodies[i].bounds);
    for (size_t i = 0; i < n; i++)
        keys[i] = morton_code(&broadphase->bodies[i].bounds, &all) << INDEX_BITS | i;
    sort_keys(keys, keys + n, n);
    for (size_t i = 0; i < n; i++)
        broadphase->sorted[i] = broadphase->bodies[keys[i] & ((1 << INDEX_BITS) - 1)];
    return true;
}

/* Node k of bodies [from, to) has children 2k + 1 and 2k + 2, which share them half and half. */
static Bounds tree_build(Broadphase *broadphase, size_t node, int from, int to)
{
    Bounds bounds;
    if (to - from <= LEAF_SIZE) {
        bounds = broadphase->sorted[from].bounds;
        for (int i = from + 1; i < to; i++)
            bounds = bounds_join(bounds, broadphase->sorted[i].bounds);
    } else {
        int middle = from + (to - from) / 2;
        Bounds one = tree_build(broadphase, 2 * node + 1, from, middle);
        bounds = bounds_join(one, tree_build(broadphase, 2 * node + 2, middle, to));
    }
    broadphase->nodes[node] = bounds;
    return bounds;
}

/* Pairs of body `i` with later ones among [from, to). */
static bool tree_query(Broadphase *broadphase, size_t node, int from, int to, int i)
{
    const BroadBody *own = &broadphase->sorted[i];
    if (to <= i + 1 || !bounds_overlap(&own->bounds, &broadphase->nodes[node]))
        return true;
    if (to - from > LEAF_SIZE) {
        int middle = from + (to - from) / 2;
        return tree_query(broadphase, 2 * node + 1, from, middle, i) &&
               tree_query(broadphase, 2 * node + 2, middle, to, i);
    }
    for (int j = from > i ? from : i + 1; j < to; j++) {
        const BroadBody *other = &broadphase->sorted[j];
        if (!(own->fixed && other->fixed) && bounds_overlap(&own->bounds, &other->bounds) &&
            !broadphase_add_pair(broadphase, pair_key(own->body, other->body)))
            return false;
    }
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
    if (n < 2)
        return true;
    if (!broadphase_order(broadphase) || !array_reserve((void **)&broadphase->nodes, &broadphase->node_capacity,
                                                        sizeof *broadphase->nodes, tree_nodes(n)))
        return false;
    tree_build(broadphase, 0, 0, n);
    for (int i = 0; i < n; i++)
        if (!tree_query(broadphase, 0, 0, n, i))
            return false;
    return true;
}

bool broadphase_sort_pairs(Broadphase *broadphase)
{
    if (!array_reserve((void **)&broadphase->scratch, &broadphase->scratch_capacity, sizeof(uint64_t),
                       broadphase->pair_count))
        return false;
    if (broadphase->pair_count > 0)
        sort_keys(broadphase->pairs, broadphase->scratch, broadphase->pair_count);
    return true;
}

void broadphase_free(Broadphase *broadphase)
{
    free(broadphase->bodies);
    free(broadphase->pairs);
    free(broadphase->scratch);
    free(broadphase->nodes);
    free(broadphase->sorted);
    *broadphase = (Broadphase){0};
}
