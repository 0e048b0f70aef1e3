/* SPDX-License-Identifier: MIT */
/* The two orders of elimination on the loops of scenes: the program's, which is AMD's of SuiteSparse, and the page's,
 * our own minimum degree. The linker sends what is left to order here, so that `direct` itself runs with either. Work
 * is counted on a pattern of zeros, scalar by scalar in a full matrix. */
#include "solvers/systems/constraint_graph.h"
#include "tests/scenes/built.h"
#include "tests/support/drive.h"
#include "tests/support/random.h"

#include <amd.h>
#include <math.h>

/* Joints in a grid, in space, in chains with both ends held, in linkages. */
static const char *const SCENES[][2] = {
    {"soft_cube", "n=2"},     {"soft_cube", "n=3"},     {"soft_cube", "n=4"},
    {"cloth", "nx=10 ny=10"}, {"cloth", "nx=20 ny=20"}, {"cloth", "nx=15 ny=15 shear=true"},
    {"bridge", "planks=20"},  {"hanging_chain", ""},    {"joint_gallery", ""},
    {"four_bar", ""},         {"slider_crank", ""},
};

enum { SCENE_COUNT = sizeof SCENES / sizeof SCENES[0] };

static bool by_degree; /* the page's order, not the program's */
static int given;      /* nodes that the caller ordered himself, of the graph last built */

bool __real_block_ldl_eliminate_rest(BlockLdl *ldl);
bool __wrap_block_ldl_eliminate_rest(BlockLdl *ldl);

bool __wrap_block_ldl_eliminate_rest(BlockLdl *ldl)
{
    given = ldl->ordered;
    return by_degree ? block_ldl_eliminate_by_degree(ldl) : __real_block_ldl_eliminate_rest(ldl);
}

/* Who is whose neighbour, among scalars; eliminated ones have none. */
typedef struct Pattern {
    int size;
    bool *joined; /* size x size */
} Pattern;

static Pattern pattern_create(int size)
{
    Pattern pattern = {size, calloc((size_t)size * (size_t)size, sizeof *pattern.joined)};
    assert_non_null(pattern.joined);
    return pattern;
}

static bool *pattern_row(const Pattern *pattern, int i)
{
    return pattern->joined + (size_t)i * (size_t)pattern->size;
}

static Pattern pattern_copy(const Pattern *from)
{
    Pattern pattern = pattern_create(from->size);
    memcpy(pattern.joined, from->joined, (size_t)from->size * (size_t)from->size * sizeof *from->joined);
    return pattern;
}

/* All scalars of two nodes, which may be one. */
static void pattern_join(Pattern *pattern, const LdlNode *one, const LdlNode *two)
{
    for (int i = one->unknown; i < one->unknown + one->size; i++)
        for (int j = two->unknown; j < two->unknown + two->size; j++)
            pattern_row(pattern, i)[j] = pattern_row(pattern, j)[i] = i != j;
}

/* Joins the neighbours of scalar k; returns their number, the nonzeros of its column in L. */
static int pattern_eliminate(Pattern *pattern, int k)
{
    bool *column = pattern_row(pattern, k);
    int count = 0;
    for (int i = 0; i < pattern->size; i++) {
        if (!column[i])
            continue;
        bool *row = pattern_row(pattern, i);
        for (int j = 0; j < pattern->size; j++)
            row[j] = row[j] || column[j];
        row[i] = row[k] = false;
        count++;
    }
    memset(column, 0, (size_t)pattern->size * sizeof *column);
    return count;
}

/* Multiply-adds of K_ij -= W_ik W_jk, i >= j, in this order. */
static double pattern_work(const Pattern *pattern, const int *order, int count)
{
    Pattern left = pattern_copy(pattern);
    double work = 0.0;
    for (int k = 0; k < count; k++) {
        double nonzeros = pattern_eliminate(&left, order[k]);
        work += 0.5 * nonzeros * (nonzeros + 1.0);
    }
    free(left.joined);
    return work;
}

/* Bodies and joints: [M J^T; J -s]. */
static Pattern pattern_of_graph(const ConstraintGraph *graph, const World *world)
{
    const LdlNode *nodes = graph->ldl.nodes;
    Pattern pattern = pattern_create(graph->ldl.unknown_count);
    for (int k = 0; k < graph->ldl.node_count; k++)
        pattern_join(&pattern, &nodes[k], &nodes[k]);
    for (int j = 0; j < world->joint_count; j++)
        for (int k = 0; k < joint_body_count(&world->joints[j].def) && graph->node_of_joint[j] >= 0; k++)
            if (graph->node_of_body[world->joints[j].def.body[k]] >= 0)
                pattern_join(&pattern, &nodes[graph->node_of_joint[j]],
                             &nodes[graph->node_of_body[world->joints[j].def.body[k]]]);
    return pattern;
}

/* The scalars of all nodes but the given ones, in the order of nodes. */
static int list_nodes(const BlockLdl *ldl, int *order)
{
    int count = 0;
    for (int k = given; k < ldl->node_count; k++) {
        const LdlNode *node = &ldl->nodes[ldl->order[k]];
        for (int i = 0; i < node->size; i++)
            order[count++] = node->unknown + i;
    }
    return count;
}

/* The same scalars in the order of AMD, which is told of them as the scene numbers them. */
static void list_amds(const BlockLdl *ldl, const Pattern *pattern, int *order)
{
    size_t n = (size_t)pattern->size;
    int *scalar = malloc(sizeof *scalar * n), *start = malloc(sizeof *start * (n + 1));
    int *row = malloc(sizeof *row * (n * n)), count = 0, nonzeros = 0;
    assert_true(scalar && start && row);
    for (int k = 0; k < ldl->node_count; k++)
        for (int i = 0; i < ldl->nodes[k].size && ldl->nodes[k].position >= given; i++)
            scalar[count++] = ldl->nodes[k].unknown + i;
    for (int j = 0; j < count; j++) {
        start[j] = nonzeros;
        for (int i = 0; i < count; i++)
            if (pattern_row(pattern, scalar[j])[scalar[i]])
                row[nonzeros++] = i;
    }
    start[count] = nonzeros;
    assert_int_equal(amd_order(count, start, row, order, NULL, NULL), AMD_OK);
    for (int k = 0; k < count; k++)
        order[k] = scalar[order[k]];
    free(scalar);
    free(start);
    free(row);
}

/* The work of the order of nodes, `by_degree` or not, and that of AMD's order of scalars. */
static void compare_with_amd(const World *world, bool relaxed, double *ours, double *amds)
{
    ConstraintGraph graph;
    assert_true(constraint_graph_init(&graph, world, relaxed));
    assert_true(graph.loops);
    Pattern pattern = pattern_of_graph(&graph, world);
    int *order = malloc(sizeof *order * (size_t)pattern.size);
    assert_non_null(order);
    for (int k = 0; k < given; k++) {
        const LdlNode *node = &graph.ldl.nodes[graph.ldl.order[k]];
        for (int i = 0; i < node->size; i++)
            pattern_eliminate(&pattern, node->unknown + i);
    }
    int count = list_nodes(&graph.ldl, order);
    *ours = pattern_work(&pattern, order, count);
    list_amds(&graph.ldl, &pattern, order);
    *amds = pattern_work(&pattern, order, count);
    free(order);
    free(pattern.joined);
    constraint_graph_free(&graph);
}

/* To the last product: a node's unknowns have the same neighbours, and AMD keeps them together. */
static void the_programs_order_is_that_of_amd(void **state)
{
    (void)state;
    by_degree = false;
    for (int s = 0; s < SCENE_COUNT; s++)
        for (int relaxed = 0; relaxed < 2; relaxed++) {
            Built built = built_scene(SCENES[s][0], SCENES[s][1]);
            double ours, amds;
            compare_with_amd(built.world, relaxed, &ours, &amds);
            if (ours != amds)
                fail_msg("%s %s: %.17g products, AMD %.17g", SCENES[s][0], SCENES[s][1], ours, amds);
            built_destroy(&built);
        }
}

static void the_pages_order_takes_no_more_work_than_that_of_amd(void **state)
{
    (void)state;
    double sum = 0.0;
    by_degree = true;
    for (int s = 0; s < SCENE_COUNT; s++)
        for (int relaxed = 0; relaxed < 2; relaxed++) {
            Built built = built_scene(SCENES[s][0], SCENES[s][1]);
            double ours, amds;
            compare_with_amd(built.world, relaxed, &ours, &amds);
            /* Ties are many, and how they are broken is chance: AMD itself takes up to 27 % more, or 13 % less, on
             * these scenes if only its unknowns are numbered otherwise. */
            if (ours > 1.2 * amds)
                fail_msg("%s %s: %.2f times the work of AMD's order", SCENES[s][0], SCENES[s][1], ours / amds);
            sum += ours / amds;
            built_destroy(&built);
        }
    assert_true(sum / (2 * SCENE_COUNT) < 1.02); /* chance evens out */
}

static void columns_have_what_elimination_fills_in_and_no_more(void **state)
{
    (void)state;
    for (int s = 0; s < SCENE_COUNT; s++)
        for (int how = 0; how < 4; how++) {
            bool relaxed = how & 1;
            by_degree = how & 2;
            Built built = built_scene(SCENES[s][0], SCENES[s][1]);
            ConstraintGraph graph;
            assert_true(constraint_graph_init(&graph, built.world, relaxed));
            Pattern pattern = pattern_of_graph(&graph, built.world);
            for (int k = 0; k < graph.ldl.node_count; k++) {
                const LdlNode *node = &graph.ldl.nodes[graph.ldl.order[k]];
                int width = node->size - 1;
                for (int a = 0; a < node->count; a++)
                    width += graph.ldl.nodes[graph.ldl.entries[node->first + a].node].size;
                for (int i = 0; i < node->size; i++)
                    assert_int_equal(pattern_eliminate(&pattern, node->unknown + i), width - i);
            }
            free(pattern.joined);
            constraint_graph_free(&graph);
            built_destroy(&built);
        }
}

/* One substep of `direct` from velocities at random. */
static Built step_direct(const char *const scene[2], bool degree)
{
    Built built = built_scene(scene[0], scene[1]);
    Random random = {0x0de5};
    for (int i = 1; i < built.world->body_count; i++)
        if (!world_is_fixed(built.world, i))
            built.world->velocity[i].v = random_vec3(&random, built.problem->speed_scale);
    by_degree = degree;
    given = -1;
    drive_run(built.world, "direct", "substeps=1", 1.0 / 600, 1);
    assert_true(given >= 0);
    return built;
}

static void direct_gives_the_same_velocities_in_either_order(void **state)
{
    (void)state;
    static const char *const scenes[][2] = {{"soft_cube", ""}, {"cloth", ""}, {"bridge", ""}, {"four_bar", ""}};
    double most = 0.0;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        Built program = step_direct(scenes[s], false), page = step_direct(scenes[s], true);
        double speed = program.problem->speed_scale, length = program.world->length_scale;
        for (int i = 1; i < program.world->body_count; i++) {
            const Velocity *one = &program.world->velocity[i], *two = &page.world->velocity[i];
            double apart = vec3_norm(vec3_sub(one->v, two->v)) + length * vec3_norm(vec3_sub(one->w, two->w));
            /* Round-off: 1e-15, and 1e-13 on the soft cube, whose relaxed rows lose digits. */
            assert_true(apart < 1e-10 * speed);
            most = fmax(most, apart / speed);
        }
        built_destroy(&program);
        built_destroy(&page);
    }
    assert_true(most > 0.0); /* there are two orders */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_programs_order_is_that_of_amd),
        cmocka_unit_test(the_pages_order_takes_no_more_work_than_that_of_amd),
        cmocka_unit_test(columns_have_what_elimination_fills_in_and_no_more),
        cmocka_unit_test(direct_gives_the_same_velocities_in_either_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
