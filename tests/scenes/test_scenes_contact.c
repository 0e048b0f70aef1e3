/* SPDX-License-Identifier: MIT */
/* The scenes of contact as built: nothing overlaps, what should touch touches, names, sizes, seeds, refusals. */
#include "model/energy.h"
#include "tests/scenes/apart.h"
#include "tests/scenes/built.h"

/* Positions of up to 1e2 m, a few additions: round-off. */
#define TOUCH 1e-12

static const char *const CASES[][2] = {
    {"bounce", ""},
    {"bounce", "restitution=1 height=0.37 radius=0.02"},
    {"cradle", ""},
    {"cradle", "balls=9 lifted=4 angle=80deg gap=0.003"},
    {"cradle", "balls=1 lifted=1"},
    {"collide2", ""},
    {"incline", ""},
    {"incline", "angle=61deg mu=1.3"},
    {"rolling", ""},
    {"spinning_disc", ""},
    {"spinning_disc", "patch=ring spin=-3"},
    {"stack", ""},
    {"stack", "boxes=1"},
    {"stack", "boxes=40 mass_ratio=1000 gap=0.02"},
    {"pyramid", ""},
    {"pyramid", "base=1"},
    {"arch", ""},
    {"arch", "voussoirs=2 thickness=3"},
    {"arch", "voussoirs=40 radius=3 thickness=0.33"},
    {"card_house", ""},
    {"card_house", "levels=1 lean=60deg"},
    {"card_house", "levels=9 lean=11deg"},
    {"wall", ""},
    {"wall", "rows=5 columns=1"},
    {"dominoes", ""},
    {"dominoes", "count=3 spacing=0.26 push=0"},
    {"tilting_box", ""},
    {"tilting_box", "tilt=40deg size=0.3"},
    {"oblique", ""},
    {"oblique", "gap=1e-6 radius=0.3"},
    {"oblique", "balls=5 spread=0.05"},
    {"impact_rod", ""},
    {"impact_rod", "angle=110deg vx=-2"},
    {"asteroids", ""},
    {"asteroids", "spheres=333 seed=77 radius=0.2"},
    {"pile", ""},
    {"pile", "spheres=37 radius=0.2 seed=9"},
    {"heavy_on_light", ""},
    {"warm_start_kick", ""},
    {"ragdoll", ""},
    {"ragdoll", "tilt=2.1 height=0"},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

static void nothing_overlaps_as_built(void **state)
{
    (void)state;
    for (int c = 0; c < CASE_COUNT; c++) {
        Built scene = built_scene(CASES[c][0], CASES[c][1]);
        for (int i = 1; i < scene.world->body_count; i++)
            for (int j = 1; j < i; j++)
                if (!apart_ignored(scene.world, i, j) && !(apart(scene.world, j, i) > -TOUCH))
                    fail_msg("%s %s: %s and %s overlap by %g", CASES[c][0], CASES[c][1], scene.world->bodies[j].name,
                             scene.world->bodies[i].name, -apart(scene.world, j, i));
        built_destroy(&scene);
    }
}

/* How many bodies this one touches. */
static int touches(const World *world, int body)
{
    int count = 0;
    for (int j = 1; j < world->body_count; j++)
        count += j != body && fabs(apart(world, j, body)) < TOUCH;
    return count;
}

static void what_should_rest_on_something_touches_it(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *settings;
        int least; /* neighbours of each moving body */
    } RESTING[] = {
        {"incline", "angle=33deg", 1},
        {"rolling", "", 1},
        {"spinning_disc", "", 1},
        {"spinning_disc", "patch=ring", 1},
        {"stack", "", 1},
        {"pyramid", "base=7", 1},
        {"arch", "", 2},
        {"arch", "voussoirs=8", 2},
        {"card_house", "", 2},
        {"wall", "", 1},
        {"dominoes", "", 1},
        {"tilting_box", "", 1},
        {"impact_rod", "", 1},
        {"heavy_on_light", "", 1},
        {"warm_start_kick", "", 1},
    };
    for (size_t c = 0; c < sizeof RESTING / sizeof RESTING[0]; c++) {
        Built scene = built_scene(RESTING[c].scene, RESTING[c].settings);
        for (int i = 2; i < scene.world->body_count; i++)
            if (touches(scene.world, i) < RESTING[c].least)
                fail_msg("%s: %s touches too little", RESTING[c].scene, scene.world->bodies[i].name);
        built_destroy(&scene);
    }
}

static void cradle_balls_touch_and_gaps_are_kept(void **state)
{
    (void)state;
    Built scene = built_scene("cradle", "lifted=2");
    assert_near(apart(scene.world, 1, 2), 0.0, TOUCH);
    assert_near(apart(scene.world, 3, 4), 0.0, TOUCH);
    assert_true(apart(scene.world, 2, 3) > 0.1);
    built_destroy(&scene);
    scene = built_scene("cradle", "gap=0.004");
    assert_near(apart(scene.world, 3, 4), 0.004, TOUCH);
    built_destroy(&scene);
    scene = built_scene("stack", "gap=0.03");
    for (int i = 2; i < scene.world->body_count; i++)
        assert_near(apart(scene.world, i - 1, i), 0.03, TOUCH);
    built_destroy(&scene);
}

static void overlap_overlaps_by_what_it_says(void **state)
{
    (void)state;
    Built scene = built_scene("overlap", "");
    assert_int_equal(scene.world->body_count, 2 + 10);
    for (int i = 3; i < 6; i++)
        assert_near(apart(scene.world, i - 1, i), -0.25, TOUCH);
    assert_near(apart(scene.world, 2, 6), -0.25, TOUCH);
    assert_near(apart(scene.world, 1, 2), 0.0, TOUCH);
    assert_true(scene.problem->settled(scene.problem, scene.world));
    scene.world->pose[5].x.z += 4.5;
    assert_false(scene.problem->settled(scene.problem, scene.world));
    built_destroy(&scene);
}

static void every_contact_scene_collides_is_passive_and_takes_gravity(void **state)
{
    (void)state;
    for (int c = 0; c < CASE_COUNT; c++) {
        Built scene = built_scene(CASES[c][0], CASES[c][1]);
        assert_true(scene.world->collide && scene.problem->passive);
        const Scene *about = scene.problem->scene;
        assert_non_null(settings_find(about->settings, about->setting_count, "gravity"));
        assert_true(isfinite(scene.problem->time) && scene.problem->time > 0.0);
        assert_true(scene.problem->energy_scale > 0.0 && isfinite(scene.problem->energy_scale));
        for (int i = 1; i < scene.world->body_count; i++)
            assert_int_equal(world_find_body(scene.world, scene.world->bodies[i].name), i);
        built_destroy(&scene);
    }
}

static void every_pair_has_the_friction_and_restitution_asked_for(void **state)
{
    (void)state;
    Built scene = built_scene("incline", "mu=0.37");
    assert_near(scene.world->materials[0].friction, 0.37, 0.0);
    built_destroy(&scene);
    scene = built_scene("impact_rod", "mu=0.21 restitution=0.6");
    for (int i = 1; i < scene.world->body_count; i++)
        assert_int_equal(scene.world->bodies[i].material, 0);
    assert_near(scene.world->materials[0].friction, 0.21, 0.0);
    assert_near(scene.world->materials[0].restitution, 0.6, 0.0);
    built_destroy(&scene);
    scene = built_scene("spinning_disc", "radius=0.17");
    assert_near(scene.world->materials[0].patch_radius, 0.17, 0.0);
    built_destroy(&scene);
    scene = built_scene("spinning_disc", "radius=0.17 patch=ring");
    assert_near(scene.world->materials[0].patch_radius, 0.0, 0.0);
    built_destroy(&scene);
}

static void sizes_from_one_to_ten_thousand_bodies_build(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *settings;
        int bodies; /* with the world and what holds things up */
    } SIZES[] = {
        {"stack", "boxes=10000", 10002},
        {"stack", "boxes=1", 3},
        {"pyramid", "base=141", 10011 + 2},
        {"pyramid", "base=1", 3},
        {"pile", "spheres=10000", 10006},
        {"pile", "spheres=1", 7},
        {"wall", "rows=100 columns=100", 10052},
        {"asteroids", "spheres=10000", 10001},
        {"dominoes", "count=10000", 10002},
        {"arch", "voussoirs=1000", 1002},
        {"card_house", "levels=80", 80 * 81 + 79 * 80 / 2 + 2},
        {"cradle", "balls=1000 lifted=500", 1001},
    };
    for (size_t c = 0; c < sizeof SIZES / sizeof SIZES[0]; c++) {
        Built scene = built_scene(SIZES[c].scene, SIZES[c].settings);
        assert_int_equal(scene.world->body_count, SIZES[c].bodies);
        built_destroy(&scene);
    }
}

static void seeds_repeat_and_differ(void **state)
{
    (void)state;
    static const char *const SEEDED[] = {"pile", "asteroids"};
    for (int s = 0; s < 2; s++) {
        Built one = built_scene(SEEDED[s], "seed=5"), two = built_scene(SEEDED[s], "seed=5"),
              other = built_scene(SEEDED[s], "seed=6");
        double same = 0.0, differs = 0.0;
        for (int i = 1; i < one.world->body_count; i++) {
            same += vec3_norm(vec3_sub(one.world->pose[i].x, two.world->pose[i].x));
            differs += vec3_norm(vec3_sub(one.world->pose[i].x, other.world->pose[i].x));
        }
        assert_true(same == 0.0 && differs > 1.0);
        built_destroy(&one);
        built_destroy(&two);
        built_destroy(&other);
    }
}

static void pile_is_laid_out_as_described(void **state)
{
    (void)state;
    Built scene = built_scene("pile", "");
    const World *world = scene.world;
    int first = world_find_body(world, "ball1"), wall = world_find_body(world, "wall2");
    assert_near(world->bodies[wall].shape.offset, -5.5, 1e-14);
    double spread = 0.0;
    for (int i = 0; i < 1000; i++) {
        Vec3 x = world->pose[first + i].x;
        Vec3 grid = vec3(1.07 * (i % 10 - 4.5), 1.0 + 1.1 * (i / 100), 1.07 * (i / 10 % 10 - 4.5));
        assert_near(x.y, grid.y, 1e-14);
        assert_true(fabs(x.x - grid.x) <= 0.03 + 1e-14 && fabs(x.z - grid.z) <= 0.03 + 1e-14);
        spread = fmax(spread, fabs(x.x - grid.x));
    }
    assert_true(spread > 0.028);
    built_destroy(&scene);
}

static void stack_masses_are_geometric(void **state)
{
    (void)state;
    Built scene = built_scene("stack", "boxes=5 mass_ratio=81");
    for (int i = 0; i < 5; i++)
        assert_near(scene.world->mass[2 + i].mass, 1000.0 * pow(3.0, i), 1e-9);
    built_destroy(&scene);
}

static void kick_removes_its_sphere(void **state)
{
    (void)state;
    Built scene = built_scene("warm_start_kick", "");
    assert_int_equal(scene.problem->event_count, 1);
    assert_int_equal(scene.problem->events[0].remove, world_find_body(scene.world, "top"));
    assert_near(scene.problem->events[0].time, 2.0, 0.0);
    scene.problem->truth(scene.problem, 2.5, &scene.truth);
    assert_false(scene.truth.has_position[scene.problem->events[0].remove]);
    built_destroy(&scene);
}

static void ragdoll_starts_within_its_limits(void **state)
{
    (void)state;
    Built scene = built_scene("ragdoll", "tilt=-1.1");
    for (int b = 0; b < scene.world->block_count; b++)
        assert_near(block_violation(scene.world, &scene.world->blocks[b]), 0.0, 1e-12);
    assert_true(scene.problem->settled(scene.problem, scene.world));
    /* A knee bent the wrong way. */
    int shin = world_find_body(scene.world, "lower_leg1");
    Quat forward = quat_axis_angle(vec3(1, 0, 0), -0.3);
    scene.world->pose[shin].q = quat_mul(forward, scene.world->pose[shin].q);
    assert_false(scene.problem->settled(scene.problem, scene.world));
    built_destroy(&scene);
}

static void impossible_settings_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *key;
        double value;
    } REFUSED[] = {{"cradle", "lifted", 6}, {"arch", "thickness", 21}, {"card_house", "lean", 0.5}};
    for (size_t c = 0; c < sizeof REFUSED / sizeof REFUSED[0]; c++) {
        const Scene *scene = scene_find(REFUSED[c].scene);
        union {
            double aligned;
            unsigned char bytes[SETTINGS_MAX_BYTES];
        } params;
        Status status = {0};
        settings_init(scene->settings, scene->setting_count, &params);
        const Setting *setting = settings_find(scene->settings, scene->setting_count, REFUSED[c].key);
        assert_true(setting_set(setting, &params, REFUSED[c].value, &status));
        assert_null(scene_build(scene, &params, &status));
        assert_int_equal(status.code, STATUS_USAGE);
        assert_non_null(strstr(status.message, REFUSED[c].key));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overlaps_as_built),
        cmocka_unit_test(what_should_rest_on_something_touches_it),
        cmocka_unit_test(cradle_balls_touch_and_gaps_are_kept),
        cmocka_unit_test(overlap_overlaps_by_what_it_says),
        cmocka_unit_test(every_contact_scene_collides_is_passive_and_takes_gravity),
        cmocka_unit_test(every_pair_has_the_friction_and_restitution_asked_for),
        cmocka_unit_test(sizes_from_one_to_ten_thousand_bodies_build),
        cmocka_unit_test(seeds_repeat_and_differ),
        cmocka_unit_test(pile_is_laid_out_as_described),
        cmocka_unit_test(stack_masses_are_geometric),
        cmocka_unit_test(kick_removes_its_sphere),
        cmocka_unit_test(ragdoll_starts_within_its_limits),
        cmocka_unit_test(impossible_settings_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
