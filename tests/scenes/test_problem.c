/* SPDX-License-Identifier: MIT */
/* Problems: how a scene's parameters reach it, and the scales that results are measured against. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scenes/scene.h"

#include <string.h>

typedef struct DropParams {
    double height, mass;
} DropParams;

static const Setting drop_settings[] = {
    {"height", "m", SETTING_REAL, offsetof(DropParams, height), 2.75, 0, 1e3, NULL, false, 0},
    {"mass", "kg", SETTING_REAL, offsetof(DropParams, mass), 1.5, 0, 1e3, NULL, false, 0},
};

static bool drop_build(Problem *problem, const void *params, Status *status)
{
    const DropParams *drop = params;
    if (drop->mass > 100.0)
        return status_set(status, STATUS_USAGE, "too heavy");
    BodyDef def = BODY_DEF_INIT;
    def.name = "ball";
    def.mass = drop->mass;
    def.position = vec3(0, drop->height, 0);
    def.velocity = vec3(0, 0, 3);
    if (world_add_body(problem->world, &def, status) < 0)
        return false;
    problem_set_scales(problem, drop->height);
    return true;
}

static const Scene drop_scene = {
    .name = "drop",
    .settings = drop_settings,
    .setting_count = 2,
    .params_size = sizeof(DropParams),
    .build = drop_build,
};

static void a_scene_is_built_with_its_defaults_or_with_what_it_is_given(void **state)
{
    (void)state;
    Status status = {0};
    Problem *plain = scene_build(&drop_scene, NULL, &status);
    DropParams params = {0.7, 3.25};
    Problem *given = scene_build(&drop_scene, &params, &status);
    assert_true(plain && given);
    assert_string_equal(plain->name, "drop");
    assert_ptr_equal(plain->scene, &drop_scene);
    assert_true(plain->time == 10.0);
    assert_true(plain->world->pose[1].x.y == 2.75 && given->world->pose[1].x.y == 0.7);
    assert_true(((DropParams *)plain->params)->mass == 1.5);
    assert_memory_equal(given->params, &params, sizeof params);
    problem_destroy(plain);
    problem_destroy(given);
}

static void a_scene_that_cannot_be_built_says_why(void **state)
{
    (void)state;
    Status status = {0};
    DropParams params = {1, 101};
    assert_null(scene_build(&drop_scene, &params, &status));
    assert_int_equal(status.code, STATUS_USAGE);
    assert_string_equal(status.message, "too heavy");
    problem_destroy(NULL);
}

/* m v^2/2 + m g h and sqrt(2 E/m); 1e-15: a few roundings. */
static void scales_are_kinetic_energy_and_weight_times_drop(void **state)
{
    (void)state;
    Status status = {0};
    DropParams params = {0.7, 3.25};
    Problem *problem = scene_build(&drop_scene, &params, &status);
    double energy = 0.5 * 3.25 * 9.0 + 3.25 * 9.81 * 0.7;
    assert_true(fabs(problem->energy_scale / energy - 1.0) < 1e-15);
    assert_true(fabs(problem->speed_scale / sqrt(9.0 + 2.0 * 9.81 * 0.7) - 1.0) < 1e-15);
    /* A fixed body weighs nothing here. */
    BodyDef def = BODY_DEF_INIT;
    def.name = "post";
    def.fixed = true;
    assert_true(world_add_body(problem->world, &def, &status) > 0);
    problem_set_scales(problem, 0.7);
    assert_true(fabs(problem->energy_scale / energy - 1.0) < 1e-15);
    problem_destroy(problem);
}

static void a_scene_without_motion_or_weight_still_has_scales(void **state)
{
    (void)state;
    Status status = {0};
    Problem *problem = problem_create("still");
    World *world = problem->world;
    /* sqrt(g L), without gravity L / 1 s. */
    world->length_scale = 0.25;
    problem_set_scales(problem, 1.0);
    problem_finish_scales(problem);
    assert_true(problem->speed_scale == sqrt(9.81 * 0.25));
    assert_true(fabs(problem->energy_scale / (0.5 * 9.81 * 0.25) - 1.0) < 1e-15);
    world->gravity = VEC3_ZERO;
    BodyDef def = BODY_DEF_INIT;
    def.name = "ball";
    def.mass = 3.0;
    def.position = vec3(0.5, 0, 0);
    assert_int_equal(world_add_body(world, &def, &status), 1);
    problem_set_scales(problem, 1.0);
    problem_finish_scales(problem);
    assert_true(problem->energy_scale == 1.5 * 0.0625 && problem->speed_scale == 0.25);
    /* A spring of 400 N/m stretched by half a metre: C^2 / (2 alpha) = 50 J. */
    JointDef joint = joint_def(JOINT_BALL, 0, 1);
    joint.local_anchors = true;
    joint.compliance = 1.0 / 400.0;
    assert_int_equal(world_add_joint(world, &joint, &status), 0);
    problem_set_scales(problem, 1.0);
    assert_true(fabs(problem->energy_scale / 50.0 - 1.0) < 1e-15);
    problem_destroy(problem);
}

static void scenes_are_found_by_name(void **state)
{
    (void)state;
    for (int i = 0; i < scene_count; i++)
        assert_ptr_equal(scene_find(all_scenes[i]->name), all_scenes[i]);
    assert_null(scene_find("no such scene"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_is_built_with_its_defaults_or_with_what_it_is_given),
        cmocka_unit_test(a_scene_that_cannot_be_built_says_why),
        cmocka_unit_test(scales_are_kinetic_energy_and_weight_times_drop),
        cmocka_unit_test(a_scene_without_motion_or_weight_still_has_scales),
        cmocka_unit_test(scenes_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
