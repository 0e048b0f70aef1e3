/* SPDX-License-Identifier: MIT */
#include "solvers/linear/block_ldl.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pivot below this share of what its diagonal has been is cancellation: round-off of 1e-16, grown by the condition
 * of the rows before it. Independent rows of the stiffest scenes stay above 1e-9. */
#define LDL_PIVOT_LOST 1e-11

bool block_ldl_init(BlockLdl *ldl, int nodes, const int *sizes, const int *signs)
{
    size_t n = (size_t)nodes + 1;
    *ldl = (BlockLdl){.node_count = nodes};
    Arrays *own = &ldl->arrays, *while_built = &ldl->while_built;
    if (!OWN_ARRAY(own, ldl->nodes, n) || !OWN_ARRAY(own, ldl->order, n) || !OWN_ARRAY(while_built, ldl->graph, n) ||
        !OWN_ARRAY(while_built, ldl->mark, n) || !OWN_ARRAY(while_built, ldl->around, n))
        return false;
    for (int i = 0; i < nodes; i++) {
        ldl->nodes[i] = (LdlNode){.size = sizes[i], .sign = signs[i], .position = -1, .unknown = ldl->unknown_count};
        ldl->unknown_count += sizes[i];
    }
    size_t unknowns = (size_t)ldl->unknown_count + 1;
    if (!OWN_ARRAY(own, ldl->inverse, unknowns) || !OWN_ARRAY(own, ldl->scale, unknowns))
        return false;
    for (int i = 0; i < nodes; i++) {
        ldl->nodes[i].inverse = ldl->inverse + ldl->nodes[i].unknown;
        ldl->nodes[i].scale = ldl->scale + ldl->nodes[i].unknown;
    }
    return true;
}

static void ldl_free_graph(BlockLdl *ldl)
{
    for (int i = 0; ldl->graph && i < ldl->node_count; i++)
        free(ldl->graph[i].list);
    arrays_free(&ldl->while_built);
    ldl->graph = NULL;
}

void block_ldl_free(BlockLdl *ldl)
{
    ldl_free_graph(ldl);
    arrays_free(&ldl->arrays);
    free(ldl->entries);
}

/* By insertion: columns are short, and a long one comes from a clique that is already in order. */
static void ldl_sort_column(const BlockLdl *ldl, const LdlNode *column)
{
    if (column->count < 2)
        return; /* without any entries there is no array to point into */
    LdlEntry *entries = ldl->entries + column->first;
    for (int a = 1; a < column->count; a++) {
        LdlEntry entry = entries[a];
        int b = a, position = ldl->nodes[entry.node].position;
        for (; b > 0 && ldl->nodes[entries[b - 1].node].position > position; b--)
            entries[b] = entries[b - 1];
        entries[b] = entry;
    }
}

static const LdlEntry *ldl_find(const BlockLdl *ldl, int column, int row)
{
    const LdlNode *node = &ldl->nodes[column];
    int low = node->first, high = node->first + node->count - 1, position = ldl->nodes[row].position;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ldl->nodes[ldl->entries[middle].node].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    return &ldl->entries[low];
}

/* The column of a later neighbour has all neighbours that are later still, in the same order: one walk finds them. */
static void ldl_find_targets(BlockLdl *ldl, const LdlNode *node)
{
    for (int b = 0; b < node->count; b++) {
        const LdlEntry *column = &ldl->entries[node->first + b];
        const LdlNode *later = &ldl->nodes[column->node];
        const LdlEntry *at = &ldl->entries[later->first];
        ldl->targets[column->target + b] = later->diagonal;
        for (const LdlEntry *row = column + 1; row < &ldl->entries[node->first + node->count]; row++) {
            while (at->node != row->node)
                at++;
            ldl->targets[row->target + b] = at->value;
        }
    }
}

/* Offsets of blocks, then of the blocks that each column's products go to. More than an int counts do not fit into any
 * memory that this is meant for. */
bool block_ldl_finish(BlockLdl *ldl)
{
    ldl_free_graph(ldl);
    long long products = 0, values = 0;
    for (int k = 0; k < ldl->node_count; k++) {
        LdlNode *node = &ldl->nodes[ldl->order[k]];
        ldl_sort_column(ldl, node);
        node->diagonal = (int)values;
        values += node->size * node->size;
        for (int a = 0; a < node->count; a++) {
            LdlEntry *entry = &ldl->entries[node->first + a];
            entry->value = (int)values;
            values += node->size * ldl->nodes[entry->node].size;
            entry->target = (int)products;
            products += a + 1;
        }
    }
    if (values >= INT_MAX || products >= INT_MAX)
        return false;
    ldl->value_count = (int)values;
    ldl->product_count = products;
    Arrays *own = &ldl->arrays;
    if (!OWN_ARRAY(own, ldl->targets, (size_t)products + 1) || !OWN_ARRAY(own, ldl->values, (size_t)values + 1) ||
        !OWN_ARRAY(own, ldl->x, (size_t)ldl->unknown_count + 1))
        return false;
    for (int k = 0; k < ldl->node_count; k++)
        ldl_find_targets(ldl, &ldl->nodes[k]);
    return true;
}

double *block_ldl_block(const BlockLdl *ldl, int i, int j, bool *later_rows)
{
    *later_rows = ldl->nodes[i].position > ldl->nodes[j].position;
    return ldl->values + (*later_rows ? ldl_find(ldl, j, i) : ldl_find(ldl, i, j))->value;
}

double *block_ldl_diagonal(const BlockLdl *ldl, int node)
{
    return ldl->values + ldl->nodes[node].diagonal;
}

double *block_ldl_unknowns(const BlockLdl *ldl, int node)
{
    return ldl->x + ldl->nodes[node].unknown;
}

void block_ldl_clear(BlockLdl *ldl)
{
    memset(ldl->values, 0, sizeof *ldl->values * (size_t)ldl->value_count);
}

void block_ldl_clear_right_side(BlockLdl *ldl)
{
    memset(ldl->x, 0, sizeof *ldl->x * (size_t)ldl->unknown_count);
}

/* K = sign C C^T in place, lower triangle; returns the rows left out. */
static int ldl_factor_pivot(LdlNode *node, double *K)
{
    int n = node->size, lost = 0;
    for (int j = 0; j < n; j++) {
        double pivot = node->sign * K[j * n + j];
        for (int k = 0; k < j; k++)
            pivot -= K[j * n + k] * K[j * n + k];
        bool keep = pivot > (node->sign < 0 ? LDL_PIVOT_LOST * node->scale[j] : 0.0);
        lost += !keep;
        node->inverse[j] = keep ? 1.0 / sqrt(pivot) : 0.0;
        for (int i = j + 1; i < n; i++) {
            double sum = node->sign * K[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= K[i * n + k] * K[j * n + k];
            K[i * n + j] = sum * node->inverse[j];
        }
    }
    return lost;
}

/* W = K C^-T in place, for a block of `rows` rows */
static void ldl_divide(const LdlNode *node, const double *C, double *K, int rows)
{
    int n = node->size;
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < n; j++) {
            double sum = K[r * n + j];
            for (int k = 0; k < j; k++)
                sum -= K[r * n + k] * C[j * n + k];
            K[r * n + j] = sum * node->inverse[j];
        }
}

/* K -= sign A B^T, A rows x n, B columns x n */
static void ldl_subtract_product(double *K, int sign, const double *A, int rows, const double *B, int columns, int n)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += A[r * n + k] * B[c * n + k];
            K[r * columns + c] -= sign * sum;
        }
}

static void ldl_grow_scale(LdlNode *node, const double *K)
{
    for (int i = 0; i < node->size; i++)
        node->scale[i] = fmax(node->scale[i], fabs(K[i * node->size + i]));
}

int block_ldl_factor(BlockLdl *ldl)
{
    int lost = 0;
    memset(ldl->scale, 0, sizeof *ldl->scale * (size_t)ldl->unknown_count);
    for (int k = 0; k < ldl->node_count; k++)
        ldl_grow_scale(&ldl->nodes[k], ldl->values + ldl->nodes[k].diagonal);
    for (int k = 0; k < ldl->node_count; k++) {
        LdlNode *node = &ldl->nodes[ldl->order[k]];
        double *C = ldl->values + node->diagonal;
        lost += ldl_factor_pivot(node, C);
        for (int a = 0; a < node->count; a++) {
            const LdlEntry *row = &ldl->entries[node->first + a];
            LdlNode *later = &ldl->nodes[row->node];
            double *W = ldl->values + row->value;
            ldl_divide(node, C, W, later->size);
            for (int b = 0; b <= a; b++) {
                const LdlEntry *column = &ldl->entries[node->first + b];
                ldl_subtract_product(ldl->values + ldl->targets[row->target + b], node->sign, W, later->size,
                                     ldl->values + column->value, ldl->nodes[column->node].size, node->size);
            }
            ldl_grow_scale(later, ldl->values + later->diagonal);
        }
    }
    return lost;
}

/* Forward y = C^-1 x, x_i -= sign W y; backward x = sign C^-T (y - W^T x_i). */
void block_ldl_solve(const BlockLdl *ldl)
{
    for (int k = 0; k < ldl->node_count; k++) {
        const LdlNode *node = &ldl->nodes[ldl->order[k]];
        const double *C = ldl->values + node->diagonal;
        double *y = ldl->x + node->unknown;
        int n = node->size;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++)
                y[i] -= C[i * n + j] * y[j];
            y[i] *= node->inverse[i];
        }
        for (int a = 0; a < node->count; a++) {
            const LdlEntry *entry = &ldl->entries[node->first + a];
            const double *W = ldl->values + entry->value;
            double *x = ldl->x + ldl->nodes[entry->node].unknown;
            for (int r = 0; r < ldl->nodes[entry->node].size; r++)
                for (int j = 0; j < n; j++)
                    x[r] -= node->sign * W[r * n + j] * y[j];
        }
    }
    for (int k = ldl->node_count - 1; k >= 0; k--) {
        const LdlNode *node = &ldl->nodes[ldl->order[k]];
        const double *C = ldl->values + node->diagonal;
        double *y = ldl->x + node->unknown;
        int n = node->size;
        for (int a = 0; a < node->count; a++) {
            const LdlEntry *entry = &ldl->entries[node->first + a];
            const double *W = ldl->values + entry->value, *x = ldl->x + ldl->nodes[entry->node].unknown;
            for (int r = 0; r < ldl->nodes[entry->node].size; r++)
                for (int j = 0; j < n; j++)
                    y[j] -= W[r * n + j] * x[r];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++)
                y[i] -= C[j * n + i] * y[j];
            y[i] *= node->inverse[i];
        }
        for (int i = 0; i < n; i++)
            y[i] *= node->sign;
    }
}
