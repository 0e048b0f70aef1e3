#include "solvers/convex/hessian.h"

#include <klu.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* A volume joins four particles. */
enum { GROUPS_MAX = 4, GROUP_SIZE = HESSIAN_GROUP * HESSIAN_GROUP };

struct Hessian {
    double *dense;
    int dense_for; /* unknowns that there is dense room for */

    int groups, group_capacity, pair_count, pair_capacity;
    int (*pair)[2]; /* groups that meet, both ways and each with itself, sorted by the second: a column's blocks */
    int *first;     /* by group: its first pair */
    int *start, *row;
    double *value; /* compressed columns: column c of group g has the rows of all its pairs */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

Hessian *hessian_create(void)
{
    Hessian *hessian = calloc(1, sizeof *hessian);
    if (hessian)
        klu_defaults(&hessian->common);
    return hessian;
}

void hessian_destroy(Hessian *hessian)
{
    if (!hessian)
        return;
    klu_free_numeric(&hessian->numeric, &hessian->common);
    klu_free_symbolic(&hessian->symbolic, &hessian->common);
    free(hessian->dense);
    free(hessian->pair);
    free(hessian->first);
    free(hessian->start);
    free(hessian->row);
    free(hessian->value);
    free(hessian);
}

static bool grow(void *array, size_t size)
{
    void **at = array, *grown = realloc(*at, size > 0 ? size : 1);
    *at = grown ? grown : *at;
    return grown != NULL;
}

static bool is_dense(const ConvexProblem *problem)
{
    return !problem->grouped || problem->unknowns <= HESSIAN_DENSE_UNKNOWNS;
}

bool hessian_reserve(Hessian *hessian, int unknowns, int rows, bool grouped)
{
    int dense = grouped && unknowns > HESSIAN_DENSE_UNKNOWNS ? HESSIAN_DENSE_UNKNOWNS : unknowns;
    if (dense > hessian->dense_for) {
        if (!grow(&hessian->dense, sizeof(double) * (size_t)dense * (size_t)dense))
            return false;
        hessian->dense_for = dense;
    }
    int groups = grouped ? unknowns / HESSIAN_GROUP : 0;
    int pairs = groups + GROUPS_MAX * (GROUPS_MAX - 1) * (grouped ? rows : 0);
    if (groups > hessian->group_capacity) {
        if (!grow(&hessian->first, sizeof(int) * ((size_t)groups + 1)) ||
            !grow(&hessian->start, sizeof(int) * ((size_t)unknowns + 1)))
            return false;
        hessian->group_capacity = groups;
    }
    if (pairs > hessian->pair_capacity) {
        if (!grow(&hessian->pair, sizeof *hessian->pair * (size_t)pairs))
            return false;
        hessian->pair_capacity = pairs;
    }
    return true;
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

static int pair_order(const void *one, const void *two)
{
    const int *a = one, *b = two;
    return a[1] != b[1] ? a[1] - b[1] : a[0] - b[0];
}

static void list_pairs(Hessian *hessian, const ConvexProblem *problem)
{
    int count = 0, kept = 0, groups[GROUPS_MAX];
    for (int g = 0; g < hessian->groups; g++, count++)
        hessian->pair[count][0] = hessian->pair[count][1] = g;
    for (int b = 0; b < problem->block_count; b++) {
        int joined = block_groups(problem, &problem->blocks[b], groups);
        for (int i = 0; i < joined; i++)
            for (int j = 0; j < joined; j++)
                if (i != j) {
                    hessian->pair[count][0] = groups[i];
                    hessian->pair[count++][1] = groups[j];
                }
    }
    qsort(hessian->pair, (size_t)count, sizeof *hessian->pair, pair_order);
    for (int i = 0; i < count; i++)
        if (kept == 0 || pair_order(hessian->pair[kept - 1], hessian->pair[i]) != 0)
            memmove(hessian->pair[kept++], hessian->pair[i], sizeof hessian->pair[i]);
    hessian->pair_count = kept;
    for (int i = 0, g = 0; g <= hessian->groups; g++) {
        while (i < kept && hessian->pair[i][1] < g)
            i++;
        hessian->first[g] = i;
    }
}

bool hessian_begin(Hessian *hessian, const ConvexProblem *problem)
{
    if (is_dense(problem))
        return true;
    hessian->groups = problem->unknowns / HESSIAN_GROUP;
    list_pairs(hessian, problem);
    size_t numbers = GROUP_SIZE * (size_t)hessian->pair_count;
    if (!grow(&hessian->row, sizeof(int) * numbers) || !grow(&hessian->value, sizeof(double) * numbers))
        return false;
    int at = 0;
    for (int g = 0; g < hessian->groups; g++)
        for (int c = 0; c < HESSIAN_GROUP; c++) {
            hessian->start[HESSIAN_GROUP * g + c] = at;
            for (int i = hessian->first[g]; i < hessian->first[g + 1]; i++)
                for (int r = 0; r < HESSIAN_GROUP; r++)
                    hessian->row[at++] = HESSIAN_GROUP * hessian->pair[i][0] + r;
        }
    hessian->start[problem->unknowns] = at;
    klu_free_numeric(&hessian->numeric, &hessian->common);
    klu_free_symbolic(&hessian->symbolic, &hessian->common);
    hessian->symbolic = klu_analyze(problem->unknowns, hessian->start, hessian->row, &hessian->common);
    return hessian->symbolic != NULL;
}

/* Where the numbers of row group `one` and column group `two` begin, within a column. */
static int pair_place(const Hessian *hessian, int one, int two)
{
    int low = hessian->first[two], high = hessian->first[two + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (hessian->pair[middle][0] < one)
            low = middle + 1;
        else
            high = middle;
    }
    return HESSIAN_GROUP * (low - hessian->first[two]);
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
    memset(hessian->value, 0, sizeof(double) * GROUP_SIZE * (size_t)hessian->pair_count);
    for (int c = 0; c < n; c++) {
        int group = c / HESSIAN_GROUP, at = hessian->start[c] + pair_place(hessian, group, group);
        for (int r = 0; r < HESSIAN_GROUP; r++)
            hessian->value[at + r] = convex_mass(problem, HESSIAN_GROUP * group + r, c);
    }
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

static void add_sparse(Hessian *hessian, const ConvexProblem *problem, int one, int two, double weight,
                       const int groups[GROUPS_MAX], int joined)
{
    int place[GROUPS_MAX][GROUPS_MAX];
    for (int i = 0; i < joined; i++)
        for (int j = 0; j < joined; j++)
            place[i][j] = pair_place(hessian, groups[i], groups[j]);
    for (int l = problem->start[two], j = 0; l < problem->start[two + 1]; l++) {
        int column = problem->column[l];
        j += column / HESSIAN_GROUP != groups[j];
        for (int k = problem->start[one], i = 0; k < problem->start[one + 1]; k++) {
            i += problem->column[k] / HESSIAN_GROUP != groups[i];
            hessian->value[hessian->start[column] + place[i][j] + problem->column[k] % HESSIAN_GROUP] +=
                weight * problem->value[k] * problem->value[l];
        }
    }
}

void hessian_add(Hessian *hessian, const ConvexProblem *problem, const ConvexBlock *block, const double *s)
{
    int groups[GROUPS_MAX], joined = is_dense(problem) ? 0 : block_groups(problem, block, groups);
    for (int i = 0; i < block->count; i++)
        for (int j = 0; j < block->count; j++) {
            double weight = s[i * block->count + j];
            if (weight != 0.0 && joined == 0)
                add_dense(hessian, problem, block->first + i, block->first + j, weight);
            else if (weight != 0.0)
                add_sparse(hessian, problem, block->first + i, block->first + j, weight, groups, joined);
        }
}

bool hessian_solve(Hessian *hessian, const ConvexProblem *problem, double *p)
{
    int n = problem->unknowns;
    if (is_dense(problem))
        return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, hessian->dense, n) == 0 &&
               LAPACKE_dpotrs(LAPACK_ROW_MAJOR, 'L', n, 1, hessian->dense, n, p, 1) == 0;
    klu_free_numeric(&hessian->numeric, &hessian->common);
    hessian->numeric = klu_factor(hessian->start, hessian->row, hessian->value, hessian->symbolic, &hessian->common);
    return hessian->numeric && hessian->common.status == KLU_OK &&
           klu_solve(hessian->symbolic, hessian->numeric, n, 1, p, &hessian->common);
}
