/* SPDX-License-Identifier: MIT */
/* The scenes of joints and chains as built: consistent states, names, sizes, refusals, and what each is made of. */
#include "tests/scenes/fixture.h"

#include "model/energy.h"

#include <string.h>

/* Positions are sums of up to 1e4 terms of size 1e3 at most: round-off stays below 1e-12 m. */
#define PLACED 1e-12

static void check_constraints(Problem *problem)
{
    assert_true(fixture_worst_violation(problem->world) < PLACED);
    /* Speeds are below 10 m/s: round-off of a few products of such numbers. */
    assert_true(fixture_worst_velocity_error(problem->world) < 1e-13);
}

static void every_constraint_holds_as_built(void **state)
{
    (void)state;
    fixture_for_each(check_constraints);
}

static void check_facts(Problem *problem)
{
    assert_true(problem->time > 0.0 && isfinite(problem->time));
    assert_true(problem->energy_scale > 0.0 && isfinite(problem->energy_scale));
    assert_true(problem->speed_scale >= 1.0 && isfinite(problem->speed_scale));
    assert_true(!problem->rest || world_max_speed(problem->world) < 10.0);
    assert_false(problem->truth && problem->reference);
    const World *world = problem->world;
    for (int i = 1; i < world->body_count; i++)
        assert_true(vec3_is_finite(world->pose[i].x) && world->mass[i].mass > 0.0);
}

static void every_problem_has_scales_and_a_time(void **state)
{
    (void)state;
    fixture_for_each(check_facts);
}

static void check_names(Problem *problem)
{
    const World *world = problem->world;
    for (int i = 1; i < world->body_count; i++)
        assert_int_equal(world_find_body(world, world->bodies[i].name), i);
    for (int i = 0; i < world->joint_count; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(world->joints[i].def.name, world->joints[j].def.name);
}

static void every_body_and_joint_has_its_own_name(void **state)
{
    (void)state;
    fixture_for_each(check_names);
}

static void check_gravity(Problem *problem)
{
    const Scene *scene = problem->scene;
    const Setting *gravity = settings_find(scene->settings, scene->setting_count, "gravity");
    assert_non_null(gravity);
    assert_true(gravity->initial == 9.81 && problem->world->gravity.y == -9.81);
}

static void every_scene_takes_gravity(void **state)
{
    (void)state;
    fixture_for_each(check_gravity);
}

static void large_sizes_build_consistently(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"chain", "links=10000 mass_ratio=3"},
        {"hanging_chain", "links=10000"},
        {"bridge", "planks=10000 loads=777 preloaded=true"},
        {"slider_crank", "loops=5000"},
        {"four_bar", "loops=5000"},
        {"cloth", "nx=100 ny=100"},
        {"cloth", "nx=1 ny=10000"},
        {"soft_cube", "n=21"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Problem *problem = fixture_build(CASES[i][0], CASES[i][1]);
        assert_true(problem->world->body_count > 10000);
        /* Coordinates reach 5e3 m: 1e4 additions leave 1e-16 x 5e3 x sqrt(1e4) x a few. */
        assert_true(fixture_worst_violation(problem->world) < 1e-11);
        assert_true(fixture_worst_velocity_error(problem->world) < 1e-11);
        problem_destroy(problem);
    }
}

static void impossible_settings_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const char *const CASES[][3] = {
        {"hanging_chain", "links=3 span=0.2", "span"},
        {"bridge", "planks=4 loads=5", "loads"},
        {"hinge_limit", "angle=0.5 limit=0.7", "limit"},
        {"slider_crank", "crank=1.1 rod=1", "rod"},
        {"four_bar", "crank=0.9 ground=0.95", "crank"},
        {"four_bar", "coupler=0.4 rocker=0.4", "crank"},
        {"chain", "links=0", "links"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Status status = {0};
        assert_null(built_problem(CASES[i][0], CASES[i][1], &status));
        assert_int_equal(status.code, STATUS_USAGE);
        assert_non_null(strstr(status.message, CASES[i][2]));
    }
}

static void chain_hangs_its_ball_beyond_the_last_link(void **state)
{
    (void)state;
    Problem *problem = fixture_build("chain", "links=13 length=0.37 mass_ratio=57 density=811");
    const World *world = problem->world;
    int ball = world_find_body(world, "ball");
    assert_int_equal(ball, 14);
    assert_true(fabs(world->mass[ball].mass - 57 * world->mass[1].mass) < 1e-9);
    assert_true(fabs(world->mass[1].mass - 0.37 * 0.05 * 0.05 * 811) < 1e-12);
    assert_true(vec3_norm(vec3_sub(world->pose[ball].x, vec3(13 * 0.37 + 0.25, 0, 0))) < PLACED);
    assert_true(vec3_norm(vec3_sub(world->pose[1].x, vec3(0.185, 0, 0))) < PLACED);
    assert_true(problem->reference && !problem->rest && !problem->truth);
    problem_destroy(problem);
}

static void chain_energy_scale_is_its_fall_to_hanging(void **state)
{
    (void)state;
    /* 100 rods of 0.5 kg whose middle hangs 10 m below the origin. */
    Problem *problem = fixture_build("chain", "");
    assert_true(fabs(problem->energy_scale - 50 * 9.81 * 10) < 1e-9);
    problem_destroy(problem);
}

static void cloth_is_slack_between_its_pins(void **state)
{
    (void)state;
    Problem *problem = fixture_build("cloth", "nx=9 ny=4");
    const World *world = problem->world;
    double apart = vec3_norm(vec3_sub(world->pose[1].x, world->pose[9].x));
    /* Eight chords of a quarter circle: R = (s / 2) / sin(pi / 32), chord of the whole 2 R sin(pi / 4). */
    assert_true(fabs(apart - 0.05 / sin(PI / 32) * sin(PI / 4)) < PLACED);
    assert_int_equal(world->joint_count, 2 + 8 * 4 + 9 * 3);
    problem_destroy(problem);
}

static bool joined(const World *world, int one, int two)
{
    for (int j = 0; j < world->joint_count; j++) {
        const JointDef *def = &world->joints[j].def;
        if (def->type == JOINT_DISTANCE &&
            ((def->body[0] == one && def->body[1] == two) || (def->body[0] == two && def->body[1] == one)))
            return true;
    }
    return false;
}

static void soft_cube_tetrahedra_fill_the_cube_and_share_its_edges(void **state)
{
    (void)state;
    Problem *problem = fixture_build("soft_cube", "n=3 size=0.7 density=911");
    const World *world = problem->world;
    double volume = 0.0, mass = 0.0;
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        if (block->kind != BLOCK_VOLUME)
            continue;
        assert_true(block->seat->rest > 0.0);
        volume += block->seat->rest / 6.0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < i; j++)
                assert_true(joined(world, block->body[i], block->body[j]));
    }
    for (int i = 1; i < world->body_count; i++)
        mass += world->mass[i].mass;
    assert_true(fabs(volume - 0.343) < 1e-14);
    assert_true(fabs(mass - 911 * 0.343) < 1e-10);
    assert_true(problem->settled(problem, world));
    problem->world->pose[1].x.y += 2.0; /* through the cell */
    assert_false(problem->settled(problem, world));
    problem_destroy(problem);
}

/* A series is another joint's axes. */
static void gallery_has_every_type_of_joint(void **state)
{
    (void)state;
    Problem *problem = fixture_build("joint_gallery", "");
    for (int type = 0; type < JOINT_SERIES; type++) {
        bool found = false;
        for (int j = 0; j < problem->world->joint_count; j++)
            found |= problem->world->joints[j].def.type == (JointType)type;
        assert_true(found);
    }
    problem_destroy(problem);
}

static void holding_scenes_notice_a_joint_that_came_apart(void **state)
{
    (void)state;
    static const char *const SCENES[] = {"chain",    "bridge",  "joint_gallery", "slider_crank",
                                         "four_bar", "bricard", "cloth"};
    for (size_t i = 0; i < sizeof SCENES / sizeof SCENES[0]; i++) {
        Problem *problem = fixture_build(SCENES[i], "");
        assert_true(problem->settled(problem, problem->world));
        problem->world->pose[2].x.y += 0.25;
        assert_false(problem->settled(problem, problem->world));
        problem_destroy(problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_constraint_holds_as_built),
        cmocka_unit_test(every_problem_has_scales_and_a_time),
        cmocka_unit_test(every_body_and_joint_has_its_own_name),
        cmocka_unit_test(every_scene_takes_gravity),
        cmocka_unit_test(large_sizes_build_consistently),
        cmocka_unit_test(impossible_settings_are_refused_with_a_reason),
        cmocka_unit_test(chain_hangs_its_ball_beyond_the_last_link),
        cmocka_unit_test(chain_energy_scale_is_its_fall_to_hanging),
        cmocka_unit_test(cloth_is_slack_between_its_pins),
        cmocka_unit_test(soft_cube_tetrahedra_fill_the_cube_and_share_its_edges),
        cmocka_unit_test(gallery_has_every_type_of_joint),
        cmocka_unit_test(holding_scenes_notice_a_joint_that_came_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
