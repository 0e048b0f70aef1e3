/* Gauss-Seidel is sequential: a row reads what the row before it wrote. Rows of one colour share no body, and may be
 * solved at once; that is another order, with other results before convergence. */
#include "solvers/rows/rows.h"
#include "tests/drive.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"

#include <stdlib.h>
#include <string.h>

enum { LINKS = 9, SPOKES = 70, SIDE = 5 };

static Colouring coloured(const World *world)
{
    Colouring colouring = {0};
    assert_true(colouring_reserve(&colouring, world));
    colouring_set_joints(&colouring, world);
    colouring_set_manifolds(&colouring, world);
    return colouring;
}

static void a_chain_has_two_colours_every_other_link(void **state)
{
    (void)state;
    World *world = mechanism_rods(LINKS, 0.5, false);
    const int expected[LINKS] = {0, 2, 4, 6, 8, 1, 3, 5, 7};
    int order[LINKS];
    assert_int_equal(world->block_count, LINKS);
    Colouring colouring = coloured(world);
    assert_memory_equal(colouring.joints.units, expected, sizeof expected);
    assert_int_equal(colouring.joints.start[1], 5);
    assert_int_equal(colouring.joints.start[2], LINKS);
    colouring_list(&colouring, world, order);
    assert_memory_equal(order, expected, sizeof expected);
    colouring_free(&colouring);
    world_destroy(world);
}

/* A wheel: all spokes share the hub. The first 63 have a colour each, the others share the last, in order. */
static World *wheel(bool hub_moves)
{
    World *world = world_create();
    int hub = hub_moves ? mechanism_add_box(world, VEC3_ZERO, vec3(0.3, 0.4, 0.5)) : 0;
    for (int i = 0; i < SPOKES; i++)
        mechanism_tie(world, hub, mechanism_add_particle(world, vec3(1.0 + i, 0.3 * i, -0.2 * i), 1.0));
    return world;
}

static void blocks_that_share_a_body_keep_their_order(void **state)
{
    (void)state;
    World *world = wheel(true);
    Colouring colouring = coloured(world);
    for (int i = 0; i < SPOKES; i++)
        assert_int_equal(colouring.joints.units[i], i);
    for (int c = 0; c < COLOUR_MAX; c++)
        assert_int_equal(colouring.joints.start[c], c);
    assert_int_equal(colouring.joints.start[COLOUR_MAX], SPOKES);
    colouring_free(&colouring);
    world_destroy(world);
}

/* Nobody writes it: test_colour_sweep.c. */
static void a_fixed_body_is_shared_by_one_colour(void **state)
{
    (void)state;
    World *world = wheel(false);
    Colouring colouring = coloured(world);
    assert_int_equal(colouring.joints.start[1], SPOKES);
    colouring_free(&colouring);
    world_destroy(world);
}

static bool manifolds_share(const World *world, int a, int b)
{
    const int *one = world->manifolds[a].body, *two = world->manifolds[b].body;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (one[i] == two[k] && !world_is_fixed(world, one[i]))
                return true;
    return false;
}

/* Of spheres in a square that touch their neighbours: a unit comes after every earlier one that it shares a moving body
 * with, and in the level right after the last of them. */
static void levels_keep_the_order_of_the_list(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < SIDE * SIDE; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        BodyDef def = sphere_def(name, 0.5, vec3(0.99 * (i % SIDE), 0.5, 0.99 * (double)(i / SIDE)));
        build_body(world, &def);
    }
    drive_run(world, "pgs", "", 1.0 / 60, 1);
    Colouring colouring = {0};
    assert_true(colouring_reserve(&colouring, world));
    colouring_set_levels(&colouring, world);
    const Colours *levels = &colouring.manifolds;
    int level[3 * SIDE * SIDE], sorted = 0;
    assert_int_equal(world->manifold_count, SIDE * SIDE + 2 * SIDE * (SIDE - 1));
    assert_int_equal(levels->start[levels->count], world->manifold_count);
    for (int c = 0; c < levels->count; c++)
        for (int k = levels->start[c]; k < levels->start[c + 1]; k++, sorted++)
            level[levels->units[k]] = c;
    assert_int_equal(sorted, world->manifold_count);
    for (int m = 0; m < world->manifold_count; m++) {
        int after = 0;
        for (int e = 0; e < m; e++)
            if (manifolds_share(world, m, e) && level[e] >= after)
                after = level[e] + 1;
        assert_int_equal(level[m], after);
    }
    colouring_free(&colouring);
    world_destroy(world);
}

/* A sweep hands velocities on from joint to joint: along a chain, and not where joints share a hub or a fixed body. */
static void a_sweep_has_the_bits_of_its_blocks_alone(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        World *world = k < 2 ? mechanism_rods(LINKS, 0.5, k == 1) : wheel(k == 2);
        int bodies = world->body_count, order[SPOKES];
        Velocity *alone = calloc((size_t)bodies, sizeof *alone);
        RowSystem system[2];
        for (int i = 0; i < world->block_count; i++)
            order[i] = i;
        for (int i = 0; i < bodies; i++)
            if (!world_is_fixed(world, i))
                world->velocity[i].v = vec3(0.3 * i, 1.0 - 0.1 * i, 0.2);
        memcpy(alone, world->velocity, sizeof *alone * (size_t)bodies);
        for (int s = 0; s < 2; s++) {
            assert_true(row_system_init(&system[s], world));
            row_system_prepare(&system[s], world, &(RowSetup){.h = 0.01, .relaxation = 1.0, .whole = true});
        }
        for (int sweep = 0; sweep < 3; sweep++) {
            row_system_sweep(&system[0], world->velocity, NULL);
            row_system_sweep(&system[1], alone, order);
            assert_memory_equal(world->velocity, alone, sizeof *alone * (size_t)bodies);
        }
        for (int s = 0; s < 2; s++)
            row_system_free(&system[s]);
        free(alone);
        world_destroy(world);
    }
}

/* After one sweep; with 3000 they agree (test_pgs.c). */
static void one_sweep_depends_on_the_order_of_its_rows(void **state)
{
    (void)state;
    double speed[2];
    for (int k = 0; k < 2; k++) {
        World *world = mechanism_rods(LINKS, 0.5, false);
        drive_run(world, "pgs", k == 0 ? "iterations=1 order=list" : "iterations=1 order=colour", 1.0 / 60, 1);
        speed[k] = world->velocity[2].v.y;
        world_destroy(world);
    }
    assert_true(fabs(speed[0] - speed[1]) > 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_has_two_colours_every_other_link),
        cmocka_unit_test(blocks_that_share_a_body_keep_their_order),
        cmocka_unit_test(a_fixed_body_is_shared_by_one_colour),
        cmocka_unit_test(levels_keep_the_order_of_the_list),
        cmocka_unit_test(a_sweep_has_the_bits_of_its_blocks_alone),
        cmocka_unit_test(one_sweep_depends_on_the_order_of_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
