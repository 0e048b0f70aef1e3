/* SPDX-License-Identifier: MIT */
/* The pattern of a block LDL^T's factor, found by eliminating node after node.
 *
 * The clique of an eliminated node's neighbours is not written out: the node stays in their lists and stands there for
 * its later neighbours (quotient graph, George and Liu 1989). A clique that a new one contains is dropped, so lists
 * never grow. */
#include "solvers/linear/block_ldl.h"

#include <stdlib.h>

static bool neighbours_add(LdlNeighbours *to, int node)
{
    if (to->count == to->capacity) {
        int capacity = to->capacity < 4 ? 4 : 2 * to->capacity;
        int *grown = realloc(to->list, sizeof *grown * (size_t)capacity);
        if (!grown)
            return false;
        to->list = grown;
        to->capacity = capacity;
    }
    to->list[to->count++] = node;
    return true;
}

bool block_ldl_connect(BlockLdl *ldl, int i, int j)
{
    return neighbours_add(&ldl->graph[i], j) && neighbours_add(&ldl->graph[j], i);
}

static bool ldl_add_entry(BlockLdl *ldl, int node)
{
    if (ldl->entry_count == ldl->entry_capacity) {
        int capacity = ldl->entry_capacity < 64 ? 64 : 2 * ldl->entry_capacity;
        LdlEntry *grown = realloc(ldl->entries, sizeof *grown * (size_t)capacity);
        if (!grown)
            return false;
        ldl->entries = grown;
        ldl->entry_capacity = capacity;
    }
    ldl->entries[ldl->entry_count++] = (LdlEntry){.node = node};
    return true;
}

/* Marks the neighbours, the node and the cliques they were found in. */
int block_ldl_find_neighbours(BlockLdl *ldl, int node)
{
    const LdlNeighbours *mine = &ldl->graph[node];
    int count = 0, stamp = ++ldl->stamp;
    ldl->mark[node] = stamp;
    for (int a = 0; a < mine->count; a++) {
        const LdlNode *clique = &ldl->nodes[mine->list[a]];
        bool alone = clique->position < 0;
        for (int k = 0; k < (alone ? 1 : clique->count); k++) {
            int found = alone ? mine->list[a] : ldl->entries[clique->first + k].node;
            if (ldl->mark[found] != stamp)
                ldl->around[count++] = found;
            ldl->mark[found] = stamp;
        }
        ldl->mark[mine->list[a]] = stamp;
    }
    return count;
}

/* What is marked in a neighbour's list is within the new clique, which takes its place. */
bool block_ldl_eliminate(BlockLdl *ldl, int node)
{
    LdlNode *column = &ldl->nodes[node];
    column->count = block_ldl_find_neighbours(ldl, node);
    column->first = ldl->entry_count;
    column->position = ldl->ordered;
    ldl->order[ldl->ordered++] = node;
    for (int a = 0; a < column->count; a++) {
        LdlNeighbours *its = &ldl->graph[ldl->around[a]];
        int kept = 0;
        for (int b = 0; b < its->count; b++)
            if (ldl->mark[its->list[b]] != ldl->stamp)
                its->list[kept++] = its->list[b];
        its->list[kept] = node;
        its->count = kept + 1;
        if (!ldl_add_entry(ldl, ldl->around[a]))
            return false;
    }
    return true;
}
