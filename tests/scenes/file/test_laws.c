/* SPDX-License-Identifier: MIT */
/* Laws, series and couplings in scene files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scenes/files.h"

/* In these texts ' stands for ". */
static Problem *read_quoted(const char *text, Status *status)
{
    char *own = strdup(text);
    for (char *c = own; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    scratch_write(&scratch, own, strlen(own));
    free(own);
    *status = (Status){0};
    return problem_read(scratch.path, status);
}

#define SCENE(joints)                                                                                                  \
    "{'rigor': 1, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}, {'name': 'b', 'mass': 2, 'inertia': "     \
    "[1, 2, 2], 'position': [1, 0, 0]}], 'joints': [" joints "]}"
#define HINGE(more)                                                                                                    \
    "{'name': 'h', 'type': 'hinge', 'bodies': ['world', 'a'], 'anchor': [0, 0, 0], 'axis': [0, 0, 1]" more "}"
#define SERIES(axes) "{'name': 's', 'type': 'series', 'bodies': ['a', 'b'], 'axes': [" axes "]}"
#define SLIDE "{'name': 'x', 'kind': 'slide', 'axis': [1, 0, 0]}"
#define COUPLING(more) "{'type': 'coupling', " more "}"

static void laws_series_and_couplings_read_back_to_the_same_bits(void **state)
{
    (void)state;
    Status status;
    Problem *problem = read_quoted(
        SCENE(COUPLING("'joints': ['h', 's.x'], 'polynomial': [0.1, -2.3, 0.30000000000000004]") ", " HINGE(
            ", 'viscous': 0.1, 'spring': {'stiffness': 3.3, 'rest': -0.7}, 'armature': 1e-3, 'dry_friction': 0.2, "
            "'start': 0.4, 'effort': [-3, 5], 'drive': {'kp': 10, 'kd': 0.7, 'target': 0.3, 'speed': -1, 'gear': 2, "
            "'force': 0.5}") ", " SERIES(SLIDE ", {'name': 'y', 'kind': 'slide', 'axis': [0, 1, 0], 'limits': [-0.1, "
                                               "0.3], "
                                               "'drive': [{'force': 2, 'ctrl_range': [-1, 1]}, {'kp': 5, 'max': 4}]}, "
                                               "{'kind': 'hinge', 'axis': [0, 0, 1], 'anchor': [1, 0.2, 0], 'start': "
                                               "-4}") ", "
                                                      "{'name': 'c', 'type': 'ball', 'bodies': ['world', 'b'], "
                                                      "'anchor': [1, 1, 0], 'viscous': 0.3, "
                                                      "'start': [0.6, 0.8, 0, 0]}"),
        &status);
    if (!problem)
        fail_msg("%s", status.message);
    const World *world = problem->world;
    const Joint *hinge = &world->joints[0], *series = &world->joints[1];
    assert_int_equal(world->joint_count, 3);
    assert_int_equal(world->coupling_count, 1);
    assert_int_equal(world->couplings[0].of[0].joint, 0);
    assert_int_equal(world->couplings[0].of[1].joint, 1);
    assert_int_equal(world->couplings[0].of[1].axis, 0);
    assert_true(world->couplings[0].polynomial[2] == 0.30000000000000004);
    assert_true(hinge->def.law->armature == 1e-3 && hinge->def.law->drives[0].gear == 2.0);
    assert_true(hinge->def.law->effort[0] == -3.0 && hinge->def.law->effort[1] == 5.0);
    assert_string_equal(series->def.axes[2].name, "axis3");
    assert_true(series->def.axes[1].law.drives[1].max[0] == -4.0 && series->def.axes[2].law.start == -4.0);
    assert_false(problem->passive);
    char *text = problem_write(problem);
    scratch_write(&scratch, text, strlen(text));
    Problem *again = problem_read(scratch.path, &status);
    if (!again)
        fail_msg("%s", status.message);
    char *same = problem_write(again);
    assert_string_equal(text, same);
    for (int j = 0; j < world->joint_count; j++) {
        const Joint *one = &world->joints[j], *two = &again->world->joints[j];
        assert_memory_equal(one->anchor, two->anchor, sizeof one->anchor);
        assert_int_equal(one->law_row_count, two->law_row_count);
        assert_int_equal(one->block_count, two->block_count);
    }
    free(text);
    free(same);
    problem_destroy(again);
    problem_destroy(problem);
}

static void wrong_laws_series_and_couplings_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrongs[] = {
        {SCENE(HINGE(", 'viscous': -1")), "joints[0].viscous: must not be negative"},
        {SCENE(HINGE(", 'spring': 3")), "joints[0].spring: must be an object, not a number"},
        {SCENE(HINGE(", 'spring': {'rest': 3}")), "joints[0].spring.stiffness: is missing"},
        {SCENE(HINGE(", 'drive': 3")), "joints[0].drive: must be an object, not a number"},
        {SCENE(HINGE(", 'drive': {'kp': -1}")), "joints[0].drive.kp: must not be negative"},
        {SCENE(HINGE(", 'drive': [{}, {'max': [3, 2]}]")), "joints[0].drive[1].max: 3 is above 2"},
        {SCENE(HINGE(", 'effort': -1")), "joints[0].effort: must not be negative"},
        {SCENE(HINGE(", 'drive': [{},{},{},{},{},{},{},{},{}]")),
         "joints[0].drive: has 9 drives; a coordinate has at most 8"},
        {SCENE(SERIES("")), "joints[0].axes: must have 1 to 6 elements, not 0"},
        {SCENE(SERIES("{'axis': [1, 0, 0]}")), "joints[0].axes[0].kind: is missing"},
        {SCENE(SERIES("{'kind': 'hinge', 'axis': [1, 0, 0]}")), "joints[0].axes[0].anchor: is missing"},
        {SCENE(SERIES("{'kind': 'slide', 'axis': [1, 0, 0], 'anchor': [1, 0, 0]}")),
         "joints[0].axes[0].anchor: a slide has no anchor"},
        {SCENE(SERIES(SLIDE ", " SLIDE)), "joints[0].axes[1].name: \"x\" is the name of another axis"},
        {SCENE(SERIES("{'kind': 'screw', 'axis': [1, 0, 0]}")),
         "joints[0].axes[0].kind: \"screw\" is none of slide, hinge"},
        {SCENE(COUPLING("'joints': ['h'], 'polynomial': [1]")), "joints[0].joints[0]: there is no joint \"h\""},
        {SCENE(HINGE("") ", " COUPLING("'joints': ['h'], 'polynomial': []")),
         "joints[1].polynomial: must have 1 to 8 elements, not 0"},
        {SCENE(HINGE("") ", " COUPLING("'joints': ['h', 'h'], 'polynomial': [1]")),
         "joints[1].joints[1]: a coordinate cannot be coupled with itself"},
        {SCENE(SERIES(SLIDE) ", " COUPLING("'joints': ['s'], 'polynomial': [1]")),
         "joints[1].joints[0]: \"s\" is a joint without one coordinate: name an axis, joint.axis"},
        {SCENE(SERIES(SLIDE) ", " COUPLING("'joints': ['s.y'], 'polynomial': [1]")),
         "joints[1].joints[0]: there is no joint \"s.y\""},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        Status status;
        Problem *problem = read_quoted(wrongs[i].text, &status);
        if (problem)
            fail_msg("accepted: %s", wrongs[i].text);
        assert_int_equal(status.code, STATUS_BAD_FILE);
        const char *message = status.message + strlen(scratch.path) + 2;
        assert_string_equal(message, wrongs[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_series_and_couplings_read_back_to_the_same_bits),
        cmocka_unit_test(wrong_laws_series_and_couplings_are_refused_with_their_place),
    };
    return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
