/* SPDX-License-Identifier: MIT */
#include "solvers/variants.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/support/check.h"
#include "tests/support/drive.h"

#include <string.h>

static double initial(const Solver *solver, const char *option)
{
    const Setting *setting = settings_find(solver->settings, solver->setting_count, option);
    assert_non_null(setting);
    return setting->initial;
}

static void every_named_variant_is_made_and_says_what_it_is(void **state)
{
    (void)state;
    for (int i = 0; i < variant_count; i++) {
        const Variant *variant = &all_variants[i];
        const Solver *of = drive_find(variant->of), *solver = drive_find(variant->name);
        assert_ptr_equal(solver->variant_of, of);
        assert_string_equal(solver->name, variant->name);
        assert_string_equal(solver->sets, variant->options);
        assert_true(strcmp(solver->summary, of->summary) != 0);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(all_variants[k].name, variant->name);
        for (int k = 0; k < solver_count; k++)
            assert_string_not_equal(all_solvers[k]->name, variant->name);
    }
}

static void a_variant_of_a_variant_has_the_options_of_both(void **state)
{
    (void)state;
    Status status = {0};
    const Solver *pgs = drive_find("pgs");
    Solver *first = variant_create(pgs, &(Variant){"a", "pgs", "beta=0.35:iterations=7", "A", NULL}, &status);
    assert_non_null(first);
    Solver *second = variant_create(first, &(Variant){"b", "a", "iterations=9:push_speed=inf", NULL, "B"}, &status);
    assert_non_null(second);
    assert_near(initial(first, "iterations"), 7, 0.0);
    assert_near(initial(second, "iterations"), 9, 0.0);
    assert_near(initial(second, "beta"), 0.35, 0.0);
    assert_true(initial(second, "push_speed") == INFINITY);
    assert_ptr_equal(second->variant_of, pgs);
    assert_string_equal(second->sets, "beta=0.35:iterations=7:iterations=9:push_speed=inf");
    assert_string_equal(second->summary, "A");
    assert_string_equal(second->reference, "B");
    assert_near(initial(pgs, "beta"), 0.2, 0.0);
    variant_destroy(second);
    variant_destroy(first);
    variant_destroy(NULL);
}

static void what_a_backend_cannot_take_is_refused(void **state)
{
    (void)state;
    static const char *const BAD[][2] = {
        {"betta=1", "solver pgs has no option 'betta'"},   {"beta", "'beta' is not of the form key=value"},
        {"beta=", "'beta=' is not of the form key=value"}, {"beta=0.1:", "'' is not of the form key=value"},
        {"", "'' is not of the form key=value"},           {"beta=77", "beta: 77 is outside"}};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Status status = {0};
        assert_null(variant_create(drive_find("pgs"), &(Variant){"a", "pgs", BAD[i][0], NULL, NULL}, &status));
        assert_int_equal(status.code, STATUS_USAGE);
        if (!strstr(status.message, BAD[i][1]))
            fail_msg("%s: '%s'", BAD[i][0], status.message);
    }
}

static void conventions_follow_the_options(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        ConventionTopic topic;
        const char *text;
    } CASES[] = {
        {"pgs", CONVENTION_NORMALS, "by row, point after point"},
        {"pgs", CONVENTION_LAW, "cone: |lambda_t| <= mu lambda_n"},
        {"pgs", CONVENTION_SLOP, "0.005 m"},
        {"pgs", CONVENTION_PUSH, "baumgarte, 0.2 of it a substep, 2 m/s at most"},
        {"xpbd", CONVENTION_NORMALS, "by row, point after point"},
        {"xpbd_stick", CONVENTION_NORMALS, "those of one pair of bodies together, after the joints"},
        {"xpbd_stick", CONVENTION_PUSH, "by position, 2 m/s at most for overlap that was found"},
        {"pgs_block", CONVENTION_NORMALS, "those of one pair of bodies together; where a point would pull, by row"},
        {"pgs_lecture", CONVENTION_LAW, "box: each tangent within mu m_c g h, whatever the load"},
        {"tgs_soft", CONVENTION_NORMALS, "by row, those of one pair of bodies before its friction"},
        {"tgs_soft", CONVENTION_PUSH, "by springs of 30 1/s, damping ratio 10, 4 m/s at most; 1 sweeps relax"},
        {"pgs_lecture", CONVENTION_SLOP, "0 m"},
        {"pgs_soft", CONVENTION_PUSH, "by springs of 30 1/s, damping ratio 10, 2 m/s at most; 2 sweeps relax"},
        {"pgs_ngs", CONVENTION_PUSH, "after the step, in 2 sweeps, 0.2 of it each, inf m/s at most"},
        {"nncg", CONVENTION_PUSH, "baumgarte, 0.2 of it a substep, 2 m/s at most"},
        {"apgd", CONVENTION_LAW, "cone, convex relaxation: a sliding contact lifts off at mu |u_t|"},
        {"pgs_lecture", CONVENTION_PUSH, "baumgarte, 0.2 of it a substep, inf m/s at most"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const Solver *solver = drive_find(CASES[i].solver);
        _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
        char text[256];
        settings_init(solver->settings, solver->setting_count, options);
        assert_true(convention_text(solver, options, CASES[i].topic, text, sizeof text));
        assert_string_equal(text, CASES[i].text);
    }
}

/* The poses after a second of a stack of three boxes. */
static void stack_run(const char *solver, const char *options, Pose poses[4])
{
    World *world = contact_world(0.5, 0.0);
    add_plane(world, vec3(0, 1, 0));
    static const char *const NAMES[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        BodyDef box = box_def(NAMES[i], vec3(1, 1, 1), vec3(0.03 * i, 0.5 + i, 0));
        build_body(world, &box);
    }
    drive_run(world, solver, options, 1.0 / 60, 60);
    for (int i = 0; i < 4; i++)
        poses[i] = world->pose[i + 1];
    world_destroy(world);
}

static void a_variant_runs_as_its_backend_with_its_options_to_the_bit(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {{"pgs_block", "manifold=true"},
                                           {"pgs_lecture", "manifold=false friction=box slop=0 push_speed=inf"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Pose named[4], set[4];
        stack_run(CASES[i][0], "", named);
        stack_run("pgs", CASES[i][1], set);
        assert_memory_equal(named, set, sizeof set);
    }
}

static void options_come_on_top_of_a_variants_own(void **state)
{
    (void)state;
    Pose named[4], set[4];
    stack_run("pgs_lecture", "slop=0.01 iterations=7", named);
    stack_run("pgs", "manifold=false friction=box slop=0.01 push_speed=inf iterations=7", set);
    assert_memory_equal(named, set, sizeof set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_named_variant_is_made_and_says_what_it_is),
        cmocka_unit_test(a_variant_of_a_variant_has_the_options_of_both),
        cmocka_unit_test(what_a_backend_cannot_take_is_refused),
        cmocka_unit_test(conventions_follow_the_options),
        cmocka_unit_test(a_variant_runs_as_its_backend_with_its_options_to_the_bit),
        cmocka_unit_test(options_come_on_top_of_a_variants_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
