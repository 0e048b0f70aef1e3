/* SPDX-License-Identifier: MIT */
/* Balls prepared four at a time (ball_rows.h) have the numbers that they have one by one from their blocks, up to the
 * sign of a zero. */
#include "solvers/rows/ball_rows.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

static const double H = 1.0 / 240.0;
enum { LINKS = 30, BLOCKS = LINKS + 6, SWEEPS = 5 };

static void same_numbers(const double *one, const double *two, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(one[i] == two[i]))
            fail_msg("number %zu is %.17g, not %.17g", i, one[i], two[i]);
}

/* Rods on balls, closed to a loop at the world, all turned and moving; joint 7 is soft, 12 is weak, 17 is gone, and two
 * fixed bodies hang on each other. */
static World *tangle(void)
{
    Random random = {0xba11};
    World *world = mechanism_rods(LINKS, 0.5, true);
    BodyDef post = BODY_DEF_INIT;
    post.name = "post";
    post.fixed = true;
    mechanism_join(world, JOINT_BALL, 0, build_body(world, &post), VEC3_ZERO);
    for (int i = 0; i < 4; i++)
        mechanism_join(world, JOINT_BALL, 3 + i, 20 + i, vec3(1 + i, 2, 3));
    assert_int_equal(world->joint_block_count, BLOCKS);
    for (int i = 1; i < world->body_count; i++) {
        world->pose[i].x = vec3_add(world->pose[i].x, random_vec3(&random, 0.1));
        world->pose[i].q = random_quat(&random);
        if (world_is_fixed(world, i))
            continue;
        world->velocity[i].v = random_vec3(&random, 1.0);
        world->velocity[i].w = random_vec3(&random, 1.0);
    }
    joint_terms(&world->blocks[7])->compliance = 1e-6;
    joint_terms(&world->blocks[12])->max_force = 10.0;
    world->blocks[17].off = true;
    return world;
}

static int bare_count(const RowSystem *system)
{
    int bare = 0;
    for (int b = 0; b < system->joint_count; b++)
        bare += system->joints[b].is_bare;
    return bare;
}

/* All that a row keeps but arms and C, which stand where another has its linear part. */
static void same_rows(const RowSystem *fours, const RowSystem *blocks)
{
    size_t count = (offsetof(JointRow, linear) - offsetof(JointRow, lambda)) / sizeof(double);
    assert_int_equal(fours->rows, blocks->rows);
    assert_true(fours->b_norm == blocks->b_norm);
    for (int b = 0; b < fours->joint_count; b++) {
        const JointRow *one = &fours->joints[b], *two = &blocks->joints[b];
        assert_int_equal(one->count, two->count);
        assert_int_equal(one->kind, two->kind);
        if (!one->is_bare)
            continue;
        assert_memory_equal(one->body, two->body, sizeof one->body);
        assert_int_equal(one->fixed, two->fixed);
        assert_true(two->is_ball && !two->is_bare && !one->is_soft && !two->is_soft);
        same_numbers(one->lambda, two->lambda, count);
    }
}

/* Prepares twice, with multipliers from the first time, and sweeps. */
static void compare(RowSetup setup, int bare)
{
    World *world = tangle();
    size_t bodies = (size_t)world->body_count;
    RowSystem system[2];
    Velocity *velocity[2];
    for (int k = 0; k < 2; k++) {
        velocity[k] = calloc(bodies, sizeof **velocity);
        memcpy(velocity[k], world->velocity, sizeof **velocity * bodies);
        assert_true(row_system_init(&system[k], world));
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < 2; k++) {
            setup.sweeps_only = k == 0;
            row_system_prepare(&system[k], world, &setup);
        }
        assert_int_equal(bare_count(&system[0]), bare);
        assert_int_equal(bare_count(&system[1]), 0);
        same_rows(&system[0], &system[1]);
        for (int k = 0; k < 2; k++)
            row_system_apply(&system[k], velocity[k]);
        for (int s = 0; s < SWEEPS; s++) {
            for (int k = 0; k < 2; k++)
                row_system_sweep(&system[k], velocity[k], NULL);
            same_numbers((double *)velocity[0], (double *)velocity[1], 6 * bodies);
            assert_true(row_system_residual(&system[0], velocity[0]) == row_system_residual(&system[1], velocity[1]));
        }
    }
    const double *lambda[2];
    assert_int_equal(row_system_multipliers(&system[0], &lambda[0]), row_system_multipliers(&system[1], &lambda[1]));
    same_numbers(lambda[0], lambda[1], (size_t)system[0].rows);
    for (int b = 0; b < world->joint_block_count; b++) {
        Vec3 one = row_system_on_body2(&system[0], world, b), two = row_system_on_body2(&system[1], world, b);
        same_numbers(&one.x, &two.x, 3);
    }
    for (int k = 0; k < 2; k++) {
        row_system_free(&system[k]);
        free(velocity[k]);
    }
    world_destroy(world);
}

/* Of 36 blocks three are no plain balls; of the others the four with the fixed pair, and one that is left over, are
 * prepared one by one. */
static void four_balls_have_the_numbers_of_one(void **state)
{
    (void)state;
    RowSetup setup = {.h = H, .rate = 0.2 / H, .relaxation = 1.0, .keep = 0.9};
    compare(setup, 28);
    setup.relaxation = 1.3;
    setup.keep = 0.0;
    compare(setup, 28);
}

/* Where a block is solved as a whole, or is a spring, each is prepared by itself. */
static void other_setups_go_block_by_block(void **state)
{
    (void)state;
    RowSetup setup = {.h = H, .rate = 0.2 / H, .relaxation = 1.0, .keep = 1.0, .whole = true};
    compare(setup, 0);
    setup.whole = false;
    setup.soft_joint = soft_rows(60.0, 1.0, H);
    compare(setup, 0);
}

static void those_that_take_no_part_are_left_out(void **state)
{
    (void)state;
    bool part[BLOCKS];
    for (int b = 0; b < BLOCKS; b++)
        part[b] = b % 3 != 1;
    RowSetup setup = {.h = H, .rate = 0.2 / H, .relaxation = 1.0, .keep = 1.0, .part = part};
    compare(setup, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_balls_have_the_numbers_of_one),
        cmocka_unit_test(other_setups_go_block_by_block),
        cmocka_unit_test(those_that_take_no_part_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
