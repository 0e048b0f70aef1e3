#include "model/broadphase.h"

#include "model/array.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Bodies in a leaf: two quads of them are compared in a row. Bits of each coordinate on the curve; of a body's number.
 */
enum { LEAF_SIZE = 8, MORTON_BITS = 10, INDEX_BITS = 22 };

/* Bodies, or leaves, that are worth a thread's while. */
enum { BODIES_LEAST = 256, LEAVES_LEAST = 32 };

bool array_reserve(void **array, size_t *capacity, size_t size, size_t needed)
{
    if (needed <= *capacity)
        return true;
    size_t room = 2 * *capacity > needed ? 2 * *capacity : needed < 64 ? 64 : needed;
    void *grown = array_grow(*array, *capacity * size, room * size);
    if (!grown)
        return false;
    *array = grown;
    *capacity = room;
    return true;
}

bool broadphase_reserve(Broadphase *broadphase, int bodies)
{
    return bodies <= BROADPHASE_MAX_BODIES && array_reserve((void **)&broadphase->bodies, &broadphase->body_capacity,
                                                            sizeof *broadphase->bodies, (size_t)bodies);
}

/* Room for so many more, and one that does not count. */
static bool pair_list_reserve(PairList *list, size_t more)
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

typedef int Int4 __attribute__((vector_size(16)));

/* Twice the round-off of single precision. */
#define QUAD_OUTWARDS 0x1p-22f

/* At most x, which may be beyond single precision in a run that blows up. */
static float float_below(double x)
{
    float f = (float)x;
    return f > FLT_MAX ? FLT_MAX : f - fabsf(f) * QUAD_OUTWARDS;
}

static void quad_clear(Quad *quad)
{
    for (int k = 0; k < 3; k++)
        quad->low[k] = quad->high[k] = (Float4){NAN, NAN, NAN, NAN};
}

static void quad_set(Quad *quad, int lane, const Bounds *bounds)
{
    for (int k = 0; k < 3; k++) {
        quad->low[k][lane] = float_below(vec3_get(bounds->low, k));
        quad->high[k][lane] = -float_below(-vec3_get(bounds->high, k));
    }
}

/* The bounds in one lane, in every lane. */
static inline Quad quad_lane(const Quad *quad, int lane)
{
    Quad all;
    for (int k = 0; k < 3; k++) {
        float low = quad->low[k][lane], high = quad->high[k][lane];
        all.low[k] = (Float4){low, low, low, low};
        all.high[k] = (Float4){high, high, high, high};
    }
    return all;
}

/* One lane takes the bounds of all lanes of these quads; lanes of NaN are never smaller, nor larger. */
static void quad_enclose(Quad *quad, int lane, const Quad *inner, int count)
{
    for (int k = 0; k < 3; k++) {
        float low = inner[0].low[k][0], high = inner[0].high[k][0];
        for (int q = 0; q < count; q++)
            for (int i = 0; i < 4; i++) {
                low = inner[q].low[k][i] < low ? inner[q].low[k][i] : low;
                high = inner[q].high[k][i] > high ? inner[q].high[k][i] : high;
            }
        quad->low[k][lane] = low;
        quad->high[k][lane] = high;
    }
}

/* One bit for each lane that is set. */
static inline unsigned lanes_set(Int4 m)
{
#if defined(__SSE__)
    return (unsigned)__builtin_ia32_movmskps((Float4)m);
#else
    return (m[0] & 1u) | (m[1] & 2u) | (m[2] & 4u) | (m[3] & 8u);
#endif
}

/* Which lanes overlap. All comparisons before one branch: which of them fails cannot be foreseen. */
static inline unsigned quads_overlap(const Quad *a, const Quad *b)
{
    Int4 all = (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]);
    all &= (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]);
    all &= (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
    return lanes_set(all);
}

enum { LEAF_QUADS = LEAF_SIZE / 4 };

static size_t leaf_count(const Broadphase *broadphase)
{
    return ((size_t)broadphase->body_count + LEAF_SIZE - 1) / LEAF_SIZE;
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

/* The lanes that a mask has, first ones first, and how many. */
typedef unsigned Unsigned4 __attribute__((vector_size(16)));
static const Unsigned4 LANES[16] = {{0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
                                    {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
static const unsigned char LANE_COUNT[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/* Leaves that a leaf is compared with at a time; numbers beyond a list's end that may be written. */
enum { LEAVES_AT_ONCE = 32, COUPLES_MOST = LEAVES_AT_ONCE * LEAF_SIZE * LEAF_SIZE, LIST_SPARE = 3 };

/* Adds first + lane for each lane of the mask, and returns the new count. Which overlap cannot be foreseen, and
 * branches would cost more than the comparisons: four numbers are written, of which those of the mask count. */
static inline unsigned list_lanes(unsigned *list, unsigned count, unsigned first, unsigned mask)
{
    Unsigned4 numbers = (Unsigned4){first, first, first, first} + LANES[mask];
    memcpy(list + count, &numbers, sizeof numbers);
    return count + LANE_COUNT[mask];
}

/* One number beside each of those. */
static inline void list_same(unsigned *list, unsigned count, unsigned number)
{
    memcpy(list + count, &(Unsigned4){number, number, number, number}, sizeof(Unsigned4));
}

/* What may be a pair: a place in the order, and a leaf or another place. */
typedef struct Couples {
    unsigned count, one[COUPLES_MOST + LIST_SPARE], two[COUPLES_MOST + LIST_SPARE];
} Couples;

/* One part of a search, at one of its leaves. */
typedef struct Search {
    const Broadphase *broadphase;
    PairList *list;
    size_t most; /* the list may hold; 0: no bound */
    unsigned leaf, other_count;
    unsigned others[LEAVES_AT_ONCE + LIST_SPARE]; /* leaves whose bounds overlap this one's, itself among them */
    Couples near, met;
} Search;

/* Bodies of this leaf that overlap the bounds of the others. */
static void search_near(Search *search)
{
    const Broadphase *broadphase = search->broadphase;
    const Quad *leaf = &broadphase->leaves[LEAF_QUADS * search->leaf];
    Couples *near = &search->near;
    unsigned count = 0;
    for (unsigned k = 0; k < search->other_count; k++) {
        unsigned other = search->others[k];
        Quad around = quad_lane(&broadphase->nodes[other / 4], other % 4);
        for (unsigned q = 0; q < LEAF_QUADS; q++) {
            list_same(near->two, count, other);
            count = list_lanes(near->one, count, LEAF_SIZE * search->leaf + 4 * q, quads_overlap(&leaf[q], &around));
        }
    }
    near->count = count;
}

/* Of those, which overlap bodies there; in their own leaf, bodies after them. */
static void search_met(Search *search)
{
    const Quad *leaves = search->broadphase->leaves;
    const Couples *near = &search->near;
    Couples *met = &search->met;
    unsigned count = 0;
    for (unsigned n = 0; n < near->count; n++) {
        unsigned one = near->one[n], leaf = near->two[n];
        unsigned which = leaf == search->leaf ? ~1u << one % LEAF_SIZE : ~0u;
        Quad body = quad_lane(&leaves[one / 4], one % 4);
        for (unsigned q = 0; q < LEAF_QUADS; q++) {
            unsigned mask = quads_overlap(&leaves[LEAF_QUADS * leaf + q], &body) & which >> 4 * q;
            list_same(met->one, count, one);
            count = list_lanes(met->two, count, LEAF_SIZE * leaf + 4 * q, mask);
        }
    }
    met->count = count;
}

/* Lists those whose bounds overlap as they were before they were rounded. */
static void search_list(const Search *search)
{
    const BroadBody *bodies = search->broadphase->bodies;
    const uint32_t *order = search->broadphase->order;
    const Couples *met = &search->met;
    if (!pair_list_reserve(search->list, met->count))
        return;
    PairKey *pairs = search->list->pairs;
    size_t count = search->list->count;
    for (unsigned k = 0; k < met->count; k++) {
        const BroadBody *one = &bodies[order[met->one[k]]], *two = &bodies[order[met->two[k]]];
        pairs[count] = pair_key(one->body, two->body);
        count += !(one->fixed & two->fixed) & bounds_overlap(&one->bounds, &two->bounds);
    }
    /* One too many tells that it is full. */
    search->list->count = search->most > 0 && count > search->most ? search->most + 1 : count;
}

static void search_others(Search *search)
{
    search_near(search);
    search_met(search);
    search_list(search);
    search->other_count = 0;
}

/* Pairs of a leaf with itself and with the leaves after it: from the root down where the bounds overlap. */
static void search_leaf(Search *search, unsigned leaf)
{
    const Broadphase *broadphase = search->broadphase;
    Quad around = quad_lane(&broadphase->nodes[leaf / 4], leaf % 4);
    unsigned open[BROADPHASE_LEVELS][4 + LIST_SPARE], count[BROADPHASE_LEVELS] = {0}; /* nodes, level by level */
    int level = broadphase->level_count - 1;
    search->leaf = leaf;
    open[level][count[level]++] = 0;
    while (level < broadphase->level_count) {
        if (count[level] == 0) {
            level++;
            continue;
        }
        unsigned at = open[level][--count[level]];
        unsigned first = leaf >> 2 * level; /* child whose leaves are not all before */
        unsigned mask = quads_overlap(&broadphase->nodes[broadphase->level[level] + at], &around);
        mask &= first > 4 * at ? ~0u << (first - 4 * at) : ~0u;
        if (level > 0) {
            level--;
            count[level] = list_lanes(open[level], 0, 4 * at, mask);
        } else {
            search->other_count = list_lanes(search->others, search->other_count, 4 * at, mask);
            if (search->other_count > LEAVES_AT_ONCE - 4)
                search_others(search);
        }
    }
    search_others(search);
}

static long parts_search(void *context, int from, int to)
{
    Broadphase *broadphase = context;
    for (int p = from; p < to; p++) {
        Search search = {.broadphase = broadphase, .list = &broadphase->lists[p], .most = broadphase->pair_most};
        PartRange leaves = part_range((int)leaf_count(broadphase), p, broadphase->part_count);
        for (int leaf = leaves.from; leaf < leaves.to; leaf++)
            search_leaf(&search, (unsigned)leaf);
    }
    return 0;
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
    team_share(team, broadphase->part_count, 1, parts_search, broadphase);
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
