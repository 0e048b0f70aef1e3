/* SPDX-License-Identifier: MIT */
/* What is refused: each with status 3, within a second, at its place, naming the thing. */
#include "tests/robots/files.h"

enum { XML_TEST_INCLUDES = 300 };

#include <time.h>

#define URDF_LINKS "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
#define JOIN(name, type, parent, child)                                                                                \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/></joint>"
#define INERTIAL "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define MESH(file) "<robot name='r'>\n<link name='a'>" INERTIAL "<collision><geometry>\n <mesh filename='" file "'/>"
#define WORLD(text) "<mujoco>\n<worldbody>\n" text "</worldbody></mujoco>"
#define BALL "<body><freejoint/><geom size='.1'/></body>"

static const struct {
    const char *name, *text, *place, *what;
} REFUSED[] = {
    {"adhesion.xml", "<mujoco><worldbody/>\n<actuator>\n  <adhesion body='b'/></actuator></mujoco>", "3:3", "adhesion"},
    {"muscle.xml", "<mujoco><actuator><muscle joint='j'/></actuator></mujoco>", "1:19", "muscle"},
    {"fixed.xml", "<mujoco><tendon>\n <fixed name='t'><joint joint='j' coef='1'/></fixed></tendon></mujoco>", "2:2",
     "tendon"},
    {"wrapped.xml", "<mujoco><tendon><spatial><site site='s'/>\n<geom geom='g'/></spatial></tendon></mujoco>", "2:1",
     "tendon"},
    {"composite.xml", WORLD("<composite type='cable'/>"), "3:1", "composite"},
    {"flexcomp.xml", WORLD("<flexcomp name='f'/>"), "3:1", "flexcomp"},
    {"mocap.xml", WORLD("<body mocap='true'/>"), "3:1", "mocap"},
    {"collada.urdf", MESH("package://p/a.dae") "</geometry></collision></link></robot>", "3:2", "a.dae"},
    {"state.xml",
     "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator>\n"
     "<general joint='j' dyntype='filter'/></actuator></mujoco>",
     "2:1", "dyntype"},
    {"fluid.xml", "<mujoco>\n\t<option density='1.2'/></mujoco>", "2:2", "option density"},
    {"hfield.xml", "<mujoco><asset>\n<hfield name='h'/></asset></mujoco>", "2:1", "hfield"},
    {"plugin.xml", "<mujoco><extension>\n<plugin plugin='p'/></extension></mujoco>", "2:1", "plugin"},
    {"crank.xml",
     "<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody><actuator>\n"
     "<motor cranksite='s' slidersite='t'/></actuator></mujoco>",
     "2:1", "cranksite"},
    {"screw.urdf", URDF_LINKS "\n" JOIN("j", "screw", "a", "b") "</robot>", "2:1", "screw"},
    {"xacro.urdf", "<robot name='r' xmlns:xacro='x'>\n<xacro:macro name='m'/></robot>", "2:1", "xacro"},
    {"launch.urdf", "<robot name='$(arg name)'/>", "1:1", "$(arg name)"},
    {"bytes.xml", "<mujoco model='a\xe9\xe8'/>", "1:17", "not well-formed"},
    {"laughs.xml", "<?xml version='1.0'?>\n<!DOCTYPE m [<!ENTITY a 'aaaa'>]>\n<mujoco model='&a;'/>", "2:13",
     "DOCTYPE"},
    {"outside.xml", "<!DOCTYPE m SYSTEM 'file:///nonexistent'>\n<mujoco/>", "1:41", "DOCTYPE"},
    {"cycle.urdf",
     URDF_LINKS JOIN("i", "fixed", "a", "b") JOIN("j", "fixed", "b", "c") JOIN("k", "fixed", "c", "a") "</robot>",
     "1:17", "\"a\""},
    {"free.xml", WORLD("<body><joint/><geom size='.1'/>\n" BALL "</body>"), "4:7", "free"},
    {"absolute.xml", "<mujoco>\n<include file='/nonexistent/a.xml'/></mujoco>", "2:1", "absolute"},
    {"escape.xml", "<mujoco><include file='../a.xml'/></mujoco>", "1:9", ".."},
    {"itself.xml", "<mujoco><include file='itself.xml'/></mujoco>", "1:9", "include"},
    {"missing.xml", "<mujoco><include file='nowhere.xml'/></mujoco>", "1:9", "nowhere.xml"},
    {"infinite.xml", WORLD("<body><freejoint/>\n<geom size='1e999'/></body>"), "4:1", "size"},
    {"hexadecimal.xml", WORLD("<geom size='0x1p3'/>"), "3:1", "0x1p3"},
    {"nan.xml", WORLD("<body pos='nan 0 0'/>"), "3:1", "pos"},
    {"short.xml", WORLD("<body pos='1 2'/>"), "3:1", "pos"},
    {"long.xml", WORLD("<body pos='1 2 3 4'/>"), "3:1", "pos"},
    {"unlimited.xml", WORLD("<body><joint limited='true'/><geom size='.1'/></body>"), "3:7", "range"},
    {"reversed.xml", WORLD("<body><joint range='90 -90'/><geom size='.1'/></body>"), "3:7", "range"},
    {"massless.xml", WORLD("<body name='ghost'><joint/></body>"), "3:1", "mass"},
    {"package.urdf", MESH("package://../../secret.stl") "</geometry></collision></link></robot>", "3:2", ".."},
    {"mimic.urdf",
     URDF_LINKS JOIN("k", "fixed", "b", "c") "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n"
                                             "<mimic joint='j'/></joint></robot>",
     "2:1", "\"j\""},
    {"negative.xml", WORLD("<body><freejoint/><geom size='.1' mass='-1'/></body>"), "3:19", "mass"},
    {"nolink.urdf", URDF_LINKS "\n" JOIN("j", "fixed", "a", "d") "</robot>", "2:48", "\"d\""},
    {"triangle.xml", WORLD("<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>"), "3:1",
     "inertia"},
    {"truncated.xml", "<mujoco><worldbody>\n<body name='b'>\n", "3:1", "no element found"},
    {"twice.xml", WORLD("<body name='b'><freejoint/><geom size='.1'/></body>\n<body name='b'/>"), "4:1", "\"b\""},
    {"parents.urdf", URDF_LINKS JOIN("i", "fixed", "a", "c") "\n" JOIN("j", "fixed", "b", "c") "</robot>", "2:1",
     "\"c\""},
    {"roots.urdf", URDF_LINKS JOIN("i", "fixed", "a", "b") "</robot>", "1:49", "\"c\""},
    {"attribute.xml", WORLD("<geom size='.1' frixion='1'/>"), "3:1", "frixion: did you mean 'friction'"},
    {"element.xml", "<mujoco>\n<wurldbody/></mujoco>", "2:1", "wurldbody"},
    {"class.xml", WORLD("<geom class='none' size='.1'/>"), "3:1", "\"none\""},
    {"axis.xml", WORLD("<body><joint axis='0 0 0'/><geom size='.1'/></body>"), "3:7", "axis"},
    {"html.xml", "<html/>", "1:1", "neither MJCF"},
    {"plane.xml", WORLD("<body><freejoint/><geom size='.1'/>\n<geom type='plane' size='1 1 1'/></body>"), "4:1",
     "plane"},
    {"ways.xml", WORLD("<body euler='0 0 1' zaxis='0 1 0'/>"), "3:1", "more than one way"},
    {"damped.xml", WORLD("<body><joint type='free' damping='1'/><geom size='.1'/></body>"), "3:7", "damping"},
    {"replicas.xml", WORLD("<replicate count='9999'><replicate count='9999'/></replicate>"), "3:1", "replicas"},
};

static void each_is_refused_at_its_place(void **state)
{
    (void)state;
    RobotParams params = {0};
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        Status status = {0};
        char place[160];
        struct timespec begin, end;
        write_text(REFUSED[i].name, REFUSED[i].text);
        clock_gettime(CLOCK_MONOTONIC, &begin);
        json_t *document = robot_document(path_of(REFUSED[i].name), &params, NULL, NULL, &status);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (document)
            fail_msg("%s is read", REFUSED[i].name);
        snprintf(place, sizeof place, "%s:%s: ", path_of(REFUSED[i].name), REFUSED[i].place);
        if (status.code != STATUS_BAD_FILE || strncmp(status.message, place, strlen(place)) != 0 ||
            !strstr(status.message, REFUSED[i].what))
            fail_msg("%s: status %d, %s; wanted %s...%s", REFUSED[i].name, status.code, status.message, place,
                     REFUSED[i].what);
        assert_true(end.tv_sec - begin.tv_sec < 1 + (end.tv_nsec > begin.tv_nsec ? 0 : 1));
    }
}

static void files_that_include_each_other_are_refused(void **state)
{
    (void)state;
    RobotParams params = {0};
    Status status = {0};
    write_text("other.xml", "<mujoco><include file='one.xml'/></mujoco>");
    write_text("one.xml", "<mujoco><include file='other.xml'/></mujoco>");
    assert_null(robot_document(path_of("one.xml"), &params, NULL, NULL, &status));
    assert_int_equal(status.code, STATUS_BAD_FILE);
    assert_non_null(strstr(status.message, "other.xml:1:9: <include>"));
}

/* A link would lead out of the folder without a word in the model. */
static void a_link_is_not_followed(void **state)
{
    (void)state;
    RobotParams params = {0};
    Status status = {0};
    char target[128];
    strcpy(target, path_of("linked.xml"));
    assert_int_equal(symlink("/etc/hostname", target), 0);
    write_text("links.xml", "<mujoco><include file='linked.xml'/></mujoco>");
    assert_null(robot_document(path_of("links.xml"), &params, NULL, NULL, &status));
    assert_non_null(strstr(status.message, "link"));
}

static void depth_files_and_replicas_are_bounded(void **state)
{
    (void)state;
    RobotParams params = {0};
    Status status = {0};
    enum { LEVELS = 5000 };
    char *deep = calloc(LEVELS + 2, 40), *at = deep;
    at += sprintf(at, "<mujoco><worldbody>");
    for (int i = 0; i < LEVELS; i++)
        at += sprintf(at, "<body><joint/><geom size='.1'/>");
    write_text("deep.xml", deep);
    free(deep);
    assert_null(robot_document(path_of("deep.xml"), &params, NULL, NULL, &status));
    assert_non_null(strstr(status.message, "depth"));
    char many[XML_TEST_INCLUDES * 40] = "<mujoco>";
    at = many + strlen(many);
    for (int i = 0; i < XML_TEST_INCLUDES - 2; i++)
        at += sprintf(at, "<include file='empty.xml'/>");
    sprintf(at, "</mujoco>");
    write_text("empty.xml", "<mujoco/>");
    write_text("many.xml", many);
    assert_null(robot_document(path_of("many.xml"), &params, NULL, NULL, &status));
    assert_non_null(strstr(status.message, "files"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_refused_at_its_place),
        cmocka_unit_test(files_that_include_each_other_are_refused),
        cmocka_unit_test(a_link_is_not_followed),
        cmocka_unit_test(depth_files_and_replicas_are_bounded),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
