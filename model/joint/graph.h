/* SPDX-License-Identifier: MIT */
/* The graph of bodies and joints: the joints of each body, and which bodies hang together. */
#ifndef RIGOR_MODEL_JOINT_GRAPH_H
#define RIGOR_MODEL_JOINT_GRAPH_H

#include "model/world.h"

/* list[start[b] .. start[b + 1]) are the joints of body b, in order of creation. */
typedef struct JointLists {
    int *start, *list;
} JointLists;

/* False when out of memory; free copes with zeroed and half-built ones. */
bool joint_lists_init(JointLists *lists, const World *world);
void joint_lists_free(JointLists *lists);

/* A union-find forest over the bodies, parent[i] == i at a root. */
static inline int forest_root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The lower of the two roots becomes the root of both; false if they hung together already. */
static inline bool forest_join(int *parent, int i, int j)
{
    int one = forest_root(parent, i), other = forest_root(parent, j);
    parent[one < other ? other : one] = one < other ? one : other;
    return one != other;
}

#endif
