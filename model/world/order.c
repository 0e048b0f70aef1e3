/* SPDX-License-Identifier: MIT */
#include "model/order.h"

#include "model/collision/broadphase.h"
#include "model/contact.h"

#include <stdlib.h>
#include <string.h>

const char *const constraint_order_names[ORDER_COUNT + 1] = {"created", "reversed", "shuffled", "coloured", NULL};

void ordering_free(Ordering *ordering)
{
    free(ordering->items);
    free(ordering->colours);
}

/* Numbers without pattern (splitmix64). */
static uint64_t scatter(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The smallest colour that neither moving body has; beyond 63 all share the last. */
static uint64_t colour_of(Ordering *ordering, const World *world, int one, int two)
{
    uint64_t taken = 0, *colours = ordering->colours, colour = 0;
    const int bodies[2] = {one, two};
    for (int k = 0; k < 2; k++)
        taken |= world_is_fixed(world, bodies[k]) ? 0 : colours[bodies[k]];
    while (colour < 63 && (taken >> colour & 1))
        colour++;
    for (int k = 0; k < 2; k++)
        colours[bodies[k]] |= UINT64_C(1) << colour;
    return colour;
}

static int compare_items(const void *one, const void *two)
{
    const OrderItem *a = one, *b = two;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : a->index - b->index;
}

static bool ordering_begin(Ordering *ordering, const World *world, size_t count)
{
    bool ok = array_reserve((void **)&ordering->items, &ordering->capacity, sizeof *ordering->items, count + 1) &&
              array_reserve((void **)&ordering->colours, &ordering->colour_capacity, sizeof *ordering->colours,
                            (size_t)world->body_count);
    if (ok)
        memset(ordering->colours, 0, sizeof *ordering->colours * (size_t)world->body_count);
    return ok;
}

/* Constraint `index`, between these bodies, which `name` tells from all others. */
static void ordering_add(Ordering *ordering, const World *world, int index, int one, int two, uint64_t name)
{
    uint64_t key = 0;
    if (ordering->order == ORDER_REVERSED)
        key = ~(uint64_t)index;
    else if (ordering->order == ORDER_SHUFFLED)
        key = scatter(name ^ scatter(ordering->seed));
    else if (ordering->order == ORDER_COLOURED)
        key = colour_of(ordering, world, one, two);
    ordering->items[index] = (OrderItem){key, index};
}

static void ordering_end(Ordering *ordering, size_t count)
{
    qsort(ordering->items, count, sizeof *ordering->items, compare_items);
}

/* Each joint's blocks stay together. */
static bool joints_order(World *world, Ordering *ordering)
{
    size_t blocks = (size_t)world->joint_block_count;
    if (blocks == 0)
        return true;
    Block *before = malloc(sizeof *before * (blocks + 1));
    if (!before || !ordering_begin(ordering, world, (size_t)world->joint_count)) {
        free(before);
        return false;
    }
    memcpy(before, world->blocks, sizeof *before * blocks);
    for (int j = 0; j < world->joint_count; j++) {
        const int *body = world->joints[j].def.body;
        ordering_add(ordering, world, j, body[0], body[1], (uint64_t)j);
    }
    ordering_end(ordering, (size_t)world->joint_count);
    for (int k = 0, at = 0; k < world->joint_count; k++) {
        Joint *joint = &world->joints[ordering->items[k].index];
        memcpy(world->blocks + at, before + joint->first_block, sizeof *before * (size_t)joint->block_count);
        joint->first_block = at;
        at += joint->block_count;
    }
    free(before);
    return true;
}

bool world_set_order(World *world, ConstraintOrder order, unsigned seed)
{
    Ordering *ordering = &world->contacts->ordering;
    ordering->order = order;
    ordering->seed = seed;
    return order == ORDER_CREATED || joints_order(world, ordering);
}

bool contacts_order(World *world)
{
    Contacts *contacts = world->contacts;
    Ordering *ordering = &contacts->ordering;
    size_t count = contacts->manifold_count;
    if (ordering->order == ORDER_CREATED || count == 0)
        return true;
    if (!ordering_begin(ordering, world, count) ||
        !lines_reserve_anew((void **)&contacts->previous, &contacts->previous_capacity, sizeof *contacts->previous,
                            count))
        return false;
    for (size_t m = 0; m < count; m++) {
        const Manifold *manifold = &contacts->manifolds[m];
        uint64_t name = pair_key(manifold->collider1, manifold->collider2);
        ordering_add(ordering, world, (int)m, manifold->body1, manifold->body2, name);
    }
    ordering_end(ordering, count);
    for (size_t m = 0; m < count; m++) /* what was found before has served, and makes room */
        contacts->previous[m] = contacts->manifolds[ordering->items[m].index];
    memcpy(contacts->manifolds, contacts->previous, sizeof *contacts->manifolds * count);
    return true;
}

static int compare_pairs(const void *one, const void *two)
{
    const Manifold *a = one, *b = two;
    PairKey first = pair_key(a->collider1, a->collider2), second = pair_key(b->collider1, b->collider2);
    return (first > second) - (first < second);
}

void contacts_order_previous(World *world)
{
    Contacts *contacts = world->contacts;
    if (contacts->ordering.order != ORDER_CREATED && contacts->previous_count > 1)
        qsort(contacts->previous, contacts->previous_count, sizeof *contacts->previous, compare_pairs);
}
