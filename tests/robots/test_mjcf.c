/* SPDX-License-Identifier: MIT */
/* What MJCF means, where that is easy to get wrong: degrees, classes, orders of turning, what counts from where. */
#include "tests/robots/files.h"

#define BODY(text) "<mujoco><worldbody><body name='b'>" text "</body></worldbody></mujoco>"
#define DEGREE (PI / 180.0)

static void angles_are_degrees_unless_the_compiler_says_otherwise(void **state)
{
    (void)state;
    json_t *d = read_robot_text("a.xml", BODY("<joint name='j' range='-30 45' ref='10' springref='20' stiffness='3'/>"
                                              "<geom size='.1'/>"));
    assert_number(joint(d, "j"), "angle_min", -30 * DEGREE);
    assert_number(joint(d, "j"), "angle_max", 45 * DEGREE);
    assert_number(joint(d, "j"), "start", 10 * DEGREE);
    assert_number(json_object_get(joint(d, "j"), "spring"), "rest", 20 * DEGREE);
    json_decref(d);
    d = read_robot_text("a.xml", "<mujoco><worldbody><body><joint name='j' range='-1 2'/><geom size='.1'/></body>"
                                 "</worldbody><compiler angle='radian'/></mujoco>");
    assert_number(joint(d, "j"), "angle_max", 2);
    json_decref(d);
    d = read_robot_text("a.xml", BODY("<joint name='j' type='slide' range='-.3 .2' ref='.1'/><geom size='.1'/>"));
    assert_number(joint(d, "j"), "position_min", -0.3);
    assert_number(joint(d, "j"), "start", 0.1);
    json_decref(d);
}

static void a_range_limits_unless_the_file_says_no(void **state)
{
    (void)state;
    json_t *d = read_robot_text("a.xml", BODY("<joint name='j' range='-30 45' limited='false'/><geom size='.1'/>"));
    assert_null(json_object_get(joint(d, "j"), "angle_min"));
    json_decref(d);
}

/* Small letters turn with the body: R = Rx Ry; capitals are fixed: R = Ry Rx. Seen by where the axis z of a joint
 * points. */
static void small_letters_of_eulerseq_turn_with_the_body_and_capitals_do_not(void **state)
{
    (void)state;
    static const char text[] = "<mujoco><compiler eulerseq='%s'/><worldbody><body euler='90 90 0'>"
                               "<joint name='j'/><geom size='.1'/></body></worldbody></mujoco>";
    char whole[512];
    snprintf(whole, sizeof whole, text, "xyz");
    json_t *d = read_robot_text("a.xml", whole);
    ASSERT_NUMBERS(joint(d, "j"), "axis", 1, 0, 0);
    json_decref(d);
    snprintf(whole, sizeof whole, text, "XYZ");
    d = read_robot_text("a.xml", whole);
    ASSERT_NUMBERS(joint(d, "j"), "axis", 0, -1, 0);
    json_decref(d);
}

static void an_element_asks_its_class_then_the_classes_around_it(void **state)
{
    (void)state;
    json_t *d = read_robot_text(
        "a.xml",
        "<mujoco><default><geom size='.5' friction='.3'/><default class='in'><geom size='.2'/><default class='deep'>"
        "<geom friction='.7 .02'/></default></default></default><worldbody><geom name='plain'/>"
        "<body name='b' childclass='in'><freejoint/><geom/><geom class='deep'/><geom class='main' mass='0'/>"
        "</body></worldbody></mujoco>");
    assert_number(json_object_get(shape(d, "worldbody", 0), "sphere"), "radius", 0.5);
    assert_number(json_object_get(shape(d, "b", 0), "sphere"), "radius", 0.2);
    assert_number(json_object_get(shape(d, "b", 1), "sphere"), "radius", 0.2);
    assert_number(json_object_get(shape(d, "b", 2), "sphere"), "radius", 0.5);
    const char *material = json_string_value(json_object_get(shape(d, "b", 1), "material"));
    const json_t *friction = json_object_get(json_object_get(d, "materials"), material);
    assert_number(friction, "friction", 0.7);
    assert_number(friction, "spin_friction", 0.02);
    assert_number(friction, "rolling_friction", 0.0001);
    json_decref(d);
}

/* Water: 1000 kg/m^3. The decoration weighs, too. */
static void geoms_make_the_mass_where_no_inertial_does(void **state)
{
    (void)state;
    static const char geoms[] =
        "<geom type='box' size='.1 .2 .3'/><geom size='.1' pos='0 0 .5' contype='0' conaffinity='0' "
        "mass='12'/>";
    char text[1024];
    snprintf(text, sizeof text, BODY("<freejoint/>%s"), geoms);
    json_t *d = read_robot_text("a.xml", text);
    double box = 1000 * 0.2 * 0.4 * 0.6, mass = box + 12, centre = 12 * 0.5 / mass;
    assert_number(body(d, "b"), "mass", mass);
    ASSERT_NUMBERS(body(d, "b"), "position", 0, 0, centre);
    ASSERT_NUMBERS(json_object_get(body(d, "b"), "frame"), "position", 0, 0, -centre);
    ASSERT_NUMBERS(body(d, "b"), "inertia", box * (0.16 + 0.36) / 12 + 12 * 0.004 + box * 12 / mass * 0.25,
                   box * (0.04 + 0.36) / 12 + 12 * 0.004 + box * 12 / mass * 0.25,
                   box * (0.04 + 0.16) / 12 + 12 * 0.004, 0, 0, 0);
    json_decref(d);
    snprintf(text, sizeof text, BODY("<freejoint/>%s<inertial pos='1 0 0' mass='2' diaginertia='3 4 5'/>"), geoms);
    d = read_robot_text("a.xml", text);
    assert_number(body(d, "b"), "mass", 2);
    ASSERT_NUMBERS(body(d, "b"), "inertia", 3, 4, 5, 0, 0, 0);
    json_decref(d);
}

static void the_compiler_bounds_scales_and_balances_masses(void **state)
{
    (void)state;
    json_t *d = read_robot_text(
        "a.xml",
        "<mujoco><compiler settotalmass='10' boundmass='2'/><worldbody><body name='a'><freejoint/><inertial "
        "pos='0 0 0' mass='3' diaginertia='1 1 1'/></body><body name='b'><freejoint/><inertial pos='0 0 0' mass='1' "
        "diaginertia='1 1 1'/></body></worldbody></mujoco>");
    assert_number(body(d, "a"), "mass", 6);
    assert_number(body(d, "b"), "mass", 4);
    ASSERT_NUMBERS(body(d, "a"), "inertia", 2, 2, 2, 0, 0, 0);
    json_decref(d);
    d = read_with("a.xml", BODY("<freejoint/><inertial pos='0 0 0' mass='2' diaginertia='1 1 7'/>"), "inertia=balance",
                  NULL);
    ASSERT_NUMBERS(body(d, "b"), "inertia", 3, 3, 3, 0, 0, 0);
    json_decref(d);
}

static void a_replica_is_placed_from_the_one_before(void **state)
{
    (void)state;
    json_t *d =
        read_robot_text("a.xml", "<mujoco><worldbody><replicate count='10' sep='-' offset='1 0 0' euler='0 0 90'>"
                                 "<body name='b' pos='0 0 2'><freejoint/><geom name='g' size='.1'/></body>"
                                 "</replicate></worldbody></mujoco>");
    assert_int_equal((int)json_array_size(json_object_get(d, "bodies")), 10);
    ASSERT_NUMBERS(body(d, "b-00"), "position", 0, 0, 2);
    ASSERT_NUMBERS(body(d, "b-01"), "position", 1, 0, 2);
    ASSERT_NUMBERS(body(d, "b-02"), "position", 1, 1, 2);
    ASSERT_NUMBERS(body(d, "b-05"), "position", 1, 0, 2);
    assert_string_equal(json_string_value(json_object_get(shape(d, "b-09", 0), "name")), "g-09");
    json_decref(d);
}

static void a_frame_places_what_stands_in_it(void **state)
{
    (void)state;
    json_t *d = read_robot_text(
        "a.xml",
        "<mujoco><worldbody><frame pos='1 0 0' euler='0 0 90'><body name='b' pos='2 0 0'><frame pos='0 0 3'>"
        "<joint name='j' type='slide' axis='1 0 0' pos='0 0 1'/><geom size='.1'/></frame></body></frame></worldbody>"
        "</mujoco>");
    ASSERT_NUMBERS(body(d, "b"), "position", 1, 2, 3);
    ASSERT_NUMBERS(joint(d, "j"), "axis", 0, 1, 0);
    ASSERT_NUMBERS(joint(d, "j"), "anchor", 1, 2, 4);
    json_decref(d);
}

static void a_free_joint_ignores_the_defaults_of_joints(void **state)
{
    (void)state;
    json_t *d = read_robot_text("a.xml", "<mujoco><default><joint damping='3'/></default><worldbody><body name='b'>"
                                         "<freejoint/><geom size='.1'/></body></worldbody></mujoco>");
    assert_int_equal((int)json_array_size(json_object_get(d, "joints")), 0);
    assert_null(json_object_get(body(d, "b"), "fused"));
    json_decref(d);
}

static const char ARM[] =
    "<mujoco><default><motor gear='3' ctrlrange='-1 1'/><position kp='20'/><default class='stiff'><position kp='50' "
    "kv='4'/>"
    "</default></default><worldbody><body><joint name='j'/><geom size='.1'/><body pos='1 0 0'><joint name='k' axis='0 "
    "1 0'/>"
    "<geom size='.1'/></body></body></worldbody><actuator><motor joint='j'/><position joint='k' class='stiff' "
    "forcerange='-9 9'/></actuator><keyframe><key name='up' qpos='.5 .25' qvel='1 2' ctrl='7 .1'/></keyframe></mujoco>";

static void all_kinds_of_actuator_share_the_record_of_a_class(void **state)
{
    (void)state;
    json_t *d = read_with("a.xml", ARM, "ctrl=-5, 0.25", NULL);
    const json_t *motor = json_object_get(joint(d, "j"), "drive"), *servo = json_object_get(joint(d, "k"), "drive");
    assert_number(motor, "force", -1); /* clamped */
    assert_number(motor, "gear", 3);
    assert_number(servo, "kp", 50);
    assert_number(servo, "kd", 4);
    assert_number(servo, "target", 0.25);
    assert_number(servo, "gear", 3); /* of the class's motor */
    ASSERT_NUMBERS(servo, "max", -9, 9);
    ASSERT_NUMBERS(servo, "ctrl_range", -1, 1);
    json_decref(d);
}

static void a_key_places_the_model_and_keeps_its_zeros(void **state)
{
    (void)state;
    json_t *d = read_with("a.xml", ARM, "key=up", NULL);
    assert_number(joint(d, "j"), "start", 0.5);
    assert_number(joint(d, "k"), "start", 0.25);
    ASSERT_NUMBERS(body(d, "body2"), "position", cos(0.5), sin(0.5), 0);
    ASSERT_NUMBERS(joint(d, "k"), "axis", -sin(0.5), cos(0.5), 0);
    ASSERT_NUMBERS(body(d, "body2"), "velocity", -sin(0.5), cos(0.5), 0);
    ASSERT_NUMBERS(body(d, "body2"), "angular_velocity", -2 * sin(0.5), 2 * cos(0.5), 1);
    assert_number(json_object_get(joint(d, "j"), "drive"), "force", 1);
    json_decref(d);
}

static void several_joints_of_a_body_are_a_series(void **state)
{
    (void)state;
    json_t *d =
        read_robot_text("a.xml", BODY("<joint name='x' type='slide' axis='1 0 0' range='-1 1'/>"
                                      "<joint name='y' axis='0 1 0' pos='0 0 2' damping='3'/><geom size='.1'/>"));
    const json_t *series = joint(d, "x+y"), *axes = json_object_get(series, "axes");
    assert_string_equal(json_string_value(json_object_get(series, "type")), "series");
    assert_int_equal((int)json_array_size(axes), 2);
    ASSERT_NUMBERS(json_array_get(axes, 0), "limits", -1, 1);
    assert_number(json_array_get(axes, 1), "viscous", 3);
    ASSERT_NUMBERS(json_array_get(axes, 1), "anchor", 0, 0, 2);
    json_decref(d);
}

/* q1 = 0.1 + 2 q2 - 3 q2^2 about the file's pose; at a key the same, counted from there. */
static void a_coupling_counts_from_where_the_model_is_placed(void **state)
{
    (void)state;
    static const char text[] = "<mujoco><compiler angle='radian'/><worldbody><body><joint name='a'/><geom "
                               "size='.1'/></body><body pos='1 0 0'><joint "
                               "name='b'/><geom size='.1'/></body></worldbody><equality><joint name='e' joint1='a' "
                               "joint2='b' polycoef='.1 2 -3'/>"
                               "</equality><keyframe><key name='k' qpos='.4 .5'/></keyframe></mujoco>";
    json_t *d = read_robot_text("a.xml", text);
    ASSERT_NUMBERS(joint(d, "e"), "polynomial", 0.1, 2, -3);
    json_decref(d);
    d = read_with("a.xml", text, "key=k", NULL);
    ASSERT_NUMBERS(joint(d, "e"), "polynomial", 0.1 + 1 - 0.75 - 0.4, 2 - 3, -3);
    json_decref(d);
}

static void parents_and_children_are_kept_apart_unless_the_parent_stands_still(void **state)
{
    (void)state;
    json_t *d = read_robot_text(
        "a.xml",
        "<mujoco><worldbody><body name='base'><geom size='.1'/><body name='a'><joint/><geom size='.1'/><body "
        "name='b'><joint/><geom size='.1'/><body name='hand'><geom size='.1'/></body></body></body></body></worldbody>"
        "</mujoco>");
    const json_t *collide = json_object_get(d, "collide"), *except = json_object_get(collide, "except");
    assert_true(json_is_true(json_object_get(collide, "joined")));
    assert_int_equal((int)json_array_size(except), 2);
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(json_string_value(json_array_get(json_array_get(except, i), 0)), "a");
    assert_string_equal(json_string_value(json_object_get(body(d, "base"), "fused")), "world");
    assert_string_equal(json_string_value(json_object_get(body(d, "hand"), "fused")), "b");
    json_decref(d);
}

static void a_listed_pair_touches_whatever_the_masks_say(void **state)
{
    (void)state;
    json_t *d = read_robot_text(
        "a.xml",
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='b'><freejoint/><geom name='g' "
        "size='.1' contype='0' conaffinity='0'/></body></worldbody><contact><pair geom1='floor' geom2='g' condim='4' "
        "friction='.3 .3 .01 .001 .001'/></contact></mujoco>");
    const json_t *floor_ = shape(d, "worldbody", 0), *ball = shape(d, "b", 0);
    unsigned group = (unsigned)number(floor_, "group"), mask = (unsigned)number(ball, "mask");
    assert_true((group & mask) != 0 && (group & 1) == 1);
    const json_t *material =
        json_object_get(json_object_get(d, "materials"), json_string_value(json_object_get(ball, "material")));
    assert_number(material, "friction", 0.3);
    assert_number(material, "condim", 4);
    assert_number(material, "priority", 1);
    json_decref(d);
}

static void a_tendon_of_two_sites_is_a_rope(void **state)
{
    (void)state;
    json_t *d = read_robot_text(
        "a.xml",
        "<mujoco><worldbody><site name='s' pos='0 0 3'/><body name='b'><freejoint/><geom size='.1'/><site name='t' "
        "pos='0 0 .1'/></body></worldbody><tendon><spatial name='r' range='0 2'><site site='s'/><site site='t'/>"
        "</spatial></tendon></mujoco>");
    assert_number(joint(d, "r"), "rest", 2);
    assert_true(json_is_true(json_object_get(joint(d, "r"), "one_sided")));
    json_decref(d);
}

static void an_included_file_stands_where_it_is_named(void **state)
{
    (void)state;
    write_text("part.xml", "<mujoco><body name='inner'><joint/><geom size='.1'/></body></mujoco>");
    json_t *d = read_robot_text("a.xml", BODY("<freejoint/><geom size='.1'/><include file='./part.xml'/>"));
    assert_non_null(body(d, "inner"));
    json_decref(d);
}

static void what_has_no_effect_is_said_in_one_line(void **state)
{
    (void)state;
    char *notes = NULL;
    json_t *d = read_with("a.xml",
                          "<mujoco><option timestep='.01' cone='elliptic'/><worldbody><light/><geom size='1' "
                          "margin='.1' solref='.1 1'/></worldbody><sensor><clock/></sensor></mujoco>",
                          NULL, &notes);
    assert_non_null(strstr(notes, "without effect here: timestep, cone, light, margin, solref, sensor\n"));
    assert_ptr_equal(strchr(notes, '\n'), notes + strlen(notes) - 1);
    free(notes);
    json_decref(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_degrees_unless_the_compiler_says_otherwise),
        cmocka_unit_test(a_range_limits_unless_the_file_says_no),
        cmocka_unit_test(small_letters_of_eulerseq_turn_with_the_body_and_capitals_do_not),
        cmocka_unit_test(an_element_asks_its_class_then_the_classes_around_it),
        cmocka_unit_test(geoms_make_the_mass_where_no_inertial_does),
        cmocka_unit_test(the_compiler_bounds_scales_and_balances_masses),
        cmocka_unit_test(a_replica_is_placed_from_the_one_before),
        cmocka_unit_test(a_frame_places_what_stands_in_it),
        cmocka_unit_test(a_free_joint_ignores_the_defaults_of_joints),
        cmocka_unit_test(all_kinds_of_actuator_share_the_record_of_a_class),
        cmocka_unit_test(a_key_places_the_model_and_keeps_its_zeros),
        cmocka_unit_test(several_joints_of_a_body_are_a_series),
        cmocka_unit_test(a_coupling_counts_from_where_the_model_is_placed),
        cmocka_unit_test(parents_and_children_are_kept_apart_unless_the_parent_stands_still),
        cmocka_unit_test(a_listed_pair_touches_whatever_the_masks_say),
        cmocka_unit_test(a_tendon_of_two_sites_is_a_rope),
        cmocka_unit_test(an_included_file_stands_where_it_is_named),
        cmocka_unit_test(what_has_no_effect_is_said_in_one_line),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
