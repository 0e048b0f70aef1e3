/* SPDX-License-Identifier: MIT */
/* What every scene's truth and facts must satisfy, with the defaults. */
#include "model/energy.h"
#include "tests/scenes/built.h"

static void every_truth_begins_where_the_scene_is_placed(void **state)
{
    (void)state;
    for (int s = 0; s < scene_count; s++) {
        Built scene = built_scene(all_scenes[s]->name, "");
        if (!scene.problem->truth) {
            built_destroy(&scene);
            continue;
        }
        scene.problem->truth(scene.problem, 0.0, &scene.truth);
        bool something = false;
        for (int i = 1; i < scene.world->body_count; i++) {
            const BodyDef *placed = &scene.world->bodies[i];
            /* rounding of a few metres, and of the functions that the truth takes */
            if (scene.truth.has_position[i])
                assert_vec3_near(scene.truth.position[i], placed->position, 1e-13);
            if (scene.truth.has_orientation[i]) {
                Quat off = quat_mul(quat_conj(placed->orientation), scene.truth.orientation[i]);
                assert_vec3_near(quat_log(off), VEC3_ZERO, 1e-13);
            }
            something = something || scene.truth.has_position[i] || scene.truth.has_orientation[i];
        }
        for (int j = 0; j < scene.world->joint_count; j++)
            something = something || scene.truth.has_force[j];
        assert_true(something);
        built_destroy(&scene);
    }
}

static void every_scene_has_a_time_scales_and_words(void **state)
{
    (void)state;
    for (int s = 0; s < scene_count; s++) {
        const Scene *scene = all_scenes[s];
        assert_ptr_equal(scene_find(scene->name), scene);
        assert_true(strlen(scene->question) > 0 && strlen(scene->about) > 0 && strlen(scene->lectures) > 0);
        Built built = built_scene(scene->name, "");
        assert_true(built.problem->time > 0.0);
        assert_true(built.problem->energy_scale > 0.0 && isfinite(built.problem->energy_scale));
        double g = vec3_norm(built.world->gravity), length = built.world->length_scale;
        assert_true(length > 0.0 && isfinite(length) && isfinite(built.problem->speed_scale));
        assert_true(built.problem->speed_scale >= (g > 0.0 ? sqrt(g * length) : length));
        /* The speed scale is that of the start at least, or a blow-up would be seen in the first frame. */
        assert_true(world_max_speed(built.world) < 100.0 * built.problem->speed_scale);
        built_destroy(&built);
    }
}

static void every_default_lies_within_its_range(void **state)
{
    (void)state;
    for (int s = 0; s < scene_count; s++) {
        const Scene *scene = all_scenes[s];
        unsigned char params[SETTINGS_MAX_BYTES];
        Status status;
        assert_true(scene->params_size <= SETTINGS_MAX_BYTES);
        for (int i = 0; i < scene->setting_count; i++) {
            assert_true(setting_set(&scene->settings[i], params, scene->settings[i].initial, &status));
            assert_ptr_equal(settings_find(scene->settings, scene->setting_count, scene->settings[i].name),
                             &scene->settings[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truth_begins_where_the_scene_is_placed),
        cmocka_unit_test(every_scene_has_a_time_scales_and_words),
        cmocka_unit_test(every_default_lies_within_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
