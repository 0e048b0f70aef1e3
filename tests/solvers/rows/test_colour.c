/* Gauss-Seidel is sequential: a row reads what the row before it wrote. Rows of one colour share no body, and may be
 * solved at once; that is another order, with other results before convergence. */
#include "solvers/rows/colour.h"
#include "tests/drive.h"
#include "tests/solvers/mechanisms.h"

enum { LINKS = 9 };

static void a_chain_has_two_colours_every_other_link(void **state)
{
    (void)state;
    World *world = mechanism_rods(LINKS, 0.5, false);
    const int expected[LINKS] = {0, 2, 4, 6, 8, 1, 3, 5, 7};
    int order[LINKS];
    assert_int_equal(world->block_count, LINKS);
    assert_true(colour_order(world, order));
    assert_memory_equal(order, expected, sizeof expected);
    world_destroy(world);
}

static void blocks_that_share_a_body_keep_their_order(void **state)
{
    (void)state;
    World *world = world_create();
    int hub = mechanism_add_box(world, VEC3_ZERO, vec3(0.3, 0.4, 0.5));
    for (int i = 0; i < LINKS; i++)
        mechanism_tie(world, hub, mechanism_add_particle(world, vec3(1.0 + i, 0.3 * i, -0.2 * i), 1.0));
    int order[LINKS];
    assert_true(colour_order(world, order));
    for (int i = 0; i < LINKS; i++)
        assert_int_equal(order[i], i);
    world_destroy(world);
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
        cmocka_unit_test(one_sweep_depends_on_the_order_of_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
