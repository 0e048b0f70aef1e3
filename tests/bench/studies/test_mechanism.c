/* SPDX-License-Identifier: MIT */
/* Mechanisms that a search draws are scenes that fit together: joints closed, and at rest or moving as one piece. */
#include "bench/studies/mechanism.h"

#include "scenes/file/file.h"
#include "tests/support/check.h"

static Problem *build(const Mechanism *mechanism)
{
    Status status = {0};
    json_t *scene = mechanism_scene(mechanism, "drawn", 1.0);
    Problem *problem = file_read_document(scene, "drawn", &status);
    if (!problem)
        fail_msg("%s", status.message);
    json_decref(scene);
    return problem;
}

/* Largest error of the joints' blocks: m, rad. */
static double gap(const World *world)
{
    double most = 0.0;
    for (int b = 0; b < world->block_count; b++) {
        BlockError error;
        block_error(world, &world->blocks[b], &error);
        most = fmax(most, error.scalar ? fabs(error.C) : vec3_norm(error.error));
    }
    return most;
}

static void what_is_drawn_fits_together(void **state)
{
    (void)state;
    Random random = {20261118};
    for (int i = 0; i < 200; i++) {
        Mechanism mechanism = mechanism_random(&random, i % 2 == 1);
        if (i % 4 >= 2)
            mechanism = mechanism_mutate(&mechanism, &random);
        Problem *problem = build(&mechanism);
        assert_int_equal(problem->world->joint_count, mechanism.links + mechanism.closed);
        assert_int_equal(problem->world->body_count, mechanism.links + 1);
        /* Anchors are written with 12 digits. */
        if (gap(problem->world) > 1e-10)
            fail_msg("mechanism %d gapes by %g", i, gap(problem->world));
        problem_destroy(problem);
    }
}

static void simpler_ones_end_with_the_plainest(void **state)
{
    (void)state;
    Random random = {5};
    for (int closed = 0; closed < 2; closed++) {
        Mechanism mechanism = mechanism_random(&random, closed), simpler;
        for (int round = 0; round < 40; round++)
            for (int i = 0; mechanism_simplify(&mechanism, i, &simpler); i++)
                mechanism = simpler;
        assert_int_equal(mechanism.links, closed ? 2 : 1);
        assert_int_equal(mechanism.closed, closed);
        assert_true(mechanism.mass_ratio == 1.0 && mechanism.thickness == 0.1 && mechanism.length == 1.0);
        assert_true(mechanism.lever == 0.0 && mechanism.spin == 0.0 && !mechanism.reversed && !mechanism.hinges);
    }
}

/* Five links with right angles and twists to and fro: the sixth is the world, from a corner of the cube to the first.
 */
static void bricards_loop_closes_over_the_world(void **state)
{
    (void)state;
    Mechanism bricard = {.links = 5,
                         .closed = true,
                         .hinges = true,
                         .bend = 90,
                         .twist = 90,
                         .alternate = true,
                         .upright = true,
                         .length = 1.0,
                         .mass_ratio = 1.0,
                         .thickness = 0.1};
    json_t *scene = mechanism_scene(&bricard, "bricard", 5.0);
    json_t *last = json_array_get(json_object_get(scene, "joints"), 5);
    json_t *anchor = json_object_get(last, "anchor");
    double square = 0.0;
    for (size_t i = 0; i < 3; i++)
        square += pow(json_number_value(json_array_get(anchor, i)), 2.0);
    assert_near(square, 1.0, 1e-11);
    assert_string_equal(json_string_value(json_array_get(json_object_get(last, "bodies"), 0)), "world");
    json_decref(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn_fits_together),
        cmocka_unit_test(simpler_ones_end_with_the_plainest),
        cmocka_unit_test(bricards_loop_closes_over_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
