/* SPDX-License-Identifier: MIT */
/* The order of a block LDL^T by minimum degree: next is the node that the fewest unknowns become neighbours by, counted
 * by blocks' sizes. Twins, nodes that have the same neighbours, go together, since the second joins nobody anew, and do
 * not count in each other's degree (external degree, Liu 1985; twins are found by hash as in AMD, Amestoy, Davis and
 * Duff 1996). AMD bounds degrees; here they are exact. */
#include "solvers/linear/block_ldl.h"

#include <stdlib.h>

typedef struct DegreeNode {
    int degree, next, before; /* nodes of the same degree; next: while twins are looked for, of the same hash */
    int weight;               /* unknowns, its twins' as well; 0: it goes with another */
    int twin;                 /* the next that goes with it; -1: none */
} DegreeNode;

typedef struct MinimumDegree {
    BlockLdl *ldl;
    DegreeNode *nodes;
    int *of_degree, *of_hash; /* the first such node; -1: none */
} MinimumDegree;

/* Unknowns that the node's elimination makes neighbours of each other, its own and its twins' left out. */
static int degree_insert(MinimumDegree *search, int node)
{
    int degree = 0, count = block_ldl_find_neighbours(search->ldl, node);
    for (int a = 0; a < count; a++)
        degree += search->nodes[search->ldl->around[a]].weight;
    int next = search->of_degree[degree];
    search->nodes[node].degree = degree;
    search->nodes[node].before = -1;
    search->nodes[node].next = next;
    search->of_degree[degree] = node;
    if (next >= 0)
        search->nodes[next].before = node;
    return degree;
}

static void degree_remove(MinimumDegree *search, int node)
{
    int next = search->nodes[node].next, before = search->nodes[node].before;
    if (before >= 0)
        search->nodes[before].next = next;
    else
        search->of_degree[search->nodes[node].degree] = next;
    if (next >= 0)
        search->nodes[next].before = before;
}

static int *degree_of_hash(const MinimumDegree *search, int node)
{
    const LdlNeighbours *mine = &search->ldl->graph[node];
    unsigned sum = 0;
    for (int a = 0; a < mine->count; a++)
        sum += (unsigned)mine->list[a];
    return &search->of_hash[sum % (unsigned)search->ldl->node_count];
}

/* Of two nodes of one clique, which are not in each other's lists. */
static bool degree_are_twins(BlockLdl *ldl, int i, int j)
{
    const LdlNeighbours *one = &ldl->graph[i], *two = &ldl->graph[j];
    int stamp = ++ldl->stamp, common = 0;
    for (int a = 0; a < one->count; a++)
        ldl->mark[one->list[a]] = stamp;
    for (int a = 0; a < two->count; a++)
        common += ldl->mark[two->list[a]] == stamp;
    return common == one->count && common == two->count;
}

static void degree_join(MinimumDegree *search, int node, int to)
{
    DegreeNode *nodes = search->nodes;
    int last = node;
    while (nodes[last].twin >= 0)
        last = nodes[last].twin;
    nodes[last].twin = nodes[to].twin;
    nodes[to].twin = node;
    nodes[to].weight += nodes[node].weight;
    nodes[node].weight = 0;
}

/* Among the neighbours of the node last eliminated, all out of the lists of degrees. */
static void degree_join_twins(MinimumDegree *search, const LdlNode *column)
{
    const BlockLdl *ldl = search->ldl;
    for (int a = column->first; a < column->first + column->count; a++) {
        int i = ldl->entries[a].node, *first = degree_of_hash(search, i), j = *first;
        if (search->nodes[i].weight == 0)
            continue;
        while (j >= 0 && !degree_are_twins(search->ldl, i, j))
            j = search->nodes[j].next;
        if (j >= 0) {
            degree_join(search, i, j);
        } else {
            search->nodes[i].next = *first;
            *first = i;
        }
    }
    for (int a = column->first; a < column->first + column->count; a++)
        *degree_of_hash(search, ldl->entries[a].node) = -1;
}

/* Eliminates the node and its twins; returns the last column, which holds all other neighbours of theirs. */
static const LdlNode *degree_eliminate(MinimumDegree *search, int node)
{
    const LdlNode *column = NULL;
    degree_remove(search, node);
    for (; node >= 0; node = search->nodes[node].twin) {
        if (!block_ldl_eliminate(search->ldl, node))
            return NULL;
        column = &search->ldl->nodes[node];
    }
    return column;
}

static bool degree_order(MinimumDegree *search)
{
    BlockLdl *ldl = search->ldl;
    for (int i = 0; i < ldl->node_count; i++)
        if (ldl->nodes[i].position < 0)
            degree_insert(search, i);
    for (int least = 0; ldl->ordered < ldl->node_count;) {
        if (search->of_degree[least] < 0) {
            least++;
            continue;
        }
        const LdlNode *column = degree_eliminate(search, search->of_degree[least]);
        if (!column)
            return false;
        for (int a = 0; a < column->count; a++)
            if (search->nodes[ldl->entries[column->first + a].node].weight > 0)
                degree_remove(search, ldl->entries[column->first + a].node);
        degree_join_twins(search, column);
        for (int a = 0; a < column->count; a++) {
            int i = ldl->entries[column->first + a].node;
            int degree = search->nodes[i].weight > 0 ? degree_insert(search, i) : least;
            least = degree < least ? degree : least;
        }
    }
    return true;
}

bool block_ldl_eliminate_by_degree(BlockLdl *ldl)
{
    size_t nodes = (size_t)ldl->node_count, degrees = (size_t)ldl->unknown_count + 1;
    MinimumDegree search = {.ldl = ldl};
    search.nodes = malloc(sizeof *search.nodes * (nodes + 1));
    search.of_degree = malloc(sizeof *search.of_degree * (degrees + nodes));
    bool ok = search.nodes && search.of_degree;
    for (size_t i = 0; ok && i < degrees + nodes; i++)
        search.of_degree[i] = -1;
    for (size_t i = 0; ok && i < nodes; i++)
        search.nodes[i] = (DegreeNode){.weight = ldl->nodes[i].size, .twin = -1};
    search.of_hash = ok ? search.of_degree + degrees : NULL;
    ok = ok && degree_order(&search);
    free(search.nodes);
    free(search.of_degree);
    return ok;
}
