/* SPDX-License-Identifier: MIT */
#include "solvers/contact/point_memory.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void *array, size_t size)
{
    void **at = array, *grown = realloc(*at, size);
    *at = grown ? grown : *at;
    return grown != NULL;
}

bool point_memory_reserve(PointMemory *memory, const World *world, size_t item)
{
    int needed = (world->block_capacity - world->joint_block_count) / 2 + 1; /* a point has two blocks */
    size_t room = (size_t)needed;
    memory->item = item;
    if (needed <= memory->capacity)
        return true;
    if (!grow(&memory->keys, sizeof(PointKey) * room) || !grow(&memory->keys_before, sizeof(PointKey) * room) ||
        !grow(&memory->items, item * room) || !grow(&memory->items_before, item * room))
        return false;
    memory->capacity = needed;
    return true;
}

void point_memory_free(PointMemory *memory)
{
    free(memory->keys);
    free(memory->keys_before);
    free(memory->items);
    free(memory->items_before);
}

static void swap(void *one, void *two)
{
    void **a = one, **b = two, *kept = *a;
    *a = *b;
    *b = kept;
}

/* As manifolds are sorted unless another order is asked for (model/order.h): <0, 0, >0. */
static int pair_order(const int one[2], const int two[2])
{
    return one[0] != two[0] ? one[0] - two[0] : one[1] - two[1];
}

/* Where the pair's keys of before begin, given where those of the pair before it did; `before`: nowhere. In another
 * order than by shapes they are looked for all around, from there on: mostly they are the next. */
static int pair_begins(const PointMemory *memory, const World *world, const int collider[2], int from, int before)
{
    if (world->contacts->ordering.order == ORDER_CREATED) {
        while (from < before && pair_order(memory->keys_before[from].collider, collider) < 0)
            from++;
        return from;
    }
    for (int k = 0; k < before; k++) {
        int at = (from + k) % before;
        if (pair_order(memory->keys_before[at].collider, collider) == 0)
            return at;
    }
    return before;
}

/* The item of the key among those of one pair that begin at `from`; NULL: it is new. */
static const unsigned char *find(const PointMemory *memory, const PointKey *key, int from, int count)
{
    for (int k = from; k < count && pair_order(memory->keys_before[k].collider, key->collider) == 0; k++)
        if (memory->keys_before[k].id == key->id)
            return memory->items_before + memory->item * (size_t)k;
    return NULL;
}

void point_memory_match(PointMemory *memory, const World *world)
{
    int before = memory->count, from = 0;
    swap(&memory->keys, &memory->keys_before);
    swap(&memory->items, &memory->items_before);
    memory->count = 0;
    for (int m = 0; m < world->manifold_count; m++) {
        const Manifold *manifold = &world->contacts->manifolds[m];
        PointKey key = {{manifold->collider1, manifold->collider2}, 0};
        int begin = pair_begins(memory, world, key.collider, from, before);
        from = begin < before ? begin : from;
        for (int i = 0; i < manifold->count; i++) {
            unsigned char *item = memory->items + memory->item * (size_t)memory->count;
            key.id = manifold->point[i].id;
            const unsigned char *found = find(memory, &key, begin, before);
            memory->keys[memory->count++] = key;
            if (found)
                memcpy(item, found, memory->item);
            else
                memset(item, 0, memory->item);
        }
    }
}
