/* SPDX-License-Identifier: MIT */
/* The order of constraints: joints and contacts stand where it says, each keeps what it has, and the next step alike.
 */
#include "model/order.h"

#include "model/contact.h"
#include "tests/solvers/worlds.h"

enum { LINKS = 5, BOXES = 6 };

static void joints_stand_as_the_order_says(void **state)
{
    (void)state;
    for (int order = ORDER_CREATED; order < ORDER_COUNT; order++) {
        World *world = particle_chain(LINKS, 0.3, 1.7, 1.0, vec3(1, 0, 0));
        bool seen[LINKS] = {false};
        assert_true(world_set_order(world, (ConstraintOrder)order, 7));
        for (int b = 0; b < LINKS; b++) { /* a distance joint has one block */
            int joint = world->blocks[b].joint;
            assert_false(seen[joint]);
            seen[joint] = true;
            assert_int_equal(world->joints[joint].first_block, b);
            /* A link and the next but one share no body: two colours. */
            int coloured = b < (LINKS + 1) / 2 ? 2 * b : 2 * (b - (LINKS + 1) / 2) + 1;
            if (order != ORDER_SHUFFLED)
                assert_int_equal(joint, order == ORDER_CREATED    ? b
                                        : order == ORDER_REVERSED ? LINKS - 1 - b
                                                                  : coloured);
        }
        world_destroy(world);
    }
}

/* An impulse of its own for each pair, which the next detection must hand on to the same pair. */
static double impulse_of(const ManifoldBlocks *manifold)
{
    return 1.0 + manifold->body[0] + 0.1 * manifold->body[1];
}

static void contacts_keep_their_order_and_their_impulses(void **state)
{
    (void)state;
    for (int order = ORDER_CREATED; order < ORDER_COUNT; order++) {
        World *world = build_pile(BOXES, 1.0, VEC3_ZERO);
        int first[BOXES];
        assert_true(world_set_order(world, (ConstraintOrder)order, 3));
        assert_true(contacts_detect(world) && contacts_add_blocks(world));
        assert_int_equal(world->manifold_count, BOXES);
        for (int m = 0; m < BOXES; m++) {
            const ManifoldBlocks *manifold = &world->manifolds[m];
            first[m] = manifold->body[0];
            world->block_impulse[manifold->first] = vec3(0, impulse_of(manifold), 0);
        }
        contacts_store_impulses(world);
        assert_true(contacts_detect(world) && contacts_add_blocks(world));
        for (int m = 0; m < BOXES; m++) {
            const ManifoldBlocks *manifold = &world->manifolds[m];
            assert_int_equal(manifold->body[0], first[m]);
            assert_near(world->block_impulse[manifold->first].y, impulse_of(manifold), 1e-15);
            if (order == ORDER_REVERSED)
                assert_int_equal(manifold->body[1], BOXES + 1 - m); /* the floor is body 1 */
            if (order == ORDER_COLOURED && m > 0 && m != BOXES / 2) /* a neighbour of one colour shares no box */
                assert_true(manifold->body[0] >= world->manifolds[m - 1].body[1]);
        }
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_stand_as_the_order_says),
        cmocka_unit_test(contacts_keep_their_order_and_their_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
