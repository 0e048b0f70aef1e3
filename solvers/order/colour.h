/* Colouring: units of one colour share no moving body, so their rows do not see each other and may be solved in any
 * order, or at once, with the same result. Units are the joints' blocks, and the manifolds: colours of joints come
 * first, then those of contacts. Greedy, in order of creation: a unit takes the smallest colour that none of its moving
 * bodies has yet; fixed bodies, which no row writes, have none. */
#ifndef RIGOR_SOLVERS_ORDER_COLOUR_H
#define RIGOR_SOLVERS_ORDER_COLOUR_H

#include "model/world.h"

#include <stdint.h>

/* Colours are bits of a word a body. A unit that finds none free joins the last one, whose units may share bodies: it
 * is gone through in order, by one thread. */
enum { COLOUR_MAX = 64 };

typedef struct Colours {
    int count;  /* of colours, some of which may be empty */
    int *start; /* units[start[c]] .. before units[start[c + 1]] have colour c */
    int *units; /* in order of creation inside a colour */
    int serial; /* the colour whose units may share bodies; none: `count` */
    int capacity;
} Colours;

/* A fresh one is all zero. */
typedef struct Colouring {
    Colours joints, manifolds;
    uint64_t *taken; /* by body: bits of its colours */
    int *colour;     /* by unit */
    int body_capacity, unit_capacity;
} Colouring;

/* Room for the world's units as they are now; false when out of memory. Nothing else allocates. */
bool colouring_reserve(Colouring *colouring, const World *world);
void colouring_free(Colouring *colouring);

void colouring_set_joints(Colouring *colouring, const World *world);
void colouring_set_manifolds(Colouring *colouring, const World *world);

/* All blocks in the order of their colours, those of a manifold together. */
void colouring_list(const Colouring *colouring, const World *world, int *order);

#endif
