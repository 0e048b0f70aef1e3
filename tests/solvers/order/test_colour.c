/* SPDX-License-Identifier: MIT */
/* Gauss-Seidel is sequential: a row reads what the row before it wrote. Rows of one colour share no body, and may be
 * solved at once; that is another order, with other results before convergence. */
#include "solvers/rows/rows.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/drive.h"

#include <stdlib.h>
#include <string.h>

enum { LINKS = 9, SPOKES = 70 };

/* The joints' blocks, none of which stand side by side: all are left over, colour by colour. */
static Schedule coloured(const World *world)
{
    Schedule colours = {0};
    assert_true(schedule_reserve(&colours, world->joint_block_count, world->body_count));
    memset(colours.kinds, 0, sizeof *colours.kinds * (size_t)world->joint_block_count);
    schedule_by_colour(&colours, world, SCHEDULE_JOINTS, QUAD);
    return colours;
}

static void a_chain_has_two_colours_every_other_link(void **state)
{
    (void)state;
    World *world = mechanism_rods(LINKS, 0.5, false);
    const int expected[LINKS] = {0, 2, 4, 6, 8, 1, 3, 5, 7};
    int order[LINKS];
    assert_int_equal(world->block_count, LINKS);
    Schedule colours = coloured(world);
    assert_memory_equal(colours.rest, expected, sizeof expected);
    assert_int_equal(colours.rest_start[1], 5);
    assert_int_equal(colours.rest_start[2], LINKS);
    schedule_list_blocks(&colours, &(Schedule){0}, world, order);
    assert_memory_equal(order, expected, sizeof expected);
    schedule_free(&colours);
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
    Schedule colours = coloured(world);
    for (int i = 0; i < SPOKES; i++)
        assert_int_equal(colours.rest[i], i);
    for (int c = 0; c < COLOUR_MAX; c++)
        assert_int_equal(colours.rest_start[c], c);
    assert_int_equal(colours.rest_start[COLOUR_MAX], SPOKES);
    schedule_free(&colours);
    world_destroy(world);
}

/* Nobody writes it: test_colour_sweep.c. */
static void a_fixed_body_is_shared_by_one_colour(void **state)
{
    (void)state;
    World *world = wheel(false);
    Schedule colours = coloured(world);
    assert_int_equal(colours.rest_start[1], SPOKES);
    schedule_free(&colours);
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
        cmocka_unit_test(a_sweep_has_the_bits_of_its_blocks_alone),
        cmocka_unit_test(one_sweep_depends_on_the_order_of_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
