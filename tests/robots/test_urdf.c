/* SPDX-License-Identifier: MIT */
/* What URDF means: links in any order, frames, limits, mimic; its meshes, of both kinds of STL and of OBJ. */
#include "tests/robots/files.h"

#define INERTIAL(mass)                                                                                                 \
    "<inertial><mass value='" mass "'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"

static const char ARM[] = "<robot name='arm'><link name='hand'>" INERTIAL(
    "2") "</link><link name='base'/><link name='arm'><inertial><origin "
         "xyz='.1 0 0' rpy='0 0 1.5707963267948966'/><mass value='3'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' "
         "ixz='0' iyz='0'/>"
         "</inertial><collision><geometry><cylinder radius='.1' length='.6'/></geometry></collision></link><joint "
         "name='wrist' "
         "type='fixed'><parent link='arm'/><child link='hand'/><origin xyz='0 0 1'/></joint><joint name='elbow' "
         "type='revolute'>"
         "<origin xyz='0 0 2' rpy='1.5707963267948966 0 0'/><parent link='base'/><child link='arm'/><axis xyz='0 0 "
         "2'/><limit "
         "lower='-1' upper='1e+0' effort='5' velocity='3'/><dynamics damping='.5' friction='.2'/></joint></robot>";

static void joints_turn_in_the_child_frame_and_links_may_stand_in_any_order(void **state)
{
    (void)state;
    char *notes = NULL;
    json_t *d = read_with("a.urdf", ARM, NULL, &notes);
    const json_t *elbow = joint(d, "elbow");
    ASSERT_NUMBERS(elbow, "anchor", 0, 0, 2);
    ASSERT_NUMBERS(elbow, "axis", 0, -1, 0);
    assert_number(elbow, "angle_min", -1);
    assert_number(elbow, "viscous", 0.5);
    assert_number(elbow, "dry_friction", 0.2);
    ASSERT_NUMBERS(elbow, "effort", -5, 5);
    ASSERT_NUMBERS(body(d, "arm"), "inertia", 2, 1, 2.5, 0, 0, 0);
    ASSERT_NUMBERS(body(d, "arm"), "position", 0.1, 0, 2);
    ASSERT_NUMBERS(body(d, "hand"), "position", 0, -1, 2);
    assert_string_equal(json_string_value(json_object_get(body(d, "hand"), "fused")), "arm");
    assert_string_equal(json_string_value(json_object_get(body(d, "base"), "fused")), "world");
    assert_number(json_object_get(shape(d, "arm", 0), "cylinder"), "length", 0.6);
    ASSERT_NUMBERS(shape(d, "arm", 0), "position", -0.1, 0, 0);
    assert_non_null(strstr(notes, "\"base\" is fixed"));
    assert_non_null(strstr(notes, "never touch"));
    free(notes);
    json_decref(d);
}

static void the_root_is_free_where_the_user_says_so(void **state)
{
    (void)state;
    json_t *d =
        read_with("a.urdf", "<robot name='r'><link name='a'>" INERTIAL("2") "</link></robot>", "base=floating", NULL);
    assert_null(json_object_get(body(d, "a"), "fused"));
    json_decref(d);
}

static void a_parent_of_the_name_world_is_the_world(void **state)
{
    (void)state;
    json_t *d =
        read_robot_text("a.urdf", "<robot name='r'><link name='a'>" INERTIAL(
                                      "2") "</link><joint name='j' "
                                           "type='continuous'><parent link='world'/><child link='a'/></joint></robot>");
    const json_t *bodies = json_object_get(joint(d, "j"), "bodies");
    assert_string_equal(json_string_value(json_array_get(bodies, 0)), "world");
    ASSERT_NUMBERS(joint(d, "j"), "axis", 1, 0, 0);
    json_decref(d);
}

static void a_planar_joint_is_two_slides_and_a_hinge(void **state)
{
    (void)state;
    json_t *d = read_robot_text("a.urdf",
                                "<robot name='r'><link name='a'/><link name='b'>" INERTIAL(
                                    "2") "</link><joint "
                                         "name='p' type='planar'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
                                         "</joint></robot>");
    const json_t *axes = json_object_get(joint(d, "p_TX+p_TY+p_RZ"), "axes");
    ASSERT_NUMBERS(json_array_get(axes, 0), "axis", 1, 0, 0);
    ASSERT_NUMBERS(json_array_get(axes, 1), "axis", 0, 1, 0);
    ASSERT_NUMBERS(json_array_get(axes, 2), "axis", 0, 0, 1);
    json_decref(d);
}

static void mimic_is_a_coupling(void **state)
{
    (void)state;
    json_t *d = read_robot_text(
        "a.urdf",
        "<robot name='r'><link name='a'/><link name='b'>" INERTIAL("2") "</link><link name='c'>" INERTIAL(
            "2") "</link>"
                 "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint><joint name='k' "
                 "type='continuous'><parent link='a'/><child link='c'/><mimic joint='j' multiplier='-2' "
                 "offset='.1'/></joint>"
                 "</robot>");
    const json_t *coupling = joint(d, "equality1"), *names = json_object_get(coupling, "joints");
    assert_string_equal(json_string_value(json_array_get(names, 0)), "k");
    assert_string_equal(json_string_value(json_array_get(names, 1)), "j");
    ASSERT_NUMBERS(coupling, "polynomial", 0.1, -2);
    json_decref(d);
}

static void what_others_added_is_passed_over_and_said(void **state)
{
    (void)state;
    char *notes = NULL;
    json_t *d =
        read_with("a.urdf",
                  "<robot name='r'><link name='a'><visual><geometry><mesh filename='package://x/none.dae'/>"
                  "</geometry></visual><drake:soft/><inertial><mass value='1' unit='kg'/><inertia "
                  "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><gazebo/><transmission/></robot>",
                  NULL, &notes);
    assert_non_null(strstr(notes, "without effect here: visual, drake:soft, mass unit, gazebo, transmission\n"));
    free(notes);
    json_decref(d);
}

static const char OBJ[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
/* The same tetrahedron. */
static const float CORNERS[4][3][3] = {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}},
                                       {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},
                                       {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                                       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static void write_text_stl(void)
{
    char text[2048] = "solid made by vertex 1 nan\n";
    char *at = text + strlen(text);
    for (int i = 0; i < 4; i++) {
        at += sprintf(at, "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; k++)
            at += sprintf(at, "  vertex %g %g %ge+00\n", CORNERS[i][k][0], CORNERS[i][k][1], CORNERS[i][k][2]);
        at += sprintf(at, " endloop\nendfacet\n");
    }
    sprintf(at, "endsolid\n");
    write_text("text.stl", text);
}

static void write_binary_stl(void)
{
    unsigned char bytes[84 + 4 * 50] = "solid, or so it begins";
    bytes[80] = 4;
    for (int i = 0; i < 4; i++)
        memcpy(bytes + 84 + 50 * i + 12, CORNERS[i], sizeof CORNERS[i]);
    write_bytes("binary.STL", bytes, sizeof bytes);
}

/* A tetrahedron's centre is the mean of its corners, here of those of its hull as well. */
static void assert_tetrahedron(const char *file)
{
    char text[512];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'><collision><origin xyz='5 0 0'/><geometry><mesh filename='%s' "
             "scale='2 4 -8'/></geometry></collision></link></robot>",
             file);
    json_t *d = read_robot_text("a.urdf", text);
    ASSERT_NUMBERS(shape(d, "a", 0), "position", 5.5, 1, -2);
    assert_int_equal((int)json_array_size(json_object_get(json_object_get(shape(d, "a", 0), "hull"), "points")), 4);
    json_decref(d);
}

static void meshes_are_obj_and_both_kinds_of_stl(void **state)
{
    (void)state;
    write_text("a.obj", OBJ);
    write_text_stl();
    write_binary_stl();
    assert_tetrahedron("a.obj");
    assert_tetrahedron("./text.stl");
    assert_tetrahedron("package://anything/binary.STL");
}

static void bad_stl_names_its_place(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"solid\nvertex 1 2\nvertex", "bad.stl:3:1: "},
                                         {"", "bad.stl:1:1: "},
                                         {"solid\nvertex 1 2 3\n", "bad.stl:3:1: "}};
    RobotParams params = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Status status = {0};
        write_text("bad.stl", bad[i][0]);
        write_text("a.urdf", "<robot name='r'><link name='a'><collision><geometry><mesh filename='bad.stl'/></geometry>"
                             "</collision></link></robot>");
        assert_null(robot_document(path_of("a.urdf"), &params, NULL, NULL, &status));
        assert_int_equal(status.code, STATUS_BAD_FILE);
        if (!strstr(status.message, bad[i][1]))
            fail_msg("%s", status.message);
    }
}

static void parameters_have_names_and_values_of_their_own(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"base", "free"}, {"inertia", "none"}, {"keey", "home"}};
    RobotParams params = {0};
    Status status = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(robot_params_set(&params, bad[i][0], bad[i][1], &status));
        assert_int_equal(status.code, STATUS_USAGE);
    }
    assert_true(robot_params_set(&params, "base", "floating", &status));
    assert_true(robot_params_set(&params, "ctrl", "1, 2", &status));
    assert_true(robot_params_set(&params, "inertia", "strict", &status));
    json_t *set = robot_params_json(&params);
    char *text = json_dumps(set, JSON_SORT_KEYS);
    assert_string_equal(text, "{\"base\": \"floating\", \"ctrl\": \"1, 2\"}");
    free(text);
    json_decref(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_turn_in_the_child_frame_and_links_may_stand_in_any_order),
        cmocka_unit_test(the_root_is_free_where_the_user_says_so),
        cmocka_unit_test(a_parent_of_the_name_world_is_the_world),
        cmocka_unit_test(a_planar_joint_is_two_slides_and_a_hinge),
        cmocka_unit_test(mimic_is_a_coupling),
        cmocka_unit_test(what_others_added_is_passed_over_and_said),
        cmocka_unit_test(meshes_are_obj_and_both_kinds_of_stl),
        cmocka_unit_test(bad_stl_names_its_place),
        cmocka_unit_test(parameters_have_names_and_values_of_their_own),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
