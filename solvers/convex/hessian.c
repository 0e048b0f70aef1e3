/* SPDX-License-Identifier: MIT */
#include "solvers/convex/hessian.h"

#include "solvers/linear/block_ldl.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* A volume joins four particles. */
enum { GROUPS_MAX = 4 };

struct Hessian {
    Arrays arrays;
    double *dense;
    int dense_for; /* unknowns that there is dense room for */
    int *size, *sign, group_capacity;
    BlockLdl ldl; /* a node a group */
};

Hessian *hessian_create(void)
{
    return calloc(1, sizeof(Hessian));
}

void hessian_destroy(Hessian *hessian)
{
    if (!hessian)
        return;
    block_ldl_free(&hessian->ldl);
    arrays_free(&hessian->arrays);
    free(hessian);
}

static bool is_dense(const ConvexProblem *problem)
{
    return !problem->grouped || problem->unknowns <= HESSIAN_DENSE_UNKNOWNS;
}

bool hessian_reserve(Hessian *hessian, int unknowns, bool grouped)
{
    int dense = grouped && unknowns > HESSIAN_DENSE_UNKNOWNS ? HESSIAN_DENSE_UNKNOWNS : unknowns;
    int groups = unknowns / HESSIAN_GROUP;
    if (hessian->arrays.last && dense <= hessian->dense_for && groups <= hessian->group_capacity)
        return true;
    Arrays *own = &hessian->arrays;
    arrays_free(own);
    bool ok = OWN_ARRAY(own, hessian->dense, (size_t)dense * (size_t)dense) &&
              OWN_ARRAY(own, hessian->size, (size_t)groups) && OWN_ARRAY(own, hessian->sign, (size_t)groups);
    for (int g = 0; ok && g < groups; g++) {
        hessian->size[g] = HESSIAN_GROUP;
        hessian->sign[g] = 1;
    }
    hessian->dense_for = ok ? dense : -1;
    hessian->group_capacity = groups;
    return ok;
}

/* The groups that a block's rows act on; they all have the same columns. */
static int block_groups(const ConvexProblem *problem, const ConvexBlock *block, int groups[GROUPS_MAX])
{
    int count = 0;
    for (int k = problem->start[block->first]; k < problem->start[block->first + 1]; k++) {
        int group = problem->column[k] / HESSIAN_GROUP;
        if (count == 0 || groups[count - 1] != group)
            groups[count++] = group;
    }
    return count;
}

/* Once, however many blocks join them. */
static bool join(BlockLdl *ldl, int one, int two)
{
    for (int k = 0; k < ldl->graph[one].count; k++)
        if (ldl->graph[one].list[k] == two)
            return true;
    return block_ldl_connect(ldl, one, two);
}

bool hessian_begin(Hessian *hessian, const ConvexProblem *problem)
{
    BlockLdl *ldl = &hessian->ldl;
    int groups[GROUPS_MAX];
    if (is_dense(problem))
        return true;
    block_ldl_free(ldl);
    bool ok = block_ldl_init(ldl, problem->unknowns / HESSIAN_GROUP, hessian->size, hessian->sign);
    for (int b = 0; b < problem->block_count; b++) {
        int joined = block_groups(problem, &problem->blocks[b], groups);
        for (int i = 0; i < joined; i++)
            for (int j = 0; j < i; j++)
                ok = ok && join(ldl, groups[i], groups[j]);
    }
    return ok && block_ldl_eliminate_rest(ldl) && block_ldl_finish(ldl);
}

void hessian_clear(Hessian *hessian, const ConvexProblem *problem)
{
    int n = problem->unknowns;
    if (is_dense(problem)) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                hessian->dense[(size_t)i * (size_t)n + (size_t)j] = convex_mass(problem, i, j);
        return;
    }
    block_ldl_clear(&hessian->ldl);
    for (int g = 0; g < hessian->ldl.node_count; g++)
        memcpy(block_ldl_diagonal(&hessian->ldl, g), problem->M + (size_t)g * HESSIAN_GROUP * HESSIAN_GROUP,
               sizeof *problem->M * HESSIAN_GROUP * HESSIAN_GROUP);
}

static void add_dense(Hessian *hessian, const ConvexProblem *problem, int one, int two, double weight)
{
    size_t n = (size_t)problem->unknowns;
    for (int k = problem->start[one]; k < problem->start[one + 1]; k++)
        for (int l = problem->start[two]; l < problem->start[two + 1]; l++)
            if (problem->column[l] <= problem->column[k])
                hessian->dense[(size_t)problem->column[k] * n + (size_t)problem->column[l]] +=
                    weight * problem->value[k] * problem->value[l];
}

/* Where the products of the groups' columns go; NULL: above the diagonal. */
typedef double *Places[GROUPS_MAX][GROUPS_MAX];

static void find_places(const BlockLdl *ldl, const int groups[GROUPS_MAX], int joined, Places place)
{
    for (int i = 0; i < joined; i++)
        for (int j = 0; j < joined; j++) {
            bool later = true;
            place[i][j] =
                i == j ? block_ldl_diagonal(ldl, groups[i]) : block_ldl_block(ldl, groups[i], groups[j], &later);
            place[i][j] = later ? place[i][j] : NULL;
        }
}

static void add_sparse(const ConvexProblem *problem, int one, int two, double weight, const int groups[GROUPS_MAX],
                       Places place)
{
    for (int l = problem->start[two], j = 0; l < problem->start[two + 1]; l++) {
        j += problem->column[l] / HESSIAN_GROUP != groups[j];
        for (int k = problem->start[one], i = 0; k < problem->start[one + 1]; k++) {
            i += problem->column[k] / HESSIAN_GROUP != groups[i];
            if (place[i][j])
                place[i][j][HESSIAN_GROUP * (problem->column[k] % HESSIAN_GROUP) +
                            problem->column[l] % HESSIAN_GROUP] += weight * problem->value[k] * problem->value[l];
        }
    }
}

void hessian_add(Hessian *hessian, const ConvexProblem *problem, const ConvexBlock *block, const double *s)
{
    int groups[GROUPS_MAX], joined = is_dense(problem) ? 0 : block_groups(problem, block, groups);
    Places place;
    find_places(&hessian->ldl, groups, joined, place);
    for (int i = 0; i < block->count; i++)
        for (int j = 0; j < block->count; j++) {
            double weight = s[i * block->count + j];
            if (weight != 0.0 && joined == 0)
                add_dense(hessian, problem, block->first + i, block->first + j, weight);
            else if (weight != 0.0)
                add_sparse(problem, block->first + i, block->first + j, weight, groups, place);
        }
}

bool hessian_solve(Hessian *hessian, const ConvexProblem *problem, double *p)
{
    int n = problem->unknowns;
    if (is_dense(problem))
        return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, hessian->dense, n) == 0 &&
               LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, hessian->dense, n, p, 1) == 0;
    if (block_ldl_factor(&hessian->ldl) > 0)
        return false;
    memcpy(hessian->ldl.x, p, sizeof *p * (size_t)n);
    block_ldl_solve(&hessian->ldl);
    memcpy(p, hessian->ldl.x, sizeof *p * (size_t)n);
    return true;
}
