/* SPDX-License-Identifier: MIT */
/* The order of constraints: a solver that takes them one by one takes them in this order. Joints are ordered among
 * joints, touching pairs among pairs; the rows of each stay together. A constraint that moves keeps its impulses. */
#ifndef RIGOR_MODEL_ORDER_H
#define RIGOR_MODEL_ORDER_H

#include "model/world.h"

#include <stdint.h>

typedef enum ConstraintOrder {
    ORDER_CREATED,  /* joints as the scene has them, pairs by their bodies */
    ORDER_REVERSED, /* the last first */
    ORDER_SHUFFLED, /* by a seed, the same in every step */
    ORDER_COLOURED, /* greedily coloured: those of one colour share no moving body */
    ORDER_COUNT
} ConstraintOrder;

extern const char *const constraint_order_names[ORDER_COUNT + 1]; /* NULL-terminated */

/* A constraint's place: by key, then by index. */
typedef struct OrderItem {
    uint64_t key;
    int index;
} OrderItem;

/* What the contacts of a world keep of it. */
typedef struct Ordering {
    ConstraintOrder order;
    unsigned seed;
    size_t capacity, colour_capacity;
    OrderItem *items;
    uint64_t *colours; /* of each body, as bits: those that its constraints have */
} Ordering;

/* Orders the joints at once, and the contacts from the next detection on. Call it before a solver is made for the
 * world. False when out of memory. */
bool world_set_order(World *world, ConstraintOrder order, unsigned seed);

/* The first puts the manifolds just found, which are sorted by their bodies, into the order. The second sorts those of
 * the last detection by their bodies again. False when out of memory. */
bool contacts_order(World *world);
void contacts_order_previous(World *world);

void ordering_free(Ordering *ordering);

#endif
