/* SPDX-License-Identifier: MIT */
/* What is left of an order: whatever the graph, every node goes once, and a lack of memory is told. The linker sends
 * allocations of solvers/ and calls of AMD here. */
#include "solvers/linear/block_ldl.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <amd.h>
#include <math.h>
#include <stdlib.h>

static int failing;              /* which allocation from now on fails; 0: none */
static int amd_outcome = AMD_OK; /* or what AMD says instead of ordering */
static int amd_calls;

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
int __real_amd_order(int n, const int *start, const int *row, int *order, double *control, double *info);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);
int __wrap_amd_order(int n, const int *start, const int *row, int *order, double *control, double *info);

static bool may_allocate(void)
{
    return failing == 0 || --failing > 0;
}

void *__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return may_allocate() ? __real_realloc(old, size) : NULL;
}

int __wrap_amd_order(int n, const int *start, const int *row, int *order, double *control, double *info)
{
    amd_calls++;
    return amd_outcome == AMD_OK ? __real_amd_order(n, start, row, order, control, info) : amd_outcome;
}

enum { MOST_NODES = 30, MOST_SIZE = 9, MOST_UNKNOWNS = MOST_NODES * MOST_SIZE };

/* Nodes of one size, every other one negative. */
static BlockLdl nodes_create(int count, int size)
{
    BlockLdl ldl;
    int *sizes = malloc(sizeof *sizes * (size_t)(count + 1)), *signs = malloc(sizeof *signs * (size_t)(count + 1));
    assert_true(sizes && signs);
    for (int k = 0; k < count; k++) {
        sizes[k] = size;
        signs[k] = k % 2 ? -1 : 1;
    }
    assert_true(block_ldl_init(&ldl, count, sizes, signs));
    free(sizes);
    free(signs);
    return ldl;
}

static void check_every_node_goes_once(const BlockLdl *ldl)
{
    assert_int_equal(ldl->ordered, ldl->node_count);
    for (int k = 0; k < ldl->node_count; k++) {
        assert_in_range(ldl->order[k], 0, ldl->node_count - 1);
        assert_int_equal(ldl->nodes[ldl->order[k]].position, k);
    }
}

static void finish_and_check(BlockLdl *ldl)
{
    assert_true(block_ldl_eliminate_rest(ldl));
    check_every_node_goes_once(ldl);
    assert_true(block_ldl_finish(ldl));
    block_ldl_free(ldl);
}

static void no_nodes_one_node_and_nodes_without_neighbours_have_an_order(void **state)
{
    (void)state;
    for (int count = 0; count < 4; count++) {
        BlockLdl ldl = nodes_create(count, 3);
        finish_and_check(&ldl);
    }
}

static void nodes_that_are_gone_keep_their_places(void **state)
{
    (void)state;
    static const int FIRST[] = {4, 1, 3, 0, 2};
    for (int gone = 0; gone <= 5; gone++) {
        BlockLdl ldl = nodes_create(5, 2);
        for (int k = 0; k < 5; k++)
            assert_true(block_ldl_connect(&ldl, k, (k + 1) % 5));
        for (int k = 0; k < gone; k++)
            assert_true(block_ldl_eliminate(&ldl, FIRST[k]));
        assert_true(block_ldl_eliminate_rest(&ldl));
        check_every_node_goes_once(&ldl);
        for (int k = 0; k < gone; k++)
            assert_int_equal(ldl.order[k], FIRST[k]);
        block_ldl_free(&ldl);
    }
}

/* K, full: quasi-definite, since the diagonal outweighs its row. */
typedef struct Full {
    BlockLdl ldl;
    bool joined[MOST_NODES][MOST_NODES];
    double K[MOST_UNKNOWNS][MOST_UNKNOWNS];
} Full;

static void full_set_block(Full *full, Random *random, int i, int j)
{
    const LdlNode *one = &full->ldl.nodes[i], *two = &full->ldl.nodes[j];
    for (int r = one->unknown; r < one->unknown + one->size; r++)
        for (int c = two->unknown; c < two->unknown + two->size; c++)
            full->K[r][c] = full->K[c][r] = r == c ? one->sign * MOST_UNKNOWNS : random_in(random, -1.0, 1.0);
}

/* Edges at random among even nodes and among odd ones: two graphs, or more. */
static void full_create(Full *full, Random *random, int nodes)
{
    int size[MOST_NODES], sign[MOST_NODES];
    *full = (Full){0};
    for (int k = 0; k < nodes; k++) {
        size[k] = 1 + (int)random_in(random, 0.0, MOST_SIZE - 0.001);
        sign[k] = random_in(random, -1.0, 1.0) < 0.0 ? -1 : 1;
    }
    assert_true(block_ldl_init(&full->ldl, nodes, size, sign));
    for (int i = 0; i < nodes; i++) {
        full_set_block(full, random, i, i);
        for (int j = i % 2; j < i; j += 2) {
            if (random_in(random, 0.0, 1.0) > 0.3)
                continue;
            full->joined[i][j] = true;
            full_set_block(full, random, i, j);
            assert_true(block_ldl_connect(&full->ldl, i, j));
        }
    }
}

static void full_give_numbers(Full *full)
{
    BlockLdl *ldl = &full->ldl;
    block_ldl_clear(ldl);
    for (int i = 0; i < ldl->node_count; i++)
        for (int j = 0; j <= i; j++) {
            const LdlNode *one = &ldl->nodes[i], *two = &ldl->nodes[j];
            bool rows = true;
            if (i != j && !full->joined[i][j])
                continue;
            double *block = i == j ? block_ldl_diagonal(ldl, i) : block_ldl_block(ldl, i, j, &rows);
            for (int r = 0; r < one->size; r++)
                for (int c = 0; c < two->size; c++)
                    block[rows ? r * two->size + c : c * one->size + r] = full->K[one->unknown + r][two->unknown + c];
        }
}

/* K x = b, b all ones. */
static void full_check_solution(Full *full)
{
    BlockLdl *ldl = &full->ldl;
    for (int i = 0; i < ldl->unknown_count; i++)
        ldl->x[i] = 1.0;
    assert_int_equal(block_ldl_factor(ldl), 0);
    block_ldl_solve(ldl);
    for (int i = 0; i < ldl->unknown_count; i++) {
        double sum = 0.0;
        for (int j = 0; j < ldl->unknown_count; j++)
            sum += full->K[i][j] * ldl->x[j];
        assert_near(sum, 1.0, 1e-13); /* the condition of K is below 10 */
    }
}

static void systems_of_any_graph_are_solved_whoever_orders_them(void **state)
{
    (void)state;
    Random random = {0xa3d0};
    static Full full;
    for (int trial = 0; trial < 60; trial++) {
        int nodes = 1 + trial % MOST_NODES, given = trial % 3 ? 0 : nodes / 3;
        full_create(&full, &random, nodes);
        for (int k = 0; k < given; k++)
            assert_true(block_ldl_eliminate(&full.ldl, nodes - 1 - k));
        assert_true(trial % 2 ? block_ldl_eliminate_rest(&full.ldl) : block_ldl_eliminate_by_degree(&full.ldl));
        check_every_node_goes_once(&full.ldl);
        assert_true(block_ldl_finish(&full.ldl));
        full_give_numbers(&full);
        full_check_solution(&full);
        block_ldl_free(&full.ldl);
    }
}

/* Spokes around a hub, each joined to it and to the next: 3 x `spokes` + 1 nodes, bodies first. */
static BlockLdl wheel_create(int spokes, int size)
{
    BlockLdl ldl = nodes_create(3 * spokes + 1, size);
    for (int i = 0; i < spokes; i++) {
        int spoke = 1 + i, next = 1 + (i + 1) % spokes, joint = 1 + spokes + i, rim = 1 + 2 * spokes + i;
        assert_true(block_ldl_connect(&ldl, joint, 0) && block_ldl_connect(&ldl, joint, spoke));
        assert_true(block_ldl_connect(&ldl, rim, spoke) && block_ldl_connect(&ldl, rim, next));
    }
    for (int body = 0; body <= spokes; body++)
        assert_true(block_ldl_eliminate(&ldl, body));
    return ldl;
}

static void joints_at_a_hub_are_ordered_however_many_they_are(void **state)
{
    (void)state;
    BlockLdl amd = wheel_create(100, 3), degree = wheel_create(100, 3);
    assert_true(block_ldl_eliminate_rest(&amd) && block_ldl_finish(&amd));
    assert_true(block_ldl_eliminate_by_degree(&degree) && block_ldl_finish(&degree));
    /* Ties are chance; all joints of the hub at the end, as they stand, would take 1.9 times the work. */
    assert_true(10 * amd.product_count < 11 * degree.product_count);
    block_ldl_free(&amd);
    block_ldl_free(&degree);
}

static void a_lack_of_memory_is_told(void **state)
{
    (void)state;
    bool ok = false;
    int failures = 0;
    for (; !ok && failures < 100; failures++) {
        BlockLdl ldl = wheel_create(30, 3);
        failing = failures + 1;
        ok = block_ldl_eliminate_rest(&ldl);
        failing = 0;
        if (ok)
            check_every_node_goes_once(&ldl);
        block_ldl_free(&ldl);
    }
    assert_true(ok && failures > 5); /* the five arrays, and the columns of the factor */
}

static void what_amd_refuses_is_told(void **state)
{
    (void)state;
    static const int OUTCOMES[] = {AMD_OUT_OF_MEMORY, AMD_INVALID};
    for (int k = 0; k < 2; k++) {
        BlockLdl ldl = wheel_create(4, 3);
        int before = ldl.ordered;
        amd_outcome = OUTCOMES[k];
        assert_false(block_ldl_eliminate_rest(&ldl));
        assert_int_equal(ldl.ordered, before);
        amd_outcome = AMD_OK;
        finish_and_check(&ldl);
    }
}

/* One clique of 48,000 unknowns. */
static void a_pattern_that_an_int_cannot_number_is_refused(void **state)
{
    (void)state;
    BlockLdl ldl = nodes_create(8001, MOST_SIZE);
    for (int k = 1; k < ldl.node_count; k++)
        assert_true(block_ldl_connect(&ldl, 0, k));
    assert_true(block_ldl_eliminate(&ldl, 0));
    amd_calls = 0;
    assert_false(block_ldl_eliminate_rest(&ldl));
    assert_int_equal(amd_calls, 0);
    assert_int_equal(ldl.ordered, 1);
    block_ldl_free(&ldl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_nodes_one_node_and_nodes_without_neighbours_have_an_order),
        cmocka_unit_test(nodes_that_are_gone_keep_their_places),
        cmocka_unit_test(systems_of_any_graph_are_solved_whoever_orders_them),
        cmocka_unit_test(joints_at_a_hub_are_ordered_however_many_they_are),
        cmocka_unit_test(a_lack_of_memory_is_told),
        cmocka_unit_test(what_amd_refuses_is_told),
        cmocka_unit_test(a_pattern_that_an_int_cannot_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
