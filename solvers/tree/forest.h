/* Which bodies hang together: a union-find forest over the bodies, parent[i] == i at a root. */
#ifndef RIGOR_SOLVERS_TREE_FOREST_H
#define RIGOR_SOLVERS_TREE_FOREST_H

#include <stdbool.h>

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
