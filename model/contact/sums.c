/* SPDX-License-Identifier: MIT */
/* Impulses of contact points summed over a frame, for who records them: points come and go between substeps, so each is
 * found again by its two shapes and its features, hashed, and keeps what it gave also when it is gone. */
#include "model/contact.h"

#include <stdlib.h>
#include <string.h>

void contacts_begin_sums(Contacts *contacts)
{
    contacts->sum_count = 0;
    if (contacts->sum_slots)
        memset(contacts->sum_slots, 0, sizeof *contacts->sum_slots * 2 * contacts->sum_capacity);
}

/* Where the search of a sum begins. */
static size_t sum_hash(int collider1, int collider2, uint64_t id)
{
    uint64_t hash = id * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (hash >> 32) ^ (uint64_t)(unsigned)collider1) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (hash >> 29) ^ (uint64_t)(unsigned)collider2) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(hash ^ (hash >> 32));
}

/* The slot that holds the point's sum, or the free one where it belongs: of one more than its number, 0 is free. */
static uint32_t *sum_slot(const Contacts *contacts, int collider1, int collider2, uint64_t id)
{
    size_t mask = 2 * contacts->sum_capacity - 1, at = sum_hash(collider1, collider2, id) & mask;
    for (; contacts->sum_slots[at]; at = (at + 1) & mask) {
        const ContactSum *sum = &contacts->sums[contacts->sum_slots[at] - 1];
        if (sum->collider1 == collider1 && sum->collider2 == collider2 && sum->id == id)
            break;
    }
    return &contacts->sum_slots[at];
}

/* Twice the sums, four times the slots: half of them stay free. */
static bool grow_sums(Contacts *contacts)
{
    size_t capacity = contacts->sum_capacity ? 2 * contacts->sum_capacity : 32;
    if (capacity > UINT32_MAX / 2)
        return false;
    uint32_t *slots = calloc(2 * capacity, sizeof *slots);
    ContactSum *sums = slots ? realloc(contacts->sums, sizeof *sums * capacity) : NULL;
    if (!sums) {
        free(slots);
        return false;
    }
    free(contacts->sum_slots);
    contacts->sums = sums;
    contacts->sum_slots = slots;
    contacts->sum_capacity = capacity;
    for (size_t i = 0; i < contacts->sum_count; i++)
        *sum_slot(contacts, sums[i].collider1, sums[i].collider2, sums[i].id) = (uint32_t)i + 1;
    return true;
}

static ContactSum *contacts_find_sum(Contacts *contacts, const Manifold *manifold, uint64_t id)
{
    if (contacts->sum_count == contacts->sum_capacity && !grow_sums(contacts))
        return NULL;
    uint32_t *slot = sum_slot(contacts, manifold->collider1, manifold->collider2, id);
    if (!*slot) {
        contacts->sums[contacts->sum_count++] = (ContactSum){.body1 = manifold->body1,
                                                             .body2 = manifold->body2,
                                                             .collider1 = manifold->collider1,
                                                             .collider2 = manifold->collider2,
                                                             .id = id};
        *slot = (uint32_t)contacts->sum_count;
    }
    return &contacts->sums[*slot - 1];
}

bool contacts_add_sums(World *world)
{
    Contacts *contacts = world->contacts;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *blocks = &world->manifolds[m];
        const Manifold *manifold = &contacts->manifolds[m];
        for (int i = 0; i < blocks->count; i++) {
            int normal = manifold_contact(blocks, i), friction = manifold_friction(blocks, i);
            const Block *block = &world->blocks[normal];
            BlockError error;
            block_error(world, block, &error);
            if (!error.active)
                continue;
            ContactSum *sum = contacts_find_sum(contacts, manifold, manifold->point[i].id);
            if (!sum)
                return false;
            sum->point = vec3_add(world->pose[block->body[1]].x, error.arm2);
            sum->normal = error.gradient;
            sum->impulse =
                vec3_add(sum->impulse, vec3_add(world->block_impulse[normal], world->block_impulse[friction]));
        }
    }
    return true;
}
