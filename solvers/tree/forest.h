/* SPDX-License-Identifier: MIT */
/* All coordinates of a tree's links in one line, grove by grove: a grove is the trees that hang together through cut
 * joints or couplings, so that a push on one of its links moves its coordinates and no others. */
#ifndef RIGOR_SOLVERS_TREE_FOREST_H
#define RIGOR_SOLVERS_TREE_FOREST_H

#include "solvers/tree/articulated.h"

typedef struct Forest {
    Arrays arrays;
    int grove_count;
    int *grove; /* of each link */
    int *first; /* of each link: its first coordinate */
    int *depth; /* of each link: the coordinates between it and what is fixed, its own among them */
    int *links; /* grove by grove, parents before children */
    int *link_from, *coordinate_from; /* of each grove, and one more for the end */
    int *group;                       /* of the links, a forest while groves are found */
} Forest;

/* Room for every tree of this world; false when out of memory. free copes with zeroed ones. */
bool forest_init(Forest *forest, const World *world);
void forest_free(Forest *forest);

/* The link that hangs on a joint; -1: none does. */
int forest_link_of_joint(const Articulated *tree, int joint);

/* Of a connected tree. */
void forest_connect(Forest *forest, const Articulated *tree, const World *world);

static inline int forest_grove_size(const Forest *forest, int grove)
{
    return forest->coordinate_from[grove + 1] - forest->coordinate_from[grove];
}

#endif
