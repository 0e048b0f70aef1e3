/* SPDX-License-Identifier: MIT */
/* The rest of a block LDL^T's order by AMD of SuiteSparse: approximate minimum degree (Amestoy, Davis and Duff 1996).
 *
 * AMD orders unknowns and knows of no blocks, so every unknown gets a column: all unknowns of its node and of the
 * node's neighbours. The unknowns of one node have the same neighbours; once one of them is gone the others join nobody
 * anew, and AMD takes them along. It lists them together, or among those of other nodes that go along just so, whose
 * order among each other changes nothing: a node goes where the first of its unknowns stands, and the work is AMD's. */
#include "solvers/linear/block_ldl.h"

#include <amd.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The unknowns of nodes that are not yet eliminated. */
typedef struct AmdRest {
    int count;
    int *first;       /* of a node's unknowns */
    int *node;        /* of an unknown */
    int *start, *row; /* columns: row[start[i]] to row[start[i + 1]], in any order */
    int *order;
} AmdRest;

static bool rest_number_unknowns(AmdRest *rest, const BlockLdl *ldl)
{
    size_t most = (size_t)ldl->unknown_count + 1;
    rest->first = malloc(sizeof *rest->first * ((size_t)ldl->node_count + 1));
    rest->node = malloc(sizeof *rest->node * most);
    rest->start = malloc(sizeof *rest->start * most);
    rest->order = malloc(sizeof *rest->order * most);
    if (!rest->first || !rest->node || !rest->start || !rest->order)
        return false;
    for (int k = 0; k < ldl->node_count; k++) {
        rest->first[k] = rest->count;
        for (int i = 0; i < ldl->nodes[k].size && ldl->nodes[k].position < 0; i++)
            rest->node[rest->count++] = k;
    }
    return true;
}

/* Finds where columns begin and makes room for them; false, too, if an int cannot number their entries. */
static bool rest_begin_columns(AmdRest *rest, BlockLdl *ldl)
{
    long long entries = 0;
    for (int j = 0; j < rest->count;) {
        int node = rest->node[j], size = ldl->nodes[node].size, count = block_ldl_find_neighbours(ldl, node);
        long long height = size;
        for (int a = 0; a < count; a++)
            height += ldl->nodes[ldl->around[a]].size;
        if (entries + size * height > INT_MAX)
            return false;
        for (int end = j + size; j < end; j++, entries += height)
            rest->start[j] = (int)entries;
    }
    rest->start[rest->count] = (int)entries;
    rest->row = malloc(sizeof *rest->row * ((size_t)entries + 1));
    return rest->row;
}

static int rest_write_rows(const AmdRest *rest, const BlockLdl *ldl, int node, int *row)
{
    for (int i = 0; i < ldl->nodes[node].size; i++)
        row[i] = rest->first[node] + i;
    return ldl->nodes[node].size;
}

/* All columns of a node are the same. */
static void rest_write_columns(const AmdRest *rest, BlockLdl *ldl)
{
    for (int j = 0; j < rest->count; j += ldl->nodes[rest->node[j]].size) {
        int *column = rest->row + rest->start[j], count = block_ldl_find_neighbours(ldl, rest->node[j]);
        int height = rest_write_rows(rest, ldl, rest->node[j], column);
        for (int a = 0; a < count; a++)
            height += rest_write_rows(rest, ldl, ldl->around[a], column + height);
        for (int i = 1; i < ldl->nodes[rest->node[j]].size; i++)
            memcpy(rest->row + rest->start[j + i], column, sizeof *column * (size_t)height);
    }
}

/* No column counts as too dense to be ordered: all rows at a body with many joints would, and be put last as they
 * stand, which doubles the work of a wheel of 100 spokes. Columns that are not sorted make AMD sort a copy. */
static bool rest_find_order(AmdRest *rest, BlockLdl *ldl)
{
    double control[AMD_CONTROL];
    if (!rest_number_unknowns(rest, ldl) || !rest_begin_columns(rest, ldl))
        return false;
    rest_write_columns(rest, ldl);
    amd_defaults(control);
    control[AMD_DENSE] = -1.0;
    int outcome = amd_order(rest->count, rest->start, rest->row, rest->order, control, NULL);
    return outcome == AMD_OK || outcome == AMD_OK_BUT_JUMBLED;
}

bool block_ldl_eliminate_rest(BlockLdl *ldl)
{
    AmdRest rest = {0};
    bool ok = rest_find_order(&rest, ldl);
    for (int k = 0; ok && k < rest.count; k++) {
        int node = rest.node[rest.order[k]];
        ok = ldl->nodes[node].position >= 0 || block_ldl_eliminate(ldl, node);
    }
    free(rest.first);
    free(rest.node);
    free(rest.start);
    free(rest.row);
    free(rest.order);
    return ok;
}
