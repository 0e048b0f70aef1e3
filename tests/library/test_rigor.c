/* SPDX-License-Identifier: MIT */
/* librigor as a program sees it: only library/rigor.h is included, and only the library is linked. */
#include "library/rigor.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void objects_that_are_not_there_do_nothing(void **state)
{
    (void)state;
    double x[3] = {1, 2, 3};
    rigor_close(NULL);
    rigor_scene_close(NULL);
    rigor_run_close(NULL);
    assert_null(rigor_scene_open(NULL, "stack"));
    assert_null(rigor_scene_parse(NULL, "{}"));
    assert_null(rigor_scene_create(NULL, "a"));
    assert_null(rigor_run_open(NULL, &(RigorPlan){.solver = "pgs"}));
    assert_int_equal(rigor_run_step(NULL), RIGOR_FAILED);
    assert_int_equal(rigor_run_pose(NULL, 0, x, NULL), RIGOR_FAILED);
    assert_int_equal(rigor_run_body_count(NULL), 0);
    assert_true(isnan(rigor_run_metric(NULL, "drift_max")));
}

static void mistakes_are_named(void **state)
{
    Rigor *rigor = *state;
    assert_null(rigor_scene_open(rigor, "pendlum"));
    assert_non_null(strstr(rigor_message(rigor), "did you mean 'pendulum'"));
    RigorScene *scene = rigor_scene_open(rigor, "pendulum");
    assert_int_equal(rigor_scene_set(scene, "lnks", "2"), RIGOR_USAGE);
    assert_non_null(strstr(rigor_message(rigor), "links"));
    assert_int_equal(rigor_scene_add_body(scene, &(RigorBodyDef){.name = "a"}), RIGOR_USAGE);
    assert_null(rigor_run_open(scene, &(RigorPlan){.solver = "pgs:iteration=3"}));
    assert_non_null(strstr(rigor_message(rigor), "iterations"));
    assert_null(rigor_run_open(scene, &(RigorPlan){.solver = "pgs", .dt = -1}));
    rigor_scene_close(scene);
    assert_null(rigor_scene_parse(rigor, "{ \"rigor\": 1, }"));
    assert_non_null(strstr(rigor_message(rigor), "scene:1:"));
    assert_int_equal(rigor_load_plugin(rigor, "/none.so"), RIGOR_BAD_FILE);
    scene = rigor_scene_open(rigor, "stack");
    assert_null(rigor_run_open(scene, &(RigorPlan){.solver = "kkt"}));
    assert_non_null(strstr(rigor_message(rigor), "contacts"));
    rigor_scene_close(scene);
}

static void refuses_body(Rigor *rigor, const RigorBodyDef *body, const char *key)
{
    RigorScene *scene = rigor_scene_create(rigor, "own");
    assert_int_equal(rigor_scene_add_body(scene, body), RIGOR_USAGE);
    assert_ptr_equal(strstr(rigor_message(rigor), key), rigor_message(rigor));
    rigor_scene_close(scene);
}

static void refuses_joint(Rigor *rigor, const RigorJointDef *joint, const char *key)
{
    RigorScene *scene = rigor_scene_create(rigor, "own");
    assert_int_equal(rigor_scene_add_joint(scene, joint), RIGOR_USAGE);
    assert_ptr_equal(strstr(rigor_message(rigor), key), rigor_message(rigor));
    rigor_scene_close(scene);
}

/* A joint whose compliance is NaN was a rigid one, without a word. */
static void what_a_document_cannot_hold_is_refused_by_its_key(void **state)
{
    Rigor *rigor = *state;
    double values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        double bad = values[i];
        refuses_body(rigor, &(RigorBodyDef){.name = "a", .mass = bad}, "mass: must be finite");
        refuses_body(rigor, &(RigorBodyDef){.name = "a", .mass = 1, .density = bad}, "density: must be finite");
        refuses_body(rigor, &(RigorBodyDef){.name = "a", .mass = 1, .position = {0, bad}}, "position: ");
        refuses_body(rigor, &(RigorBodyDef){.name = "a", .mass = 1, .velocity = {0, 0, bad}}, "velocity: ");
        refuses_body(rigor, &(RigorBodyDef){.name = "a", .shape = RIGOR_SPHERE, .size = {bad}}, "shape: ");
        refuses_body(rigor, &(RigorBodyDef){.name = "a", .shape = RIGOR_BOX, .size = {1, 1, bad}}, "shape: ");
        refuses_joint(rigor, &(RigorJointDef){.type = "ball", .anchor = {bad}}, "anchor: must be finite");
        refuses_joint(rigor, &(RigorJointDef){.type = "hinge", .axis = {0, bad}}, "axis: must be finite");
        refuses_joint(rigor, &(RigorJointDef){.type = "ball", .compliance = bad}, "compliance: must be finite");
        refuses_joint(rigor, &(RigorJointDef){.type = "ball", .compliance = 1, .damping = bad}, "damping: ");
    }
    refuses_body(rigor, &(RigorBodyDef){.name = "a", .mass = 1, .shape = RIGOR_ELLIPSOID + 1},
                 "shape: must be a RigorShape");
    refuses_body(rigor, &(RigorBodyDef){.name = "\xff", .mass = 1}, "name: must be UTF-8");
    refuses_joint(rigor, &(RigorJointDef){.type = "ball", .name = "\xff"}, "name: must be UTF-8");
    refuses_joint(rigor, &(RigorJointDef){.type = "ball", .body1 = "\xff"}, "bodies: must be UTF-8");
    assert_null(rigor_scene_create(rigor, "\xff"));
    assert_string_equal(rigor_message(rigor), "name: must be UTF-8");
}

static void indices_and_pointers_that_are_none_are_survived(void **state)
{
    Rigor *rigor = *state;
    RigorScene *scene = rigor_scene_open(rigor, "stack");
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = "pgs", .time = 0.1});
    static const int WRONG[] = {INT_MIN, -1, INT_MAX};
    rigor_scene_close(scene); /* a run keeps what it needs */
    assert_int_equal(rigor_run_step(run), RIGOR_OK);
    for (int i = 0; i < 3; i++) {
        assert_null(rigor_run_body_name(run, WRONG[i]));
        assert_null(rigor_run_joint_name(run, WRONG[i]));
        assert_int_equal(rigor_run_pose(run, WRONG[i], NULL, NULL), RIGOR_FAILED);
        assert_int_equal(rigor_run_velocity(run, WRONG[i], NULL, NULL), RIGOR_FAILED);
        assert_int_equal(rigor_run_reaction(run, WRONG[i], NULL, NULL), RIGOR_FAILED);
        assert_int_equal(rigor_run_contact(run, WRONG[i], &(RigorContact){0}), RIGOR_FAILED);
        assert_null(rigor_scene_name(WRONG[i]));
        assert_null(rigor_solver_name(rigor, WRONG[i]));
    }
    assert_int_equal(rigor_run_pose(run, 0, NULL, NULL), RIGOR_OK);
    assert_int_equal(rigor_run_body_find(run, NULL), -1);
    assert_true(isnan(rigor_run_metric(run, NULL)));
    assert_int_not_equal(rigor_run_contact(run, 0, NULL), RIGOR_OK);
    rigor_run_close(run);
}

/* A pendulum of length 1 that begins level, as the built-in scene has it with a particle. */
static RigorScene *build_pendulum(Rigor *rigor)
{
    RigorScene *scene = rigor_scene_create(rigor, "own");
    assert_int_equal(rigor_scene_add_body(scene, &(RigorBodyDef){.name = "bob", .mass = 2, .position = {1, 0, 0}}),
                     RIGOR_OK);
    RigorJointDef rod = {.name = "rod", .type = "distance", .body2 = "bob", .more = "{\"anchors\": [[0,0,0],[0,0,0]]}"};
    assert_int_equal(rigor_scene_add_joint(scene, &rod), RIGOR_OK);
    assert_int_equal(rigor_scene_set(scene, "gravity", "[0, -10, 0]"), RIGOR_OK);
    return scene;
}

static void a_scene_that_was_built_swings(void **state)
{
    Rigor *rigor = *state;
    RigorScene *scene = build_pendulum(rigor);
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = "direct:substeps=50", .dt = 0.01, .time = 5});
    rigor_scene_close(scene);
    assert_non_null(run);
    assert_int_equal(rigor_run_body_find(run, "bob"), 0);
    assert_int_equal(rigor_run_body_find(run, "bobby"), -1);
    assert_string_equal(rigor_run_joint_name(run, 0), "rod");
    double lowest = 0.0, pull = 0.0, x[3], v[3], force[3];
    while (rigor_run_step(run) == RIGOR_OK) {
        assert_int_equal(rigor_run_pose(run, 0, x, NULL), RIGOR_OK);
        assert_int_equal(rigor_run_velocity(run, 0, v, NULL), RIGOR_OK);
        assert_int_equal(rigor_run_reaction(run, 0, force, NULL), RIGOR_OK);
        lowest = fmin(lowest, x[1]);
        pull = fmax(pull, force[1]);
    }
    assert_int_equal(rigor_run_frame(run), 500);
    assert_float_equal(rigor_run_time(run), 5.0, 1e-12);
    /* From level to the bottom: the rod carries 3 m g; frames are too coarse to hit the bottom, by 1 - cos(0.05). */
    assert_float_equal(lowest, -1.0, 2e-3);
    assert_float_equal(pull, 60.0, 0.2);
    assert_true(rigor_run_metric(run, "drift_max") < 1e-6);
    assert_true(isnan(rigor_run_metric(run, "no_such_metric")));
    assert_int_equal(rigor_run_step(run), RIGOR_OVER);
    rigor_run_close(run);
}

/* Boxes at rest: what the floor gives in a frame is their weight times dt. */
static void contacts_carry_the_weight(void **state)
{
    Rigor *rigor = *state;
    RigorScene *scene = rigor_scene_open(rigor, "stack");
    assert_int_equal(rigor_scene_set(scene, "boxes", "2"), RIGOR_OK);
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = "pgs:iterations=50", .time = 2});
    assert_true(isnan(rigor_run_metric(run, "penetration_max")) || rigor_run_metric(run, "penetration_max") == 0.0);
    while (rigor_run_step(run) == RIGOR_OK)
        continue;
    double on_first = 0.0, on_second = 0.0;
    assert_true(rigor_run_contact_count(run) >= 8);
    for (int i = 0; i < rigor_run_contact_count(run); i++) {
        RigorContact contact;
        assert_int_equal(rigor_run_contact(run, i, &contact), RIGOR_OK);
        assert_float_equal(fabs(contact.normal[1]), 1.0, 1e-3);
        *(contact.body1 <= 0 ? &on_first : &on_second) += contact.impulse[1];
    }
    /* The lower contact carries two boxes, the upper one. */
    assert_float_equal(on_first / on_second, 2.0, 0.02);
    assert_true(rigor_run_row_solves(run) > 0.0);
    assert_int_equal(rigor_run_contact(run, -1, &(RigorContact){0}), RIGOR_FAILED);
    rigor_run_close(run);
    rigor_scene_close(scene);
}

static void a_blow_up_is_a_result(void **state)
{
    Rigor *rigor = *state;
    RigorScene *scene = rigor_scene_open(rigor, "stack");
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = "penalty:contact_frequency=1e5"});
    RigorStatus status = RIGOR_OK;
    while (run && status == RIGOR_OK)
        status = rigor_run_step(run);
    assert_int_equal(status, RIGOR_BLEW_UP);
    assert_int_equal(rigor_run_step(run), RIGOR_BLEW_UP);
    rigor_run_close(run);
    rigor_scene_close(scene);
}

static void lists_end(void **state)
{
    Rigor *rigor = *state;
    int scenes = 0, solvers = 0, metrics = 0;
    while (rigor_scene_name(scenes))
        scenes++;
    while (rigor_solver_name(rigor, solvers))
        solvers++;
    while (rigor_metric_name(metrics))
        metrics++;
    assert_true(scenes > 20 && solvers > 20 && metrics > 10);
    assert_null(rigor_scene_name(-1));
}

static int set_up(void **state)
{
    *state = rigor_open();
    return *state ? 0 : -1;
}

static int take_down(void **state)
{
    rigor_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_that_are_not_there_do_nothing),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(what_a_document_cannot_hold_is_refused_by_its_key),
        cmocka_unit_test(indices_and_pointers_that_are_none_are_survived),
        cmocka_unit_test(a_scene_that_was_built_swings),
        cmocka_unit_test(contacts_carry_the_weight),
        cmocka_unit_test(a_blow_up_is_a_result),
        cmocka_unit_test(lists_end),
    };
    return cmocka_run_group_tests(tests, set_up, take_down);
}
