/* SPDX-License-Identifier: MIT */
/* Scene files that are wrong: each is refused with exit status 3 and a message that names the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scenes/files.h"

/* A file in which ' stands for ", and what its message says after the file's name. */
typedef struct Wrong {
    const char *text, *message;
} Wrong;

static void assert_refused(const Wrong *wrong)
{
    char *text = strdup(wrong->text), expected[512];
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    scratch_write(&scratch, text, strlen(text));
    Status status = {0};
    Problem *problem = problem_read(scratch.path, &status);
    if (problem)
        fail_msg("accepted: %s", text);
    snprintf(expected, sizeof expected, "%s%s", scratch.path, wrong->message);
    /* The keys that there are follow. */
    if (strstr(status.message, "unknown key") && strstr(expected, "unknown key") &&
        strlen(status.message) > strlen(expected))
        status.message[strlen(expected)] = '\0';
    assert_string_equal(status.message, expected);
    assert_int_equal(status.code, STATUS_BAD_FILE);
    free(text);
}

#define ASSERT_ALL_REFUSED(table)                                                                                      \
    for (size_t i = 0; i < sizeof(table) / sizeof(table)[0]; i++)                                                      \
    assert_refused(&(table)[i])

/* The scenes below: three bodies that are right, then what is tested. */
#define BODIES                                                                                                         \
    "{'name': 'a', 'mass': 1}, {'name': 'b', 'mass': 2, 'inertia': [1, 1, 1], 'position': [1, 0, 0]}, "                \
    "{'name': 'post', 'fixed': true}"
#define SCENE(rest) "{'rigor': 1, 'bodies': [" BODIES "]" rest "}"
#define BODY(body) "{'rigor': 1, 'bodies': [" BODIES ", {" body "}]}"
#define SHAPE(shape) BODY("'name': 'c', 'mass': 1, 'shape': {" shape "}")
#define JOINT(joint) SCENE(", 'joints': [{" joint "}]")
#define TYPE(type) "'type': '" type "', 'bodies': ['world', 'b'], "
#define ANCHOR "'anchor': [0, 0, 0], "
#define HINGE TYPE("hinge") ANCHOR "'axis': [0, 0, 1]"

static void syntax_errors_give_line_and_column(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {"", ":1:1: is not JSON: '[' or '{' expected near end of file"},
        {"{'rigor': 1,\n 'name': }", ":2:10: unexpected token near '}'"},
        {"{'rigor': 1,\n\n'time': 1e999}", ":3:13: real number overflow near '1e999'"},
        {"{'rigor': 1,\n'gravity': [0, NaN, 0]}", ":2:18: invalid token near 'NaN'"},
        {"{'rigor': 1, 'rigor': 1}", ":1:20: duplicate object key near '\"rigor\"'"},
        {"{'rigor': 1, 'materials': {'m': {}, 'm': {}}}", ":1:39: duplicate object key near '\"m\"'"},
        {"{'rigor': 1} x", ":1:14: end of file expected near 'x'"},
        {"{'rigor': 1, 'bodies': [{'name': 'a\\u0000b'}]}",
         ":1:43: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"a\\u0000b\"'"},
    };
    ASSERT_ALL_REFUSED(wrongs);
}

static void the_documents_own_keys_are_checked(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {"[]", ": must be an object, not an array"},
        {"{}", ": rigor: is missing"},
        {"{'rigor': '1'}", ": rigor: must be a number, not a string"},
        {"{'rigor': 2}", ": rigor: this program reads version 1, not 2"},
        {"{'rigor': 1, 'body': []}", ": body: unknown key: did you mean 'bodies'? Known here: rigor, name, gravity, "},
        {"{'rigor': 1, 'name': ''}", ": name: must not be empty"},
        {"{'rigor': 1, 'name': null}", ": name: must be a string, not null"},
        {"{'rigor': 1, 'time': 0}", ": time: must be positive"},
        {"{'rigor': 1, 'gravity': [0, 1]}", ": gravity: must have 3 elements, not 2"},
        {"{'rigor': 1, 'gravity': [0, 1, '2']}", ": gravity[2]: must be a number, not a string"},
        {"{'rigor': 1, 'gravity': 9.81}", ": gravity: must be an array, not a number"},
        {"{'rigor': 1, 'energy_scale': 0}", ": energy_scale: must be positive"},
        {"{'rigor': 1, 'speed_scale': -1}", ": speed_scale: must be positive"},
        {SCENE(", 'gravity': [0, 1e300, 1e300]"), ": energy_scale: the scene's energy is beyond double precision"},
        {"{'rigor': 1, 'attractor': {'at': [0, 0, 0]}}", ": attractor.gm: is missing"},
        {"{'rigor': 1, 'attractor': {'gm': -1}}", ": attractor.gm: must be positive"},
        {"{'rigor': 1, 'attractor': {'gm': 1, 'mass': 1}}", ": attractor.mass: unknown key"},
        {"{'rigor': 1, 'bodies': {}}", ": bodies: must be an array, not an object"},
        {"{'rigor': 1, 'joints': true}", ": joints: must be an array, not a truth value"},
    };
    ASSERT_ALL_REFUSED(wrongs);
}

static void materials_are_checked(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {"{'rigor': 1, 'materials': []}", ": materials: must be an object, not an array"},
        {"{'rigor': 1, 'materials': {'m': 1}}", ": materials.m: must be an object, not a number"},
        {"{'rigor': 1, 'materials': {'': {}}}", ": materials: a material needs a name"},
        {"{'rigor': 1, 'materials': {'m': {'mu': 1}}}", ": materials.m.mu: unknown key"},
        {"{'rigor': 1, 'materials': {'m': {'friction': -0.1}}}", ": materials.m.friction: must not be negative"},
        {"{'rigor': 1, 'materials': {'m': {'restitution': 1.1}}}", ": materials.m.restitution: must not be above 1"},
        {"{'rigor': 1, 'materials': {'m': {'patch_radius': -1}}}", ": materials.m.patch_radius: must not be negative"},
        {"{'rigor': 1, 'materials': {'m': {'patch_radius': 'big'}}}",
         ": materials.m.patch_radius: \"big\" is none of auto"},
        {"{'rigor': 1, 'combine': {'friction': 'mean'}}",
         ": combine.friction: \"mean\" is none of average, multiply, sum, min, max"},
        {"{'rigor': 1, 'combine': {'mu': 'max'}}", ": combine.mu: unknown key"},
        {BODY("'name': 'c', 'mass': 1, 'material': 'wood'"), ": bodies[3].material: there is no material \"wood\""},
    };
    ASSERT_ALL_REFUSED(wrongs);
}

static void bodies_are_checked(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {"{'rigor': 1, 'bodies': [7]}", ": bodies[0]: must be an object, not a number"},
        {BODY("'mass': 1"), ": bodies[3].name: is missing"},
        {BODY("'name': '', 'mass': 1"), ": bodies[3].name: must not be empty"},
        {BODY("'name': 'a', 'mass': 1"), ": bodies[3].name: the name \"a\" is taken"},
        {BODY("'name': 'world', 'mass': 1"), ": bodies[3].name: the name \"world\" is taken"},
        {BODY("'name': 'c', 'mas': 1"), ": bodies[3].mas: unknown key"},
        {BODY("'name': 'c', 'mass': 0"), ": bodies[3].mass: must be positive"},
        {BODY("'name': 'c', 'mass': -1"), ": bodies[3].mass: must be positive"},
        {BODY("'name': 'c', 'mass': '1'"), ": bodies[3].mass: must be a number, not a string"},
        {BODY("'name': 'c'"), ": bodies[3].mass: is missing: a body that is not fixed needs mass or density"},
        {BODY("'name': 'c', 'density': 1"), ": bodies[3].density: needs a shape with a volume"},
        {BODY("'name': 'c', 'density': 0, 'shape': {'sphere': {'radius': 1}}"),
         ": bodies[3].density: must be positive"},
        {BODY("'name': 'c', 'density': 1, 'mass': 1, 'shape': {'sphere': {'radius': 1}}"),
         ": bodies[3].density: give density or mass, not both"},
        {BODY("'name': 'c', 'density': 1, 'inertia': [1, 1, 1], 'shape': {'sphere': {'radius': 1}}"),
         ": bodies[3].inertia: needs mass beside it"},
        {BODY("'name': 'c', 'mass': 1, 'inertia': [1, 0, 1]"), ": bodies[3].inertia[1]: must be positive"},
        {BODY("'name': 'c', 'mass': 1, 'inertia': [1, 1, 2.001]"),
         ": bodies[3].inertia: no body has these moments: each is at most the sum of the other two"},
        {BODY("'name': 'c', 'mass': 1, 'orientation': [1, 1, 0, 0]"),
         ": bodies[3].orientation: must be a unit quaternion [w, x, y, z]; its length is 1.41421"},
        {BODY("'name': 'c', 'mass': 1, 'orientation': [1, 0, 0]"),
         ": bodies[3].orientation: must have 4 elements, not 3"},
        {BODY("'name': 'c', 'mass': 1, 'fixed': 1"), ": bodies[3].fixed: must be true or false, not a number"},
        {BODY("'name': 'c', 'fixed': true, 'velocity': [1, 0, 0]"), ": bodies[3].velocity: a fixed body does not move"},
        {BODY("'name': 'c', 'fixed': true, 'angular_velocity': [1, 0, 0]"),
         ": bodies[3].angular_velocity: a fixed body does not move"},
        {BODY("'name': 'c', 'mass': 1, 'angular_velocity': [1, 0, 0]"),
         ": bodies[3].angular_velocity: a particle (mass alone) never turns"},
        {BODY("'name': 'c', 'mass': 1, 'torque': [1, 0, 0]"),
         ": bodies[3].torque: a particle (mass alone) never turns"},
        {BODY("'name': 'c', 'mass': 1e-320"), ": bodies[3]: body c: its mass or inertia is beyond double precision"},
    };
    ASSERT_ALL_REFUSED(wrongs);
}

static void shapes_are_checked(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {SHAPE(""), ": bodies[3].shape: must have one key, the kind of shape"},
        {SHAPE("'sphere': {'radius': 1}, 'box': {'size': [1, 1, 1]}"),
         ": bodies[3].shape: must have one key, the kind of shape"},
        {SHAPE("'ball': {'radius': 1}"), ": bodies[3].shape.ball: unknown key"},
        {SHAPE("'sphere': 1"), ": bodies[3].shape.sphere: must be an object, not a number"},
        {SHAPE("'sphere': {}"), ": bodies[3].shape.sphere.radius: is missing"},
        {SHAPE("'sphere': {'radius': 1, 'length': 1}"), ": bodies[3].shape.sphere.length: unknown key"},
        {SHAPE("'sphere': {'radius': -1}"), ": bodies[3].shape.sphere.radius: must be positive"},
        {SHAPE("'capsule': {'radius': 1}"), ": bodies[3].shape.capsule.length: is missing"},
        {SHAPE("'cylinder': {'radius': 1, 'length': 0}"), ": bodies[3].shape.cylinder.length: must be positive"},
        {SHAPE("'box': {'size': [1, 0, 1]}"), ": bodies[3].shape.box.size[1]: must be positive"},
        {SHAPE("'box': {}"), ": bodies[3].shape.box.size: is missing"},
        {SHAPE("'plane': {}"), ": bodies[3].shape: only a fixed body can be a plane"},
        {BODY("'name': 'c', 'fixed': true, 'shape': {'plane': {'normal': [0, 0, 0]}}"),
         ": bodies[3].shape.plane.normal: must not be zero"},
        {BODY("'name': 'c', 'fixed': true, 'shape': {'plane': {'normal': [1e-200, 0, 0]}}"),
         ": bodies[3].shape.plane.normal: has no usable length"},
        {BODY("'name': 'c', 'fixed': true, 'mass': 1, 'shape': {'plane': {}}"), ": bodies[3].mass: a plane has none"},
        {SHAPE("'hull': {}"), ": bodies[3].shape.hull.points: is missing"},
        {SHAPE("'hull': {'points': [[0, 0, 0], [1, 0]]}"),
         ": bodies[3].shape.hull.points[1]: must have 3 elements, not 2"},
        {SHAPE("'mesh': {'file': ''}"), ": bodies[3].shape.mesh.file: must not be empty"},
        {SHAPE("'mesh': {'path': 'x.obj'}"), ": bodies[3].shape.mesh.path: unknown key"},
        {BODY("'name': 'c', 'density': 1e300, 'shape': {'sphere': {'radius': 1e9}}"),
         ": bodies[3]: body c: its mass or inertia is beyond double precision"},
    };
    ASSERT_ALL_REFUSED(wrongs);
}

static void joints_bodies_and_types_are_checked(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {SCENE(", 'joints': [1]"), ": joints[0]: must be an object, not a number"},
        {JOINT("'bodies': ['world', 'a']"), ": joints[0].type: is missing"},
        {JOINT("'type': 'weld', 'bodies': ['world', 'a']"),
         ": joints[0].type: \"weld\" is none of fixed, distance, ball, hinge, servo, motor, prismatic, cylinder, wire, "
         "volume, series, coupling"},
        {JOINT("'type': 'ball', 'anchor': [0, 0, 0]"), ": joints[0].bodies: is missing"},
        {JOINT("'type': 'ball', 'bodies': ['a']"), ": joints[0].bodies: must have 2 elements, not 1"},
        {JOINT("'type': 'ball', 'bodies': ['a', 'z']"), ": joints[0].bodies[1]: there is no body \"z\""},
        {JOINT("'type': 'ball', 'bodies': ['a', 2]"), ": joints[0].bodies[1]: must be a string, not a number"},
        {JOINT("'type': 'ball', 'bodies': ['a', 'a']"),
         ": joints[0].bodies[1]: a joint cannot join a body with itself"},
        {JOINT("'type': 'ball', 'bodies': ['world', 'post']"),
         ": joints[0].bodies: all are fixed: there is nothing to join"},
        {JOINT("'name': '', 'type': 'distance', 'bodies': ['a', 'b']"), ": joints[0].name: must not be empty"},
        {SCENE(", 'joints': [{'name': 'j', 'type': 'distance', 'bodies': ['a', 'b']},"
               "{'name': 'j', 'type': 'distance', 'bodies': ['a', 'b']}]"),
         ": joints[1].name: the name \"j\" is taken"},
        {JOINT("'type': 'volume', 'bodies': ['a', 'b']"), ": joints[0].bodies: must have 4 elements, not 2"},
        {JOINT("'type': 'volume', 'bodies': ['a', 'b', 'post', 'world']"),
         ": joints[0].bodies[1]: must be a particle: mass alone, no shape"},
        {JOINT("'type': 'volume', 'bodies': ['a', 'post', 'world', 'a']"),
         ": joints[0].bodies[3]: a joint cannot join a body with itself"},
        {JOINT("'type': 'wire', 'bodies': ['a', 'world'], 'center': [0, 0, 0], 'axis': [0, 0, 1], 'radius': 1"),
         ": joints[0].bodies[1]: is fixed, but a wire's second body is the one that slides on it"},
    };
    ASSERT_ALL_REFUSED(wrongs);
}

/* Every type takes its own keys alone. */
static void a_key_of_another_joint_type_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *key, *types;
    } owners[] = {
        {"rest", "distance volume"},
        {"one_sided", "distance"},
        {"swing_max", "ball"},
        {"twist_min", "ball"},
        {"twist_max", "ball"},
        {"angle_min", "hinge prismatic"},
        {"angle_max", "hinge prismatic"},
        {"position_min", "prismatic"},
        {"position_max", "prismatic"},
        {"target", "servo cylinder"},
        {"speed", "motor"},
        {"torque", "motor"},
        {"force", "cylinder"},
        {"max_torque", "servo motor"},
        {"angle", "cylinder"},
        {"center", "wire"},
        {"radius", "wire"},
        {"axis", "ball hinge servo motor prismatic cylinder wire"},
        {"colour", ""},
        {"anchor", "fixed distance ball hinge servo motor prismatic cylinder wire"},
        {"target_speed", ""},
        {"shape", ""},
    };
    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++)
        for (int type = 0; type < JOINT_TYPES; type++) {
            if (strstr(owners[i].types, joint_type_names[type]))
                continue;
            char text[512], message[128];
            snprintf(text, sizeof text, JOINT("'type': '%s', 'bodies': ['world', 'b'], '%s': 1"),
                     joint_type_names[type], owners[i].key);
            snprintf(message, sizeof message, ": joints[0].%s: unknown key: a %s joint has no such", owners[i].key,
                     joint_type_names[type]);
            assert_refused(&(Wrong){text, message});
        }
}

static void joints_own_keys_are_checked(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {JOINT(TYPE("ball") "'compliance': 0"), ": joints[0].anchor: is missing: a ball joint needs anchor or anchors"},
        {JOINT(TYPE("ball") ANCHOR "'anchors': [[0, 0, 0], [0, 0, 0]]"),
         ": joints[0].anchor: give anchor or anchors, not both"},
        {JOINT(TYPE("ball") "'anchors': [[0, 0, 0]]"), ": joints[0].anchors: must have 2 elements, not 1"},
        {JOINT(TYPE("ball") ANCHOR "'swing_max': 1"), ": joints[0].axis: is missing: limits and normal count from it"},
        {JOINT(TYPE("ball") ANCHOR "'axis': [1, 0, 0], 'twist_min': 0.2, 'twist_max': 0.1"),
         ": joints[0].twist_min: 0.2 is above twist_max, 0.1"},
        {JOINT(TYPE("hinge") ANCHOR "'compliance': 0"), ": joints[0].axis: is missing"},
        {JOINT(TYPE("servo") ANCHOR "'target': 0"), ": joints[0].axis: is missing"},
        {JOINT(TYPE("motor") ANCHOR "'speed': 0"), ": joints[0].axis: is missing"},
        {JOINT(TYPE("prismatic") ANCHOR "'compliance': 0"), ": joints[0].axis: is missing"},
        {JOINT(TYPE("cylinder") ANCHOR "'target': 0"), ": joints[0].axis: is missing"},
        {JOINT(TYPE("hinge") ANCHOR "'axis': [0, 0, 0]"), ": joints[0].axis: must not be zero"},
        {JOINT(TYPE("hinge") ANCHOR "'axis': [0, 0, 1], 'normal': [0, 0, -3]"),
         ": joints[0].normal: must not lie along the axis"},
        {JOINT(HINGE ", 'angle_min': 1, 'angle_max': -1"), ": joints[0].angle_min: 1 is above angle_max, -1"},
        {JOINT(HINGE ", 'angle_min': 'low'"), ": joints[0].angle_min: must be a number, not a string"},
        {JOINT(HINGE ", 'compliance': -1"), ": joints[0].compliance: must not be negative"},
        {JOINT(HINGE ", 'damping': -1"), ": joints[0].damping: must not be negative"},
        {JOINT(HINGE ", 'angular_damping': -1"), ": joints[0].angular_damping: must not be negative"},
        {JOINT(TYPE("prismatic") "'axis': [1, 0, 0], 'position_min': 1, 'position_max': 0"),
         ": joints[0].position_min: 1 is above position_max, 0"},
        {JOINT(TYPE("prismatic") "'axis': [1, 0, 0], 'angle_min': 1"),
         ": joints[0].angle_min: 1 is above angle_max, 0"},
        {JOINT(TYPE("motor") ANCHOR "'axis': [1, 0, 0]"),
         ": joints[0].speed: is missing: a motor needs speed or torque"},
        {JOINT(TYPE("motor") ANCHOR "'axis': [1, 0, 0], 'speed': 1, 'torque': 1"),
         ": joints[0].torque: give speed or torque, not both"},
        {JOINT(TYPE("motor") ANCHOR "'axis': [1, 0, 0], 'torque': 1, 'max_torque': 1"),
         ": joints[0].max_torque: a torque motor has its torque already"},
        {JOINT(TYPE("servo") ANCHOR "'axis': [1, 0, 0], 'max_torque': -1"),
         ": joints[0].max_torque: must not be negative"},
        {JOINT(TYPE("cylinder") ANCHOR "'axis': [1, 0, 0], 'target': 1, 'force': 1"),
         ": joints[0].force: give target or force, not both"},
        {JOINT(TYPE("distance") "'rest': -1"), ": joints[0].rest: must not be negative"},
        {JOINT(TYPE("distance") "'one_sided': 0"), ": joints[0].one_sided: must be true or false, not a number"},
        {JOINT(TYPE("distance") "'anchors': [[1e200, 0, 0], [0, 0, 0]]"),
         ": joints[0]: its lengths or laws are beyond double precision"},
        {JOINT(TYPE("wire") "'axis': [0, 0, 1], 'radius': 1"), ": joints[0].center: is missing"},
        {JOINT(TYPE("wire") "'center': [0, 0, 0], 'radius': 1"), ": joints[0].axis: is missing"},
        {JOINT(TYPE("wire") "'center': [0, 0, 0], 'axis': [0, 0, 1]"), ": joints[0].radius: is missing"},
        {JOINT(TYPE("wire") "'center': [0, 0, 0], 'axis': [0, 0, 1], 'radius': 0"),
         ": joints[0].radius: must be positive"},
    };
    ASSERT_ALL_REFUSED(wrongs);
}

static void collisions_events_and_expectations_are_checked(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {SCENE(", 'collide': 'some'"), ": collide: \"some\" is none of none, all"},
        {SCENE(", 'collide': 1"), ": collide: must be a string, not a number"},
        {SCENE(", 'collide': {}"), ": collide.except: is missing"},
        {SCENE(", 'collide': {'but': []}"), ": collide.but: unknown key"},
        {SCENE(", 'collide': {'except': [['a', 'z']]}"), ": collide.except[0][1]: there is no body \"z\""},
        {SCENE(", 'collide': {'except': [['a', 'b'], ['a']]}"), ": collide.except[1]: must have 2 elements, not 1"},
        {SCENE(", 'collide': {'except': [['a', 'a']]}"), ": collide.except[0]: a body does not collide with itself"},
        {SCENE(", 'events': [{'time': 1, 'remove': 'z'}]"), ": events[0].remove: there is no body \"z\""},
        {SCENE(", 'events': [{'time': 1, 'remove': 'world'}]"), ": events[0].remove: the world itself stays"},
        {SCENE(", 'events': [{'time': 1, 'remove': 'a'}, {'time': 2, 'remove': 'a'}]"),
         ": events[1].remove: is removed twice"},
        {SCENE(", 'events': [{'remove': 'a'}]"), ": events[0].time: is missing"},
        {SCENE(", 'events': [{'time': -1, 'remove': 'a'}]"), ": events[0].time: must not be negative"},
        {SCENE(", 'events': [{'time': 1}]"), ": events[0].remove: is missing"},
        {SCENE(", 'events': [{'time': 1, 'add': 'a'}]"), ": events[0].add: unknown key"},
        {SCENE(", 'expect': {'conserves': ['mass']}"),
         ": expect.conserves[0]: \"mass\" is none of energy, momentum, angular_momentum"},
        {SCENE(", 'expect': {'conserves': 'energy'}"), ": expect.conserves: must be an array, not a string"},
        {SCENE(", 'expect': {'rest': 1}"), ": expect.rest: must be true or false, not a number"},
        {SCENE(", 'expect': {'truth': 'mine'}"), ": expect.truth: \"mine\" is none of reference"},
        {SCENE(", 'expect': {'peace': true}"), ": expect.peace: unknown key"},
    };
    ASSERT_ALL_REFUSED(wrongs);
}

/* What another file's message says is its own; ours stands before it. */
static void hulls_and_meshes_that_enclose_nothing_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *shape, *place;
    } wrongs[] = {
        {"'hull': {'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.3, 0.4, 0]]}", "hull.points: "},
        {"'hull': {'points': [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}", "hull.points: "},
        {"'hull': {'points': []}", "hull.points: "},
        {"'mesh': {'file': 'open.obj'}", "mesh.file: "},
        {"'mesh': {'file': 'absent.obj'}", "mesh.file: absent.obj: No such file"},
        {"'mesh': {'file': '" TEST_DATA "/wedge.obj'}", "mesh.file: " TEST_DATA "/wedge.obj: must lie in"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        char text[1024], place[256];
        snprintf(text, sizeof text, SHAPE("%s"), wrongs[i].shape);
        for (char *c = text; *c; c++)
            if (*c == '\'')
                *c = '"';
        scratch_write(&scratch, text, strlen(text));
        Status status = {0};
        assert_null(problem_read(scratch.path, &status));
        snprintf(place, sizeof place, "%s: bodies[3].shape.%s", scratch.path, wrongs[i].place);
        assert_memory_equal(status.message, place, strlen(place));
        assert_true(strlen(status.message) > strlen(place));
        assert_int_equal(status.code, STATUS_BAD_FILE);
    }
}

static void a_file_that_cannot_be_read_is_refused(void **state)
{
    (void)state;
    Status status = {0};
    assert_null(problem_read("/nowhere/scene.json", &status));
    assert_string_equal(status.message, "/nowhere/scene.json: No such file or directory");
    assert_int_equal(status.code, STATUS_BAD_FILE);
    assert_null(problem_read(scratch.folder, &status));
    assert_non_null(strstr(status.message, ": Is a directory"));
    assert_int_equal(status.code, STATUS_BAD_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_errors_give_line_and_column),
        cmocka_unit_test(the_documents_own_keys_are_checked),
        cmocka_unit_test(materials_are_checked),
        cmocka_unit_test(bodies_are_checked),
        cmocka_unit_test(shapes_are_checked),
        cmocka_unit_test(joints_bodies_and_types_are_checked),
        cmocka_unit_test(a_key_of_another_joint_type_is_refused),
        cmocka_unit_test(joints_own_keys_are_checked),
        cmocka_unit_test(collisions_events_and_expectations_are_checked),
        cmocka_unit_test(hulls_and_meshes_that_enclose_nothing_are_refused),
        cmocka_unit_test(a_file_that_cannot_be_read_is_refused),
    };
    return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
