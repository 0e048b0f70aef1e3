/* SPDX-License-Identifier: MIT */
#include "model/collision/broadphase_search.h"

#include <stdlib.h>

/* Bits of each coordinate on the curve; of a body's number. */
enum { MORTON_BITS = 10, INDEX_BITS = 22 };

/* Bodies, or leaves, that are worth a thread's while. */
enum { BODIES_LEAST = 256, LEAVES_LEAST = 32 };

bool broadphase_reserve(Broadphase *broadphase, int bodies)
{
    return bodies <= BROADPHASE_MAX_BODIES && array_reserve((void **)&broadphase->bodies, &broadphase->body_capacity,
                                                            sizeof *broadphase->bodies, (size_t)bodies);
}

bool pair_list_reserve(PairList *list, size_t more)
{
    list->lost = list->lost ||
                 !array_reserve((void **)&list->pairs, &list->capacity, sizeof *list->pairs, list->count + more + 1);
    return !list->lost;
}

void pair_list_add(PairList *list, PairKey pair)
{
    if (pair_list_reserve(list, 1))
        list->pairs[list->count++] = pair;
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

/* The bits of a 10-bit number, two zeros between each: halves moved apart, then their halves. */
static uint64_t spread_bits(uint32_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

/* The curve's cells: the low end of all bounds, and cells a metre. */
typedef struct Curve {
    const Broadphase *broadphase;
    Vec3 low, cells;
} Curve;

static uint64_t curve_step(double low, double high, double from, double cells)
{
    const double last = (1 << MORTON_BITS) - 1;
    double at = (0.5 * (low + high) - from) * cells;
    return spread_bits((uint32_t)(at > 0.0 ? at < last ? at : last : 0.0)); /* NaN, of what overflows: 0 */
}

/* Each body's place on the curve, and its number. */
static long bodies_encode(void *context, int from, int to)
{
    const Curve *curve = context;
    for (int i = from; i < to; i++) {
        const Bounds *b = &curve->broadphase->bodies[i].bounds;
        uint64_t code = curve_step(b->low.x, b->high.x, curve->low.x, curve->cells.x) |
                        curve_step(b->low.y, b->high.y, curve->low.y, curve->cells.y) << 1 |
                        curve_step(b->low.z, b->high.z, curve->low.z, curve->cells.z) << 2;
        curve->broadphase->keys[i] = code << INDEX_BITS | (uint64_t)i;
    }
    return 0;
}

static double curve_cells(double low, double high)
{
    return high > low ? ((1 << MORTON_BITS) - 1) / (high - low) : 0.0;
}

static void broadphase_order(Broadphase *broadphase, Team *team)
{
    int n = broadphase->body_count;
    Bounds all = broadphase->bodies[0].bounds;
    for (int i = 1; i < n; i++)
        all = bounds_join(all, broadphase->bodies[i].bounds);
    Vec3 cells = vec3(curve_cells(all.low.x, all.high.x), curve_cells(all.low.y, all.high.y),
                      curve_cells(all.low.z, all.high.z));
    team_share(team, n, BODIES_LEAST, bodies_encode, &(Curve){broadphase, all.low, cells});
    sort_keys(broadphase->keys, broadphase->keys + n, (size_t)n, INDEX_BITS);
    for (int i = 0; i < n; i++)
        broadphase->order[i] = broadphase->keys[i] & ((1 << INDEX_BITS) - 1);
}

/* Fills nodes [from, to) of level 0 and their leaves: four a node, of LEAF_SIZE bodies each along the curve. */
static long tree_fill_leaves(void *context, int from, int to)
{
    Broadphase *broadphase = context;
    int leaves = (int)leaf_count(broadphase), n = broadphase->body_count;
    for (int node = from; node < to; node++) {
        quad_clear(&broadphase->nodes[node]);
        for (int leaf = 4 * node; leaf < leaves && leaf < 4 * node + 4; leaf++) {
            Quad *quads = &broadphase->leaves[LEAF_QUADS * leaf];
            for (int q = 0; q < LEAF_QUADS; q++)
                quad_clear(&quads[q]);
            for (int i = 0; i < LEAF_SIZE && LEAF_SIZE * leaf + i < n; i++)
                quad_set(&quads[i / 4], i % 4, &broadphase->bodies[broadphase->order[LEAF_SIZE * leaf + i]].bounds);
            quad_enclose(&broadphase->nodes[node], leaf % 4, quads, LEAF_QUADS);
        }
    }
    return 0;
}

/* Each level's nodes are the children, four by four, of the next one's, up to a root. */
static void tree_build(Broadphase *broadphase, Team *team)
{
    size_t count = (leaf_count(broadphase) + 3) / 4, first = 0;
    team_share(team, (int)count, LEAVES_LEAST, tree_fill_leaves, broadphase);
    broadphase->level[0] = 0;
    broadphase->level_count = 1;
    for (; count > 1; count = (count + 3) / 4) {
        size_t above = first + count;
        for (size_t i = 0; i < count; i++) {
            if (i % 4 == 0)
                quad_clear(&broadphase->nodes[above + i / 4]);
            quad_enclose(&broadphase->nodes[above + i / 4], i % 4, &broadphase->nodes[first + i], 1);
        }
        broadphase->level[broadphase->level_count++] = first = above;
    }
}

/* Leaves the first pair_most pairs: those of the first leaves, whatever the parts. */
static void lists_limit(Broadphase *broadphase)
{
    size_t room = broadphase->pair_most;
    for (int p = 0; p < broadphase->part_count && room > 0; p++) {
        PairList *list = &broadphase->lists[p];
        broadphase->full = broadphase->full || list->count > room;
        list->count = list->count < room ? list->count : room;
        room -= list->count;
        if (room > 0)
            continue;
        for (p++; p < broadphase->part_count; p++) {
            broadphase->full = broadphase->full || broadphase->lists[p].count > 0;
            broadphase->lists[p].count = 0;
        }
    }
}

bool broadphase_find(Broadphase *broadphase, Team *team)
{
    size_t n = (size_t)broadphase->body_count, leaves = leaf_count(broadphase);
    broadphase->part_count = team_parts(team, (int)leaves, LEAVES_LEAST);
    broadphase->full = false;
    for (int p = 0; p < broadphase->part_count; p++) {
        broadphase->lists[p].count = 0;
        broadphase->lists[p].lost = false;
    }
    if (n < 2)
        return true;
    if (!array_reserve((void **)&broadphase->keys, &broadphase->key_capacity, sizeof(uint64_t), 2 * n) ||
        !array_reserve((void **)&broadphase->order, &broadphase->order_capacity, sizeof(uint32_t), n) ||
        !array_reserve((void **)&broadphase->leaves, &broadphase->leaf_capacity, sizeof(Quad), LEAF_QUADS * leaves) ||
        !array_reserve((void **)&broadphase->nodes, &broadphase->node_capacity, sizeof(Quad), leaves / 2 + 16))
        return false;
    broadphase_order(broadphase, team);
    tree_build(broadphase, team);
    team_share(team, broadphase->part_count, 1, broadphase_search, broadphase);
    lists_limit(broadphase);
    return true;
}

void broadphase_free(Broadphase *broadphase)
{
    free(broadphase->bodies);
    free(broadphase->pairs);
    free(broadphase->keys);
    free(broadphase->order);
    free(broadphase->starts);
    free(broadphase->leaves);
    free(broadphase->nodes);
    for (int p = 0; p < TEAM_MOST; p++)
        free(broadphase->lists[p].pairs);
    *broadphase = (Broadphase){0};
}
