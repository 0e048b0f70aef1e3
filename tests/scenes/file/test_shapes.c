/* SPDX-License-Identifier: MIT */
/* Scene files with several shapes a body, ellipsoids, frames, full inertia, fused bodies, groups and materials' further
 * friction: what was written reads back to the same text and the same world, and what is wrong is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scenes/files.h"

#define RICH                                                                                                           \
    "{'rigor': 1, 'name': 'arm', 'gravity': [0, 0, -9.81],\n"                                                          \
    " 'materials': {'pad': {'friction': 0.7, 'static_friction': 0.9, 'rolling_friction': 0.001,\n"                     \
    "                       'spin_friction': 0.002, 'priority': -2}, 'ice': {'slides': false}},\n"                     \
    " 'bodies': [\n"                                                                                                   \
    "  {'name': 'base', 'fixed': true, 'shapes': [{'plane': {'normal': [0, 0, 1]}, 'name': 'ground'},\n"               \
    "    {'box': {'size': [0.3, 0.2, 0.1]}, 'position': [0, 0, 0.05], 'group': 4294967295, 'mask': 0}]},\n"            \
    "  {'name': 'link', 'position': [0.1, 0.2, 1.3], 'orientation': [0.6, 0, 0.8, 0], 'velocity': [0, 0, 1],\n"        \
    "   'mass': 2.5, 'inertia': [0.3, 0.4, 0.5, 0.01, -0.02, 0.03], 'material': 'ice',\n"                              \
    "   'frame': {'position': [0, 0, -0.2], 'orientation': [0, 1, 0, 0]},\n"                                           \
    "   'shapes': [{'ellipsoid': {'radii': [0.1, 0.2, 0.3]}, 'position': [0, 0, 0.1], 'material': 'pad'},\n"           \
    "     {'hull': {'points': [[0, 0, 0], [0.3, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}, 'orientation': [0, 0, 1, 0]},\n"    \
    "     {'mesh': {'file': 'wedge.obj'}, 'position': [0.5, 0, 0], 'name': 'wedge'}]},\n"                              \
    "  {'name': 'tool', 'fused': 'link', 'position': [0.1, 0.3, 1.6], 'mass': 0.4, 'inertia': [0.01, 0.02, 0.015],\n"  \
    "   'shape': {'capsule': {'radius': 0.05, 'length': 0.2}}, 'group': 2, 'mask': 5},\n"                              \
    "  {'name': 'tip', 'fused': 'tool', 'position': [0.1, 0.3, 1.9]},\n"                                               \
    "  {'name': 'shelf', 'fused': 'world', 'position': [2, 0, 0], 'shape': {'box': {'size': [1, 1, 0.1]}}},\n"         \
    "  {'name': 'dumbbell', 'position': [0, 3, 1], 'shapes': [\n"                                                      \
    "    {'sphere': {'radius': 0.2}, 'position': [0.5, 0, 0], 'mass': 1.5},\n"                                         \
    "    {'sphere': {'radius': 0.2}, 'position': [-0.5, 0, 0], 'density': 44.76232774459556},\n"                       \
    "    {'cylinder': {'radius': 0.05, 'length': 1}, 'orientation': [0.5, 0.5, 0.5, 0.5]}]}],\n"                       \
    " 'joints': [{'name': 'j', 'type': 'ball', 'bodies': ['tool', 'dumbbell'], 'anchors': [[0, 0, 0.1], [0.5, 0, "     \
    "0]]}]"

static char *quoted(const char *text)
{
    char *copy = strdup(text);
    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    return copy;
}

static Problem *read_text(const char *text)
{
    Status status = {0};
    char *json = quoted(text);
    scratch_write(&scratch, json, strlen(json));
    Problem *problem = problem_read(scratch.path, &status);
    free(json);
    if (!problem)
        fail_msg("%s", status.message);
    return problem;
}

static void assert_same_colliders(const World *a, const World *b)
{
    assert_int_equal(a->collider_count, b->collider_count);
    for (int c = 0; c < a->collider_count; c++) {
        const Collider *p = &a->colliders[c], *q = &b->colliders[c];
        assert_int_equal(p->body, q->body);
        assert_int_equal(p->listed, q->listed);
        assert_int_equal(p->material, q->material);
        assert_true(p->group == q->group && p->mask == q->mask);
        assert_memory_equal(&p->at, &q->at, sizeof p->at);
        assert_int_equal(p->shape.kind, q->shape.kind);
        assert_memory_equal(&p->shape.radii, &q->shape.radii, sizeof p->shape.radii);
        if (!p->shape.mesh)
            continue;
        assert_int_equal(p->shape.mesh->vertex_count, q->shape.mesh->vertex_count);
        assert_memory_equal(p->shape.mesh->vertices, q->shape.mesh->vertices,
                            sizeof(Vec3) * (size_t)p->shape.mesh->vertex_count);
    }
}

static void assert_round_trip(const char *text)
{
    Problem *problem = read_text(text);
    char *written = problem_write(problem);
    assert_non_null(written);
    Problem *again = read_text(written);
    char *same = problem_write(again);
    assert_string_equal(written, same);
    const World *a = problem->world, *b = again->world;
    assert_memory_equal(a->pose, b->pose, sizeof *a->pose * (size_t)a->body_count);
    assert_memory_equal(a->velocity, b->velocity, sizeof *a->velocity * (size_t)a->body_count);
    assert_memory_equal(a->mass, b->mass, sizeof *a->mass * (size_t)a->body_count);
    assert_memory_equal(&a->joints[0].anchor, &b->joints[0].anchor, sizeof a->joints[0].anchor);
    assert_true(a->length_scale == b->length_scale);
    for (int m = 0; m < a->material_count; m++) {
        const Material *p = &a->materials[m], *q = &b->materials[m];
        assert_true(p->rolling_friction == q->rolling_friction && p->spin_friction == q->spin_friction);
        assert_true(p->static_friction == q->static_friction && p->priority == q->priority);
        assert_int_equal(p->frictionless, q->frictionless);
    }
    assert_int_equal(a->collide_only, b->collide_only);
    assert_int_equal(a->collide_only_count, b->collide_only_count);
    assert_same_colliders(a, b);
    free(written);
    free(same);
    problem_destroy(problem);
    problem_destroy(again);
}

static void bodies_of_robots_read_back_to_the_same_bits(void **state)
{
    (void)state;
    assert_round_trip(RICH "}");
    assert_round_trip(RICH ", 'collide': {'only': [['base', 'tool'], ['dumbbell', 'link']]}}");
}

static void a_file_of_shapes_means_what_it_says(void **state)
{
    (void)state;
    Problem *problem = read_text(RICH "}");
    const World *world = problem->world;
    int link = world_find_body(world, "link"), tool = world_find_body(world, "tool"),
        tip = world_find_body(world, "tip");
    int shelf = world_find_body(world, "shelf"), dumbbell = world_find_body(world, "dumbbell");
    assert_int_equal(world->fused_count, 2);
    assert_true(world->ride[tool].root == link && world->ride[tip].root == link && world->ride[shelf].root == shelf);
    assert_true(world->mass[link].mass == 2.5 + 0.4 && world_is_fixed(world, shelf));
    /* (2.5 x_link + 0.4 x_tool) / 2.9 */
    assert_true(fabs(world->pose[link].x.z - (2.5 * 1.3 + 0.4 * 1.6) / 2.9) < 1e-15);
    assert_true(fabs(world_reported_position(world, link).z - 1.3) < 1e-15);
    const Collider *egg = &world->colliders[world->ride[link].first_collider];
    assert_true(egg->shape.radii.y == 0.2 && strcmp(world->materials[egg->material].name, "pad") == 0);
    const Material *pad = &world->materials[egg->material];
    assert_true(pad->static_friction == 0.9 && pad->rolling_friction == 0.001 && pad->spin_friction == 0.002);
    assert_true(pad->priority == -2 && world->materials[world->bodies[link].material].frictionless);
    const Collider *hand = &world->colliders[world->ride[tool].first_collider];
    assert_true(hand->body == link && hand->listed == tool && hand->group == 2 && hand->mask == 5);
    /* 44.76 kg/m^3 in a ball of 0.2 m is 1.5 kg: the centre is the origin. 2 (2/5 m r^2 + m d^2) across. */
    assert_true(fabs(world->mass[dumbbell].mass - 3.0) < 1e-14);
    assert_true(fabs(world->mass[dumbbell].inertia.y - 3.0 * (0.4 * 0.04 + 0.25)) < 1e-14);
    Pose frame = world_reported_frame(world, link);
    assert_true(fabs(vec3_norm(vec3_sub(frame.x, vec3(0.1, 0.2, 1.3))) - 0.2) < 1e-15);
    problem_destroy(problem);
}

typedef struct Wrong {
    const char *body, *message;
} Wrong;

static void what_is_wrong_with_shapes_is_named(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {"'shape': {'ellipsoid': {'radii': [1, 0, 1]}}, 'mass': 1",
         ": bodies[1].shape.ellipsoid.radii[1]: must be positive"},
        {"'shapes': [], 'mass': 1", ": bodies[1].shapes: must have a shape"},
        {"'shapes': [{'position': [0, 0, 0]}], 'mass': 1",
         ": bodies[1].shapes[0]: must have one key, the kind of shape"},
        {"'shapes': [{'sphere': {'radius': 1}, 'box': {'size': [1, 1, 1]}}], 'mass': 1",
         ": bodies[1].shapes[0]: must have one key, the kind of shape"},
        {"'shapes': [{'plane': {}}], 'mass': 1", ": bodies[1].shapes[0]: only a fixed body can be a plane"},
        {"'shape': {'sphere': {'radius': 1}}, 'shapes': [{'sphere': {'radius': 1}}], 'mass': 1",
         ": bodies[1].shapes: give shape or shapes, not both"},
        {"'shapes': [{'sphere': {'radius': 1}}], 'group': 2, 'mass': 1",
         ": bodies[1].group: stands on each of the shapes"},
        {"'shapes': [{'sphere': {'radius': 1}, 'mask': -1}], 'mass': 1",
         ": bodies[1].shapes[0].mask: must be a whole number of 32 bits"},
        {"'shape': {'sphere': {'radius': 1}}, 'group': 4294967296, 'mass': 1",
         ": bodies[1].group: must be a whole number of 32 bits"},
        {"'shapes': [{'sphere': {'radius': 1}, 'mass': 1, 'density': 2}]",
         ": bodies[1].shapes[0].density: give density or mass, not both"},
        {"'shapes': [{'sphere': {'radius': 1}}]",
         ": bodies[1].mass: is missing: a body that is not fixed needs mass or density"},
        {"'shapes': [{'sphere': {'radius': 1}, 'position': [0.5, 0, 0], 'mass': 1}]",
         ": bodies[1]: body c: the centre of mass of its shapes is at [0.5, 0, 0], not at its origin: give them there, "
         "or "
         "mass and inertia"},
        {"'mass': 1, 'inertia': [1, 1, 1, 2, 0, 0]",
         ": bodies[1].inertia: inertia: its principal moments -1, 1, 3 are not "
         "all positive"},
        {"'mass': 1, 'inertia': [1, 1, 1, 0.9, 0, 0]", ": bodies[1].inertia: no body has these principal moments, 0.1, "
                                                       "1 and 1.9: each is at most the sum of the other two"},
        {"'mass': 1, 'inertia': [1, 1, 1, 0]", ": bodies[1].inertia: must have 3 elements, not 4"},
        {"'fused': 'nobody', 'mass': 1", ": bodies[1].fused: there is no body before this one \"nobody\""},
        {"'fused': 'c', 'mass': 1", ": bodies[1].fused: a body is no part of itself"},
        {"'fused': 'base', 'velocity': [1, 0, 0]",
         ": bodies[1].velocity: belongs to the body that this one is fused to"},
        {"'fused': 'base', 'fixed': true", ": bodies[1].fixed: belongs to the body that this one is fused to"},
        {"'mass': 1, 'frame': {'place': 1}", ": bodies[1].frame.place: unknown key"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        char text[1024], expected[512];
        Status status = {0};
        snprintf(text, sizeof text,
                 "{'rigor': 1, 'bodies': [{'name': 'base', 'mass': 1, 'inertia': [1, 1, 1]}, "
                 "{'name': 'c', %s}]}",
                 wrongs[i].body);
        char *json = quoted(text);
        scratch_write(&scratch, json, strlen(json));
        Problem *problem = problem_read(scratch.path, &status);
        if (problem)
            fail_msg("accepted: %s", json);
        free(json);
        snprintf(expected, sizeof expected, "%s%s", scratch.path, wrongs[i].message);
        if (strncmp(status.message, expected, strlen(expected)) != 0)
            fail_msg("%s\nis not\n%s", status.message, expected);
        assert_int_equal(status.code, STATUS_BAD_FILE);
    }
}

static void what_is_wrong_with_friction_and_pairs_is_named(void **state)
{
    (void)state;
    static const Wrong wrongs[] = {
        {"'materials': {'m': {'rolling_friction': -1}}", ": materials.m.rolling_friction: must not be negative"},
        {"'materials': {'m': {'friction': 0.5, 'static_friction': 0.4}}",
         ": materials.m.static_friction: must not be below friction, which is 0.5"},
        {"'materials': {'m': {'priority': 0.5}}", ": materials.m.priority: must be a whole number within +-1000000"},
        {"'collide': {'only': [['a', 'b']], 'except': []}", ": collide.only: give except or only, not both"},
        {"'collide': {'only': [['a', 'c']]}", ": collide.only[0][1]: there is no body \"c\""},
        {"'events': [{'time': 1, 'remove': 'b'}]", ": events[0].remove: it goes with the body that it is fused to"},
        {"'joints': [{'type': 'ball', 'bodies': ['a', 'b'], 'anchor': [0, 0, 0]}]",
         ": joints[0].bodies[1]: is fused to a, so that there is nothing to join"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        char text[1024];
        Status status = {0};
        snprintf(text, sizeof text,
                 "{'rigor': 1, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1]}, "
                 "{'name': 'b', 'mass': 1, 'inertia': [1, 1, 1], 'fused': 'a'}], %s}",
                 wrongs[i].body);
        char *json = quoted(text);
        scratch_write(&scratch, json, strlen(json));
        assert_null(problem_read(scratch.path, &status));
        free(json);
        if (!strstr(status.message, wrongs[i].message))
            fail_msg("%s\nis not\n%s", status.message, wrongs[i].message);
        assert_int_equal(status.code, STATUS_BAD_FILE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_robots_read_back_to_the_same_bits),
        cmocka_unit_test(a_file_of_shapes_means_what_it_says),
        cmocka_unit_test(what_is_wrong_with_shapes_is_named),
        cmocka_unit_test(what_is_wrong_with_friction_and_pairs_is_named),
    };
    return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
