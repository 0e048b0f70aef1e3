/* The order in which constraints stand, which is that in which whoever goes through them one by one solves them: joints
 * among joints, touching pairs among pairs, each with its rows together. A constraint that moves keeps its impulses. */
#ifndef RIGOR_MODEL_ORDER_H
#define RIGOR_MODEL_ORDER_H

#include "model/world.h"

#include <stdint.h>

typedef enum ConstraintOrder {
    ORDER_CREATED,  /* joints as the scene has them, pairs by their bodies */
    ORDER_REVERSED, /* the last first */
    ORDER_SHUFFLED, /* by a seed, and alike in every step */
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

/* The joints at once, the contacts from the next detection on; before a solver is made for the world. False when out of
 * memory. */
bool world_set_order(World *world, ConstraintOrder order, unsigned seed);

/* Brings the manifolds that were found, sorted by their bodies, into the order; and those of the last detection back
 * into that of their bodies. False when out of memory. */
bool contacts_order(World *world);
void contacts_order_previous(World *world);

void ordering_free(Ordering *ordering);

#endif
