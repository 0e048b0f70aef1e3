/* SPDX-License-Identifier: MIT */
#include "model/collision/broadphase_search.h"

#include <string.h>

/* The lanes that a mask has, first ones first, and how many. */
static const Unsigned4 OF_MASK[16] = {{0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
                                      {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
static const unsigned char LANE_COUNT[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/* Leaves that a leaf is compared with at a time; numbers beyond a list's end that may be written. */
enum { LEAVES_AT_ONCE = 32, COUPLES_MOST = LEAVES_AT_ONCE * LEAF_SIZE * LEAF_SIZE, LIST_SPARE = 3 };

/* Adds first + lane for each lane of the mask, and returns the new count. Which overlap cannot be foreseen, and
 * branches would cost more than the comparisons: four numbers are written, of which those of the mask count. */
static inline unsigned list_lanes(unsigned *list, unsigned count, unsigned first, unsigned mask)
{
    Unsigned4 numbers = (Unsigned4){first, first, first, first} + OF_MASK[mask];
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

long broadphase_search(void *context, int from, int to)
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
