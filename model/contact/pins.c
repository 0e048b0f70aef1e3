/* SPDX-License-Identifier: MIT */
#include "model/contact/pins.h"

#include "model/contact.h"
#include "model/contact/block_contact.h"

#include <stdlib.h>

const char *const contact_point_names[] = {"surface", "midway", NULL};

bool contact_pins_reserve(ContactPins *pins, const World *world)
{
    int needed = (world->block_capacity - world->joint_block_count + 1) / 2;
    if (!pins->midway || needed <= pins->capacity)
        return true;
    ContactPin *grown = realloc(pins->list, sizeof *grown * (size_t)needed);
    pins->list = grown ? grown : pins->list;
    pins->capacity = grown ? needed : pins->capacity;
    return grown != NULL;
}

void contact_pins_free(ContactPins *pins)
{
    free(pins->list);
}

/* Blocks of a point follow each other, those of a manifold's torsion come after its points': places as of seats. */
static ContactPin *pin_at(const ContactPins *pins, const World *world, int block)
{
    return &pins->list[world_contact_seat(world, block) - world->seats];
}

static void pin_point(ContactPin *pin, const World *world, const Block *block)
{
    ContactFrame f = contact_frame(world, block);
    Vec3 p = vec3_scale(0.5, vec3_add(f.p1, f.p2));
    pin->rolls = block->rolls;
    pin->seat = *block->seat;
    pin->seat.radius[0] = pin->seat.radius[1] = 0.0;
    pin->seat.normal[0] = f.n;
    for (int k = 0; k < 2; k++) {
        Pose pose = world->pose[block->body[k]];
        pin->seat.anchor[k] = quat_rotate_inverse(pose.q, vec3_sub(p, pose.x));
    }
    pin->seat.rest = vec3_dot(f.n, vec3_sub(f.p2, f.p1));
}

/* A block of the point at `seat`, or of its manifold's patch. */
static void block_pin(Block *block, ContactPin *pin)
{
    block->seat = &pin->seat;
    block->carrier = NORMAL_IN_WORLD;
    block->rolls = true;
}

void contact_pins_set(ContactPins *pins, World *world)
{
    bool fresh = pins->detection != world->contacts->detection;
    pins->detection = world->contacts->detection;
    for (int m = 0; contact_pins_wanted(pins) && m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        int first = manifold_contact(manifold, 0);
        for (int i = 0; i < manifold->count; i++) {
            Block *contact = &world->blocks[manifold_contact(manifold, i)];
            Block *friction = &world->blocks[manifold_friction(manifold, i)];
            ContactPin *pin = pins->midway ? pin_at(pins, world, manifold_contact(manifold, i)) : NULL;
            contact->off = friction->off = contact->off || contact->seat->rest > pins->look_ahead;
            if (pin && fresh)
                pin_point(pin, world, contact);
            if (pin) {
                block_pin(contact, pin);
                block_pin(friction, pin);
            }
        }
        if (pins->midway && manifold->torsion >= 0)
            block_pin(&world->blocks[manifold->torsion], pin_at(pins, world, first));
    }
}

static void block_unpin(const World *world, Block *block, int point, const ContactPins *pins)
{
    block->off = world->removed[block->body[0]] || world->removed[block->body[1]];
    if (!pins->midway)
        return;
    block->rolls = pin_at(pins, world, point)->rolls;
    block->seat = world_contact_seat(world, point);
    block->carrier = world->contacts->manifolds[block->manifold].carrier;
}

void contact_pins_drop(const ContactPins *pins, World *world)
{
    for (int m = 0; contact_pins_wanted(pins) && m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        for (int i = 0; i < manifold->count; i++) {
            int contact = manifold_contact(manifold, i);
            block_unpin(world, &world->blocks[contact], contact, pins);
            block_unpin(world, &world->blocks[manifold_friction(manifold, i)], contact, pins);
        }
        if (manifold->torsion >= 0)
            block_unpin(world, &world->blocks[manifold->torsion], manifold_contact(manifold, 0), pins);
    }
}
