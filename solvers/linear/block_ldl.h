/* SPDX-License-Identifier: MIT */
/* Sparse LDL^T of a symmetric matrix of small dense blocks, factored again and again with the same pattern.
 *
 * Every node has a definite pivot of known sign, K_kk = sign C C^T once the nodes before it are eliminated:
 *     W_ik = K_ik C^-T,     K_ij -= sign W_ik W_jk^T   for all later neighbours i, j of k.
 * The pattern is found once: eliminating a node joins all its neighbours (fill-in). Where to begin is the caller's
 * knowledge; the rest goes by AMD of SuiteSparse (block_ldl_amd.c), on the page, where that cannot be linked, by our
 * own minimum degree (block_ldl_degree.c). A row of a negative node whose pivot vanishes repeats others: it is left
 * out, that is its unknown is zero. */
#ifndef RIGOR_SOLVERS_LINEAR_BLOCK_LDL_H
#define RIGOR_SOLVERS_LINEAR_BLOCK_LDL_H

#include "model/array.h"

typedef struct LdlNeighbours {
    int count, capacity;
    int *list;
} LdlNeighbours;

typedef struct LdlNode {
    int size, sign;
    int first, count; /* its later neighbours: entries[first ..], in order of elimination */
    int position;     /* in the order; -1: not yet */
    int diagonal;     /* of its pivot block in values; of its unknowns: `unknown` */
    int unknown;
    double *inverse; /* 1 / C_ii; zero for a row left out */
    double *scale;   /* the largest that K_ii has been */
} LdlNode;

typedef struct LdlEntry {
    int node;   /* the later one: rows */
    int value;  /* offset of the block, node's size x column's size */
    int target; /* offset in targets of its products with the entries up to itself */
} LdlEntry;

typedef struct BlockLdl {
    Arrays arrays, while_built;
    int node_count, ordered, entry_count, entry_capacity, value_count, unknown_count;
    long long product_count; /* block products of one factorisation: its work */
    LdlNode *nodes;
    int *order;
    LdlNeighbours *graph; /* these four only while the pattern is built (block_ldl_order.c) */
    int *mark, *around, stamp;
    LdlEntry *entries;
    int *targets;
    double *values, *x;      /* x: right side, then solution */
    double *inverse, *scale; /* of all unknowns, node by node */
} BlockLdl;

/* Nodes of the given sizes (1 at least) and signs, no edges. False when out of memory, as below; free copes
 * with half-built ones. */
bool block_ldl_init(BlockLdl *ldl, int nodes, const int *sizes, const int *signs);
void block_ldl_free(BlockLdl *ldl);
bool block_ldl_connect(BlockLdl *ldl, int i, int j);
bool block_ldl_eliminate(BlockLdl *ldl, int node);
bool block_ldl_eliminate_rest(BlockLdl *ldl);      /* in an order that fills in little: AMD's, or by degree */
bool block_ldl_eliminate_by_degree(BlockLdl *ldl); /* the same by our own minimum degree */
bool block_ldl_finish(BlockLdl *ldl);              /* all nodes are eliminated: makes room for numbers */

/* Writes the neighbours of a node that are not yet eliminated to `around`; returns their number. */
int block_ldl_find_neighbours(BlockLdl *ldl, int node);

/* The block of two connected nodes: `later_rows` is true if i is the later one, and the block is size_i x size_j;
 * else it is size_j x size_i. */
double *block_ldl_block(const BlockLdl *ldl, int i, int j, bool *later_rows);
double *block_ldl_diagonal(const BlockLdl *ldl, int node);
double *block_ldl_unknowns(const BlockLdl *ldl, int node);

void block_ldl_clear(BlockLdl *ldl);            /* K = 0 */
void block_ldl_clear_right_side(BlockLdl *ldl); /* x = 0 */
int block_ldl_factor(BlockLdl *ldl);            /* in place; returns the rows left out */
void block_ldl_solve(const BlockLdl *ldl);      /* x <- K^-1 x */

#endif
