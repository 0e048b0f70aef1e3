/* SPDX-License-Identifier: MIT */
/* Sorting of keys and pairs. Pairs go to the place of their first body by counting; what one body has is short. */
#include "model/collision/broadphase.h"

#include <string.h>

/* Keys that insertion sorts sooner than counting does. */
enum { SORT_FEW = 48 };

static void sort_few(uint64_t *keys, size_t count, int from_bit)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t k = i;
        for (; k > 0 && keys[k - 1] >> from_bit > key >> from_bit; k--)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count, int from_bit)
{
    if (count <= SORT_FEW) {
        sort_few(keys, count, from_bit);
        return;
    }
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

/* Bodies that are worth a thread's while. */
enum { GATHER_LEAST = 1024 };

/* Pairs of one body that are sooner ranked, each against each, than moved one after the other: no branch depends on
 * them.
 */
enum { RANK_FEW = 16 };

static void sort_by_rank(PairKey *pairs, size_t count)
{
    PairKey old[RANK_FEW];
    size_t rank[RANK_FEW];
    for (size_t i = 0; i < count; i++) {
        old[i] = pairs[i];
        rank[i] = 0;
        for (size_t k = 0; k < i; k++) {
            size_t after = old[k] <= old[i];
            rank[i] += after;
            rank[k] += 1 - after;
        }
    }
    for (size_t i = 0; i < count; i++)
        pairs[rank[i]] = old[i];
}

/* Sorts the pairs of the first bodies [from, to): those of body b end at starts[b]. */
static long bodies_sort(void *context, int from, int to)
{
    Broadphase *broadphase = context;
    for (int b = from; b < to; b++) {
        size_t begin = b > 0 ? broadphase->starts[b - 1] : 0, end = broadphase->starts[b];
        if (end - begin <= RANK_FEW)
            sort_by_rank(broadphase->pairs + begin, end - begin);
        else
            sort_keys(broadphase->pairs + begin, broadphase->keys + begin, end - begin, 0);
    }
    return 0;
}

bool broadphase_gather(Broadphase *broadphase, Team *team)
{
    size_t count = 0, bodies = 0;
    for (int p = 0; p < broadphase->part_count; p++) {
        const PairList *list = &broadphase->lists[p];
        for (size_t i = 0; i < list->count; i++)
            bodies = list->pairs[i] >> 32 >= bodies ? (size_t)(list->pairs[i] >> 32) + 1 : bodies;
        count += list->count;
        if (list->lost)
            return false;
    }
    if (!array_reserve((void **)&broadphase->pairs, &broadphase->pair_capacity, sizeof(PairKey), count) ||
        !array_reserve((void **)&broadphase->keys, &broadphase->key_capacity, sizeof(uint64_t), count) ||
        !array_reserve((void **)&broadphase->starts, &broadphase->start_capacity, sizeof(uint32_t), bodies + 1))
        return false;
    uint32_t *start = broadphase->starts, sum = 0;
    memset(start, 0, sizeof *start * (bodies + 1));
    for (int p = 0; p < broadphase->part_count; p++)
        for (size_t i = 0; i < broadphase->lists[p].count; i++)
            start[broadphase->lists[p].pairs[i] >> 32]++;
    for (size_t b = 0; b < bodies; b++) {
        uint32_t n = start[b];
        start[b] = sum;
        sum += n;
    }
    for (int p = 0; p < broadphase->part_count; p++)
        for (size_t i = 0; i < broadphase->lists[p].count; i++)
            broadphase->pairs[start[broadphase->lists[p].pairs[i] >> 32]++] = broadphase->lists[p].pairs[i];
    broadphase->pair_count = count;
    team_share(team, (int)bodies, GATHER_LEAST, bodies_sort, broadphase);
    return true;
}
