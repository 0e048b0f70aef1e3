/* Impulses of contact points summed over a frame, for who records them: points come and go between substeps, so each is
 * found again by its two bodies and its features, and keeps what it gave also when it is gone. */
#include "model/contact.h"

#include <stdlib.h>

void contacts_begin_sums(Contacts *contacts)
{
    contacts->sum_count = 0;
}

static bool sum_is_of(const ContactSum *sum, const Manifold *manifold, uint64_t id)
{
    return sum->body1 == manifold->body1 && sum->body2 == manifold->body2 && sum->id == id;
}

/* Points keep their order from substep to substep, so the search begins behind the one found last. */
static ContactSum *contacts_find_sum(Contacts *contacts, const Manifold *manifold, uint64_t id, size_t *behind)
{
    for (size_t k = 0; k < contacts->sum_count; k++) {
        size_t at = (*behind + k) % contacts->sum_count;
        if (sum_is_of(&contacts->sums[at], manifold, id)) {
            *behind = at + 1;
            return &contacts->sums[at];
        }
    }
    if (contacts->sum_count == contacts->sum_capacity) {
        size_t capacity = contacts->sum_capacity < 16 ? 32 : 2 * contacts->sum_capacity;
        ContactSum *grown = realloc(contacts->sums, sizeof *grown * capacity);
        if (!grown)
            return NULL;
        contacts->sums = grown;
        contacts->sum_capacity = capacity;
    }
    ContactSum *sum = &contacts->sums[contacts->sum_count++];
    *sum = (ContactSum){.body1 = manifold->body1, .body2 = manifold->body2, .id = id};
    *behind = contacts->sum_count;
    return sum;
}

bool contacts_add_sums(World *world)
{
    Contacts *contacts = world->contacts;
    size_t behind = 0;
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
            ContactSum *sum = contacts_find_sum(contacts, manifold, manifold->point[i].id, &behind);
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
