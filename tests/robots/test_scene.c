/* SPDX-License-Identifier: MIT */
/* A robot file as a scene: the same bits by way of a scene file, contacts with the friction that MJCF means. */
#include "tests/robots/files.h"

#include "model/contact.h"

static Problem *problem_of(const char *name, const char *text)
{
    RobotParams params = {0};
    Status status = {0};
    write_text(name, text);
    Problem *problem = robot_problem(path_of(name), &params, NULL, &status);
    if (!problem)
        fail_msg("%s", status.message);
    return problem;
}

static const char ROBOT[] = "<mujoco><compiler angle='radian'/><default><geom friction='.9 .002 "
                            ".001'/></default><worldbody><geom name='floor' type='plane' size='1 1 1'/><body "
                            "name='base' pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .3' euler='.1 .2 "
                            ".3'/><geom type='ellipsoid' size='.1 .2 "
                            ".05' pos='.2 0 0'/><body name='arm' pos='.1 0 .2' quat='1 .1 .2 .3'><joint name='j' "
                            "axis='0 1 .3' range='-1 1' damping='.1' "
                            "armature='.01' frictionloss='.02' stiffness='3' springref='.1'/><geom type='capsule' "
                            "size='.05' fromto='0 0 0 .3 0 .1'/><body "
                            "name='hand' pos='.3 0 .1'><geom type='cylinder' size='.03 .1'/></body></body></body><body "
                            "name='ball' pos='1 0 .1'><freejoint/>"
                            "<geom size='.1' condim='6' friction='.5 .003 "
                            ".0005'/></body></worldbody><actuator><position joint='j' kp='20' kv='1' "
                            "forcerange='-3 3'/></actuator></mujoco>";

static void a_robot_and_its_scene_file_are_the_same_to_the_bit(void **state)
{
    (void)state;
    Status status = {0};
    Problem *problem = problem_of("robot.xml", ROBOT);
    char *text = problem_write(problem);
    assert_non_null(text);
    write_text("robot.json", text);
    Problem *again = problem_read(path_of("robot.json"), &status);
    if (!again)
        fail_msg("%s", status.message);
    char *twice = problem_write(again);
    assert_string_equal(text, twice);
    assert_int_equal(problem->world->body_count, again->world->body_count);
    for (int i = 0; i < problem->world->body_count; i++) {
        assert_memory_equal(&problem->world->pose[i], &again->world->pose[i], sizeof(Pose));
        assert_memory_equal(&problem->world->mass[i], &again->world->mass[i], sizeof problem->world->mass[i]);
    }
    free(text);
    free(twice);
    problem_destroy(problem);
    problem_destroy(again);
}

/* The floor's condim is 3: it lends its coefficients to the ball, whose condim is 6, and the larger ones count. */
static void a_pair_has_the_larger_condim_and_the_larger_coefficients(void **state)
{
    (void)state;
    Problem *problem = problem_of("robot.xml", ROBOT);
    const World *world = problem->world;
    const Material *floor_ = NULL, *ball = NULL;
    for (int i = 1; i < world->material_count; i++) {
        const Material *material = &world->materials[i];
        if (material->friction == 0.9)
            floor_ = material;
        if (material->friction == 0.5)
            ball = material;
    }
    assert_true(floor_ && ball);
    PairLaw law = contacts_pair_law(world, floor_, ball);
    assert_near(law.friction, 0.9, 0.0);
    assert_near(law.spin_friction, 0.003, 0.0);
    assert_near(law.rolling_friction, 0.001, 0.0);
    law = contacts_pair_law(world, floor_, floor_);
    assert_near(law.friction, 0.9, 0.0);
    assert_near(law.spin_friction, 0.0, 0.0);
    assert_near(law.rolling_friction, 0.0, 0.0);
    problem_destroy(problem);
}

/* A message of the scene reader stands at the element that its part comes from. */
static void what_the_scene_reader_refuses_has_its_place_in_the_file(void **state)
{
    (void)state;
    RobotParams params = {0};
    Status status = {0};
    char text[1024], name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text,
             "<mujoco><worldbody>\n  <body name='%s'><freejoint/><geom size='.1'/></body></worldbody></mujoco>", name);
    write_text("robot.xml", text);
    assert_null(robot_problem(path_of("robot.xml"), &params, NULL, &status));
    assert_int_equal(status.code, STATUS_BAD_FILE);
    assert_non_null(strstr(status.message, "robot.xml:2:3: <body>: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_robot_and_its_scene_file_are_the_same_to_the_bit),
        cmocka_unit_test(a_pair_has_the_larger_condim_and_the_larger_coefficients),
        cmocka_unit_test(what_the_scene_reader_refuses_has_its_place_in_the_file),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
